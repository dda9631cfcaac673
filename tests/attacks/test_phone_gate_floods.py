"""Who asks the gate for more than anybody needs is hung up on, and costs nobody else a seat or an answer.

Requests one behind the other, a body without an end behind one that waits, signs of life by the thousand,
connections that take up room and say nothing, a page that is asked for and not read.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "runtime" / "phones"))
from made_gate import Served, served

from runtime.phones import connection, rate_limits

HEAD = b"HEAD / HTTP/1.1\r\nHost: [::1]\r\n\r\n"


@pytest.fixture
async def class_(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as found:
        yield found


async def until_closed(reader: asyncio.StreamReader) -> bytes:
    """What is told until the gate has hung up, in an orderly way or not."""
    told = b""
    async with asyncio.timeout(15):
        try:
            while data := await reader.read(65536):
                told += data
        except ConnectionError:
            pass
    return told


async def test_requests_one_behind_the_other_are_hung_up_on(
    class_: Served, caplog: pytest.LogCaptureFixture
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", class_.port)
    writer.write(HEAD * 700)
    assert (await until_closed(reader)).count(b"HTTP/1.1 200") <= 1
    writer.close()
    assert not caplog.records  # nothing was raised on the way


async def test_what_comes_behind_a_post_that_waits_is_not_kept(class_: Served) -> None:
    class_.writes = False  # the answer is on its way as long as that is
    body = json.dumps(
        [
            {"t": "hello", "v": 1, "code": class_.code},
            {"t": "answer", "n": 1, "q": "q", "round": 0, "choice": [1]},
        ]
    ).encode()
    _, writer = await asyncio.open_connection("127.0.0.1", class_.port)
    writer.write(b"POST /say HTTP/1.1\r\nHost: [::1]\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
    while not class_.answers:
        await asyncio.sleep(0.01)
    taken = 0
    try:
        async with asyncio.timeout(5):
            while taken < 8 << 20:
                writer.write(b"x" * 65536)
                await writer.drain()
                taken += 65536
                await asyncio.sleep(0)
    except ConnectionError:
        pass
    writer.close()
    assert taken < 8 << 20


async def test_signs_of_life_by_the_thousand_end_the_connection(class_: Served) -> None:
    async with class_.phone() as phone:
        await phone.join(class_.code)
        for _ in range(20):
            await phone.line.ping()
        await phone.say(t="alive")
        await phone.hear("alive")
        with contextlib.suppress(ConnectionClosed):
            for _ in range(2000):
                await phone.line.ping()
        await phone.closed()


async def test_who_goes_on_after_being_told_to_slow_down_is_hung_up_on(class_: Served) -> None:
    async with class_.phone() as phone:
        await phone.join(class_.code)
        with contextlib.suppress(ConnectionClosed):
            for n in range(1, 3000):
                await phone.say(t="answer", n=n, q="q", round=0, choice=[n % 2])
        with pytest.raises(ConnectionClosed):
            while (await phone.hear("slow"))["t"] == "slow":
                pass


async def test_connections_without_a_seat_make_room_for_who_wants_one(
    class_: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousand browsers keep the connection of the page for a while, and somebody may open many more."""
    monkeypatch.setattr(rate_limits, "MOST_CONNECTIONS", 20)
    idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
    async with class_.phone() as before:
        await before.join(class_.code)
        idle += [await asyncio.open_connection("127.0.0.1", class_.port) for _ in range(400)]
        async with class_.phone() as phone:
            await phone.join(class_.code)
            for one in (before, phone):
                await one.say(t="answer", n=1, q="q", round=0, choice=[1])
                await one.hear("in")
        await until_closed(idle[0][0])  # who waited longest went
    for _, writer in idle:
        writer.close()


async def test_a_page_that_is_asked_for_and_not_read_holds_nothing_for_long(
    class_: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "REQUEST_S", 0.5)
    monkeypatch.setattr(connection, "LINGER_S", 0.5)
    made: list[asyncio.Transport] = []
    connected = connection.Connection.connection_made

    def seen(self: connection.Connection, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        made.append(transport)
        connected(self, transport)

    monkeypatch.setattr(connection.Connection, "connection_made", seen)
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        line.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(line, ("127.0.0.1", class_.port))
        while not made:
            await asyncio.sleep(0.01)
        (transport,) = made
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2048)
        await loop.sock_sendall(line, b"GET / HTTP/1.1\r\nHost: [::1]\r\n\r\n")
        while not transport.get_write_buffer_size():
            await asyncio.sleep(0.01)
        async with asyncio.timeout(15):
            while class_.gate.connections:
                await asyncio.sleep(0.05)

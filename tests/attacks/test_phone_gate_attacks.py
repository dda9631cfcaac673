"""What a hall full of strangers may send to the gate: told or dropped, the class goes on.

The list of issue and trade: wrong codes, forged and replayed tokens, other origins, names that point here
(DNS rebinding), frames too long, cut, binary or of no message, slow readers, floods from one address.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path

import pytest
from made_deaths import room_for
from websockets.exceptions import InvalidStatus

sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "runtime" / "phones"))
from made_gate import PAGE, Served, served

from runtime.phones import connection, gate, rate_limits
from runtime.protocol.class_messages.phone_messages import Doors, ShowPage


@pytest.fixture
async def class_(tmp_path: Path) -> AsyncIterator[Served]:
    async with served(tmp_path) as found:
        yield found


async def goes_on(class_: Served) -> None:
    """Somebody else joins and answers as if nothing had been."""
    async with class_.phone() as phone:
        await phone.join(class_.code)
        await phone.say(t="answer", n=1, q="q", round=0, choice=[1])
        await phone.hear("in")


async def request(port: int, text: bytes, whole: bool = True) -> bytes:
    """What the gate answers to bytes on a connection, until it hangs up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(text)
    async with asyncio.timeout(15):
        found = await (reader.read() if whole else reader.read(65536))
    writer.close()
    return found


async def test_only_pictures_of_the_page_are_served_and_nothing_else_of_that_place(class_: Served) -> None:
    async def asked(path: str, host: str = "127.0.0.1") -> bytes:
        head = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        return await request(class_.port, head.encode())

    class_.gate.obey(ShowPage(PAGE + b" ", {"one.webp": b"RIFF1"}))
    told = await asked("/picture/one.webp")
    assert told.startswith(b"HTTP/1.1 200 ") and told.endswith(b"\r\n\r\nRIFF1")
    assert b"content-type: image/webp\r\n" in told.lower() and b"nosniff" in told
    assert (await asked("/picture/one.webp", "evil.example")).startswith(b"HTTP/1.1 403 ")
    for path in (
        "/picture/",
        "/picture/two.webp",
        "/picture/../seats",
        "/picture/%2e%2e/one.webp",
        "/picture/\xff",
    ):
        assert (await asked(path)).startswith((b"HTTP/1.1 404 ", b"HTTP/1.1 400 ")), path
    class_.gate.obey(ShowPage(PAGE, {"two.webp": b"RIFF2"}))
    assert (await asked("/picture/one.webp")).startswith(b"HTTP/1.1 200 ")  # some are still drawing that page
    class_.gate.obey(ShowPage(PAGE + b"  ", {}))
    assert (await asked("/picture/one.webp")).startswith(b"HTTP/1.1 404 ")


async def test_a_disk_without_room_gives_no_seat_and_takes_none(class_: Served) -> None:
    async with class_.phone() as phone, class_.phone() as late:
        await phone.join(class_.code)
        await phone.say(t="answer", n=1, q="q", round=0, choice=[0])
        await phone.hear("in")
        with room_for(class_.file.stat().st_size):
            await late.say(t="hello", v=1, code=class_.code)
            assert (await late.hear("no"))["why"] == "later"
            await phone.say(t="answer", n=2, q="q", round=0, choice=[1])
            await phone.hear("in")
            class_.gate.obey(Doors(out=class_.answers[0].seat))
            assert (await phone.hear("no"))["why"] == "out"
    await goes_on(class_)


async def test_wrong_codes_are_few_and_a_right_one_behind_them_comes_too_late(class_: Served) -> None:
    async with class_.phone() as phone:
        for _ in range(rate_limits.MOST_WRONG):
            await phone.say(t="hello", v=1, code="AAAAA")
            assert (await phone.hear("no"))["why"] == "code"
        assert await phone.closed() == connection.REFUSED
    await goes_on(class_)


async def test_guessing_from_many_connections_is_slow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_limits, "CODE_RATE", 0.0)
    monkeypatch.setattr(rate_limits, "CODE_BURST", 3.0)
    said = []
    async with served(tmp_path) as class_:
        for _ in range(5):
            async with class_.phone() as phone:
                await phone.say(t="hello", v=1, code="AAAAA")
                said.append((await phone.hear("no"))["why"])
        assert said == ["code"] * 3 + ["later"] * 2
        await goes_on(class_)


@pytest.mark.parametrize("token", ["0" * 32, "x", "é" * 40, "../../journal.jsonl", "\x00"])
async def test_a_forged_token_is_no_seat(class_: Served, token: str) -> None:
    async with class_.phone() as phone:
        await phone.say(t="hello", v=1, token=token)
        assert (await phone.hear("no"))["why"] == "code"


@pytest.mark.parametrize(
    "bad",
    [
        b"\xff\xfe",
        "",
        "[]",
        "{}",
        '{"t":"answer"}',
        '{"t":"hello","v":"1"}',
        '{"t":"hello","v":1,"admin":true}',
        '{"t":"written","taken":[]}',
        '{"t":"answer","n":1e999,"q":"q","round":0}',
        "[" * 1500,
        '{"t":"hello","v":1,"code":"' + "x" * 5000 + '"}',
    ],
)
async def test_what_is_no_message_ends_the_connection(class_: Served, bad: str | bytes) -> None:
    async with class_.phone() as phone:
        await phone.line.send(bad)
        await phone.closed()
    await goes_on(class_)


async def test_nothing_is_answered_by_who_has_no_seat(class_: Served) -> None:
    async with class_.phone() as phone:
        await phone.say(t="answer", n=1, q="q", round=0, choice=[1])
        await phone.closed()
    assert not class_.answers


async def test_choices_of_any_size_and_sign_break_nothing(class_: Served) -> None:
    async with class_.phone() as phone:
        await phone.join(class_.code)
        await phone.say(t="answer", n=1, q="q", round=0, choice=[-1, 10**9, 0])
        await phone.hear("in")
        await phone.say(t="answer", n=2, q="q", round=0, choice=[0] * 1000)
        await phone.closed()
    await goes_on(class_)


async def test_typed_text_is_cut_and_cleaned(class_: Served) -> None:
    async with class_.phone() as phone:
        await phone.join(class_.code)
        await phone.say(t="answer", n=1, q="q", round=0, text=["a\x1b[2J\u202eb\u200b\n" + "x" * 600])
        await phone.hear("in")
    (text,) = class_.answers[-1].text
    assert text.startswith("a[2Jb x") and len(text) == 400


async def test_a_flood_from_one_seat_is_slowed_and_others_are_not(class_: Served) -> None:
    async with class_.phone() as phone:
        await phone.join(class_.code)
        for n in range(1, 200):
            await phone.say(t="answer", n=n, q="q", round=0, choice=[n % 2])
        await phone.hear("slow")
        await goes_on(class_)
    assert len(class_.answers) <= rate_limits.SEAT_BURST + 20


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "file://"])
async def test_a_page_of_another_origin_is_not_spoken_to(class_: Served, origin: str) -> None:
    with pytest.raises(InvalidStatus) as refused:
        async with class_.phone(additional_headers={"Origin": origin}):
            pass
    assert refused.value.response.status_code == 403
    head = f"POST /say HTTP/1.1\r\nHost: 127.0.0.1:{class_.port}\r\nOrigin: {origin}\r\n"
    body = json.dumps([{"t": "hello", "v": 1, "code": class_.code}])
    told = await request(
        class_.port, f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode()
    )
    assert told.startswith(b"HTTP/1.1 403 ") and not len(class_.seats)


async def test_a_page_of_ours_is_spoken_to(class_: Served) -> None:
    origin = f"http://127.0.0.1:{class_.port}"
    async with class_.phone(additional_headers={"Origin": origin}) as phone:
        await phone.join(class_.code)


@pytest.mark.parametrize(
    ("host", "answer"),
    [
        ("evil.example", 403),
        ("evil.example:8321", 403),
        ("127.0.0.1.evil.example", 403),
        ("", 403),
        ("192.168.1.20:8321", 200),
        ("[::1]:8321", 200),
        ("localhost:8321", 200),
        ("class.example", 200),
    ],
)
async def test_a_name_that_is_made_to_point_here_is_not_served(
    class_: Served, host: str, answer: int
) -> None:
    told = await request(class_.port, f"GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    assert told.startswith(f"HTTP/1.1 {answer} ".encode())


async def test_a_host_header_cannot_write_into_the_policy(class_: Served) -> None:
    evil = "127.0.0.1:1; script-src *"
    told = await request(class_.port, f"GET / HTTP/1.1\r\nHost: {evil}\r\nConnection: close\r\n\r\n".encode())
    assert b"script-src *" not in told


@pytest.mark.parametrize(
    "text",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # TLS to a plain port
        b"GET / HTTP/9.9\r\n\r\n",
        b"GARBAGE\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X-A: " + b"x" * 20000 + b"\r\n\r\n",
        b"POST /say HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999\r\n\r\n" + b"x" * 40000,
        b"POST /say HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 3\r\nConnection: close\r\n\r\n{x}",
        b"POST /say HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
        b"POST /say HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\nab",
        b"GET /../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
        b"DELETE / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
        b"GET /phone HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n\r\n",
    ],
)
async def test_bytes_that_are_no_request_of_ours_are_refused(
    class_: Served, text: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "REQUEST_S", 1.0)
    told = await request(class_.port, text)
    assert not told.startswith(b"HTTP/1.1 200 ") and b"root:" not in told
    await goes_on(class_)


async def test_who_says_nothing_is_hung_up_on(class_: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "REQUEST_S", 0.2)
    assert await request(class_.port, b"") == b""
    assert await request(class_.port, b"GET / HTT") == b""
    async with class_.phone() as phone:
        await phone.closed()


async def test_who_takes_nothing_is_hung_up_on(class_: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "MOST_BACKLOG", 4096)
    monkeypatch.setattr(gate, "SPREAD_S", 0.0)
    async with class_.phone() as phone:
        await phone.join(class_.code)
        phone.line.transport.pause_reading()
        tcp = phone.line.transport.get_extra_info("socket")
        tcp.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        async with asyncio.timeout(15):
            for n in count():
                if not class_.gate.connections:
                    break
                page = {"questions": [{"id": "q"}], "caption": [str(n) * 500_000]}
                class_.gate.obey(ShowPage(json.dumps(page).encode()))
                await asyncio.sleep(0.005)
    await goes_on(class_)


async def test_more_than_a_hall_is_told_that_it_is_full(
    class_: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_limits, "MOST_CONNECTIONS", 3)
    async with class_.phone() as one, class_.phone() as two, class_.phone() as three:
        for phone in (one, two, three):
            await phone.join(class_.code)
        with pytest.raises(InvalidStatus) as refused:
            async with class_.phone():
                pass
        assert refused.value.response.status_code == 503
        await one.say(t="answer", n=1, q="q", round=0, choice=[1])
        await one.hear("in")


async def test_ten_thousand_connections_from_one_address_leave_the_class_as_it_was(class_: Served) -> None:
    """In CI a part of them; each sends something else that is no hello, or nothing."""
    waste = [b"", b"GET / HTTP/1.1\r\n", b"\x00" * 50, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"]
    for n in range(600):
        _, writer = await asyncio.open_connection("127.0.0.1", class_.port)
        writer.write(waste[n % 4])
        writer.close()
    await goes_on(class_)
    async with asyncio.timeout(20):
        while class_.gate.connections:
            await asyncio.sleep(0.01)

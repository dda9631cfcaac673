"""Crowds at the door where agents of other machines come: they use up nothing, and keep no agent out."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from made_door import Caller, Door, calls, goes_on, said

from runtime.cluster.link import certificate
from runtime.supervision.agents import agent_socket

# Somebody who connects as often as he can, says a little, and holds on.
CROWD = """
import socket, sys
those = []
for _ in range(int(sys.argv[2])):
    one = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    try: one.send(bytes.fromhex(sys.argv[3]))
    except OSError: pass
    those.append(one)
print("there", flush=True)
sys.stdin.read()
"""


async def test_many_who_say_nothing_keep_nobody_out(door: Door) -> None:
    """Those that came first give way: an agent says who it is at once, and is not in anybody's way."""
    crowd = [await calls(door) for _ in range(3 * agent_socket.MOST_STRANGERS)]
    await goes_on(door)
    assert door.socket.strangers <= agent_socket.MOST_STRANGERS
    first = crowd[0]
    assert [await first.hear(), await first.hear()][-1] == b""


async def test_agents_that_are_expected_and_come_at_once_do_not_push_each_other_out(door: Door) -> None:
    door.expected = agent_socket.MOST_STRANGERS
    tls = {"ssl": certificate.client(door.made.certificate), "server_hostname": certificate.NAME}
    coming = [asyncio.open_connection("127.0.0.1", door.port, **tls) for _ in range(2 * door.expected)]
    crowd = [Caller(*ends) for ends in await asyncio.gather(*coming)]
    for caller in crowd:
        answer, proof = said(door, 0, await caller.hear())
        assert await caller.ask(answer) == proof


@pytest.mark.parametrize("said_first", [b"", b"\x16\x03\x01"], ids=("nothing", "the first bytes of TLS"))
async def test_thousands_of_half_open_connections_take_few_files_and_keep_nobody_out(
    door: Door, said_first: bytes
) -> None:
    """They would use up the files that a host may open, and then no screen could come either."""

    def files() -> int:
        return len(list(Path("/dev/fd").iterdir()))

    before, held = files(), list[int]()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", CROWD, str(door.port), "2000", said_first.hex(),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None and process.stdout is not None
    async with asyncio.timeout(60):
        assert await process.stdout.readline() == b"there\n"
        held.append(files() - before)
        tls = {"ssl": certificate.client(door.made.certificate), "server_hostname": certificate.NAME}
        caller = Caller(*await asyncio.open_connection("127.0.0.1", door.port, **tls))
        answer, proof = said(door, 0, await caller.hear())
        assert await caller.ask(answer) == proof
        held.append(files() - before)
        process.stdin.close()
        await process.wait()
    # Who gives way is closed some turns of the loop later, and asyncio takes in up to 100 in each.
    at_once, afterwards = held
    assert at_once < agent_socket.MOST_STRANGERS + 3 * 100 + 32, held
    assert afterwards < 2 * agent_socket.MOST_STRANGERS + 32, held

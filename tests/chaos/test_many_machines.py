"""A run on many machines while much goes wrong: a crowd at the door, a slow link, agents that are killed.

The machines are generated and their connections are real (`tests/scripts/generated_nodes.py`). What is held:
the console is answered all the while, what the host has said that it recorded is in the file of the run, each
event once, and of agents that live on it is all that they sent. That no rank survives its agent is held with
real ones in `tests/e2e/commands/test_hosts.py`.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import secrets
import subprocess
import sys
from asyncio.subprocess import Process
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from folders import in_folders

from runtime.catalog import registry
from runtime.catalog.machines import Machines
from runtime.catalog.registry import Launchable
from runtime.classroom.actions import Move
from runtime.host.blocks import launch_check
from runtime.host.client import Client
from runtime.host.server import Host
from runtime.protocol.messages import Act, AnyMessage, Launch, Ordered, StopRun
from runtime.supervision.run import Run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(sys.platform != "linux", reason="the crowd is of Linux"),
]
SCRIPT = Path(__file__).parents[1] / "scripts" / "generated_nodes.py"
NODES, RANKS = 16, 8
SLOW_BYTES_S = 20_000  # less than what the ranks of a node say
CROWD = """
import socket, sys
those = []
for n in range(1000):
    one = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    if n % 2: one.send(bytes.fromhex("160301"))  # the first bytes of TLS
    those.append(one)
print("there", flush=True)
sys.stdin.read()
"""


class Console:
    """A console that presses a key and waits until the host has put it in order."""

    def __init__(self, class_id: str) -> None:
        self.client = Client(class_id, "console", "chaos", self._heard, lambda state: None)
        self.ordered: set[int] = set()
        self._n = 0

    def _heard(self, message: AnyMessage) -> None:
        if isinstance(message, Ordered):
            self.ordered.add(message.n)

    async def press(self) -> None:
        self._n += 1
        self.client.send(Act(self._n, Move("slide", self._n)))
        async with asyncio.timeout(30):
            while self._n not in self.ordered:
                await asyncio.sleep(0.005)


class Agents:
    """A process that speaks for some of the nodes, and what it says of them."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self.told: dict[str, int] = {}
        self.reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, file: Path, first: int, last: int, bytes_s: int = 0) -> Agents:
        words = [str(SCRIPT), str(file), *map(str, (NODES, first, last, bytes_s))]
        return cls(await _python(*words))

    async def _read(self) -> None:
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            words = line.decode().split()
            if words[0] in ("sent", "accepted"):
                self.told = dict(zip(words[::2], map(int, words[1::2]), strict=True))

    async def have_accepted(self, events: int) -> None:
        async with asyncio.timeout(180):
            while self.told.get("accepted", 0) < events:
                assert not self.reading.done(), "they have ended"
                await asyncio.sleep(0.05)

    async def kill(self) -> None:
        self._process.kill()
        await self.reading
        await self._process.wait()

    async def end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        async with asyncio.timeout(300):
            await self.reading
        assert await self._process.wait() == 0


async def _python(*words: str) -> Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-P", *words, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


@pytest.fixture
def invitation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    in_folders(tmp_path, monkeypatch)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    file = tmp_path / "join"
    names = tuple(f"n{n}" for n in range(NODES))
    machines = Machines(names, "", 0, listen=("127.0.0.1", 0), invitation=str(file))
    demo = registry.check("ddp", {"ranks": str(RANKS)}, here=False)
    assert isinstance(demo, Launchable)
    elsewhere = replace(
        demo, values=demo.values | {"ranks": NODES * RANKS, "nodes": NODES}, machines=machines
    )
    monkeypatch.setattr(launch_check, "checked", lambda deck, launch: elsewhere)
    return file


def recorded(run: Run) -> tuple[Counter[int], bool]:
    """How many events of each node's ranks the file has, and whether it has each step of a rank once."""
    assert run.recorder is not None
    events: Counter[int] = Counter()
    steps: Counter[tuple[int, int]] = Counter()
    with gzip.open(run.recorder.folder / "events.jsonl.gz", "rt") as file:
        for tag, _, _, rank, _, *rest in map(json.loads, file):
            if rank >= 0 and tag != "done":  # how they ended is what the host says
                events[rank // RANKS] += 1
            if tag == "step":
                steps[rank, rest[0]] += 1
    return events, bool(steps) and set(steps.values()) == {1}


async def test_a_crowd_a_slow_link_and_killed_agents_lose_nothing_that_was_accepted(invitation: Path) -> None:
    class_id = f"many-{secrets.token_hex(3)}"
    host = Host(class_id)
    await host.start()
    console, crowd = Console(class_id), None
    await console.client.start()
    try:
        console.client.send(Launch("b", "ddp", {}))
        async with asyncio.timeout(60):
            while not invitation.exists():
                await asyncio.sleep(0.02)
        run = host.blocks.supervisor.runs["b"]
        quick = await Agents.start(invitation, 0, NODES - 4)
        killed = await Agents.start(invitation, NODES - 3, NODES - 2)
        slow = await Agents.start(invitation, NODES - 1, NODES - 1, SLOW_BYTES_S)
        for agents, nodes in ((quick, NODES - 3), (killed, 2), (slow, 1)):
            await agents.have_accepted(nodes * RANKS * 20)
        await console.press()

        port = json.loads(invitation.read_text())["address"].rpartition(":")[2]
        crowd = await _python("-c", CROWD, port)
        assert crowd.stdout is not None
        async with asyncio.timeout(60):
            assert await crowd.stdout.readline() == b"there\n"
        await console.press()
        for agents in (quick, killed):
            await agents.have_accepted(2 * agents.told["accepted"])
            await console.press()

        await killed.kill()
        async with asyncio.timeout(60):
            while "n13" not in run.warning or "n14" not in run.warning:
                await asyncio.sleep(0.05)
        assert {row.state for row in run.snapshot().rows[13 * RANKS : 15 * RANKS]} == {"stale"}
        await console.press()
        await quick.have_accepted(2 * quick.told["accepted"])
        await console.press()
        assert run.state == "running", run.why

        await asyncio.gather(quick.end(), slow.end())
        console.client.send(StopRun("b"))
        async with asyncio.timeout(60):
            await run.over.wait()
        await console.press()
    finally:
        if crowd is not None:
            crowd.kill()
        await console.client.close()
        assert await host.close() == 0

    events, once = recorded(run)
    assert run.recorder is not None and run.recorder.lost == 0 and once
    assert sum(events[n] for n in range(13)) == quick.told["sent"] == quick.told["accepted"]
    assert events[15] == slow.told["sent"] == slow.told["accepted"]
    assert events[13] + events[14] >= killed.told["accepted"] > 0

"""What a host costs that 128 machines with 8 ranks each send to.

    python tests/bench/cluster.py [--seconds 20] [--nodes 32 64 128]

Agents are real connections by TLS on loopback, each with its handshake, its numbers and its acknowledgements,
all from one other process. What their ranks say is generated: 20 events a second and rank (ten signs of life,
two steps with three collectives each and what they hold). Printed are the host's processor time for an event,
and as a part of a core: measured, and at the rate that is meant, which a busy machine's generator does not
keep; how late its loop was (an order of a key waits so long), and how many lines the file of the run has of
what was sent. Beside it, in the same run: a host that only reads and decodes.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import gzip
import json
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[1]))

from folders import own_folders

from runtime import paths
from runtime.agent.host_connection import HostConnection
from runtime.catalog import registry
from runtime.catalog.machines import Machines
from runtime.cluster.link.invitation import Invitation, read_file
from runtime.cluster.link.link_messages import Begin, FromHost
from runtime.host.__main__ import COLLECT_AT
from runtime.host.blocks.snapshot_pace import Pusher
from runtime.protocol import messages
from runtime.protocol.events import Beat, Collective, Event, Group, Hello, Memory, Step
from runtime.recordings.recorded_events import Lines
from runtime.supervision.run import Run
from runtime.supervision.supervisor import Supervisor

RANKS = 8
STEPS_S, BEATS_S = 2, 10
MIB = 1 << 20
EVENTS_S = BEATS_S + STEPS_S * 5
FLUSHED_S = 240.0  # a host that gets a twelfth of a core takes in what was sent in 20 s in 80


def said(run: str, rank: int, tick: int, now: float) -> list[Event]:
    """What a rank says in a tenth of a second: a sign of life, and in every fifth of them a step."""
    step = tick // 5
    found: list[Event] = []
    if tick % 5 == 0:
        for n in range(3):
            seq = 3 * step + n
            found.append(
                Collective(run, 1, rank, now, seq, "all_reduce", "0", -1, MIB, step, now - 0.02, now, 0.01)
            )
        held = (MIB, MIB, 2 * MIB, 9 * MIB, None, None, None, None, None)
        found.append(Memory(run, 1, rank, now, step, *held))
        found.append(Step(run, 1, rank, now, step, now - 0.4, 2.0, 512, 0.0, 0.1, 0.2, 0.05, 0.05))
    found.append(Beat(run, 1, rank, now, "backward", step, 3 * step, 3 * step, 0, "all-reduce #3"))
    return found


class Node:
    """One agent: connects, waits to be told to begin, and then says what its ranks would."""

    def __init__(self, invitation_file: str, number: int, nodes: int) -> None:
        found = read_file(invitation_file)
        assert isinstance(found, Invitation), found
        self.number, self.nodes, self.run = number, nodes, ""
        here = (nodes, RANKS)
        self.uplink = HostConnection(found, number, here, self.told, print, at_work=lambda: True)
        self.sent = 0

    def told(self, message: FromHost) -> None:
        if isinstance(message, Begin) and not self.run:
            self.run = message.run
            now = time.monotonic()
            for rank in self.ranks:
                world, same = self.nodes * RANKS, (self.run, 1, rank, now)
                place = (rank % RANKS, self.number, world, 1)
                hello = Hello(*same, 1, *place, "cpu", "gloo", now, time.time(), "msgpack")
                self.put([hello, Group(*same, "0", "world", list(range(world)))])

    @property
    def ranks(self) -> range:
        return range(self.number * RANKS, (self.number + 1) * RANKS)

    def put(self, events: list[Event]) -> None:
        self.sent += len(events)
        self.uplink.put(1, events)

    async def speak(self, seconds: float) -> None:
        while not self.run:
            await asyncio.sleep(0.05)
        began = time.monotonic()
        for tick in range(int(seconds * BEATS_S)):
            await asyncio.sleep(
                max(0.0, began + (tick + self.number / self.nodes) / BEATS_S - time.monotonic())
            )
            now = time.monotonic()
            for rank in self.ranks:
                self.put(said(self.run, rank, tick, now))


def generate(invitation_file: str, nodes: int, seconds: float, answer: Connection) -> None:
    """The other process: all nodes; answers with the events that were sent."""

    async def main() -> int:
        them = [Node(invitation_file, n, nodes) for n in range(nodes)]
        uplinks = [asyncio.create_task(node.uplink.run()) for node in them]
        await asyncio.gather(*(node.speak(seconds) for node in them))
        whole = await asyncio.gather(*(node.uplink.flushed(FLUSHED_S) for node in them))
        for task in uplinks:
            task.cancel()
        return sum(node.sent for node in them) if all(whole) else -1

    gc.freeze()
    answer.send(asyncio.run(main()))


class Taken:
    """Counts what the supervisor takes in."""

    def __init__(self) -> None:
        self.events = 0

    def __call__(self, run: Run, events: Iterable[Event]) -> None:
        if isinstance(events, Lines):
            self.events += events.number
        else:
            self.events += sum(event.rank >= 0 for event in events)

    def read(
        self, run: Run, events: Iterable[Event], drawn: object = None, recorded: Lines | None = None
    ) -> None:
        """Stand in for the supervisor's own way with them."""
        self(run, events if recorded is None else recorded)


def recorded(folder: Path) -> int:
    """Count the lines of a recorded run that ranks have said, by gzip's own reading of the file. How they
    ended is what the host says."""
    with gzip.open(folder / "events.jsonl.gz", "rt") as file:
        return sum(tag != "done" and rank >= 0 for tag, _, _, rank, *_ in map(json.loads, file))


async def host(nodes: int, seconds: float, *, drawn: bool) -> None:
    """Measure one host and print it. `drawn`: it does all that a host does; else it reads and decodes."""
    taken = Taken()
    drew = 0.0

    def push() -> None:
        nonlocal drew
        at = time.thread_time()
        messages.encode(run.snapshot())
        drew += time.thread_time() - at

    screen = Pusher(push)
    supervisor = Supervisor(
        "bench",
        paths.rank_socket("bench"),
        on_events=taken,
        on_run=lambda _, entered: screen.changed() if drawn and not entered else None,
    )
    if not drawn:
        supervisor._take = taken.read  # type: ignore[method-assign]
    await supervisor.start()
    demo = registry.check("ddp", {"ranks": str(RANKS)}, here=False)
    assert isinstance(demo, registry.Launchable), demo
    values = demo.values | {"ranks": nodes * RANKS, "nodes": nodes}  # more than a command takes
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "join")
        names = tuple(f"n{n}" for n in range(nodes))
        machines = Machines(names, "", 0, listen=("127.0.0.1", 0), invitation=file)
        run = await supervisor.launch("b", replace(demo, values=values, machines=machines))
        while not Path(file).exists():
            await asyncio.sleep(0.05)
        apart = multiprocessing.get_context("spawn")
        ours, theirs = apart.Pipe()
        other = apart.Process(target=generate, args=(file, nodes, seconds, theirs))
        other.start()
        while taken.events < nodes * RANKS * EVENTS_S / 2:  # all speak
            await asyncio.sleep(0.1)
            assert other.is_alive(), "the generator has ended"
        lags: list[float] = []
        before, began, heard = _spent(), time.monotonic(), taken.events
        drew = 0.0
        while time.monotonic() - began < seconds * 0.7:
            asked = time.monotonic()
            await asyncio.sleep(0.02)
            lags.append(time.monotonic() - asked - 0.02)
        took, spent, heard, drew_s = time.monotonic() - began, _spent() - before, taken.events - heard, drew
        while not ours.poll():
            await asyncio.sleep(0.1)
        sent = ours.recv()
        rate = nodes * RANKS * EVENTS_S
        lags.sort()
        what = f"all ({100 * drew_s / took:.0f} % of it a panel)" if drawn else "read and decoded only"
        late = [1000 * lags[int(part * len(lags))] for part in (0.5, 0.95)]
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        print(
            f"{nodes} machines, {heard / took:,.0f} of {rate:,.0f} events/s, {what}: "
            f"{100 * spent / took:.0f} % of a core, {1e6 * spent / heard:.1f} us an event, "
            f"so {100 * spent / heard * rate:.0f} % at that rate; its loop is late {late[0]:.1f} ms "
            f"(95 %: {late[1]:.1f} ms); sent {sent:,}, taken in {taken.events:,}, "
            f"not drawn {run.store.left_out:,}; {most} MB at most so far",
            flush=True,
        )
        other.join()
    screen.cancel()
    await supervisor.close()
    if drawn and run.recorder is not None:
        print(f"  of {sent:,} that were sent the file has {recorded(run.recorder.folder):,}", flush=True)


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--nodes", type=int, nargs="+", default=[128])
    args = parser.parse_args()
    gc.freeze()
    gc.set_threshold(*COLLECT_AT)
    with own_folders():
        for nodes in args.nodes:
            for drawn in (False, True):
                asyncio.run(host(nodes, args.seconds, drawn=drawn))


if __name__ == "__main__":
    main()

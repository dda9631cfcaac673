"""Ranks that are not there: one process that speaks for all of them to a real host, at a given pace.

    python tests/bench/generated.py host --class ID        a host that knows the demo "generated"
    python tests/bench/generated.py present DECK …         a screen that knows it
    python tests/bench/generated.py --ranks 64 --hz 5      what that host starts: the ranks

Nothing of teachrun knows this demo. Its runs are badged SIMULATED; its figures are drawn, and mean nothing.
What is real is the way: a connection a rank, frames as a probe's sender makes them, host, screen.
"""

from __future__ import annotations

import argparse
import heapq
import os
import random
import resource
import socket
import sys
import time
from pathlib import Path

from runtime.catalog import registry
from runtime.catalog.params import DemoSpec, Param
from runtime.protocol.events import VERSION, Beat, Boot, Check, Collective, Event, Hello, Memory, Step, beat_s
from runtime.protocol.framing import frame
from runtime.protocol.messages import encode

NAME = "generated"
BUCKETS = 3  # all-reduces a step
SAMPLE_EVERY = 10  # steps between two weighings, as the probe has it
SPEC = DemoSpec(
    NAME,
    "Generated: no rank of it is real",
    Path(__file__).resolve(),
    (
        Param("ranks", "int", 8, "ranks to speak for", 1, 4096, rank_arg=True),
        Param("hz", "float", 5.0, "steps a second of every rank", 0.1, 100, rank_arg=True),
        Param("launcher", "choice", "simulated", "how the ranks are started", choices=("simulated",)),
    ),
    steps=lambda values: 1_000_000,
)


def register() -> None:
    registry.DEMOS[NAME] = SPEC
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


class Rank:
    """One rank's connection and what it says."""

    def __init__(self, rank: int, world: int, hz: float) -> None:
        self.rank, self.world, self.hz = rank, world, hz
        self.run = os.environ["TEACHRUN_RUN"]
        self.generation = int(os.environ["TEACHRUN_GENERATION"])
        self.step = -1
        self.noise = random.Random(rank)
        self.slow = 0.15 / hz if rank == world // 2 else 0.0
        now = time.monotonic()
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(os.environ["TEACHRUN_SOCKET"])
        hello = Hello(
            self.run, self.generation, rank, now, VERSION, rank % 8, rank // 8, world, os.getpid(),
            "none", "none", now, time.time(), "msgpack",
        )  # fmt: skip
        self.socket.sendall(frame(encode(hello)))
        self.say([Boot(self.run, self.generation, rank, now, "train")])

    def say(self, events: list[Event]) -> None:
        self.socket.sendall(frame(encode(events)))  # waits for a host that is slow: then the pace drops

    def beat(self, now: float) -> None:
        seq = BUCKETS * (self.step + 1)
        self.say([Beat(self.run, self.generation, self.rank, now, "backward", self.step, seq, seq, 0)])

    def finish_step(self, end: float) -> None:
        """A step that ended at `end` for all ranks: whoever is slow entered its collectives later."""
        self.step += 1
        length = 1 / self.hz
        start = end - length * 0.98
        late = self.slow + self.noise.uniform(0, 0.02) * length
        about = (self.run, self.generation, self.rank)
        events: list[Event] = []
        for bucket in range(BUCKETS):
            last = bucket == BUCKETS - 1
            done = end - length * (0.1 if last else 0.4 - 0.15 * bucket)
            issued = done - length * 0.25 + late
            exposed = done - issued if last else 0.0
            seq = BUCKETS * self.step + bucket
            of = (seq, "all-reduce", "0", -1, 4_000_000, self.step)
            events.append(Collective(*about, done, *of, issued, done, exposed))
        loss = 2.0 + 3.6 / (1 + 0.02 * self.step) + self.noise.uniform(-0.05, 0.05)
        parts = (0.02 * length, 0.3 * length, 0.55 * length, 0.1 * length, 0.01 * length)
        events.append(Step(*about, end, self.step, start, loss, 512, *parts))
        if self.step % SAMPLE_EVERY == 0:
            size = 4_000_000
            events.append(
                Memory(*about, end, self.step, size, size, 2 * size, 3 * size, None, None, None, None, None)
            )
            events.append(Check(*about, end, self.step, f"{self.step:08x}", 0.8))
        self.say(events)


def play(world: int, hz: float) -> None:
    """Speak for `world` ranks until the host hangs up: signs of life spread evenly, steps over a hundredth of
    a step."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    ranks = [Rank(rank, world, hz) for rank in range(world)]
    noise = random.Random(0)
    begin = time.monotonic() + 0.5
    due = [(begin + beat_s(world) * noise.random(), "beat", rank) for rank in range(world)]
    due += [(begin + 1 / hz, "step", rank) for rank in range(world)]
    heapq.heapify(due)
    while True:
        at, what, rank = due[0]
        ahead = at - time.monotonic()
        if ahead > 0:
            time.sleep(ahead)
        if what == "beat":
            ranks[rank].beat(at)
            heapq.heapreplace(due, (max(at + beat_s(world), time.monotonic()), what, rank))
        else:
            ranks[rank].finish_step(at)
            heapq.heapreplace(due, (at + 1 / hz, what, rank))


def main() -> int:
    what, *rest = sys.argv[1:] or [""]
    if what == "host":
        from runtime.host import __main__ as host

        register()
        sys.argv = ["host", *rest]
        return host.main()
    if what == "present":
        from tui import cli

        register()
        sys.argv = ["teachrun", *sys.argv[1:]]
        return cli.main()
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--hz", type=float, default=5.0)
    args = parser.parse_args()
    try:
        play(args.ranks, args.hz)
    except (BrokenPipeError, ConnectionResetError):
        pass  # the host has hung up
    return 0


if __name__ == "__main__":
    sys.exit(main())

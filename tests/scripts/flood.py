"""Ranks that say far more than anybody can take in, each at its own connection, as fast as they are heard.

    python tests/scripts/flood.py [--ranks 4] [--frames 200]

A frame is a step of `EACH` collectives. The bytes that were sent stand in the file named by FLOOD_SENT.
"""

from __future__ import annotations

import argparse
import os
import selectors
import socket
import time
from collections import deque

from runtime.protocol.events import VERSION, Collective, Done, Event, Hello, Step
from runtime.protocol.framing import frame
from runtime.protocol.messages import encode

EACH = 200


def hello(rank: int, world: int, now: float) -> Hello:
    run, generation = os.environ["TEACHRUN_RUN"], int(os.environ["TEACHRUN_GENERATION"])
    return Hello(
        run, generation, rank, now, VERSION, rank, 0, world, os.getpid(),
        "none", "none", now, time.time(), "msgpack",
    )  # fmt: skip


def frames(rank: int, world: int, count: int) -> deque[bytes]:
    """All that a rank says."""
    now = time.monotonic()
    first = hello(rank, world, now)
    run, generation = first.run, first.generation
    said = deque([frame(encode(first))])
    for step in range(count):
        t = now + step
        events: list[Event] = [
            Collective(
                run, generation, rank, t, EACH * step + n, "all-reduce", "0", -1, 8, step, t, t + 0.001, 0.0,
            )
            for n in range(EACH)
        ]  # fmt: skip
        events.append(Step(run, generation, rank, t, step, now + step, 1.0, 1, 0.1, 0.2, 0.3, 0.1, 0.0))
        said.append(frame(encode(events)))
    last = Done(run, generation, rank, now, 0, None, {"said": (EACH + 1) * count + 2})
    said.append(frame(encode([last])))
    return said


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--frames", type=int, default=200)
    args = parser.parse_args()
    sent, counts = 0, os.open(os.environ.get("FLOOD_SENT", os.devnull), os.O_WRONLY | os.O_CREAT)
    ears = selectors.DefaultSelector()
    for rank in range(args.ranks):
        line = socket.socket(socket.AF_UNIX)
        line.connect(os.environ["TEACHRUN_SOCKET"])
        line.setblocking(False)
        ears.register(line, selectors.EVENT_WRITE, [frames(rank, args.ranks, args.frames), memoryview(b"")])
    while ears.get_map():
        for key, _ in ears.select():
            said, left = key.data
            left = left or memoryview(said.popleft())
            more = key.fileobj.send(left)  # type: ignore[union-attr]
            key.data[1], sent = left[more:], sent + more
            os.pwrite(counts, f"{sent:12}".encode(), 0)  # whole, whenever it is killed
            if not key.data[1] and not said:
                ears.unregister(key.fileobj)
                key.fileobj.close()  # type: ignore[union-attr]


if __name__ == "__main__":
    main()

"""Runs demos in a network namespace of its own and counts there what goes over the loopback device.

    unshare --user --map-root-user --net python counted.py FOLDER '["ddp", {"ranks": 2}]' …

What a run costs besides its steps (rendezvous, a broadcast of parameters) is alike in every run of a demo:
two runs of other lengths differ by their steps alone. A line of JSON per demo: bytes of a rank and step by
the device, and what our own probe says of the longer run.
"""

from __future__ import annotations

import fcntl
import json
import socket
import struct
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from demo_run import Ran, runner
from stage_host import StageHost

SHORT, LONG = 3, 11  # steps
SIOCSIFFLAGS, IFF_UP = 0x8914, 1


def bring_up() -> None:
    """A new namespace has a loopback device, but it is down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


def loopback() -> int:
    """Bytes that this namespace's loopback device has sent, with all headers."""
    for line in Path("/proc/self/net/dev").read_text().splitlines():
        name, _, figures = line.partition(":")
        if name.strip() == "lo":
            return int(figures.split()[8])
    raise LookupError("no loopback device")


def main() -> None:
    bring_up()
    host = StageHost(Path(sys.argv[1]))
    assert host.ready().fork_ok
    run = runner(host)

    def counted(name: str, steps: int, params: dict[str, Any]) -> tuple[int, Ran]:
        before = loopback()
        ran = run(name, steps=steps, **params)
        return loopback() - before, ran

    try:
        for asked in sys.argv[2:]:
            name, params = json.loads(asked)
            short, _ = counted(name, SHORT, params)
            long, ran = counted(name, LONG, params)
            shown = ran.snapshot
            said = {
                "device": (long - short) / (LONG - SHORT) / shown.world,
                "payload": shown.payload,
                "wire": shown.wire,
                "theory": shown.theory,
                "why": shown.no_wire,
                "costs": shown.costs,
                "ranks": [(row.payload, row.wire, row.theory, row.links) for row in shown.rows],
                "params": shown.rows[0].params,
            }
            print(json.dumps(said), flush=True)
    finally:
        host.close()


if __name__ == "__main__":
    main()

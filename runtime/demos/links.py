"""Links with a bandwidth, on one machine: the kernel holds each connection of this process to a rate.

A loopback has no rate: its bytes cost the processor's time, and who copies least wins. With a rate a transfer
takes the time that it would take on such a link. Every connection has the rate for itself and in each
direction, as if each pair of ranks had a cable of its own.
"""

import os
import socket
import stat
import sys
from contextlib import suppress
from pathlib import Path

SO_MAX_PACING_RATE = 47  # <asm-generic/socket.h>; Python has no name for it


def pace(mbit: float) -> int:
    """Hold every connection of this process to `mbit` megabits a second; returns how many connections.

    After the process group is there: gloo connects all pairs of ranks with its start. Only Linux can: 0
    elsewhere, and for `mbit` 0, which leaves the links as they are.
    """
    if mbit <= 0 or sys.platform != "linux":
        return 0
    paced, rate = 0, int(mbit * 1e6 / 8)
    for name in (entry.name for entry in Path("/proc/self/fd").iterdir()):
        with suppress(OSError):  # one that has gone meanwhile
            if not stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                continue
            with socket.socket(fileno=os.dup(int(name))) as link:
                if link.family in (socket.AF_INET, socket.AF_INET6) and link.type == socket.SOCK_STREAM:
                    link.getpeername()  # raises where nobody is at the other end
                    link.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, rate.to_bytes(8, sys.byteorder))
                    paced += 1
    return paced

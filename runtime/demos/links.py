"""Links with a bandwidth, on one machine: the kernel holds each connection of this process to a rate.

A loopback has no rate: its bytes cost the processor's time, and who copies least wins. With a rate a transfer
takes the time that it would take on such a link. Every connection has the rate for itself and in each
direction, as if each pair of ranks had a cable of its own.
"""

import os
import socket
import stat
import struct
import sys
from contextlib import suppress
from pathlib import Path

import torch.distributed as dist

SENT, WAITING, TCP_INFO_SIZE = 200, 144, 208  # `struct tcp_info` of linux/tcp.h
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


class Crossing:
    """Counts the bytes that leave this process for ranks of another node, as the kernel does (`TCP_INFO`)."""

    def __init__(self) -> None:
        self.links: list[int] = []

    def look(self) -> None:
        """Find the connections that there are now. All ranks call it together: each knows its own ends only,
        and who is at the other end of one is who has the same two ends the other way round."""
        own: dict[tuple[str, str], int] = {}
        names = [entry.name for entry in Path("/proc/self/fd").iterdir()] if sys.platform == "linux" else []
        for fd in map(int, names):
            with suppress(OSError):
                if stat.S_ISSOCK(os.fstat(fd).st_mode):
                    with socket.socket(fileno=os.dup(fd)) as link:
                        if link.family in (socket.AF_INET, socket.AF_INET6):
                            own[str(link.getsockname()[:2]), str(link.getpeername()[:2])] = fd
        every: list[tuple[int, list[tuple[str, str]]] | None] = [None] * dist.get_world_size()
        node = int(os.environ.get("GROUP_RANK", "0"))
        dist.all_gather_object(every, (node, [*own]))
        there = {ends for one in every if one is not None and one[0] != node for ends in one[1]}
        self.links = [fd for (here, other), fd in own.items() if (other, here) in there]

    def sent(self) -> int:
        """Bytes that have gone to other nodes over them, and those that wait in the kernel to go."""
        total = 0
        for fd in self.links:
            with socket.socket(fileno=os.dup(fd)) as link:
                info = link.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, TCP_INFO_SIZE)
                total += struct.unpack_from("Q", info, SENT)[0] + struct.unpack_from("I", info, WAITING)[0]
        return total

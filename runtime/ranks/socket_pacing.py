"""Holds connections of this process to a rate, as a slow link between machines would: the kernel paces them.

`SO_MAX_PACING_RATE` needs no right, acts on an open connection at once and can be changed while it is in use
(socket(7), tcp(7)). It has no word for latency. Which connections lead to another node is not to be told
from here; the host knows the ends of all ranks, and names ours by the ports of both ends: all that a process
has accepted at one place have the same port here.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Collection
from contextlib import suppress

from runtime.ranks.sensors.tcp_counters import descriptors, socket_inode

SO_MAX_PACING_RATE = 47  # <asm-generic/socket.h>; Python has no name for it
_BYTES = 8  # of the kernel's unsigned long
_UNLIMITED = 2 ** (8 * _BYTES) - 1
_FAMILIES = (socket.AF_INET, socket.AF_INET6)


def hold(ends: Collection[tuple[int, int]], bytes_s: int) -> int:
    """Hold these connections to a rate at which this process may send.

    Args:
        ends: Of each the port here and the port there; one that is not open is passed over.
        bytes_s: Bytes a second for each of them; 0 lets them go as fast as they can.

    Returns:
        How many connections are held to it now.

    Raises:
        OSError: This kernel cannot, or will not.
    """
    if sys.platform != "linux":
        raise OSError("only Linux holds a connection to a rate")
    rate = (bytes_s or _UNLIMITED).to_bytes(_BYTES, sys.byteorder)
    held = 0
    for fd in descriptors():
        if socket_inode(fd) is None:
            continue
        try:
            link = socket.socket(fileno=fd)
        except OSError:
            continue  # closed meanwhile
        try:
            if link.family in _FAMILIES and link.type == socket.SOCK_STREAM and _ports(link) in ends:
                link.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, rate)
                held += 1
        finally:
            link.detach()  # it is not ours to close
    return held


def _ports(link: socket.socket) -> tuple[int, int]:
    """Return the ports of a connection, here and there; zeros where nobody is at the other end."""
    with suppress(OSError):
        return int(link.getsockname()[1]), int(link.getpeername()[1])
    return 0, 0

"""What this rank's TCP connections have carried, as the kernel counts it (`TCP_INFO`, tcp(7)).

Gloo sends by plain TCP, and a process may ask the kernel about its own sockets without any right. Which of
them lead to other ranks is not to be told from here: the host has the ends of all ranks and joins them. The
store of the rendezvous is left out, its bytes are no training. Counted is what gloo has written: without the
headers of TCP and IP. A loaded kernel sends segments again that nobody has lost: `again` says whether these
count.
"""

from __future__ import annotations

import ctypes
import os
import socket
import stat
import struct
import sys
from collections.abc import Mapping

_FDS = "/proc/self/fd"
_FAMILIES = (socket.AF_INET, socket.AF_INET6)
_TCP_INFO = getattr(socket, "TCP_INFO", 11)
# `struct tcp_info` of linux/tcp.h, which only ever grows at its end; tcpi_bytes_sent and
# tcpi_bytes_retrans, which is behind it, came with Linux 4.19.
_SENT, _SENT_AT = struct.Struct("QQ"), 200
_NOT_SENT, _NOT_SENT_AT = struct.Struct("I"), 144
_LEAST = 216
UNKNOWN = -1
AGAIN = 8  # looks after which the same ends are told once more


class Sockets:
    """The connections of this process; `look` finds them, `sent` counts. Neither ever raises."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        self.why = "" if sys.platform == "linux" else "bytes on the wire are counted on Linux only"
        self.ends: list[tuple[str, str]] = []
        self._store = ":" + environ.get("MASTER_PORT", "")
        self._open: list[tuple[int, int]] = []  # descriptor and inode, in the order of `ends`
        self._seen: dict[tuple[int, int], tuple[str, str] | None] = {}  # None: none of those that count
        self._looks = 0
        self._info = ctypes.create_string_buffer(_LEAST)
        self._size = ctypes.c_uint32(_LEAST)
        # It is back in a microsecond: not worth letting go of the interpreter.
        self._ask = None if self.why else ctypes.PyDLL(None).getsockopt

    def look(self) -> bool:
        """Find the connections there are now. True: they are to be told, as others, or because it is long ago
        that they were and what was told may be lost."""
        self._looks += 1
        if self.why:
            return self._looks == 1
        seen: dict[tuple[int, int], tuple[str, str] | None] = {}
        for fd in descriptors():
            inode = socket_inode(fd)
            if inode is not None:
                key = (fd, inode)
                seen[key] = self._seen[key] if key in self._seen else self._ends(fd)
        self._seen = seen
        found = {key: ends for key, ends in seen.items() if ends is not None}
        same = list(found) == self._open
        self._open, self.ends = list(found), list(found.values())
        return not same or self._looks % AGAIN == 0

    def sent(self, again: bool = True) -> list[int]:
        """Bytes that have left by each of `ends`, and those that wait in the kernel to leave.

        `again` False: each byte once, also where it had to be sent twice.
        """
        return [self._sent(fd, inode, again) for fd, inode in self._open]

    def _sent(self, fd: int, inode: int, again: bool) -> int:
        if self._ask is None or socket_inode(fd) != inode:  # closed, and its number may be another's
            return UNKNOWN
        self._size.value = _LEAST
        failed = self._ask(fd, socket.IPPROTO_TCP, _TCP_INFO, self._info, ctypes.byref(self._size))
        if failed or self._size.value < _LEAST:
            return UNKNOWN
        left, twice = _SENT.unpack_from(self._info, _SENT_AT)
        waiting: int = _NOT_SENT.unpack_from(self._info, _NOT_SENT_AT)[0]
        return int(left) + waiting - (0 if again else int(twice))

    def _ends(self, fd: int) -> tuple[str, str] | None:
        """Both ends of a connection by TCP; None for any other socket, and for that of the store."""
        try:
            borrowed = socket.socket(fileno=fd)
        except OSError:
            return None
        try:
            if borrowed.family not in _FAMILIES or borrowed.type != socket.SOCK_STREAM:
                return None
            own, other = _address(borrowed.getsockname()), _address(borrowed.getpeername())
        except OSError:
            return None  # it listens, or is no longer connected
        finally:
            borrowed.detach()  # it is not ours to close
        of_store = own.endswith(self._store) or other.endswith(self._store)
        return None if of_store else (own, other)


def descriptors() -> list[int]:
    """Return the descriptors this process has open; none where there is no /proc."""
    try:
        with os.scandir(_FDS) as entries:
            return [int(entry.name) for entry in entries]
    except OSError:
        return []


def socket_inode(fd: int) -> int | None:
    """Return the inode of a socket; None for what is none, or no longer open."""
    try:
        status = os.fstat(fd)
    except OSError:
        return None
    return status.st_ino if stat.S_ISSOCK(status.st_mode) else None


def _address(name: tuple[str, int]) -> str:
    """`127.0.0.1:4711`, also where a socket of both families says `::ffff:127.0.0.1`."""
    return f"{name[0].removeprefix('::ffff:')}:{name[1]}"

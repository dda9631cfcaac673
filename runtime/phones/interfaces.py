"""Which address of this machine phones reach: one interface, chosen."""

from __future__ import annotations

import ipaddress
import socket

LOOPBACK = "127.0.0.1"
_ELSEWHERE = ("192.0.2.1", 9)  # of RFC 5737, for documentation: nothing is ever sent there


def outward() -> str:
    """Return the address of the interface that leads out of this machine; loopback where none does."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_ELSEWHERE)  # of a datagram socket: a look at the routes, no packet
            found = str(probe.getsockname()[0])
        except OSError:
            return LOOPBACK
    return found if not ipaddress.ip_address(found).is_unspecified else LOOPBACK


def read(place: str) -> tuple[str, int]:
    """Read `ADDRESS`, `ADDRESS:PORT`, `[ADDRESS]:PORT` or `:PORT`; "" is the interface that leads out.

    Returns:
        The address and the port, 0 where none was named.

    Raises:
        ValueError: It is neither; the message says what to write.
    """
    host, port = place.strip(), 0
    if host.startswith("["):
        host, _, rest = host[1:].partition("]")
        port = _port(rest[1:], place) if rest.startswith(":") else 0
    elif host.count(":") == 1:
        host, _, rest = host.partition(":")
        port = _port(rest, place)
    if host in ("", "localhost"):
        return outward() if not host else LOOPBACK, port
    try:
        return str(ipaddress.ip_address(host)), port
    except ValueError:
        raise ValueError(
            f"{place!r} is not an address of this machine; write one as in 192.168.1.20 or 192.168.1.20:8321"
        ) from None


def _port(text: str, place: str) -> int:
    if text.isdecimal() and 0 < int(text) < 65536:
        return int(text)
    raise ValueError(f"{place!r} names no port; write a number from 1 to 65535 behind the colon")

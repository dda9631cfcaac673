"""The names by which a class is asked for: a page elsewhere may have its own name point here."""

from __future__ import annotations

import contextlib
import ipaddress
from collections.abc import Iterable


def bare_host(place: str) -> str:
    """Return the name in a Host header or a netloc, in small letters and without a port."""
    host = place.strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.rsplit(":", 1)[0] if host.count(":") == 1 else host


def address_by(host: str, url: str) -> str:
    """Return the address of a class served at `url` for who asks for it as `host`: a NAME, which has its
    scheme and port, NAME:PORT, or a whole address, as of a reverse proxy that has a certificate."""
    host = host.strip().rstrip("/")
    if "://" in host:
        return host
    scheme, _, place = url.partition("://")
    port = "" if host.rpartition("]")[2].count(":") == 1 else place.rpartition(":")[2]
    return f"{scheme}://{host}:{port}" if port else f"{scheme}://{host}"


class Names:
    """Those that the teacher gave, as `address_by` reads them, addresses, and this machine's own."""

    def __init__(self, hosts: Iterable[str]) -> None:
        self._given = {bare_host(host.strip().rstrip("/").rpartition("//")[2]) for host in hosts}

    def allow(self, host: str) -> bool:
        """Whether a Host header names this class; no other site's name can be made to be an address."""
        bare = bare_host(host)
        with contextlib.suppress(ValueError):
            ipaddress.ip_address(bare)
            return True
        return bare == "localhost" or bare in self._given

    def same_origin(self, origin: str, host: str) -> bool:
        """Whether a page from `origin` is ours where `host` is asked. A proxy may ask by another name or port
        than the browser; one that the teacher gave is ours."""
        netloc = origin.partition("://")[2].lower()
        return netloc == host.strip().lower() or bare_host(netloc) in self._given

"""Whether phones reach this machine: one is asked to try, over the network that the class will have.

Many networks keep the devices of guests apart, and nothing on this machine can see that: it takes a phone.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from tui.health.finding import Finding

if TYPE_CHECKING:
    from runtime.phones.connection import Connection

AREA = "phones"
APART = (
    "If somebody tried, this network keeps devices apart, or a firewall closes the port. Use the hotspot of "
    "a phone for this machine, or a machine that everybody reaches: `ssh -R :8321:localhost:8321 you@there`, "
    "where its sshd has `GatewayPorts clientspecified`, then --phones-at 127.0.0.1:8321 --phones-host there."
)


def findings(place: str, hosts: list[str], wait_s: float, say: Callable[[str], None]) -> Iterator[Finding]:
    """Serve a page at `place` until a phone came, at most `wait_s` seconds; `say` gets the card to scan.

    `hosts` are names of a tunnel or reverse proxy, each fetched once as a phone would.
    """
    try:
        import h11  # noqa: F401
        import websockets  # noqa: F401
    except ImportError as error:
        mend = "Install teachrun with its extra `phones`."
        yield Finding(AREA, "packages", "bad", f"{error.name} is not installed", mend)
        return
    from runtime.phones import interfaces

    try:
        bind, port = interfaces.read(place)
    except ValueError as error:
        yield Finding(AREA, "address", "bad", str(error), "Write --phones-at ADDRESS or ADDRESS:PORT.")
        return
    yield from asyncio.run(_served(bind, port, hosts, wait_s, say))


async def _served(
    bind: str, port: int, hosts: list[str], wait_s: float, say: Callable[[str], None]
) -> list[Finding]:
    from runtime.phones.connection import Connection
    from runtime.phones.host_names import address_by

    came = Came(hosts)
    try:
        server = await asyncio.get_running_loop().create_server(lambda: Connection(came), bind, port or 8321)
    except OSError as error:
        said = f"nothing can be served at {bind}: {error.strerror or error}"
        return [Finding(AREA, "address", "bad", said, "Name another with --phones-at ADDRESS:PORT.")]
    async with server:
        url = f"http://{bind}:{server.sockets[0].getsockname()[1]}"
        found = [_served_at(url, bind, hosts)]
        found += [await _through(address_by(host, url)) for host in hosts]
        if wait_s > 0:
            say(address_by(hosts[0], url) if hosts else url)
            try:
                await asyncio.wait_for(came.first.wait(), wait_s)
                found.append(Finding(AREA, "a phone", "good", f"{came.who} was here"))
            except TimeoutError:
                said = f"none came within {wait_s:.0f} s"
                found.append(Finding(AREA, "a phone", "warning", said, APART))
        came.leave()
        await asyncio.sleep(0.05)  # last words leave on a later turn of the loop
    return found


def _served_at(url: str, bind: str, hosts: list[str]) -> Finding:
    if hosts or not ipaddress.ip_address(bind).is_loopback:
        return Finding(AREA, "served at", "good", url)
    mend = "Join a network, or begin a tunnel and give its name with --phones-host."
    return Finding(AREA, "served at", "warning", f"{url}, which only this machine reaches", mend)


async def _through(url: str) -> Finding:
    """The page asked for by a name that leads here over a tunnel."""
    import urllib.request

    def fetch() -> bool:
        with urllib.request.urlopen(f"{url}/", timeout=8) as answer:
            return b"<title>teachrun</title>" in answer.read(65536)

    try:
        ours = await asyncio.to_thread(fetch)
    except (OSError, ValueError) as error:
        said, mend = f"{url} does not lead here: {error}", "Begin the tunnel, then look again."
        return Finding(AREA, "by name", "bad", said, mend)
    if ours:
        return Finding(AREA, "by name", "good", f"{url} leads here")
    return Finding(AREA, "by name", "bad", f"{url} leads to something else", "Look at the tunnel's port.")


class Came:
    """A site that has one visitor, for the connections of a gate."""

    secure = False

    def __init__(self, hosts: list[str]) -> None:
        from runtime.phones.host_names import Names
        from runtime.phones.pictures import Pictures

        self.names = Names(hosts)
        self.pictures = Pictures()
        self.first = asyncio.Event()
        self.who = ""
        self._here: set[Connection] = set()

    def full(self) -> bool:
        """Nobody is turned away."""
        return False

    def leave(self) -> None:
        """Hang up on whoever is here."""
        for connection in tuple(self._here):
            connection.hang_up(1001, "the test is over")

    def came(self, connection: Connection) -> None:
        """A connection alone is no visitor: a scanner makes one too."""
        self._here.add(connection)

    def heard(self, phone: object, said: object) -> None:
        """The page speaks: somebody has it on a phone."""
        from runtime.phones import browser_messages
        from runtime.phones.connection import Connection

        if isinstance(phone, Connection):
            phone.tell(browser_messages.told("no", why="test"))
            self.who = phone.peer or "somebody"
        self.first.set()

    def left(self, connection: Connection) -> None:
        """A connection is gone."""
        self._here.discard(connection)

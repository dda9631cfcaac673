"""Who is connected. Those with a seat stay; of the others who has waited longest makes room for the next."""

from __future__ import annotations

from runtime.phones import rate_limits
from runtime.phones.connection import TOO_MUCH, Connection


class Connected:
    """All connections. A browser keeps that of the page for a while: a hall has more of them than seats."""

    def __init__(self) -> None:
        """Nobody yet."""
        self.all: set[Connection] = set()
        self._without: dict[Connection, None] = {}  # a seat, in the order in which they came

    def came(self, connection: Connection) -> None:
        """A connection was made."""
        self.all.add(connection)
        self._without[connection] = None
        if len(self.all) > rate_limits.MOST_CONNECTIONS + rate_limits.MOST_WITHOUT:
            longest = next(iter(self._without))
            del self._without[longest]
            longest.hang_up(TOO_MUCH)

    def seated(self, connection: Connection) -> None:
        """It is somebody's with a seat."""
        self._without.pop(connection, None)

    def left(self, connection: Connection) -> None:
        """A connection is gone."""
        self.all.discard(connection)
        self._without.pop(connection, None)

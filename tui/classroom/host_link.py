"""The way to the class's host, as a screen needs it. Tests put their own in its place."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from runtime.classroom.actions import Role
    from runtime.protocol.messages import AnyMessage, Message

Receive = Callable[["AnyMessage"], None]
LinkWord = Callable[[str], None]


class Link(Protocol):
    """`send` never blocks and never fails: what cannot go now is queued or dropped by its own rule."""

    async def start(self) -> None:
        """Connect, and from then on hand over what the host says."""

    def send(self, message: Message) -> None:
        """Send a message; never waits."""

    async def close(self) -> None:
        """Leave the class."""


Connect = Callable[[Receive, LinkWord], Link]


async def started(link: Link, early: list[Message]) -> Link:
    """Start a link, and send what was to be sent before there was one: no key of those moments is lost."""
    await link.start()
    while early:
        link.send(early.pop(0))
    return link


def new_screen_name() -> str:
    """The name of this screen among all of its class, for as long as the process lives."""
    return os.urandom(4).hex()


def whereabouts() -> str:
    """Which terminal this is, for the people at the other consoles: `pts/3 from 10.0.0.7`."""
    try:
        tty = os.ttyname(0).removeprefix("/dev/")
    except OSError:
        tty = "a terminal"
    client = os.environ.get("SSH_CONNECTION", "").split(" ")[0]
    return f"{tty} from {client}" if client else tty


def to_host(
    class_id: str,
    role: Role,
    screen: str,
    where: str = "",
    name: str | None = None,
    again: bool = False,
) -> Connect:
    """A link to the host of `class_id`; a console starts the host where there is none. `where`: its name
    for people, its terminal if it has none. `name`, `again`: see `Client`."""

    def connect(receive: Receive, word: LinkWord) -> Link:
        from runtime.host.client import Client

        link: Link = Client(class_id, role, screen, receive, word, where or whereabouts(), name, again)
        return link

    return connect

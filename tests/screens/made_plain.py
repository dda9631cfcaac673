"""A class in lines with its fake host: what is typed goes in, all that is said comes out."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable
from typing import Any

from made_screen import DECK, FakeLink

from runtime.protocol.messages import Act
from slides.reading.split import split
from tui.classroom.session import Session
from tui.deck.contents import Contents
from tui.plain.loop import Plain

Then = Callable[[FakeLink], None]


class Typed(io.StringIO):
    """Commands one after the other; between two of them the host may say something."""

    def __init__(self, *commands: str | Then) -> None:
        super().__init__()
        self.commands = list(commands)
        self.link: FakeLink | None = None
        self.loop: asyncio.AbstractEventLoop | None = None

    def __iter__(self) -> Any:
        for command in self.commands:
            if isinstance(command, str):
                yield command + "\n"
            else:
                assert self.loop is not None
                asyncio.run_coroutine_threadsafe(self._heard(command), self.loop).result(20)

    async def _heard(self, command: Then) -> None:
        for _ in range(100):  # what was typed before is done first
            await asyncio.sleep(0)
        assert self.link is not None
        command(self.link)


def told(
    *commands: str | Then,
    deck: str = DECK,
    role: Any = "console",
    path: str = "deck.md",
    answers: bool = False,
) -> tuple[str, FakeLink]:
    """All that is said while `commands` are typed, and the link to the host."""
    out, typed = io.StringIO(), Typed(*commands)
    session = Session(
        Contents(split(deck, path)), role=role, screen="me", now=lambda: 1000.0, answers=answers
    )
    plain = Plain(session, out)

    def connect(receive: Any, word: Any) -> FakeLink:
        typed.link = link = FakeLink(receive, word)
        link.screen, link.now = "me", session.now
        return link

    async def run() -> None:
        typed.loop = asyncio.get_running_loop()
        assert await plain.run(connect, typed) == 0

    asyncio.run(run())
    assert typed.link is not None and typed.link.closed
    return out.getvalue(), typed.link


def done(link: FakeLink, kind: type) -> list[Any]:
    """The actions of a kind that were sent."""
    return [act.action for act in link.of(Act) if isinstance(act.action, kind)]

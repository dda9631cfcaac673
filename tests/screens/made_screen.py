"""A screen with a host made of a list: what was sent is kept, what the host says is handed in by the test."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen
from textual.strip import Strip

from runtime.classroom.actions import Entry
from runtime.classroom.state import ClassState, apply
from runtime.protocol.figures import RankRow
from runtime.protocol.messages import Act, Ordered, Report, Shutdown, Snapshot, Welcome
from slides.reading.split import split
from tui.app import TeachApp
from tui.classroom.position.place_in_talk import Place
from tui.classroom.session import Session
from tui.deck.contents import Contents
from tui.rendering import textual_private

DECK = """\
---
title: Four copies
---
# Start {#start}

The title slide.

<!-- notes: SECRET-NOTE of the first slide -->

---

<!-- slide: {section: Practice} -->
# Steps {#steps}

first words

<!-- pause -->

second words

<!-- notes: SECRET-NOTE for the second step -->

---

# Live {#live}

::: demo ddp ranks=4 steps=50

---

# Question {#question}

::: quiz {#ring kind=single points=2}
How many bytes?

- [ ] S
- [x] RIGHT-ANSWER
  > SECRET-WHY
- [ ] nS
:::

---

# Long {#long}

""" + "\n\n".join(f"row {n}" for n in range(60))


def painted(screen: Screen[Any]) -> list[Strip]:
    """The rows of a screen, put together as Textual puts them for a terminal."""
    return [Strip.join([row]) for row in textual_private.rows(screen)]


def on_painting(app: App[Any], paint: Callable[[Any], None]) -> Callable[[], None]:
    """Have `paint` get what would go to the terminal, in its place, until the function returned is called."""
    app._display = lambda screen, update: paint(update)  # type: ignore[method-assign]
    return lambda: app.__dict__.pop("_display", None)


class FakeLink:
    """Answers at once, as a host on the same machine would; `quiet` leaves the answers to the test."""

    def __init__(self, receive: Callable[[Any], None], word: Callable[[str], None]) -> None:
        self.receive, self.word = receive, word
        self.sent: list[Any] = []
        self.state = ClassState()
        self.blob = b""
        self.screen = ""
        self.now: Callable[[], float] = lambda: 0.0
        self.quiet = False
        self.closed = False

    async def start(self) -> None:
        self.receive(Welcome(1, "test-class", 1, self.state, self.blob, "warm", ""))

    def send(self, message: Any) -> None:
        self.sent.append(message)
        if self.quiet:
            return
        if isinstance(message, Act):
            self.order(message.action, self.screen, message.n)
        elif isinstance(message, Shutdown):
            self.receive(Report("test-class", 1, self.state, "warm", "", (), ()))

    def order(self, action: Any, screen: str = "other", n: int = 0) -> None:
        entry = Entry(self.state.rev + 1, self.now(), screen, "all", action)
        self.state = apply(self.state, entry)
        self.receive(Ordered(entry, n))

    async def close(self) -> None:
        self.closed = True

    def of(self, kind: type) -> list[Any]:
        return [message for message in self.sent if isinstance(message, kind)]


class Screenful:
    """An app with its fake host, and what can be read from the terminal."""

    def __init__(
        self,
        deck: str = DECK,
        role: Any = "console",
        now: float = 1000.0,
        answers: bool = False,
        **options: Any,
    ) -> None:
        self.links: list[FakeLink] = []
        self.now = now
        self.session = Session(
            Contents(split(deck, "deck.md")),
            role=role,
            screen="me",
            now=lambda: self.now,
            answers=answers,
        )
        self.app = TeachApp(self.session, self.connect, **options)
        self._run_test = self.app.run_test
        self.app.run_test = self._joined  # type: ignore[method-assign, assignment]

    @asynccontextmanager
    async def _joined(self, **how: Any) -> AsyncIterator[Pilot[Any]]:
        """The app in a test, once it has asked for its host: on a busy machine that may take a while."""
        async with self._run_test(**how) as pilot:
            for _ in range(100):
                if self.links:
                    break
                await pilot.pause(0.01)
            yield pilot

    def connect(self, receive: Any, word: Any) -> FakeLink:
        """The way to a host, as a screen asks for it."""
        link = FakeLink(receive, word)
        link.screen, link.now = "me", self.session.now
        self.links.append(link)
        return link

    @property
    def link(self) -> FakeLink:
        return self.links[0]

    def text(self) -> str:
        """What is on the terminal now."""
        return "\n".join(row.text.rstrip() for row in painted(self.app.screen))


def snapshot(block: str, state: str = "running", world: int = 4, step: int = 7, **changes: Any) -> Snapshot:
    rows = tuple(
        RankRow(
            rank=n, node=0, pid=100 + n, state="backward", step=step, loss=2.5, tokens_s=480.0, step_s=0.05
        )
        for n in range(world)
    )
    fields: dict[str, Any] = {
        "block": block,
        "run": "r1",
        "generation": 1,
        "demo": "ddp",
        "params": {},
        "state": state,
        "why": "",
        "world": world,
        "badge": "LIVE CPU",
        "bent": (),
        "backend": "gloo",
        "device": "cpu",
        "ran_s": 3.0,
        "budget_s": None,
        "steps": 50,
        "rows": rows,
    }
    return Snapshot(**{**fields, **changes})


def place(**changes: object) -> Place:
    fields: dict[str, object] = {
        "title": "Distributed data parallel",
        "section": "Practice",
        "number": 9,
        "total": 18,
        "percent": 50,
        "step": 1,
        "steps": 3,
        "elapsed": 760.0,
        "running": True,
    }
    return Place(**{**fields, **changes})  # type: ignore[arg-type]


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys and let what they asked for be drawn."""
    await pilot.press(*keys)
    await pilot.pause()


async def settle(pilot: Pilot[Any]) -> None:
    """Let timers of a frame fire and everything they asked for be drawn."""
    await pilot.pause(0.1)
    await pilot.pause()


async def until(pilot: Pilot[Any], what: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not what():
        assert time.monotonic() < end, "it did not happen"
        await pilot.pause(0.01)


async def running(full: Screenful, pilot: Any, **changes: Any) -> str:
    """On the slide with the demo, which runs; gives its block."""
    await pilot.press("g", "3", "enter")
    block = full.session.contents.demos(2)[0].id
    full.link.receive(snapshot(block, **changes))
    await settle(pilot)
    return block


async def attached(on: Screenful) -> None:
    while not on.app.room.class_id:
        await asyncio.sleep(0.01)
    on.app.room.pointing.attached(True)  # the host in these tests is made of a list

"""How a screen comes to its class, once its first slide is painted: a new one, or one to go on with."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from textual.events import Event, Key

from tui.actions.context import ScreenContext
from tui.classroom.host_link import Connect
from tui.screens.overlay import Ask, Closed
from tui.terminal import crash_restart

if TYPE_CHECKING:
    from tui.classroom.position.unfinished_class import Stopped

MOST_EARLY = 200  # keys that wait for the deck of a class
LOOK_S = 1.0  # how often a room without a teacher looks for the class it is to follow


class Offer(Ask):
    """Answered by every key: `y` goes on with the class that stopped, any other one begins a new one.

    Who only wants to teach presses what moves on: it moves on, in the new class.
    """

    def press(self, event: Key) -> Closed:
        """Take y as yes; n, Escape and Enter as no; any other key is a no that is also handled below."""
        yes = event.key in ("y", "Y")
        return Closed(yes, besides=not yes and event.key not in ("n", "N", "escape", "enter"))


class ArrivalContext(ScreenContext, Protocol):
    """A screen that comes to its class: keys may wait until it is there."""

    keys: dict[str, str]  # the action of each key

    @property
    def return_code(self) -> int | None:
        """None as long as it runs; Textual says what it failed with while it still ends."""

    def exit(self, word: str = "", /, *, return_code: int = 0) -> None:
        """Leave with this exit status."""

    async def on_event(self, event: Event) -> None:
        """Do what a key says."""


class Arrival:
    """What follows the first painted slide: consent, the offer to go on with a class, the connection."""

    def __init__(
        self,
        app: ArrivalContext,
        connect: Connect | None,
        *,
        joining: bool = False,
        stopped: Callable[[], Stopped | None] | None = None,
        again: Callable[[str], Connect] | None = None,
        others: Callable[[], list[str]] = list,
    ) -> None:
        """`joining`: the deck comes from the class. `stopped()` looks on disk for a class to go on with, to
        which `again(class_id)` is the way; `others()` are classes that go on elsewhere."""
        self._app = app
        self.connect = connect
        self._stopped, self.again, self._others = stopped, again, others
        self._told = crash_restart.Screen()
        self._joins, self._rev = joining, app.session.contents.rev
        self._early: deque[Key] = deque()  # typed before there was a deck
        self._catching = False
        # Whether a class has begun since this screen came: of a room that was told none by name.
        self.newer: Callable[[], bool] | None = None

    async def come(self) -> None:
        """Connect; where a class of this deck stopped on its way, after asking whether to go on with it."""
        found = await self._look() if self._stopped is not None else None
        if found is None or self.again is None:
            await self._open(self.connect)
            return
        again, format = self.again(found.class_id), found.format

        async def answered(yes: bool) -> None:
            deck = self._app.session.contents.deck
            # What a class was read as by `--format` it stays, unless the deck itself has come to say.
            if yes and format not in ("", deck.format) and deck.meta.get("format") != deck.format:
                await self._read(deck.path, format)
            await self._open(again if yes else self.connect, found.class_id if yes else "")

        await self._app.cover(Offer(self._app.painter, found.question, answered))

    async def _look(self) -> Stopped | None:
        assert self._stopped is not None
        try:
            return await asyncio.to_thread(self._stopped)
        except OSError:
            return None  # the link to the host says why

    async def _open(self, connect: Connect | None, resumed: str = "") -> None:
        if connect is None:
            return
        await self._app.room.open(connect)
        if self._stopped is not None and not resumed:
            self._app.run_worker(self._finish_recordings())
        for other in [other for other in self._others() if other != resumed][:1]:
            self._app.say(f"another class is running: `teachrun attach --class {other}` joins it", "dim")
        if self.newer is not None:
            self._app.run_worker(self._move_on(self.newer))

    async def _move_on(self, newer: Callable[[], bool]) -> None:
        """A console that died leaves its class without a teacher, and who presents again begins another: the
        room follows that one."""
        room = self._app.room
        while (room.consoles and room.link_word != "lost") or not await asyncio.to_thread(newer):
            await asyncio.sleep(LOOK_S)
        came = self._app.session.contents.rev != self._rev
        if not (room.ended and came):  # what has slides stays, to be read
            self._app.exit(return_code=crash_restart.MOVED_ON)

    async def _finish_recordings(self) -> None:
        """A screen that was killed, and its class with it, left its recording as it was made."""
        from runtime import paths
        from tui.recording.cast import unfinished

        def look() -> list[Path]:
            return unfinished(paths.classes_dir())

        try:
            left = await asyncio.to_thread(look)
        except OSError:
            return  # the link to the host says why
        if left:
            self._app.studio.adopt(left)

    def keeps(self, event: Key) -> bool:
        """Whether a key waits until it can be meant: somebody goes on teaching while a console that was lost
        comes back, and it has no deck yet. What leads out of it never waits."""
        app = self._app
        if app.return_code == crash_restart.CRASHED and crash_restart.comes_back():
            return True  # for the next screen: what this one does now might not reach the class
        comes = self._joins and app.session.role == "console" and app.session.contents.rev == self._rev
        at_once = app.keys.get(event.key) in ("quit", "interrupt", "help")
        if not comes or at_once or len(self._early) >= MOST_EARLY:
            crash_restart.did(event)
            return False
        self._early.append(event)
        return True

    async def catch_up(self) -> None:
        """Do what was typed before the deck was there, in the order in which it was typed."""
        if self._catching or self._app.session.contents.rev == self._rev:
            return
        self._catching = True
        try:
            while self._early:
                await self._app.on_event(self._early.popleft())
        finally:
            self._catching = False

    def remember(self) -> None:
        """Tell the waiting parent how this screen is to come back, should it crash."""
        room, classroom = self._app.room, self._app.classroom
        layout = classroom.aside_view.layout if classroom.notes_wanted else "plain"
        text, size = classroom.drawing.mode.name, classroom.aside_view.size if layout != "plain" else 0
        now = crash_restart.Screen(room.class_id, layout, self._app.look, text, str(size))
        if now != self._told:
            self._told = now
            crash_restart.up(now)

    async def bring_deck(self) -> None:
        """A class whose host was lost together with its consoles has no deck left but its file."""
        state = self._app.session.state
        if await self._read(state.path, state.format):
            self._app.room.publish()

    async def _read(self, path: str, format: str) -> bool:
        """Show the deck at `path` as one of this format; False where that cannot be."""
        from slides.reading.from_disk.source import DeckError
        from tui.deck.contents import Contents, open_deck

        try:
            deck = await asyncio.to_thread(open_deck, Path(path), format)
        except DeckError as error:
            self._app.say(str(error.problem), "bad")
            return False
        self._app.session.replace_deck(Contents(deck))
        self._app.room.changed("deck")
        return True


def offer_of(path: str, format: str = "") -> Callable[[], Stopped | None]:
    """What looks for a class of this deck; imported when it looks. A `format` somebody asked for stays."""

    def look() -> Stopped | None:
        from tui.classroom.position.unfinished_class import find

        found = find(path, time.time())
        return found._replace(format="") if found is not None and format else found

    return look

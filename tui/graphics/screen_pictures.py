"""Pictures of one screen: asks its terminal when the first is wanted, and shows them as well as it can."""

from __future__ import annotations

import asyncio
import fcntl
import os
import struct
import sys
import termios
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tui.graphics import protocol_choice
from tui.graphics.picture_cache import Pixels
from tui.graphics.pixel_pictures import Cell, PixelPictures, Way
from tui.graphics.terminal_replies import QUESTIONS, Ear, Facts
from tui.rendering import textual_private
from tui.terminal.over_ssh import over_ssh

if TYPE_CHECKING:
    from textual.app import App

    from tui.graphics.tmux import Around

USUAL: Cell = (10, 20)  # where it is not said: what scales pictures by itself needs no more


class Listener(Ear):
    """Tells of the last answer, in the thread that reads the terminal."""

    def __init__(self, answered: Callable[[Facts], object]) -> None:
        super().__init__()
        self._answered = answered

    def take(self, data: str, now: float | None = None) -> str:
        waited = self._waits
        typed = super().take(data, now)
        if waited and self.facts.complete:
            self._answered(self.facts)
        return typed


class Graphics:
    """Choice of how this terminal shows pictures, from the user's wish and its own answers."""

    def __init__(self, app: App[Any], show_by: Callable[[Pixels | None], object], wished: str = "") -> None:
        """`show_by` is told what the terminal has for pictures, None for nothing but cells; `wished` is one
        of `settings.PICTURES`, "" as `auto`."""
        self._show_by = show_by
        self._app, self._wished = app, wished or "auto"
        self._facts = Facts()
        self._begun = False
        self._plates: PixelPictures | None = None
        self._pane = os.environ.get("TMUX_PANE", "") if os.environ.get("TMUX") else ""
        self._around: Around | None = None
        self._told = asyncio.Event()  # tmux was handed something

    # --- asking -----------------------------------------------------------------------------------------

    def begin(self) -> None:
        """The first picture is wanted."""
        app = self._app
        if not textual_private.has_terminal(app):
            return
        if not self._begun:
            self._begun = True
            app.app_resume_signal.subscribe(app, lambda _: self._lost())
        if self._wished == "blocks":
            return
        if self._pane:
            if self._wished in ("auto", "kitty"):
                app.run_worker(self._watch_tmux(), group="graphics", exclusive=True)
        elif self._facts.complete or self._wished in ("kitty", "iterm2"):
            self._answered(self._facts)
        elif self._wished == "sixel" and self._cell_known() is not None:
            self._answered(self._facts)  # callers may rely on them from here on
        elif protocol_choice.may_ask(os.environ) and textual_private.can_listen():
            loop = asyncio.get_running_loop()
            ear = Listener(lambda facts: loop.call_soon_threadsafe(self._answered, facts))
            before = textual_private.listener()
            ear.expect(before.owed if isinstance(before, Ear) else 0)
            textual_private.listen(ear)
            textual_private.write(app, QUESTIONS)

    def wish(self, wished: str) -> None:
        """The user wishes otherwise."""
        self._wished = wished or "auto"
        if self._begun:
            self._show(None)
            self.begin()

    def _answered(self, facts: Facts) -> None:
        self._facts = facts
        away = over_ssh(os.environ)
        name = protocol_choice.chosen(facts, away=away) if self._wished == "auto" else self._wished
        if self._app.is_running and (way := self._way(name, away)) is not None:
            self._show(PixelPictures(way, lambda: self._app.size.height))

    def _way(self, name: str, away: bool) -> Way | None:
        if name == "kitty":
            from tui.graphics import kitty

            colour = 16 + os.getpid() % 240
            return kitty.Kitty(colour, most_pixels=kitty.MOST_PIXELS_AWAY if away else kitty.MOST_PIXELS)
        if name == "sixel" and self._cell_known() is not None:
            from tui.graphics.sixel import Sixel

            return Sixel(self._facts.registers or 256)
        if name == "iterm2":
            from tui.graphics.iterm2 import Inline

            return Inline()
        return None

    # --- showing ----------------------------------------------------------------------------------------

    def _show(self, plates: PixelPictures | None) -> None:
        """Upgrade to pixels, or go back to half blocks."""
        app, before = self._app, self._plates
        self._plates = plates
        if before is not None and (rest := before.clear()):
            textual_private.write(app, rest)
        textual_private.look_through(app, plates.shown if plates is not None else None)
        self._show_by(Pixels(plates, self._cell) if plates is not None else None)

    def end(self) -> None:
        """The screen is left, and has the terminal forget what it was sent."""
        if self._plates is not None and (rest := self._plates.clear()):
            textual_private.write(self._app, rest)

    def _lost(self) -> None:
        """An editor had the terminal, or another terminal shows us: nothing that was sent is there."""
        if self._plates is not None:
            self._plates.lost()
            self._app.refresh()

    def as_blocks(self, data: str) -> str:
        """What is written to terminals without pixels."""
        return data if self._plates is None else self._plates.as_blocks(data)

    def _cell(self) -> Cell:
        return self._cell_known() or USUAL

    def _cell_known(self) -> Cell | None:
        """The pixels of a cell as the terminal's window has them now, else as it answered."""
        try:
            size = fcntl.ioctl(sys.__stdout__.fileno(), termios.TIOCGWINSZ, bytes(8))  # type: ignore[union-attr]
            rows, columns, width, height = struct.unpack("HHHH", size)
        except (OSError, ValueError, AttributeError):
            return self._facts.cell
        if not (rows and columns and width >= 2 * columns and height >= 4 * rows):
            return self._facts.cell
        return width // columns, height // rows

    # --- tmux -------------------------------------------------------------------------------------------

    async def _watch_tmux(self) -> None:
        """Look who sees us as long as the class lasts: somebody may attach from another terminal."""
        from tui.graphics import tmux

        while self._app.is_running:
            self._told.clear()
            around = await asyncio.to_thread(tmux.look, self._pane)
            if not around.passes:
                return
            self._seen_by(around)
            try:
                wait = tmux.POLL_S if around.seen else tmux.UNSEEN_S
                await asyncio.wait_for(self._told.wait(), wait)
            except TimeoutError:
                pass

    def _seen_by(self, around: Around) -> None:
        before, self._around = self._around, around
        if around.fit and self._plates is None:
            from tui.graphics import kitty

            colour = 16 + int("".join(filter(str.isdigit, self._pane)) or 0) % 240
            self._show(PixelPictures(kitty.Kitty(colour, self._through_tmux, kitty.MOST_PIXELS_AWAY)))
        elif not around.fit and self._plates is not None:
            self._show(None)
        elif before is not None and around.seen and (not before.seen or before.clients != around.clients):
            self._lost()

    def _through_tmux(self, sequence: str) -> str:
        from tui.graphics.kitty import through_tmux

        self._told.set()  # and whether anybody saw it is looked at right away
        return through_tmux(sequence)

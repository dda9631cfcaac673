"""What a frame writes goes to the terminal in one piece.

Textual hands its parts (the begin of a synchronised update, the rows, its end) to the thread that writes one
by one: woken three times a frame, that thread costs as much as the painting.
"""

from __future__ import annotations

import re
import sys
from typing import Any

from textual.app import App
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Key
from textual.message import Message

from tui.rendering import first_paint, textual_private
from tui.terminal import crash_restart, mouse_reports

_FRAME = re.compile(r"\x1b\[\d+;\d+H")  # rows, from a place on
BEGIN, END = "\x1b[?2026h", "\x1b[?2026l"
_PICTURE = re.compile(
    "(?<!\x1b)\x1b_Ga=T"
)  # of kitty's protocol, to kitty itself: tmux has updates of its own


class WholeFrames(LinuxDriver):
    """Holds a synchronised update back until it is whole."""

    _held: list[str] | None = None
    _entered = False
    _early: list[str] | None = None  # while the first slide stands that was painted before Textual was there

    def __init__(self, app: App[Any], **options: Any) -> None:
        # Textual paints on what is stderr now, which may have been sent to a file: `teachrun 2>log`.
        stderr = sys.__stderr__
        sys.__stderr__ = next((f for f in (stderr, sys.__stdout__) if f and f.isatty()), stderr)  # type: ignore[misc]
        try:
            super().__init__(app, **options)
        finally:
            sys.__stderr__ = stderr  # type: ignore[misc]
        textual_private.drives(self, app)
        self._shows = app

    def run_input_thread(self) -> None:
        """Read the terminal; its answers to us are taken out before Textual makes keys of them."""
        for key, character in crash_restart.handed_over():
            self.process_message(Key(key, character))
        with textual_private.heard():
            super().run_input_thread()

    def start_application_mode(self) -> None:
        """Take the terminal, without clearing a first slide that is already painted."""
        crash_restart.loud()  # what Textual gives back, to an editor or at its end, is the terminal as it was
        self._entered = first_paint.painted()
        painted = self._entered
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if getattr(self._shows, "clicks", False):
            self.write(mouse_reports.ON)
        self._early = [] if painted else None

    def process_message(self, message: Message) -> None:
        """Enter that was typed before the terminal was ours has come as a line feed."""
        if isinstance(message, Key) and message.key == "ctrl+j":
            message = Key("enter", "\r")
        if isinstance(message, Key):
            crash_restart.read(message)
        super().process_message(message)

    @property
    def _crashed(self) -> bool:
        """Whether the program has failed, and another screen follows it."""
        return self._shows.return_code == crash_restart.CRASHED and crash_restart.comes_back()

    def disable_input(self) -> None:
        """Read no more. Textual forgets what was typed meanwhile: after a crash it is for the next screen."""
        if self._crashed:
            textual_private.stop_reading(self)
            crash_restart.hand_over()
        super().disable_input()

    def stop_application_mode(self) -> None:
        """Give the terminal back; frames that were held back are dropped."""
        self._early = None
        if getattr(self._shows, "clicks", False):
            self.write(mouse_reports.OFF)
        if self._crashed:
            self.attrs_before = None  # or what is typed until the next screen is there would be echoed
        super().stop_application_mode()

    def take_over(self) -> None:
        """The screen shows the first slide too: until now its frames were blank, and would have hidden it."""
        early, self._early = self._early, None
        if not early:
            return
        parts = [data for data in early if data not in (BEGIN, END)]
        whole = [n for n, data in enumerate(parts) if data.startswith("\x1b[1;1H")]
        parts = (
            [data for n, data in enumerate(parts) if n >= whole[-1] or not _FRAME.match(data)]
            if whole
            else parts
        )
        frame = "".join(parts)
        super().write(f"{BEGIN}{frame}{END}" if BEGIN in early else frame)

    def write(self, data: str) -> None:
        """Write, a synchronised update in one piece."""
        if data == first_paint.ALTERNATE and self._entered:
            self._entered = False  # it is there, with the first slide on it: to enter it again would clear it
            return
        if self._early is not None:
            self._early.append(data)
        elif self._held is None and data != BEGIN:
            super().write(data)
        elif self._held is None:
            self._held = [data]
        else:
            self._held.append(data)
            if data == END:
                parts, self._held = self._held, None
                if any(map(_PICTURE.search, parts)):
                    # While an update goes on kitty shows a copy of the screen, and what was not drawn before
                    # has no pictures in that copy: a slow kitty would blink as a scene moves.
                    parts = parts[1:-1]
                super().write("".join(parts))


def writing_whole_frames(kind: type[Driver]) -> type[Driver]:
    """The driver to use where Textual would use `kind`."""
    return WholeFrames if kind is LinuxDriver else kind

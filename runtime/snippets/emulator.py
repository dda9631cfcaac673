"""Emulates a terminal: what a program writes to it, as rows of characters with their styles.

The emulation is pyte's; besides there are the alternate screen, the sequences that pyte would print as text,
and bounds. Imported only by the process that holds the terminal (`runtime.snippets.terminal_process`) and by
what makes a film of a recording (`tui.recording.film_frames`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import copy, deepcopy
from typing import Any

import pyte
from pyte.screens import Char, Margins, StaticDefaultDict
from wcwidth import wcwidth

from runtime.protocol.messages import Grid, Run

COLUMNS, ROWS = (20, 240), (4, 80)  # least and most
BOLD, ITALIC, UNDERLINE, STRIKE, REVERSE = 1, 2, 4, 8, 16
_ALTERNATE = (47, 1047, 1049)
_APPLICATION_KEYS, _BRACKETED_PASTE = 1 << 5, 2004 << 5  # as pyte numbers private modes
CLUSTER = 16  # characters to a cell
HELD = 4096  # characters of a sequence that does not end: then it is dropped
# Strings for the terminal itself (titles, pictures, answers), and controls that pyte does not know.
UNKNOWN = re.compile(
    r"\x1b[P_^X][^\x1b\x9c]*(?:\x1b\\|\x9c)|\x1b\][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b\[[<>=][0-9;:]*[ -/]*[@-~]|\x1b\[\?[0-9;]*\$[a-z]|\x1b\[[0-9;]*[ !\"$'*][@-~]|\x1b\[[0-9;]*t"
    r"|\x1b\[\?[0-9;]*[rsu]"
)
_UNFINISHED = re.compile(r"\x1b(?:\[[0-9;:?<>=]*[ -/]*|[P_^X\]][^\x07\x1b\x9c]*\x1b?)?$")
_STRING = re.compile(r"\x1b[P_^X\]]")


def bounded(columns: int, rows: int) -> tuple[int, int]:
    """Return (columns, rows) within the limits of a terminal here."""
    return max(COLUMNS[0], min(columns, COLUMNS[1])), max(ROWS[0], min(rows, ROWS[1]))


class Screen(pyte.Screen):
    """pyte's screen, with an alternate screen, and with answers that reach the program."""

    answer: Callable[[str], None]

    def __init__(self, columns: int, rows: int, answer: Callable[[str], None]) -> None:
        self.answer = answer
        self._main: tuple[Any, Any] | None = None
        super().__init__(columns, rows)

    def write_process_input(self, data: str) -> None:
        """Pass on what the terminal answers; called by pyte."""
        self.answer(data)

    def reset(self) -> None:
        """Forget the main screen as well: a reset leaves the alternate one."""
        self._main = None
        super().reset()

    def draw(self, data: str) -> None:
        """Draw text in pieces: pyte stops at a zero-width character that is no accent and loses the rest."""
        start = 0
        for n, char in enumerate(data) if not data.isascii() else ():
            if wcwidth(char) < 1:
                super().draw(data[start:n])
                start = n + 1
                self._join(char)
        super().draw(data[start:])

    def _join(self, char: str) -> None:
        """Append a zero-width character to the one before it."""
        line = self.buffer[self.cursor.y]
        x = self.cursor.x - 1
        if x > 0 and not line[x].data:
            x -= 1  # the second cell of a wide one
        if x >= 0 and line[x].data and len(line[x].data) < CLUSTER:
            line[x] = line[x]._replace(data=line[x].data + char)

    def set_mode(self, *modes: int, **kwargs: Any) -> None:
        """Enter the alternate screen where a mode asks for it: the main one is put aside, with its cursor."""
        if kwargs.get("private") and any(mode in _ALTERNATE for mode in modes) and self._main is None:
            self._main = deepcopy(self.buffer), copy(self.cursor)
            self.erase_in_display(2)
        super().set_mode(*modes, **kwargs)

    def reset_mode(self, *modes: int, **kwargs: Any) -> None:
        """Leave the alternate screen where a mode asks for it: the main one comes back, with its cursor."""
        super().reset_mode(*modes, **kwargs)
        if kwargs.get("private") and any(mode in _ALTERNATE for mode in modes) and self._main is not None:
            (self.buffer, cursor), self._main = self._main, None
            hidden, self.cursor = self.cursor.hidden, cursor
            self.cursor.hidden = hidden
            self.margins: Margins | None = None
            self.ensure_hbounds()
            self.ensure_vbounds()
            self.dirty.update(range(self.lines))


class Emulator:
    """`feed` takes what the program wrote, `grid` returns what is seen. No input makes it raise."""

    def __init__(self, columns: int, rows: int, answer: Callable[[str], None] = lambda text: None) -> None:
        """`answer` gets what the terminal itself says to the program, when that asks it."""
        self._screen = Screen(*bounded(columns, rows), answer)
        self._stream = pyte.Stream(self._screen)
        self.held = ""
        self._skipping = False  # a string without an end, of which nothing is kept

    @property
    def size(self) -> tuple[int, int]:
        """Its size as (columns, rows)."""
        return self._screen.columns, self._screen.lines

    def resize(self, columns: int, rows: int) -> None:
        """Resize within the bounds; fewer rows first take the empty ones below the cursor."""
        columns, rows = bounded(columns, rows)
        if (columns, rows) != self.size:
            # pyte takes rows from above; a shell that stands at the top would lose what it just said.
            below = self._screen.lines - 1 - self._screen.cursor.y
            lost = max(0, self._screen.lines - rows)
            keep = min(below, lost)
            if keep:
                self._screen.resize(self._screen.lines, columns)
                for y in range(self._screen.lines - keep, self._screen.lines):
                    self._screen.buffer.pop(y, None)
                self._screen.lines -= keep
            self._screen.resize(rows, columns)
            self._screen.ensure_vbounds()
            self._screen.ensure_hbounds()

    def feed(self, text: str) -> None:
        """Take what the program wrote; a sequence may be cut anywhere and continue in the next call."""
        text = self.held + text
        self.held = ""
        if self._skipping:
            end = re.search(r"\x07|\x1b\\|\x9c|\x18|\x1a", text)
            if end is None:
                self.held = "\x1b" if text.endswith("\x1b") else ""
                return
            self._skipping, text = False, text[end.end() :]
        if cut := _UNFINISHED.search(text):
            text, self.held = text[: cut.start()], text[cut.start() :]
            if len(self.held) > HELD:
                self._skipping, self.held = bool(_STRING.match(self.held)), ""
        try:
            self._stream.feed(UNKNOWN.sub("", text))
        except Exception:  # a sequence that pyte stumbles over costs its sense, not the class its terminal
            self._stream = pyte.Stream(self._screen)

    def typed(self, text: str) -> str:
        """Return keys as the program's present mode expects them."""
        if _APPLICATION_KEYS in self._screen.mode:
            return re.sub(r"^\x1b\[([ABCDHF])$", "\x1bO\\1", text)
        return text

    def pasted(self, text: str) -> str:
        """Return pasted text as the program expects it, without keys other than Enter or an end of paste."""
        text = "".join(c for c in text.replace("\r\n", "\r").replace("\n", "\r") if c >= " " or c in "\r\t")
        return f"\x1b[200~{text}\x1b[201~" if _BRACKETED_PASTE in self._screen.mode else text

    def grid(self) -> Grid:
        """Return what is on the screen now, and where the cursor is (from 0)."""
        screen = self._screen
        rows = tuple(_row(screen.buffer[y], screen.columns) for y in range(screen.lines))
        cursor = screen.cursor
        return Grid(
            screen.columns, rows, min(cursor.x, screen.columns - 1), cursor.y, cursor=not cursor.hidden
        )


def _row(line: StaticDefaultDict[int, Char], columns: int) -> tuple[Run, ...]:
    """Runs of one look, without the blanks at the end."""
    runs: list[Run] = []
    text, look = "", ("", "", 0)
    for x in range(columns):
        char = line[x]
        now = _look(char)
        if now != look:
            if text:
                runs.append((text, *look))
            text, look = "", now
        text += char.data
    if look[1:] == ("", 0):
        text = text.rstrip()
    return (*runs, (text, *look)) if text else tuple(runs)


def _look(char: Char) -> tuple[str, str, int]:
    marks = BOLD * char.bold | ITALIC * char.italics | UNDERLINE * char.underscore
    return (
        _colour(char.fg),
        _colour(char.bg),
        marks | STRIKE * char.strikethrough | REVERSE * char.reverse,
    )


def _colour(name: str) -> str:
    """ "" for the terminal's own, one of its sixteen by name, or `#rrggbb`."""
    if name == "default":
        return ""
    return f"#{name}" if len(name) == 6 and all(c in "0123456789abcdefABCDEF" for c in name) else name

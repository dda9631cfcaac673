"""What is asked before something is done with a run: which harm, which rank, how fast, which parameters."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from textual.events import Key

from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.panes.edges import footer_lines
from tui.rendering.themed_strips import Painter
from tui.screens.overlay import Closed, Finish, Overlay

_MOST_WHY = 6  # lines
_MOST_ITEMS = 10  # rows
HEAD, CURSOR = Style("heading", bold=True), Style("accent")


class Item(NamedTuple):
    """A row of a menu: what choosing it gives, its words, and what will come of it. `digit` takes it at once:
    its place in the menu where that is None, no digit where that is empty."""

    value: object
    text: str
    follows: str
    digit: str | None = None


class Menu(Overlay):
    """Things to choose from: a digit takes one at once (of the first ten, 0 the tenth), arrows and Enter any.

    Of more than `_MOST_ITEMS` those around the chosen one are seen.
    """

    def __init__(self, painter: Painter, title: str, items: Sequence[Item], finish: Finish) -> None:
        super().__init__(painter, min(_MOST_ITEMS, len(items)) + 1, finish)
        self._title, self._items = title, items
        places = [str((n + 1) % 10) if n < 10 else "" for n in range(len(items))]
        self._digits = [
            place if item.digit is None else item.digit for item, place in zip(items, places, strict=True)
        ]
        self._chosen = 0

    def draw(self, width: int, height: int) -> list[Line]:
        keys = "a digit, or ↑ ↓ and Enter, chooses · Esc closes"
        head = (Span(f"  {self._title}", HEAD), Span(f"   {keys}", footer_lines.FAINT))
        column = max(cells.width(item.text) for item in self._items) + 2
        lines: list[Line] = [cells.clip(head, width)]
        top = max(0, min(self._chosen - _MOST_ITEMS // 2, len(self._items) - _MOST_ITEMS))
        for n, item in enumerate(self._items[top : top + _MOST_ITEMS], start=top):
            here = n == self._chosen
            digit = self._digits[n] or " "
            ground = "select" if here else ""
            row = (
                Span(f"  {digit}  ", Style("accent", ground, bold=True)),
                Span(item.text.ljust(column), Style("text", ground, bold=here)),
                Span(item.follows, Style("dim", ground)),
            )
            lines.append(cells.fit(row, width, Style("text", ground)))
        return lines

    def take(self, event: Key) -> Closed | None:
        by = {"down": 1, "tab": 1, "up": -1, "shift+tab": -1}.get(event.key)
        if event.key == "enter":
            return Closed(self._items[self._chosen].value)
        if event.key.isdecimal():
            found = [
                item for item, digit in zip(self._items, self._digits, strict=True) if digit == event.key
            ]
            return Closed(found[0].value) if found else None
        if by is not None:
            self._chosen = (self._chosen + by) % len(self._items)
            self.redraw()
        return None


class WhichRank(Overlay):
    """One line that asks for a rank: its digit, or where there are more than ten its number and Enter.

    Enter alone gives `usual`; None there gives nothing.
    """

    def __init__(
        self, painter: Painter, title: str, world: int, finish: Finish, *, usual: int | None, word: str
    ) -> None:
        super().__init__(painter, 1, finish)
        self._title, self._world, self._usual, self._word = title, world, usual, word
        self._digits = ""

    def draw(self, width: int, height: int) -> list[Line]:
        line: list[Span] = [Span(f"  {self._title} ", HEAD)]
        if self._world <= 10:
            line += [
                span for n in range(self._world) for span in (Span(f" {n}", footer_lines.KEY), Span(" "))
            ]
        else:
            line += [
                Span(self._digits),
                Span("▏", CURSOR),
                Span(f" 0 to {self._world - 1}", footer_lines.DIM),
            ]
        if self._word:
            line += [Span("   Enter", footer_lines.KEY), Span(f" {self._word}", footer_lines.DIM)]
        return [cells.clip((*line, Span("   Esc closes", footer_lines.FAINT)), width)]

    def take(self, event: Key) -> Closed | None:
        key = event.key
        if key == "enter":
            return Closed(int(self._digits) if self._digits else self._usual)
        if key == "backspace":
            self._digits = self._digits[:-1]
        elif key.isdecimal() and int(self._digits + key) < self._world:
            self._digits += key
            if self._world <= 10:
                return Closed(int(self._digits))
        self.redraw()
        return None


class Bar(Overlay):
    """Two lines that stay while their keys are pressed again and again: how it stands, and the keys.

    Any other key closes it and does what it does without it: who goes on need not close it first.
    """

    def __init__(
        self,
        painter: Painter,
        says: Callable[[], str],
        keys: Callable[[], Sequence[tuple[str, str]]],
        press: Callable[[str], bool],
    ) -> None:
        """`press(key)` does what a key means; False where it means nothing here."""
        super().__init__(painter, 2)
        self._says, self._keys, self._press = says, keys, press

    def draw(self, width: int, height: int) -> list[Line]:
        words = (*self._keys(), ("Esc", "closes"))
        return [
            cells.clip((Span("  "), Span(cells.clean(self._says()), HEAD)), width),
            footer_lines.hints(words, width),
        ]

    def take(self, event: Key) -> Closed | None:
        if not self._press(event.key):
            return Closed(besides=True)
        self.redraw()
        return None

    def freshen(self) -> None:
        super().freshen()
        self.redraw()


class Edit(Overlay):
    """A line of text to change. `check(text)` refuses it in words; "" lets it go. `about` helps at a word."""

    def __init__(
        self,
        painter: Painter,
        title: str,
        text: str,
        check: Callable[[str], str],
        about: Callable[[str], str],
        complete: Callable[[str], str] | None,
        finish: Callable[[str], Awaitable[None]],
        does: str = "starts it",
    ) -> None:
        """`about(word)` is said of the word at the cursor, `complete(word)` is what Tab adds to it, if
        anything can be; `does` is what Enter does."""
        super().__init__(painter, 3, finish)
        self._title, self._text, self._check = title, text, check
        self._about, self._complete, self._does = about, complete, does
        self._at = len(text)
        self._refused = ""

    @property
    def _word(self) -> str:
        """What stands between the blank before the cursor and the cursor's end of the word."""
        start = self._text.rfind(" ", 0, self._at) + 1
        end = self._text.find(" ", self._at)
        return self._text[start : len(self._text) if end < 0 else end]

    def draw(self, width: int, height: int) -> list[Line]:
        title = f"  {cells.clean(self._title)}  "
        room = max(4, width - cells.width(title) - 3)
        top = max(0, self._at - room)
        before, after = self._text[top : self._at], self._text[self._at :]
        line = (
            Span(title, HEAD),
            Span(cells.clean(before)),
            Span("▏", CURSOR),
            Span(cells.clip_text(cells.clean(after), max(1, room - len(before)))),
        )
        refused = [(Span("  "), *line) for line in self._why(width)]
        about: list[Line] = refused or [(Span("  "), Span(self._about(self._word), footer_lines.DIM))]
        tab = (("Tab", "completes"),) if self._complete is not None else ()
        keys = (("Enter", self._does), *tab, ("Ctrl U", "empties"), ("Esc", "closes"))
        said = [cells.clip(line, width) for line in about]
        return [cells.clip(line, width), *said, footer_lines.hints(keys, width)]

    def _why(self, width: int) -> list[Line]:
        """Why it is refused: all of it, for it names what to write instead."""
        words = (Span(cells.clean(self._refused), Style("warning")),)
        return cells.wrap(words, max(8, width - 4))[:_MOST_WHY] if self._refused else []

    def take(self, event: Key) -> Closed | None:
        key, letter = event.key, event.character
        if key == "enter":
            self._refused = self._check(self._text)
            if not self._refused:
                return Closed(self._text)
        elif (at := self._moved(key)) is not None:
            self._at = at
        else:
            self._change(key, letter)
        self._lines.styles.height = 2 + max(1, len(self._why(self._lines.size.width)))
        self.redraw()
        return None

    def _moved(self, key: str) -> int | None:
        end = len(self._text)
        places = {
            "left": self._at - 1,
            "right": self._at + 1,
            "home": 0,
            "ctrl+a": 0,
            "end": end,
            "ctrl+e": end,
        }
        at = places.get(key)
        return None if at is None else max(0, min(end, at))

    def _change(self, key: str, letter: str | None) -> None:
        before, after = self._text[: self._at], self._text[self._at :]
        if key == "backspace":
            before = before[:-1]
        elif key == "delete":
            after = after[1:]
        elif key == "ctrl+u":
            before = after = ""
        elif key == "ctrl+w":
            before = before.rstrip()[: before.rstrip().rfind(" ") + 1]
        elif key == "tab" and self._complete is not None:
            before += self._complete(before.rpartition(" ")[2])
        elif letter and letter.isprintable():
            before += letter
        else:
            return
        self._text, self._at, self._refused = before + after, len(before), ""

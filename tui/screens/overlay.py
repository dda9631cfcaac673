"""What lies over the slide for a moment: the help, a question, a list to find something in.

An overlay takes every key. Esc closes it, and ctrl+c too, so that nobody is ever locked in.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

from textual.app import ComposeResult
from textual.events import Key
from textual.screen import ModalScreen

from slides import cells
from slides.text import Line, Span, Style
from tui import chrome
from tui.themes import Painter
from tui.widgets.lines import Lines


class Closed(NamedTuple):
    """An overlay is done; `value` is what it was for, None when nothing came of it."""

    value: Any = None


Finish = Callable[[Any], Awaitable[None]]


class Overlay(ModalScreen[None], inherit_bindings=False):
    """Lines at the bottom of the terminal, `rows` of them. The app hands it every key by `press`."""

    DEFAULT_CSS = """
    Overlay { background: transparent; align: left bottom; }
    """

    def __init__(self, painter: Painter, rows: int | str, finish: Finish | None = None) -> None:
        """`finish` gets the value when the overlay is closed with one."""
        super().__init__()
        self.finish = finish
        self._lines = Lines(painter, self.draw, id="overlay", ground="panel")
        self._lines.styles.height = rows

    def compose(self) -> ComposeResult:
        yield self._lines

    def draw(self, width: int, height: int) -> list[Line]:
        raise NotImplementedError

    def press(self, event: Key) -> Closed | None:
        """One key: `Closed` when it ends the overlay."""
        if event.key in ("escape", "ctrl+c"):
            return Closed()
        return self.take(event)

    def take(self, event: Key) -> Closed | None:
        raise NotImplementedError


class Help(Overlay):
    """All keys of the action table; any key closes it."""

    def __init__(self, painter: Painter, role: str) -> None:
        super().__init__(painter, "100%")
        self._role = role

    def draw(self, width: int, height: int) -> list[Line]:
        return chrome.help_lines(self._role, width, height)

    def take(self, event: Key) -> Closed:
        return Closed()


class Ask(Overlay):
    """One yes-or-no line; anything but `y` is no."""

    def __init__(self, painter: Painter, question: str, finish: Finish) -> None:
        super().__init__(painter, 1, finish)
        self._question = question

    def draw(self, width: int, height: int) -> list[Line]:
        keys = (
            Span("   y", chrome.KEY),
            Span(" yes   ", chrome.DIM),
            Span("n", chrome.KEY),
            Span(" no", chrome.DIM),
        )
        return [cells.clip((Span(f"  {self._question}", Style("warning", bold=True)), *keys), width)]

    def take(self, event: Key) -> Closed:
        return Closed(True if event.key in ("y", "Y") else None)


class Found(NamedTuple):
    """One line of a list: what choosing it gives, its mark (a number, a key) and its words."""

    value: object
    mark: str
    text: str


class Pick(Overlay):
    """Type to narrow a list, arrows to choose, Enter to take: go to a slide, find a command."""

    ROWS = 8

    def __init__(
        self,
        painter: Painter,
        title: str,
        search: Callable[[str], Sequence[Found]],
        finish: Finish,
        *,
        again: tuple[str, object] | None = None,
    ) -> None:
        """`again` is a key that gives a value while nothing was typed (`g` again: the first slide)."""
        super().__init__(painter, self.ROWS, finish)
        self._title, self._search, self._again = title, search, again
        self._text = ""
        self._chosen = 0
        self._found = list(search(""))

    def draw(self, width: int, height: int) -> list[Line]:
        typed = cells.clean(self._text)
        head = [
            Span(f"  {self._title} ", Style("heading", bold=True)),
            Span(typed),
            Span("▏", Style("accent")),
            Span("   Enter takes · ↑ ↓ choose · Esc closes" if not typed else "", Style("faint")),
        ]
        lines: list[Line] = [cells.clip(tuple(head), width)]
        room = height - 1
        top = max(0, min(self._chosen - room + 1, len(self._found) - room)) if self._chosen >= room else 0
        for n, found in enumerate(self._found[top : top + room], start=top):
            here = n == self._chosen
            ground = "select" if here else ""
            mark = Span(f"{found.mark:>10}  ", Style("accent" if here else "dim", ground, bold=here))
            text = cells.clip_text(cells.clean(found.text), max(1, width - 14))
            pad = " " * max(0, width - 12 - cells.width(text))
            lines.append(
                (mark, Span(text, Style("text", ground, bold=here)), Span(pad, Style("text", ground)))
            )
        if not self._found:
            lines.append((Span("            nothing by that name", Style("warning")),))
        return lines + [()] * (height - len(lines))

    def take(self, event: Key) -> Closed | None:
        key, letter = event.key, event.character
        if self._again and not self._text and key == self._again[0]:
            return Closed(self._again[1])
        if key == "enter":
            return Closed(self._found[self._chosen].value if self._found else None)
        if key in ("down", "tab", "pagedown"):
            self._chosen = min(self._chosen + 1, max(0, len(self._found) - 1))
        elif key in ("up", "shift+tab", "pageup"):
            self._chosen = max(0, self._chosen - 1)
        else:
            if key == "backspace":
                self._text = self._text[:-1]
            elif key == "ctrl+u":
                self._text = ""
            elif letter and letter.isprintable():
                self._text += letter
            self._found = list(self._search(self._text))
            self._chosen = 0
        self._lines.redraw()
        return None

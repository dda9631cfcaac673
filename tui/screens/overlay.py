"""What lies over the slide for a moment: the help, a question, a list to find something in.

An overlay takes every key. Esc closes it, and ctrl+c too, so that nobody is ever locked in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from textual.app import ComposeResult
from textual.events import Key
from textual.screen import ModalScreen

from slides import cells
from slides.text import Line, Span, Style
from tui import chrome
from tui.themes import Painter
from tui.widgets.lines import Lines

T = TypeVar("T")


class Overlay(ModalScreen[T], Generic[T], inherit_bindings=False):
    """Lines at the bottom of the terminal; `rows` is how many."""

    DEFAULT_CSS = """
    Overlay { background: transparent; align: left bottom; }
    Overlay > Lines { height: 1; }
    """

    def __init__(self, painter: Painter, rows: int) -> None:
        super().__init__()
        self._lines = Lines(painter, self.draw, id="overlay", ground="panel")
        self._lines.styles.height = rows

    def compose(self) -> ComposeResult:
        yield self._lines

    def draw(self, width: int, height: int) -> list[Line]:
        raise NotImplementedError

    async def on_key(self, event: Key) -> None:
        event.stop()
        event.prevent_default()
        if event.key in ("escape", "ctrl+c"):
            self.dismiss(None)
        else:
            self.take(event)

    def take(self, event: Key) -> None:
        raise NotImplementedError


class Help(Overlay[None]):
    """All keys of the action table; any key closes it."""

    def __init__(self, painter: Painter, role: str) -> None:
        super().__init__(painter, 1)
        self._role = role
        self._lines.styles.height = "100%"

    def draw(self, width: int, height: int) -> list[Line]:
        return chrome.help_lines(self._role, width, height)

    def take(self, event: Key) -> None:
        self.dismiss(None)


class Ask(Overlay[bool]):
    """One yes-or-no line; anything but `y` is no."""

    def __init__(self, painter: Painter, question: str) -> None:
        super().__init__(painter, 1)
        self._question = question

    def draw(self, width: int, height: int) -> list[Line]:
        keys = (
            Span("   y", chrome.KEY),
            Span(" yes   ", chrome.DIM),
            Span("n", chrome.KEY),
            Span(" no", chrome.DIM),
        )
        return [cells.clip((Span(f"  {self._question}", Style("warning", bold=True)), *keys), width)]

    def take(self, event: Key) -> None:
        self.dismiss(event.key in ("y", "Y"))


class Found(NamedTuple):
    """One line of a list: what choosing it gives, its mark (a number, a key) and its words."""

    value: object
    mark: str
    text: str


class Pick(Overlay[object]):
    """Type to narrow a list, arrows to choose, Enter to take: go to a slide, find a command."""

    ROWS = 8

    def __init__(
        self,
        painter: Painter,
        title: str,
        search: Callable[[str], Sequence[Found]],
        *,
        again: tuple[str, object] | None = None,
    ) -> None:
        """`again` is a key that gives a value while nothing was typed (`g` again: the first slide)."""
        super().__init__(painter, self.ROWS)
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

    def take(self, event: Key) -> None:
        key, letter = event.key, event.character
        if self._again and not self._text and key == self._again[0]:
            self.dismiss(self._again[1])
            return
        if key == "enter":
            self.dismiss(self._found[self._chosen].value if self._found else None)
            return
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

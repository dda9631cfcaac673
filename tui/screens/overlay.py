"""What lies over the slide for a moment: the help, a question, a list to find something in.

An overlay takes every key. Esc closes it, and ctrl+c too, so that nobody is ever locked in.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

from textual.app import ComposeResult
from textual.events import Key, MouseEvent, MouseScrollDown, MouseScrollUp, MouseUp, Resize
from textual.screen import ModalScreen

from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.panes import help_pages
from tui.panes.edges import footer_lines
from tui.rendering.compositor import ByRows
from tui.rendering.themed_strips import Painter
from tui.widgets.lines import Lines


class Closed(NamedTuple):
    """An overlay is done; `value` is what it was for, None when nothing came of it.

    `besides`: the key that closed it was meant for the class, and does there what it does.
    """

    value: Any = None
    besides: bool = False


Finish = Callable[[Any], Awaitable[None]]


class Overlay(ByRows, ModalScreen[None], inherit_bindings=False):
    """Lines at the bottom of the terminal, `rows` of them. The app hands it every key by `press`."""

    DEFAULT_CSS = """
    Overlay { background: transparent; align: left bottom; }
    """

    def __init__(
        self, painter: Painter, rows: int | str, finish: Finish | None = None, ground: str = "panel"
    ) -> None:
        """`finish` gets the value when the overlay is closed with one."""
        super().__init__()
        self.finish = finish
        self.moot: Callable[[], bool] | None = None  # whether what is asked about is over
        self.covers = rows == "100%"  # nothing of the class is to be seen, so nothing of it need be painted
        self._lines = Lines(painter, self.draw, id="overlay", ground=ground)
        self._lines.styles.height = rows

    def compose(self) -> ComposeResult:
        yield self._lines

    def draw(self, width: int, height: int) -> list[Line]:
        """The lines of the overlay at this size."""
        raise NotImplementedError

    def passes(self, event: Key) -> bool:
        """Whether the key is meant for the class below, and the overlay stays."""
        return False

    def press(self, event: Key) -> Closed | None:
        """One key: `Closed` when it ends the overlay."""
        if event.key in ("escape", "ctrl+c"):
            return Closed()
        return self.take(event)

    def take(self, event: Key) -> Closed | None:
        """Take a key; a `Closed` with the answer ends the overlay."""
        raise NotImplementedError

    def mouse(self, event: MouseEvent) -> Closed | None:
        """The wheel moves as the arrows do; what a click takes is for subclasses. It closes nothing else."""
        if isinstance(event, MouseScrollDown | MouseScrollUp):
            down = isinstance(event, MouseScrollDown)
            self.wheel(1 if down else -1)
        elif isinstance(event, MouseUp) and event.button == 1:
            region = self._lines.region
            return self.click(int(event.screen_x) - region.x, int(event.screen_y) - region.y)
        return None

    def wheel(self, by: int) -> None:
        """The wheel was turned: `by` 1 is down."""

    def click(self, x: int, y: int) -> Closed | None:
        """A cell of the lines was clicked: `Closed` when it ends the overlay."""
        return None

    def freshen(self) -> None:
        """The class went on meanwhile: an overlay whose matter is over closes as by Esc, once."""
        if self.moot is not None and self.moot():
            self.moot = None
            self.app.post_message(Key("escape", None))

    def redraw(self) -> None:
        """Have it drawn again at the next frame."""
        self._lines.redraw()


# To all keys, from the first page; and back to it, from the top of the second.
_ON = ("question_mark", "down", "j", "pagedown", "tab")
_BACK = ("up", "k", "pageup")


class Help(Overlay):
    """The keys a teacher needs, then all there are; any key closes it, but those that turn its pages."""

    def __init__(self, painter: Painter, role: str) -> None:
        super().__init__(painter, "100%")
        self._role = role
        self._first = True
        self._top = 0

    def draw(self, width: int, height: int) -> list[Line]:
        first = help_pages.first_page(self._role, width, height) if self._first else []
        return first or help_pages.help_lines(self._role, width, height, self._top)

    def wheel(self, by: int) -> None:
        self.take(Key("down" if by > 0 else "up", None))

    def take(self, event: Key) -> Closed | None:
        width, height = self._lines.size
        if self._first and help_pages.first_page(self._role, width, height):
            if event.key not in _ON:
                return Closed()
            self._first = False
            self.redraw()
            return None
        if event.key in _BACK and not self._top and not self._first:
            self._first = True
            self.redraw()
            return None
        room = height - 2
        rows = len(help_pages.help_rows(self._role, width, height))
        below, page = rows - room, max(1, room)
        one = page if rows % page == 0 else 1  # groups that are whole are turned page by page
        by = {"down": one, "j": one, "up": -one, "k": -one, "pagedown": page, "pageup": -page}.get(
            event.key, 0
        )
        if below <= 0 or not by:
            return Closed()
        self._top = max(0, min(below, self._top + by))
        self.redraw()
        return None


class Ask(Overlay):
    """A yes-or-no question, in one line where it fits; anything but `y` is no."""

    def __init__(self, painter: Painter, question: str, finish: Finish) -> None:
        super().__init__(painter, 1, finish)
        self.question = question

    def on_resize(self, event: Resize) -> None:
        self._lines.styles.height = len(self.draw(event.size.width, event.size.height))

    def draw(self, width: int, height: int) -> list[Line]:
        indent = Span("  ")
        asked = Span(cells.clean(self.question), Style("warning", bold=True))
        keys = (
            Span("y", footer_lines.KEY),
            Span(" yes   ", footer_lines.DIM),
            Span("n", footer_lines.KEY),
            Span(" no", footer_lines.DIM),
        )
        line = (indent, asked, Span("   "), *keys)
        if cells.line_width(line) <= width:
            return [line]
        return [*((indent, *row) for row in cells.wrap((asked,), max(1, width - 4))), (indent, *keys)]

    def take(self, event: Key) -> Closed:
        return Closed(True if event.key in ("y", "Y") else None)


class Consent(Ask):
    """Stays until it is answered: a key that moves on is not a no."""

    def passes(self, event: Key) -> bool:
        return event.key not in ("y", "Y", "n", "N", "escape", "ctrl+c")


class Typed(Overlay):
    """Type to find, arrows to choose, Enter to take. What is found and how a row looks is for subclasses."""

    def __init__(self, painter: Painter, title: str, rows: int, finish: Finish) -> None:
        super().__init__(painter, rows, finish)
        self._title = title
        self._text = ""
        self._chosen = 0
        self._found: Sequence[Any] = ()

    def find(self, text: str) -> Sequence[Any]:
        """What there is to choose from for a text that was typed."""
        raise NotImplementedError

    def row(self, found: Any, above: Any, width: int, here: bool) -> Line:
        """One row; `above` is what the row above shows, None for the first."""
        raise NotImplementedError

    def beside(self) -> str:
        """What is said beside the typed text."""
        return "" if self._text else "Enter takes · ↑ ↓ choose · Esc closes"

    def nothing(self) -> str:
        """What is said where nothing was found."""
        return "nothing by that name"

    def value(self, found: Any) -> Any:
        """The answer that a found item stands for."""
        return found

    def draw(self, width: int, height: int) -> list[Line]:
        head = (
            Span(f"  {self._title} ", Style("heading", bold=True)),
            Span(cells.clean(self._text)),
            Span("▏", Style("accent")),
            Span(f"   {self.beside()}", Style("faint")),
        )
        lines: list[Line] = [cells.clip(head, width)]
        room, top = height - 1, self._first_row
        shown = self._found[top : top + room]
        for n, (found, above) in enumerate(zip(shown, (None, *shown), strict=False), start=top):
            lines.append(self.row(found, above, width, n == self._chosen))
        if not self._found and (word := self.nothing()):
            lines.append(cells.clip((Span(f"            {word}", Style("warning")),), width))
        return lines + [()] * (height - len(lines))

    @property
    def _first_row(self) -> int:
        """The first of what was found that is in sight."""
        room = max(1, self._lines.size.height - 1)
        return max(0, min(self._chosen - room + 1, len(self._found) - room)) if self._chosen >= room else 0

    def wheel(self, by: int) -> None:
        self._chosen = max(0, min(self._chosen + by, len(self._found) - 1))
        self._lines.redraw()

    def click(self, x: int, y: int) -> Closed | None:
        at = self._first_row + y - 1
        return Closed(self.value(self._found[at])) if y > 0 and at < len(self._found) else None

    def take(self, event: Key) -> Closed | None:
        key, letter = event.key, event.character
        page = max(1, self._lines.size.height - 1)
        by = {"down": 1, "tab": 1, "up": -1, "shift+tab": -1, "pagedown": page, "pageup": -page}.get(key)
        if key == "enter":
            return Closed(self.value(self._found[self._chosen]) if self._found else None)
        if by is not None:
            self._chosen = max(0, min(self._chosen + by, len(self._found) - 1))
        else:
            if key == "backspace":
                self._text = self._text[:-1]
            elif key == "ctrl+u":
                self._text = ""
            elif letter and letter.isprintable():
                self._text += letter
            self._found = self.find(self._text)
            self._chosen = 0
        self._lines.redraw()
        return None


class Found(NamedTuple):
    """One line of a list: what choosing it gives, its mark (a number, a key) and its words."""

    value: object
    mark: str
    text: str


class Pick(Typed):
    """Narrow a list: go to a slide, find a command."""

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
        super().__init__(painter, title, self.ROWS, finish)
        self._search, self._again = search, again
        self._found = search("")

    def find(self, text: str) -> Sequence[Found]:
        return self._search(text)

    def value(self, found: Found) -> object:
        return found.value

    def row(self, found: Found, above: Found | None, width: int, here: bool) -> Line:
        ground = "select" if here else ""
        mark = Span(f"{found.mark:>10}  ", Style("accent" if here else "dim", ground, bold=here))
        text = Span(cells.clean(found.text), Style("text", ground, bold=here))
        return cells.fit((mark, *cells.clip((text,), max(1, width - 14))), width, Style("text", ground))

    def take(self, event: Key) -> Closed | None:
        if self._again and not self._text and event.key == self._again[0]:
            return Closed(self._again[1])
        return super().take(event)

"""All slides as a grid of thumbnails: the slides themselves, laid out narrow and cut off below. Pure.

Above each row of cards stands the section its slides belong to.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass

from slides.drawing import cells
from slides.drawing.text import Line, Span, Style, plain
from tui.rendering.error_box import drawn
from tui.rendering.pages.page import Page

GAP = 2  # blank cells between cards and at the sides
CARD_WIDTH, CARD_HEIGHT = 30, 10  # what is aimed at
KEPT = 600  # thumbnails; one is about 4 KB


@dataclass(frozen=True, slots=True)
class Grid:
    """Cards of one size, `columns` beside and `rows` above each other; a line for sections above each row."""

    columns: int
    rows: int
    width: int
    height: int

    @classmethod
    def fitted(cls, width: int, height: int, total: int) -> Grid:
        """The grid for so many cells; the sides keep a gap as between cards. Fewer slides than have room
        stand on higher cards, as far as those look like slides."""
        columns = max(1, round((width - GAP) / CARD_WIDTH))
        rows = max(1, (height + 6) // CARD_HEIGHT)  # rather lower cards than one row of high ones
        across = max(1, (width - GAP) // columns - GAP)
        high = max(1, height // rows - 1)
        needed = max(1, -(-total // columns))
        if needed < rows:
            high = max(high, min(height // needed - 1, across // 2))
            rows = max(needed, height // (high + 1))
        return cls(columns, rows, across, high)

    @property
    def page(self) -> int:
        """Cards that are shown at once."""
        return self.columns * self.rows

    def moved(self, chosen: int, key: str, total: int) -> int | None:
        """The card a key leads to from `chosen` among `total`; None for a key that does not move."""
        by = {
            "left": -1, "h": -1, "right": 1, "l": 1,
            "up": -self.columns, "k": -self.columns, "down": self.columns, "j": self.columns,
            "pageup": -self.page, "pagedown": self.page,
            "home": -total, "end": total,
        }.get(key)  # fmt: skip
        if by is None:
            return None
        if key in ("up", "k") and chosen < self.columns:
            return chosen
        if key in ("down", "j") and chosen // self.columns == (total - 1) // self.columns:
            return chosen
        return max(0, min(total - 1, chosen + by))

    def card_at(self, x: int, y: int) -> int | None:
        """The card that stands at a cell, counted from the first that is shown; None between cards."""
        across, within = divmod(x - GAP, self.width + GAP)
        row, line = divmod(y, self.height + 1)
        if not (0 <= across < self.columns and within < self.width and 0 <= row < self.rows and line):
            return None
        return row * self.columns + across

    def top(self, chosen: int, top: int, total: int) -> int:
        """The first row of cards to show: as before, unless `chosen` would be out of sight."""
        row, last = chosen // self.columns, (total - 1) // self.columns
        top = min(max(top, row - self.rows + 1), row)
        return max(0, min(top, last - self.rows + 1))


@dataclass(frozen=True, slots=True)
class Card:
    """A slide in the grid. `marks` are words (now, optional, hidden, …), `lines` its thumbnail once drawn."""

    number: str
    title: str
    section: str
    marks: tuple[str, ...]
    lines: tuple[Line, ...] | None


def overview(card: Callable[[int], Card], total: int, grid: Grid, top: int, chosen: int) -> Iterator[Line]:
    """The lines of the grid from row of cards `top` on."""
    first = top * grid.columns
    shown = range(first, min(total, first + grid.page))
    cards = {n: card(n) for n in shown}
    for start in range(first, shown.stop, grid.columns):
        row = range(start, min(start + grid.columns, shown.stop))
        before = card(start - 1).section if start else None
        yield _sections([cards[n].section for n in row], before, grid)
        drawn = [_card(cards[n], grid, n == chosen) for n in row]
        for y in range(grid.height):
            line: list[Span] = []
            for lines in drawn:
                line += [Span(" " * GAP), *lines[y]]
            yield tuple(line)


def _sections(names: list[str], before: str | None, grid: Grid) -> Line:
    """Each section above its first card of the row; one that goes on from the row before is faint."""
    line: list[Span] = [Span(" " * GAP)]
    starts = [n for n, name in enumerate(names) if n == 0 or name != names[n - 1]]
    for n, end in zip(starts, [*starts[1:], len(names)], strict=True):
        goes_on = n == 0 and names[0] == before
        room = (end - n) * (grid.width + GAP)
        name = Span(cells.clean(names[n]), Style("faint") if goes_on else Style("dim", bold=True))
        line += cells.pad(cells.clip((name,), room - GAP), room)
    return tuple(line)


def _card(card: Card, grid: Grid, chosen: bool) -> list[Line]:
    ground = "select" if chosen else "panel"
    blank = Style("text", ground)
    number = Span(
        f"{'▸' if chosen else ' '}{card.number}", Style("accent" if chosen else "dim", ground, chosen)
    )
    room = grid.width - cells.width(number.text) - 2
    words = cells.clip_text(" · ".join(card.marks), max(0, room))
    gap = Span(" " * (grid.width - cells.width(number.text) - cells.width(words) - 1), blank)
    said = Span(words, Style("accent" if chosen else "dim", ground))
    head = cells.fit((number, gap, said), grid.width, blank)
    inside = max(1, grid.width - 2)
    waiting: Line = (Span(cells.clip_text(cells.clean(card.title), inside), Style("dim")),)
    lines = (waiting,) if card.lines is None else card.lines[: grid.height - 1]
    shown = _bright if chosen else _calm
    title = _title_rows(lines)
    body = [
        cells.fit((Span(" ", blank), *shown(cells.clip(line, inside), n < title)), grid.width, blank)
        for n, line in enumerate(lines)
    ]
    empty: Line = (Span(" " * grid.width, blank),)
    return [head, *body, *[empty] * (grid.height - 1 - len(body))]


def _title_rows(lines: Sequence[Line]) -> int:
    """Where the title of a slide ends: at the first blank line below it; 0 where nothing sets it apart."""
    blank = [not plain(line).strip() for line in lines]
    top = blank.index(False) if False in blank else 0
    if True in blank[top:]:
        return blank.index(True, top)
    return len(lines) if len(lines) - top <= 3 else 0


def _bright(line: Line, title: bool) -> Line:
    return tuple(Span(text, style.on(style.ground or "select")) for text, style in line)


def _calm(line: Line, title: bool) -> Line:
    """Twenty slides at once shout: but for their titles and pictures, those not chosen stand back."""
    return tuple(Span(text, _calmed(style, title)) for text, style in line)


def _calmed(style: Style, title: bool) -> Style:
    style = style.on(style.ground or "panel")
    if style.ink == "accent":
        return style._replace(ink="faint")
    words = style.ink in ("text", "heading") or style.ink.startswith("code.")
    return style._replace(ink="dim", bold=False) if words and not title else style


class Thumbnails:
    """Slides laid out as wide as a card, kept. One that is out of date is shown until it is made anew."""

    def __init__(
        self, lines: Callable[[Page, int, int], list[Line]], token: Callable[[Page], Hashable]
    ) -> None:
        """`lines(page, width, height)` lays a page out; `token(page)` names all else its look depends on."""
        self._lay_out, self._token = lines, token
        self._kept: OrderedDict[tuple[int, int, int], tuple[Hashable, tuple[Line, ...]]] = OrderedDict()
        self.made = 0

    def get(self, slide: int, grid: Grid) -> tuple[Line, ...] | None:
        """The newest thumbnail of the slide; None where there never was one."""
        found = self._kept.get((slide, grid.width, grid.height))
        return found[1] if found else None

    def fresh(self, page: Page, grid: Grid) -> bool:
        """Tell whether the thumbnail kept for a page still shows what the page would."""
        found = self._kept.get((page.slide, grid.width, grid.height))
        return found is not None and found[0] == (page, self._token(page))

    def make(self, page: Page, grid: Grid) -> None:
        """Draw the thumbnail of a page and keep it; the oldest beyond `KEPT` is dropped."""
        self.made += 1
        width, height = max(1, grid.width - 2), max(1, grid.height - 1)
        lines = tuple(drawn(lambda: self._lay_out(page, width, height))[:height])
        self._kept[page.slide, grid.width, grid.height] = (page, self._token(page)), lines
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)

    def forget(self) -> None:
        """Another deck: its slides have other numbers."""
        self._kept.clear()

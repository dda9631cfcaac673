"""The notes of a slide as the console shows them: those of the step that is shown marked and in sight.

They are laid out once and kept: the clock asks for them every second.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import groupby
from typing import NamedTuple

from slides.drawing import cells
from slides.drawing.text import Line, Span, Style, plain
from tui.classroom.session import Session
from tui.keys.table import key_of
from tui.panes.edges.footer_lines import both_ends
from tui.rendering.pages.slide_painter import Drawing

FAINT, DIM = Style("faint"), Style("dim")
HEAD = Style("dim", bold=True)


class Laid(NamedTuple):
    """Notes as lines, and the row at which those of the step shown begin."""

    lines: list[Line]
    now: int


class Notes:
    """`withheld()` gives words that stand in their place meanwhile, "" while they are shown."""

    def __init__(
        self,
        session: Session,
        drawing: Drawing,
        heading: str = "NOTES",
        withheld: Callable[[], str] = lambda: "",
    ) -> None:
        self._session, self._drawing = session, drawing
        self._heading, self._withheld = heading, withheld
        self._key: Hashable = None
        self._laid = Laid([], 0)
        self._read: Hashable = None  # the notes that were scrolled, and by how many rows
        self._by = 0
        self._wanted: Callable[[Sequence[Line]], int | None] | None = None

    def scroll(self, by: int) -> None:
        """So many rows on from where they stand; other notes begin anew."""
        self._by += by

    def bring(self, find: Callable[[Sequence[Line]], int | None]) -> None:
        """Scroll so that the row that `find` names is in sight."""
        self._wanted = find

    def window(
        self, width: int, height: int, right: Line, *, airy: bool = False, loose: bool = False
    ) -> list[Line]:
        """The head line, and as many rows of the notes as fit; `height` in all.

        `airy`: a blank row below the head; `loose`: one after every row of words, too.
        """
        laid = self._lay_out(width, loose)
        lines = self._drawing.marked(self._session.index, laid.lines)
        room = max(1, height - 1 - airy)
        top = self._top(lines, laid.now, room)
        more = len(lines) - room - top
        if more > 0 or top:
            arrows = ("↑" if top else "") + ("↓" if more > 0 else "")
            right = (*right, Span(f"  {_keys('notes_down', 'notes_up')} {arrows}", DIM))
        elif not right:
            right = (Span(f"{_keys('notes_larger', 'notes_smaller')} width", FAINT),)
        head: Line = (Span(self._heading, HEAD),)
        head = both_ends(head, cells.clip(right, max(0, width - cells.line_width(head) - 3)), width)
        shown = lines[top : top + room]
        return [head, *[()] * airy, *shown, *[()] * (room - len(shown))]

    def _top(self, lines: list[Line], now: int, room: int) -> int:
        """The first row: where the notes of this step begin, and from there as it was scrolled."""
        read = (self._session.slide.id, self._now)
        if read != self._read:
            self._read, self._by = read, 0
        last = max(0, len(lines) - room)
        start = min(now, last)
        if self._wanted is not None:
            found = self._wanted(lines)
            self._wanted = None
            if found is not None and not start <= found < start + room:
                self._by = found - room // 3 - start
        top = max(0, min(start + self._by, last))
        self._by = top - start
        return top

    @property
    def _now(self) -> int:
        """The step at which the notes of this one begin; -1 where it has none yet."""
        session = self._session
        return max((note.at for note in session.slide.notes if note.at <= session.step), default=-1)

    def _lay_out(self, width: int, loose: bool) -> Laid:
        session, instead = self._session, self._withheld()
        if instead:
            return Laid(cells.wrap((Span(instead, FAINT),), width), 0)
        key = (session.contents.rev, session.index, self._now, width, loose)
        if key != self._key:
            self._key, self._laid = key, self._made(width)
            if loose:
                self._laid = _apart(self._laid)
        return self._laid

    def _made(self, width: int) -> Laid:
        """Those of this step with a mark, those of later ones in dim under the number of their step."""
        from slides.drawing.layout import layout_blocks
        from slides.reading.parse import parse_blocks

        notes, path = self._session.slide.notes, self._session.contents.deck.path
        if not notes:
            return Laid([(Span("no notes on this slide", FAINT),)], 0)
        stepwise = any(note.at for note in notes)
        lines: list[Line] = []
        start = 0
        for at, group in groupby(notes, key=lambda note: note.at):
            said: list[Line] = []
            for note in group:
                blocks = parse_blocks(note.markdown, path, note.line or 1)
                said += [*([()] if said else []), *layout_blocks(blocks, 0, max(1, width - 2 * stepwise))]
            if at > self._now:
                said = [(Span(f"from step {at + 1}", FAINT),), *map(dimmed, said)]
            if stepwise:
                said = [_beside(line, at == self._now) for line in said]
            lines += [()] if lines else []
            if at == self._now:
                start = len(lines)
            lines += said
        return Laid(lines, start)


def _keys(*names: str) -> str:
    return " ".join(filter(None, map(key_of, names)))


def dimmed(line: Line) -> Line:
    """As of a step to come; slanted, for on a projector nothing is faint."""
    return tuple(Span(text, style._replace(ink="dim", bold=False, italic=True)) for text, style in line)


def _apart(laid: Laid) -> Laid:
    """A blank row after every row of words, so that paragraphs are two apart."""

    def apart(lines: list[Line]) -> list[Line]:
        return [row for line in lines for row in ((line, ()) if plain(line).strip() else (line,))]

    return Laid(apart(laid.lines), len(apart(laid.lines[: laid.now])))


def _beside(line: Line, now: bool) -> Line:
    return (Span("▎ " if now else "  ", Style("accent")), *line)

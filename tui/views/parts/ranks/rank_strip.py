"""Many ranks at once: a cell each (or one for a few), darker the later they come to their collectives."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.protocol.figures import RankRow
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.figures import numbers

DIM = Style("dim")
# Lateness as part of a step from which on a cell looks so; the glyph alone tells, the ink helps.
LEVELS = (
    (0.25, "█", "bad"),
    (0.10, "▓", "exposed"),
    (0.05, "▒", "warning"),
    (0.02, "░", "dim"),
    (0.0, "·", "dim"),
)
_DEAD = ("×", Style("bad", bold=True))
_UNKNOWN = ("–", DIM)
_GROUP = 8  # cells between two gaps


def strip(rows: Sequence[RankRow], step_s: float | None, width: int, height: int) -> list[Line]:
    """A legend and rows of cells, at most `height` lines; at least one rank per cell."""
    if height < 1:
        return []
    label = len(str(max(0, len(rows) - 1))) + 2
    per_line, together = 1, 1
    while _cells_wide(per_line * 2) + label <= width and per_line < len(rows):
        per_line *= 2
    while -(-len(rows) // (per_line * together)) > max(1, height - 1):
        together *= 2
    lines = [_legend(len(rows), together, step_s, width)]
    for first in range(0, len(rows), per_line * together):
        spans = [Span(f"{rows[first].rank:>{label - 2}}  ", DIM)]
        for n in range(per_line):
            some = rows[first + n * together : min(first + (n + 1) * together, first + per_line * together)]
            if not some:
                break
            glyph, style = _cell(some, step_s)
            gap = " " if n % _GROUP == 0 and n else ""
            spans.append(Span(gap + glyph, style))
        lines.append(merged(spans))
    return lines[:height]


def _cells_wide(count: int) -> int:
    return count + (count - 1) // _GROUP


def _cell(rows: Sequence[RankRow], step_s: float | None) -> tuple[str, Style]:
    """The worst of the ranks."""
    if any(row.state.startswith("dead") for row in rows):
        return _DEAD
    late = [row.late_s for row in rows if row.late_s is not None]
    if not late or not step_s:
        return _UNKNOWN
    part = max(0.0, max(late) / step_s)
    _, glyph, ink = next((level for level in LEVELS if part >= level[0]), LEVELS[-1])
    return glyph, Style(ink)


def _legend(count: int, together: int, step_s: float | None, width: int) -> Line:
    """How many ranks a cell stands for, and from which lateness on it looks how."""
    a_cell = "a rank a cell" if together == 1 else f"{together} ranks a cell"
    for head, gap in ((f"{count} ranks, {a_cell} · late by  ", "  "), (f"{a_cell}, late by ", " ")):
        spans = [Span(head, DIM)]
        for part, glyph, ink in reversed(LEVELS):
            bound = "<" + _bound(LEVELS[-2][0], step_s) if part == 0 else _bound(part, step_s)
            spans += [Span(glyph, Style(ink)), Span(f" {bound}{gap}", DIM)]
        line = (*spans, Span(_DEAD[0], _DEAD[1]), Span(" dead", DIM))
        if cells.line_width(line) <= width:
            break
    return line


def _bound(part: float, step_s: float | None) -> str:
    return numbers.percent(part) if step_s is None else numbers.ms(part * step_s)


def merged(spans: Sequence[Span]) -> Line:
    """Neighbours in one style as one span: a thousand cells are a few dozen spans."""
    out: list[Span] = []
    for text, style in spans:
        if out and out[-1].style == style:
            out[-1] = Span(out[-1].text + text, style)
        else:
            out.append(Span(text, style))
    return tuple(out)

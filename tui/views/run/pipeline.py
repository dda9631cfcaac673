"""One step of a pipeline: what its schedule promises, and below it what every rank did when.

Both grids are on one axis: a piece of the theoretical grid is as long as its work took on the mean, so that
what is longer below is what waiting and uneven pieces have cost. Every piece has the number of its
micro-batch inside, forward and backward are of one height.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from runtime.protocol.figures import Piece, Pipeline
from runtime.protocol.messages import Snapshot
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.figures import numbers
from tui.figures.categories import Kind
from tui.views.parts.frame import axis, dash, framed, nothing, spread

DIM, HEAD, TEXT = Style("dim"), Style("heading", bold=True), Style("text")
TITLE = "one step of the pipeline"
_PIECES = {
    "F": Kind("", "forward", "fwd", "forward", "█"),
    "B": Kind("", "backward", "bwd", "backward", "▒"),
    "I": Kind("", "input gradients", "dx", "backward", "▒"),
    "W": Kind("", "weight gradients", "dw", "weight", "░"),
}
_LEAST = 24  # cells
_NAMED = 100  # cells from which on a lane says that it is a rank's
Lanes = Sequence[Sequence[Piece]]


def pipeline(snapshot: Snapshot, width: int, height: int) -> list[Line]:
    """Exactly `height` lines of exactly `width` cells."""
    seen = snapshot.pipeline
    if seen is None or not any(seen.lanes) or seen.span_s <= 0:
        return nothing(TITLE, _why_empty(snapshot), width, height)
    if width < _LEAST or height < 3:
        return framed([_in_a_line(seen)], width, height)
    return framed(_compose(seen, width, height), width, height)


class _Spacing(NamedTuple):
    """Rows of a lane, blank ones between two, under the head of a grid, and between what is below another."""

    thick: int
    apart: int
    under: int
    between: int


# The most generous comes first. Lanes of several rows always stand apart: a grid without that is a wall.
_SPACINGS = (
    _Spacing(4, 2, 1, 2),
    _Spacing(3, 1, 1, 2),
    _Spacing(2, 1, 1, 2),
    _Spacing(2, 1, 1, 1),
    _Spacing(2, 1, 0, 1),
    _Spacing(1, 1, 0, 1),
    _Spacing(1, 1, 0, 0),
    _Spacing(1, 0, 0, 1),
    _Spacing(1, 0, 0, 0),
)


def roomy(snapshot: Snapshot) -> int:
    """Rows in which both grids have pieces of two rows, and room between them."""
    return _rows(snapshot.world, 2, 1, 4, _SPACINGS[2]) if snapshot.pipeline is not None else 0


def _rows(lanes: int, grids: int, scaled: int, below: int, by: _Spacing) -> int:
    """Of heads, `lanes` lanes in each grid, the axis, and the figures `below`."""
    grid = 1 + by.under + lanes * by.thick + (lanes - 1) * by.apart
    return grids * grid + (grids - 1) * by.between + scaled + by.between + below


def _compose(seen: Pipeline, width: int, height: int) -> list[Line]:
    """The measured lanes come first, then the figures, the theory, the axis, and room between the lanes."""
    ranks = [rank for rank, lane in enumerate(seen.lanes) if lane]
    figures = _figures(seen, width)
    if height < 1 + len(ranks) + len(figures):
        figures = [_in_a_line(seen)]
    room = height - 1 - len(figures)
    shown = ranks if len(ranks) <= room else ranks[: max(1, room - 1)]
    below = len(figures) + (len(shown) < len(ranks))
    for grids, scaled in ((2, 1), (2, 0), (1, 1), (1, 0)):
        fitting = [by for by in _SPACINGS if _rows(len(shown), grids, scaled, below, by) <= height]
        if fitting and (grids == 1 or seen.theory):
            break
    by = fitting[0] if fitting else _SPACINGS[-1]
    unit = _unit(seen)
    most = max(seen.span_s, seen.theory_span * unit if grids == 2 else 0.0)
    name = "rank " if width >= _NAMED else ""
    gutter = len(name) + len(str(ranks[-1])) + 2
    bar_w = width - gutter

    def grid(head: Line, of: Lanes, unit: float) -> list[Line]:
        drawn = [head, *[()] * by.under]
        for n, rank in enumerate(shown):
            drawn += [()] * (by.apart if n else 0)
            for y in range(by.thick):
                named = y == (by.thick - 1) // 2
                label = Span(f"{name}{rank}".ljust(gutter) if named else " " * gutter, HEAD)
                drawn.append((label, *_lane(of[rank], unit, most, bar_w, named=named)))
        return drawn

    lines: list[Line] = []
    if grids == 2:
        lines = [*grid(_theory_head(width), seen.theory, unit), *[()] * by.between]
    lines += grid(_title(seen, width), seen.lanes, 1.0)
    if len(shown) < len(ranks):
        lines.append((Span(" " * gutter), Span(f"and {len(ranks) - len(shown)} more ranks", DIM)))
    if scaled:
        lines.append((Span(" " * gutter), *axis(most, bar_w, "s")))
    return [*lines, *[()] * by.between, *figures]


# --- lanes ----------------------------------------------------------------------------------------------


def _lane(lane: Sequence[Piece], unit: float, most: float, width: int, *, named: bool) -> Line:
    """A rank's pieces where `most` seconds are `width` cells; `unit` is the seconds of the pieces' unit."""
    spans: list[Span] = []
    x, before = 0, None

    def cell(t: float) -> int:
        return round(min(1.0, max(0.0, t * unit / most)) * width)

    stages = sorted({piece.stage for piece in lane})
    for piece in lane:
        start, end = max(x, cell(piece.t0)), cell(piece.t1)
        if end <= start or piece.kind not in _PIECES:
            continue
        kind = _PIECES[piece.kind]
        words = _numbers(piece, stages.index(piece.stage)) if named else ()
        parted = start == x and kind is before
        spans += [Span(" " * (start - x)), *kind.block(end - start, words, parted=parted)]
        x, before = end, kind
    return tuple(span for span in spans if span.text)


def _numbers(piece: Piece, nth: int) -> tuple[str, ...]:
    """The number of its micro-batch, with a letter on the second stage of a rank and later."""
    number = str(piece.microbatch)
    return (number + chr(ord("a") + nth), number) if 0 < nth < 26 else (number,)


# --- words ----------------------------------------------------------------------------------------------


def _title(seen: Pipeline, width: int) -> Line:
    """What it is, then how long it took, and what the glyphs mean where there is room for that."""
    ranks = sum(map(bool, seen.lanes))
    microbatches = 1 + max(piece.microbatch for lane in seen.lanes for piece in lane)
    pieces = f"{microbatches} micro-batch{'es' * (microbatches != 1)}"
    words = f"{cells.clean(seen.schedule) or 'no known schedule'}, {ranks} rank{'s' * (ranks != 1)}, {pieces}"
    name = Span(words, TEXT)
    when = Span(f"   step {seen.step}, {numbers.ms(seen.span_s)}", DIM)
    head, schedule = Span("measured   ", HEAD), Span(words.partition(",")[0], TEXT)
    lefts: tuple[Line, ...] = ((head, name, when), (head, name), (head, schedule), (name,), (schedule,))
    used = {piece.kind for lane in seen.lanes for piece in lane}
    legend: list[Span] = []
    for kind in (kind for letter, kind in _PIECES.items() if letter in used):
        legend += [Span("  "), kind.run(1), Span(f" {kind.word}", Style(kind.ink))]
    # What the colours mean comes before which step it is.
    for left in lefts:
        if cells.line_width((*left, *legend)) < width:
            return spread(left, tuple(legend), width)
    return next((line for line in lefts if cells.line_width(line) <= width), (name,))


def _theory_head(width: int) -> Line:
    told = "the same work, every piece as long as the mean of them, transfers free"
    return spread((Span("the schedule", HEAD),), (Span(told, DIM),), width)


def _figures(seen: Pipeline, width: int) -> list[Line]:
    """Both shares of idle time and what is held, measured beside theory, with the formulas if they fit."""
    of_all, of_ideal = (*seen.formulas, "", "")[:2]
    rows = [
        ("bubble, of all time", _percent(seen.bubble), _percent(seen.theory_bubble), of_all),
        (
            "bubble, of ideal time",
            _percent(seen.bubble_ideal),
            _percent(seen.theory_bubble_ideal),
            of_ideal,
        ),
        (f"{seen.counted} held", _each(seen.live), _each(seen.theory_live), "most at once, by rank"),
    ]
    head = ("", "measured", "theory", "")
    columns = [max(len(row[n]) for row in (head, *rows)) for n in range(4)]
    lines: list[Line] = []
    for n, (what, measured, theory, note) in enumerate((head, *rows)):
        style = DIM if n == 0 else TEXT
        line: Line = (
            Span(f"{what:<{columns[0]}}", DIM),
            *_right(measured, columns[1] + 3, style),
            *_right(theory, columns[2] + 3, style),
        )
        noted = (*line, Span("   "), Span(note, DIM))
        lines.append(noted if note and cells.line_width(noted) <= width else line)
    return lines


def _right(text: str, width: int, style: Style) -> Line:
    return (Span(" " * (width - len(text))), dash(text, style))


def _in_a_line(seen: Pipeline) -> Line:
    """The figures where there is only a line for them."""
    theory = f" (theory {_percent(seen.theory_bubble)})" if seen.theory else ""
    return (
        Span("bubble ", DIM),
        Span(_percent(seen.bubble), TEXT),
        Span(f" of all time{theory}", DIM),
        Span(f"  {seen.counted} held ", DIM),
        Span(_each(seen.live), TEXT),
    )


def _unit(seen: Pipeline) -> float:
    """Seconds of a unit of the theoretical grid: all that was measured over all that it promises."""
    work = [sum(p.t1 - p.t0 for lane in lanes for p in lane) for lanes in (seen.lanes, seen.theory)]
    return work[0] / work[1] if work[1] > 0 else 0.0


def _percent(share: float | None) -> str:
    return numbers.DASH if share is None else f"{share * 100:.1f} %"


def _each(counts: Sequence[int]) -> str:
    """`4 3 2 1` by rank, `8 each`, or of many ranks the first and the last."""
    if not counts:
        return numbers.DASH
    if len(set(counts)) > 1 and len(counts) > 8:
        return f"{counts[0]} … {counts[-1]}"
    return f"{counts[0]} each" if len(counts) > 1 and len(set(counts)) == 1 else " ".join(map(str, counts))


def _why_empty(snapshot: Snapshot) -> str:
    settled = any(row.step_s is not None for row in snapshot.rows)
    if snapshot.state in ("launching", "running") and not settled:
        return "drawn once every rank has reported a step of a pipeline"
    return "this run has no pipeline"

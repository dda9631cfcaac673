"""One step of a pipeline: what every rank did when, and below it what its schedule promises.

Both grids are on one axis: a piece of the theoretical grid is as long as its work took on the mean, so that
what is longer above is what waiting and uneven pieces have cost. A forward is a high bar that begins with the
number of its micro-batch on its colour, a backward is a lower one that begins with a bare number.
"""

from __future__ import annotations

from collections.abc import Sequence

from runtime.protocol.figures import Piece, Pipeline
from runtime.protocol.messages import Snapshot
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.views.parts import categories, numbers
from tui.views.parts.categories import Kind
from tui.views.parts.frame import axis, dash, framed, nothing, spread

DIM, HEAD, TEXT = Style("dim"), Style("heading", bold=True), Style("text")
TITLE = "one step of the pipeline"
_PIECES = {
    "F": Kind("", "forward", "fwd", "forward", "▇"),
    "B": Kind("", "backward", "bwd", "backward", "▄"),
    "I": Kind("", "input gradients", "dx", "backward", "▄"),
    "W": Kind("", "weight gradients", "dw", "weight", "▂"),
}
_LEAST = 24  # cells
Lanes = Sequence[Sequence[Piece]]


def pipeline(snapshot: Snapshot, width: int, height: int) -> list[Line]:
    """Exactly `height` lines of exactly `width` cells."""
    seen = snapshot.pipeline
    if seen is None or not any(seen.lanes) or seen.span_s <= 0:
        return nothing(TITLE, _why_empty(snapshot), width, height)
    if width < _LEAST or height < 3:
        return framed([_in_a_line(seen)], width, height)
    return framed(_compose(seen, width, height), width, height)


def _compose(seen: Pipeline, width: int, height: int) -> list[Line]:
    """The measured lanes come first, then the figures, the theory, the axis and heads, and blank lines."""
    ranks = [rank for rank, lane in enumerate(seen.lanes) if lane]
    figures = _figures(seen, width)
    if height < 1 + len(ranks) + len(figures):
        figures = [_in_a_line(seen)]
    room = height - 1 - len(figures)
    shown = ranks if len(ranks) <= room else ranks[: max(1, room - 1)]
    spare = room - len(shown) - (len(shown) < len(ranks))
    theory = bool(seen.theory) and spare >= len(shown) + 1
    spare -= (len(shown) + 1) * theory
    scaled = spare >= 1
    blanks = max(0, spare - scaled)
    between = (len(shown) - 1) * (1 + theory)
    apart = blanks >= between + 3  # lanes set apart read better from the last row of the room
    blanks -= between * apart
    unit = _unit(seen)
    most = max(seen.span_s, seen.theory_span * unit if theory else 0.0)
    gutter = len(str(ranks[-1])) + 2
    bar_w = width - gutter

    def lanes(of: Lanes, unit: float, span: float) -> list[Line]:
        drawn: list[Line] = []
        for rank in shown:
            drawn += [()] * (apart and bool(drawn))
            drawn.append(_lane(rank, of[rank], unit, span, most, gutter, bar_w))
        return drawn

    lines = [_title(seen, width), *[()] * (blanks > 1), *lanes(seen.lanes, 1.0, seen.span_s)]
    if len(shown) < len(ranks):
        lines.append((Span(" " * gutter), Span(f"and {len(ranks) - len(shown)} more ranks", DIM)))
    if theory:
        lines += [*[()] * (blanks > 2), _theory_head(width), *lanes(seen.theory, unit, seen.theory_span)]
    if scaled:
        lines.append((Span(" " * gutter), *axis(most, bar_w, "s")))
    return [*lines, *[()] * (blanks > 0), *figures]


# --- lanes ----------------------------------------------------------------------------------------------


def _lane(
    rank: int, lane: Sequence[Piece], unit: float, span: float, most: float, gutter: int, width: int
) -> Line:
    """A rank's pieces where `most` seconds are `width` cells; `unit` is the seconds of the pieces' unit."""
    spans, x = [Span(f"{rank:<{gutter}}", HEAD)], 0

    def cell(t: float) -> int:
        return round(min(1.0, max(0.0, t * unit / most)) * width)

    stages = sorted({piece.stage for piece in lane})
    for piece in lane:
        start, end = max(x, cell(piece.t0)), cell(piece.t1)
        if end <= start or piece.kind not in _PIECES:
            continue
        spans += [categories.OTHER.run(start - x), *_piece(piece, stages.index(piece.stage), end - start)]
        x = end
    return (*spans, categories.OTHER.run(max(0, cell(span) - x)))


def _piece(piece: Piece, nth: int, width: int) -> Line:
    """`width` cells; the number of its micro-batch, and a letter on the second stage of a rank and later."""
    kind = _PIECES[piece.kind]
    number = str(piece.microbatch)
    labels = (number + chr(ord("a") + nth) if 0 < nth < 26 else number, number)
    room = width - (width > 1)  # numbers never touch the next piece's
    label = next((text for text in labels if len(text) <= room), "")
    ink = Style("background", kind.ink, bold=True) if piece.kind == "F" else Style(kind.ink, underline=True)
    return (Span(label, ink), kind.run(width - len(label)))


# --- words ----------------------------------------------------------------------------------------------


def _title(seen: Pipeline, width: int) -> Line:
    """What it is, then how long it took, and what the glyphs mean where there is room for that."""
    ranks = sum(map(bool, seen.lanes))
    microbatches = 1 + max(piece.microbatch for lane in seen.lanes for piece in lane)
    words = (
        f"{cells.clean(seen.schedule) or 'no known schedule'}, {ranks} ranks, {microbatches} micro-batches"
    )
    name = Span(words, TEXT)
    when = Span(f"   step {seen.step}, {numbers.ms(seen.span_s)}", DIM)
    lefts: tuple[Line, ...] = ((Span("measured  ", DIM), name, when), (name, when), (name,))
    left = next((line for line in lefts if cells.line_width(line) <= width), (name,))
    used = {piece.kind for lane in seen.lanes for piece in lane}
    shown = [kind for letter, kind in _PIECES.items() if letter in used]
    for words_of in ([kind.word for kind in shown], [kind.short for kind in shown]):
        legend: list[Span] = []
        for kind, word in zip(shown, words_of, strict=True):
            legend += [Span("  "), kind.run(1), Span(f" {word}", Style(kind.ink))]
        if cells.line_width((*left, *legend)) < width:
            return spread(left, tuple(legend), width)
    return left


def _theory_head(width: int) -> Line:
    told = "the same work, every piece as long as the mean of them, transfers free"
    return spread((Span("theory", DIM),), (Span(told, DIM),), width)


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

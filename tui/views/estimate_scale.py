"""From one device to 16 384: where each strategy begins to fit and stops making sense, and what did it.

Pure: a request and a size to lines. The column of the devices that are chosen is marked.
"""

from __future__ import annotations

from runtime.estimate.request import Refused, Request
from runtime.estimate.scaling import LOST, Point, Scaling, scaling
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style

HEAD, DIM, BOLD, BAD = Style("heading", bold=True), Style("dim"), Style(bold=True), Style("bad")
GOOD, HERE = Style("good"), Style("accent", bold=True)
NAME, CELL = 13, 4
KINDS = "MFU in percent where it fits, × where it does not; grey: it has lost sense"


def scale(asked: Request, width: int, height: int) -> list[Line]:
    """At most `height` lines; where columns have no room, those nearest to the chosen devices stay."""
    try:
        rows = scaling(asked)
    except Refused as refused:
        return [(Span(f"{refused.why}: {refused.mend}", BAD),)]
    here = asked.layout.devices
    columns = _columns(rows, here, (width - NAME) // CELL)
    head = [Span(f"{'devices':<{NAME}}", DIM)]
    head += [Span(f"{_short(many):>{CELL}}", HERE if many == here else DIM) for many in columns]
    lines: list[Line] = [tuple(head)]
    lines += [_row(row, columns, here) for row in rows]
    lines += [(Span(KINDS, DIM),), (), (Span("What ends it", HEAD),)]
    lines += [_ended(row) for row in rows]
    said = f"micro-batches of a device stay; full, or with {1 - LOST:.0%} of its MFU lost, it ends"
    return [cells.clip(line, width) for line in [*lines, (Span(said, DIM),)][:height]]


def _columns(rows: list[Scaling], here: int, most: int) -> list[int]:
    every = sorted({point.devices for row in rows for point in row.points})
    near = sorted(every, key=lambda many: abs(many.bit_length() - here.bit_length()))[:most]
    return sorted(near)


def _short(many: int) -> str:
    return f"{many // 1024}k" if many >= 1024 and many % 1024 == 0 else str(many)


def _row(row: Scaling, columns: list[int], here: int) -> Line:
    points = {point.devices: point for point in row.points}
    spans = [Span(f"{row.name:<{NAME}}", BOLD)]
    return (*spans, *(_cell(row, points.get(many), many == here) for many in columns))


def _cell(row: Scaling, point: Point | None, here: bool) -> Span:
    if point is None:
        return Span(" " * CELL)
    if not point.fits:
        return Span(f"{'×':>{CELL}}", BAD)
    past = row.stops is not None and row.begins is not None and point.devices >= row.stops
    return Span(f"{100 * point.mfu:{CELL}.0f}", HERE if here else DIM if past else GOOD)


def _ended(row: Scaling) -> Line:
    name = Span(f" {row.name:<{NAME}}", DIM)
    if row.begins is None:
        return (name, Span(f"never fits: {row.term}"))
    begins = f"fits from {row.begins}"
    if row.stops is None:
        return (name, Span(f"{begins}, makes sense to the end"))
    return (name, Span(f"{begins}, makes sense below {row.stops}: "), Span(row.term, BOLD))

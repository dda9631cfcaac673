"""A run in a few cells, for a thumbnail of its slide: how far it is, and each rank's step."""

from __future__ import annotations

from runtime.protocol.messages import Snapshot
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.figures.progress_bar import progress
from tui.figures.run_outcome import sign_of_life
from tui.views.run.table import step_bar

DIM = Style("dim")


def small(snapshot: Snapshot, width: int, rows: int) -> list[Line]:
    """A living run in at most `rows` lines of `width` cells; ranks without a row of their own are counted."""
    if rows < 1 or width < 1:
        return []
    steps = [row.step for row in snapshot.rows if row.step is not None]
    done = min(steps) + 1 if steps else 0
    of = f"/{snapshot.steps}" if snapshot.steps else ""
    sign, ink = sign_of_life(snapshot)
    words = f"{sign} {cells.clean(snapshot.state)}"
    far = f"{done}{of}" if steps else ""
    head = (Span(words, Style(ink, bold=True)), Span(f" {far}" if far else "", DIM))
    spare = width - cells.line_width(head) - 1
    bar: Line = ()
    if snapshot.steps and steps and spare >= 8:
        bar = (Span(" "), *progress(done / snapshot.steps, spare))
    lines: list[Line] = [cells.clip((*head, *bar), width)]
    shown = list(snapshot.rows)
    if len(shown) > rows - 1:
        shown = shown[: max(0, rows - 2)]
    widest = max((row.step_s for row in snapshot.rows if row.step_s is not None), default=0.0)
    for row in shown:
        name = f"{row.rank} "
        body = step_bar(row, widest, width - len(name)) if widest else (Span(cells.clean(row.state), DIM),)
        lines.append(cells.clip((Span(name, DIM), *body), width))
    if (more := len(snapshot.rows) - len(shown)) and len(lines) < rows:
        lines.append(cells.clip((Span(f"and {more} more ranks", DIM),), width))
    return lines

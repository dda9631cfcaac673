"""The foot of a class that is walked again: where in it one is, what had just happened, and the keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.figures.numbers import clock
from tui.panes.edges import footer_lines

ROWS = 3
_HERE, _DONE, _TO_COME = Style("accent", bold=True), Style("accent"), Style("faint")


class Place(NamedTuple):
    """Seconds of the whole and of now; `slides` are those at which slides came; `words` of what is shown."""

    at_s: float
    length_s: float
    slides: Sequence[float]
    slide: str
    words: str
    note: str
    speed: float


def lines(place: Place, keys: Sequence[tuple[str, str]], width: int) -> list[Line]:
    """The bar, the words below it, and the keys."""
    said = (Span(f"  {place.slide}", Style("text", bold=True)), Span(f"   {place.words}", footer_lines.DIM))
    note: Line = (Span(f"{place.note}  ", Style("warning")),) if place.note else ()
    plays = (Span(f"▶ ×{place.speed:g}  ", _HERE),) if place.speed else ()
    return [
        _bar(place, width),
        footer_lines.both_ends(
            cells.clip(said, max(0, width - cells.line_width((*note, *plays)))), (*note, *plays), width
        ),
        footer_lines.hints(tuple(keys), width),
    ]


def _bar(place: Place, width: int) -> Line:
    now, whole = clock(place.at_s), clock(place.length_s)
    room = max(4, width - len(now) - len(whole) - 6)

    def cell(seconds: float) -> int:
        return min(room - 1, round((room - 1) * seconds / place.length_s)) if place.length_s > 0 else 0

    here, marks = cell(place.at_s), {cell(seconds) for seconds in place.slides}
    spans = [Span(f"  {now} ", Style("text"))]
    for n in range(room):
        if n == here:
            spans.append(Span("●", _HERE))
        else:
            spans.append(
                Span("┃" if n in marks else "━" if n < here else "─", _DONE if n < here else _TO_COME)
            )
    return (*spans, Span(f" {whole}  ", footer_lines.DIM))

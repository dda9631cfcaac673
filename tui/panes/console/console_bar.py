"""The console's first line: where the class is, what the room sees, and every clock. Pure.

What does not fit is said in fewer words, and at last left out: the least important first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.classroom.pace import ON_TIME_S, Timing, in_words
from tui.classroom.position.place_in_talk import Badge, Place
from tui.figures.numbers import clock
from tui.panes.edges.footer_lines import BOLD, DIM, TEXT, both_ends

TITLE = 14  # cells that a title keeps at least
GAP = 3


class Piece(NamedTuple):
    """Something to say, in words and in fewer. What weighs more stays longer."""

    weight: int
    long: Line
    short: Line


def bar(place: Place, timing: Timing, marks: Sequence[Badge], live: Badge | None, width: int) -> Line:
    """Deck and place at the left; what is not as usual, times, pace and the demo's badge at the right."""
    at = f"   {place.words}" + (f"  step {place.step + 1}/{place.steps}" if place.steps > 1 else "")
    short_at = f"  {place.number}/{place.total}" if place.words.startswith("slide") else at
    pieces = [*_marks(marks), *_times(timing)]
    if live is not None:
        pieces.append(_piece(10, live.text, Style(live.ink)))
    right = _fitted(pieces, width - cells.width(short_at) - TITLE - 4)
    if width - cells.line_width(right) - cells.width(at) < TITLE + 4:
        at = short_at
    spare = max(6, width - cells.line_width(right) - cells.width(at) - 5)
    title = Span(cells.clip_text(cells.clean(place.title), spare), BOLD)
    line = both_ends((Span("  "), title, Span(at, DIM)), (*right, Span("  ")), width)
    return tuple(
        Span(span.text, span.style if span.style.ground else span.style.on("panel")) for span in line
    )


def _marks(marks: Sequence[Badge]) -> list[Piece]:
    return [
        _piece(100 - n, f" {mark.text} ", Style(mark.ink, "select", bold=True))
        for n, mark in enumerate(marks)
    ]


def _times(timing: Timing) -> list[Piece]:
    found = [_piece(30, timing.of_day, DIM)] if timing.of_day else []
    pace = timing.pace
    if timing.elapsed is not None:
        said = clock(timing.elapsed)
        found.append(Piece(40, (Span("elapsed ", DIM), Span(said)), (Span(said),)))
    if timing.paused_s is not None:
        found.append(_piece(85, f"paused {clock(timing.paused_s)}", Style("warning", bold=True)))
    if pace.left_s is not None:
        found.append(_left(pace.left_s, timing))
    if pace.slide_left_s is not None and timing.elapsed is not None:
        over = pace.slide_left_s < 0
        said = clock(abs(pace.slide_left_s)) + (" over" if over else " left")
        ink = Style("warning" if over else "good", bold=True)
        found.append(
            Piece(70, (Span("this slide ", DIM), Span(said, ink)), (Span("slide ", DIM), Span(said, ink)))
        )
    if pace.behind_s is not None:
        words, ink_name = in_words(pace.behind_s)
        found.append(_piece(80, words, Style(ink_name, bold=abs(pace.behind_s) > ON_TIME_S)))
    return found


def _left(left_s: float, timing: Timing) -> Piece:
    """The countdown to the end time, or until the plan is used up."""
    if left_s < 0:
        said, ink = f"over by {clock(-left_s)}", Style("bad", bold=True)
    else:
        said, ink = f"{clock(left_s)} to go", TEXT
    before = (Span(f"ends {timing.end} ", DIM),) if timing.end else ()
    return Piece(60, (*before, Span(said, ink)), (Span(said, ink),))


def _piece(weight: int, text: str, style: Style) -> Piece:
    line = (Span(cells.clean(text), style),)
    return Piece(weight, line, line)


def _fitted(pieces: Sequence[Piece], room: int) -> Line:
    """All pieces with a gap before each; in fewer words, or without the least important, until they fit."""
    said = {n: piece.long for n, piece in enumerate(pieces)}

    def width() -> int:
        return sum(cells.line_width(line) + GAP for line in said.values())

    by_weight = sorted(said, key=lambda n: pieces[n].weight)
    for n in by_weight:
        if width() > room:
            said[n] = pieces[n].short
    for n in by_weight[:-1]:
        if width() > room:
            del said[n]
    return tuple(span for line in said.values() for span in (Span(" " * GAP), *line))

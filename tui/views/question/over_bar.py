"""An option in letters made of blocks over its bar, which fills the ground behind the words: long ones leave
none beside them. Pure; a state before its reveal has no bar.
"""

from __future__ import annotations

from collections.abc import Sequence

from runtime.classroom.question_state import QuestionState
from slides.drawing import cells
from slides.drawing.large.block_glyphs import edge
from slides.drawing.text import Line, Span, Style
from tui.figures import numbers
from tui.views.question import votes
from tui.views.question.large import SLIM, at_most, letters_of

SIDES = 36, 24, 13
"""Cells for how many chose it and for the verdict: both in letters, the share in letters, a row for each."""

_SHARE = 13  # cells of a share in letters, and of a blank


def over_bar(
    rows: Sequence[Line],
    state: QuestionState,
    n: int,
    start: int,
    side: int,
    verdict: Line,
    say: votes.Say = str,
) -> list[Line]:
    """The rows of option `n`, all of one width, with its bar behind them from the cell `start` on, and in
    `side` cells at their right how many chose it. Of two votes the bar is the last one's."""
    both = votes.told(state)
    if not both:
        return _joined(rows, votes.beside_rows(verdict, len(rows), side))
    counts, of = both[-1], votes.whole(state)[-1]
    room = cells.line_width(rows[0]) - start
    filled = votes.bar(counts[n], of or max(counts), room, n in state.key)[0]
    length = _beside_letters(rows, start, cells.width(filled.text), room)
    barred = [_filled(row, start, start + length, filled.style.ink) for row in rows]
    return _joined(barred, _figures(state, n, len(rows), side, verdict, say))


def _figures(state: QuestionState, n: int, rows: int, side: int, verdict: Line, say: votes.Say) -> list[Line]:
    both, alls = votes.told(state), votes.whole(state)
    counts, of = both[-1], alls[-1]
    if (
        side == SIDES[0]
        and len(both) == 1
        and (large := votes.figures_in_letters(counts, of, side - 12, rows))
    ):
        drawn, wide = _centred(large[n], rows), max(map(cells.width, large[n]))
        said = votes.beside_rows(verdict, rows, side - wide)
        return [(Span(text.ljust(wide), votes.DIM), *word) for text, word in zip(drawn, said, strict=True)]
    figure, *share = votes.figure(state, n)
    lines: list[Line] = [()] * rows
    middle = rows // 2
    judged: Line = tuple(Span(text.lstrip(), style) for text, style in verdict)
    lines[middle - 1] = judged
    lines[middle] = (Span(figure.text.lstrip(), figure.style), *share)
    if len(both) > 1:
        share_ = numbers.percent(both[0][n] / alls[0]) if alls[0] else both[0][n]
        first = Span(f"{say('first')} {share_}", votes.DIM)
        if rows > 2:
            lines[middle + 1] = (first,)
        else:  # of the verdict its sign
            lines[0] = (*(Span(f"{text[:1]} ", style) for text, style in judged), first)
    told = numbers.percent(counts[n] / of) if of and side > SIDES[-1] else ""
    if of and (lettered := letters_of(told, _SHARE, 1, at_most(rows, ("low", *SLIM))) if told else None):
        count = say(f"{counts[n]} of {of}")
        if cells.width(count) > side - _SHARE:  # a number that is cut is another number
            count = f"{counts[n]}/{of}"
        lines[middle] = (Span(count, votes.DIM),)
        drawn = _centred(lettered, rows)
        return [(Span(text.ljust(_SHARE), votes.DIM), *word) for text, word in zip(drawn, lines, strict=True)]
    return lines


def _centred(drawn: Sequence[str], rows: int) -> list[str]:
    above = (rows - len(drawn)) // 2
    return [*[""] * above, *drawn, *[""] * (rows - above - len(drawn))]


def _joined(rows: Sequence[Line], sides: Sequence[Line]) -> list[Line]:
    return [(*row, Span(" "), *side) for row, side in zip(rows, sides, strict=True)]


def _beside_letters(rows: Sequence[Line], start: int, length: int, room: int) -> int:
    """The length of a bar, or one that is a cell off where its end would cut a letter: half of one is read as
    another."""
    drawn = ["".join(text for text, _ in row) for row in rows]
    tried = (length + off for off in (0, 1, -1) if 0 < length + off <= room)
    return next(
        (n for n in tried if not any(_cut(row[start + n - 1 : start + n + 1]) for row in drawn)), length
    )


def _cut(pair: str) -> bool:
    """Whether two cells beside each other have a stroke in common."""
    return len(pair) == 2 and bool(edge(pair[0], right=True) & edge(pair[1], right=False))


def _filled(row: Line, start: int, end: int, ink: str) -> Line:
    """The row with its cells from `start` to `end` on this ground, in the ink of a page's background."""
    line: list[Span] = []
    at = 0
    for text, style in row:
        for first, last, look in (
            (0, start, style),
            (start, end, Style("background", ink, bold=style.bold)),
            (end, at + len(text), style),
        ):
            piece = text[max(0, first - at) : max(0, last - at)]
            line += [Span(piece, look)] if piece else []
        at += len(text)
    return tuple(line)

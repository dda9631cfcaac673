"""Code to pick a line of, with the numbers of its lines; bars stand beside those that somebody chose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from runtime.classroom.question_state import QuestionState
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.views.question import votes
from tui.views.question.answer_rows import ACCENT, BAD, CHIP, GOOD
from tui.views.question.large import SHORT, SIZES, SLIM, lines_in_letters, numbered
from tui.views.question.picture import Air, Asked, Picture

_LEAD = 10  # cells before a line in letters: its number
_LEAST_BAR = 24  # cells of a bar beside it that stands for all who answered
_MOST_LINES = 9


class LinePicture(Picture):
    """Code whose lines are the options."""

    reserve = 3

    def listed(self, asked: Asked) -> list[Line]:
        return [(), *_code(asked)]

    def body(self, asked: Asked, air: Air) -> list[Line] | None:
        if air.words:
            return _in_letters(asked, air) if not air.gap else None
        if air.rows == 2:
            return None
        blank = cells.fit((), asked.width, Style(ground="panel"))
        rows = _code(asked)
        apart = [line for n, row in enumerate(rows) for line in ([blank] * (n and air.gap) + [row])]
        return [blank, *apart, blank] if air.rows > 1 else rows if not air.gap else None

    def given(self, asked: Asked) -> str:
        return ", ".join(str(n + 1) for n in sorted(asked.picked))

    def keys(self, asked: Asked) -> list[tuple[str, str]]:
        return [("↑ ↓", "or its number")]


def _code(asked: Asked) -> list[Line]:
    """The code with the numbers of its lines; the chosen one is marked."""
    from slides.highlighting.highlight import highlight

    question, revealed, picked, width = asked.question, asked.revealed, asked.picked, asked.width
    rows = highlight(question.lang, question.code)
    digits = len(str(len(rows)))
    lines: list[Line] = []
    bars = _code_bars(revealed, [cells.line_width(row) for row in rows], digits + 4, width)
    for n, row in enumerate(rows):
        here, right = n in picked, revealed is not None and n in revealed.key
        style = GOOD if right else BAD if here and revealed else ACCENT
        mark = "✓ " if right else "✗ " if here and revealed else "▸ " if here else "  "
        ground = "select" if here or right else "panel"
        number = Span(f"{n + 1:>{digits}}  ", Style("text" if here or right else "faint"))
        spans = [Span(mark, style), number, *row]
        inked = tuple(Span(text, look.on(look.ground or ground)) for text, look in spans)
        chosen = revealed is not None and bars is not None and any(one[n] for one in bars.votes)
        word = asked.say("right" if right else "not this one")
        said = Span(f"   {word}", style.on(ground))
        fits = bars is None and cells.line_width(inked) + cells.width(said.text) <= width
        inked = (*inked, said) if fits and revealed is not None and (right or here) else inked
        room = bars.start if chosen and bars is not None else width
        line = cells.fit(inked, max(1, room), Style(ground=ground))
        if chosen and bars is not None:
            for one in bars.votes:
                drawn = votes.bar(one[n], sum(one), bars.room, right)
                beside = cells.fit((Span(" "), *drawn), bars.step)
                line = (*line, *(Span(text, look.on("panel")) for text, look in beside))
        lines.append(cells.clip(line, width))
    return lines


def _in_letters(asked: Asked, air: Air) -> list[Line] | None:
    """The code in letters made of blocks, with bars at its right; None where there is no room for both."""
    from slides.highlighting.highlight import highlight

    revealed, picked = asked.revealed, asked.picked
    rows = [_indented(row) for row in highlight(asked.question.lang, asked.question.code)]
    sizes = SHORT if air.short else (*SIZES, *SLIM)
    drawn = lines_in_letters(rows, asked.width - _LEAD - _LEAST_BAR - votes.FIGURE, sizes)
    if drawn is None or len(rows) > _MOST_LINES:
        return None
    start = _LEAD + 3 + max(cells.line_width(line) for lines in drawn for line in lines)
    found: list[Line] = []
    for n, lines in enumerate(drawn):
        here, right = n in picked, revealed is not None and n in revealed.key
        ink = "good" if right else "bad" if here and revealed else "accent"
        ground = "select" if here or right else "panel"
        chip = Style("background", ink, bold=True) if here or right else CHIP
        word = asked.say("right" if right else "not this one")
        said = (Span(f"  {word}", Style(ink, bold=True)),)
        verdict = said if revealed is not None and (right or here) else ()
        lines = [cells.pad(line, start) for line in numbered(n, chip, lines, 3)]
        if revealed is not None and n < len(revealed.votes) and (revealed.votes[n] or verdict):
            room = asked.width - 2 - start
            bars = votes.tall(
                revealed, n, len(lines), room, verdict, least=_LEAST_BAR, parted=False, say=asked.say
            )
            lines = [(*line, *bar) for line, bar in zip(lines, bars, strict=True)]
        grounded = (tuple(_on(span, ground) for span in line) for line in lines)
        found += [cells.fit(line, asked.width, Style(ground=ground)) for line in grounded]
    return found


def _indented(row: Line) -> Line:
    """A line of code with two cells for each blank before it: letters are that wide."""
    first, *rest = row or (Span(""),)
    blanks = len(first.text) - len(first.text.lstrip(" "))
    return (first._replace(text=" " * blanks + first.text), *rest)


def _on(span: Span, ground: str) -> Span:
    return span._replace(style=span.style.on(span.style.ground or ground))


class _CodeBars(NamedTuple):
    """Bars beside the lines that somebody chose, from the cell `start` on, those of another vote `step`
    cells further; one of all who answered has `room` cells."""

    votes: list[tuple[int, ...]]
    start: int
    step: int
    room: int


def _code_bars(
    revealed: QuestionState | None, used: Sequence[int], lead: int, width: int
) -> _CodeBars | None:
    """Of these lines none is cut, as far as bars can be short."""
    told = votes.told(revealed) if revealed is not None else []
    if not told or width < 40:
        return None
    chosen = [lead + cells_ for n, cells_ in enumerate(used) if any(n < len(one) and one[n] for one in told)]
    free = (width - max(chosen, default=0)) // len(told)
    room = max(1, min(votes.ROW, free - votes.FIGURE))
    step = room + votes.FIGURE
    return _CodeBars([one + (0,) * len(used) for one in told], width - step * len(told), step, room)


PICTURE = LinePicture()

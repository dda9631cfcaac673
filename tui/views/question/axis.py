"""Numbers of a room on an axis, with what is right or was measured as a band on it. Pure."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

from quiz.answers import quantity
from quiz.answers.scale import LOGARITHMIC, Scale
from runtime.classroom.question_state import QuestionState, Round, said
from slides.drawing import cells
from slides.drawing.large.letters import ROWS, letters
from slides.drawing.text import Line, Span, Style
from tui.figures import numbers
from tui.views.question.large import SHORT, SLIM

DIM, FAINT, GOOD = Style("dim"), Style("faint"), Style("good", bold=True)
STACK = 3  # rows of dots above an axis
_APART = 3  # cells between two marks in letters


def values(one: QuestionState | Round, unit: str) -> list[float]:
    """The numbers that were typed, in `unit`; others are left out."""
    found: list[float] = []
    for each in said(one):
        read = quantity.read(each.text[0]) if each.text else None
        value = quantity.converted(read, unit) if read else None
        if value is not None and math.isfinite(value):
            found += [value] * each.count
    return found


def strip(
    given: Sequence[float],
    band: tuple[float, float] | None,
    unit: str,
    width: int,
    ticks: Sequence[tuple[float, str]] = (),
    before: Sequence[float] = (),
    asked: Scale | None = None,
    *,
    large: bool = False,
    say: Callable[[str], str] = str,
) -> list[Line]:
    """Everybody's number as a dot above an axis, and what is right (or measured) as a band on it; `before`,
    the numbers of the first vote, hang below it as rings. `ticks` are marks of the axis with a sign each;
    `asked` is the axis that the question has, beyond which only what was typed goes. `large`: the marks are
    in letters where these have room.

    The axis is logarithmic where the numbers are of very different sizes, or marks would touch, and says so.
    """
    own = _ends(asked, unit)
    ends = [*given, *before, *(band or ()), *(value for value, _ in ticks), *own]
    room = (width if large else min(width, 76)) - 2
    if not ends or room < 20:
        return []
    low, high = min(ends), max(ends)
    wide = low > 0 and (high / low > LOGARITHMIC or _touching([value for value, _ in ticks], low, high, room))
    if low == high:
        margin = abs(low) / 2 or 0.5
        low, high = low - margin, min(high + margin, sys.float_info.max)

    def column(value: float) -> int:
        return round(_share(value, low, high, wide) * (room - 1))

    stacks, hung = (Counter(column(value) for value in values) for values in (given, before))
    per = max(1, -(-max([*stacks.values(), *hung.values()], default=0) // STACK))
    lines = [*reversed(_dots(stacks, per, room, "●"))]
    first, last = (column(band[0]), column(band[1])) if band else (room, -1)
    axis = tuple(
        Span("█" if first <= n <= last else "─", GOOD if first <= n <= last else FAINT) for n in range(room)
    )
    lines += [(Span(" "), *_merged(axis)), *_dots(hung, per, room, "○")]
    left, right = (_short(end, unit) if end in own else _figure(end, unit) for end in (low, high))
    if ticks:
        whole = [(column(value), f"{sign} {_short(value, unit)}") for value, sign in ticks]
        bare = [(column(value), sign) for value, sign in ticks]
        drawn, signs = (_in_letters(whole, room), _in_letters(bare, room)) if large else ([], [])
        named = drawn or ([] if signs else list(filter(None, [_signs(whole, room)])))
        marks = named or signs or [_signs(bare, room)]
        lines += [(Span(f" {row}", Style("text", bold=True)),) for row in marks]
        if named and {low, high} <= {value for value, _ in ticks}:
            left = right = ""  # the marks say it
    if left:
        gap = room - cells.width(left) - cells.width(right)
        lines.append((Span(f" {left}{' ' * max(1, gap)}{right}", DIM),))
    said = [
        *([f"● {say('second vote')}  ○ {say('first vote')}"] if before else []),
        *([say("logarithmic")] if wide else []),
        *([say(f"a dot is up to {per} answers")] if per > 1 else []),
    ]
    if said:
        lines.append((Span(f" {', '.join(said)}", FAINT),))
    return [cells.clip(line, width) for line in lines]


def _ends(asked: Scale | None, unit: str) -> list[float]:
    """Both ends of the question's own axis, in `unit`; none where they are of another dimension."""
    if asked is None:
        return []
    ends = [quantity.converted(quantity.Quantity(end, asked.unit), unit) for end in (asked.low, asked.high)]
    return [end for end in ends if end is not None]


def _touching(marks: Sequence[float], low: float, high: float, room: int) -> bool:
    """Whether two marks would have no blank between them if the axis had equal steps."""
    columns = sorted(round(_share(mark, low, high, wide=False) * (room - 1)) for mark in marks)
    return any(after - before < 2 for before, after in pairwise(columns))


def _share(value: float, low: float, high: float, wide: bool) -> float:
    """Where a number lies from `low` to `high`, as 0 to 1. People may type any number: no difference
    and no ratio of two is taken that a float might not hold."""
    if wide:
        return (math.log(value) - math.log(low)) / (math.log(high) - math.log(low))
    scale = max(abs(low), abs(high))
    return (value / scale - low / scale) / (high / scale - low / scale)


def _dots(stacks: Counter[int], per: int, room: int, dot: str) -> list[Line]:
    """Rows of dots, that next to the axis first; a dot is up to `per` answers."""
    most = max((-(-count // per) for count in stacks.values()), default=0)
    rows = (
        "".join(dot if -(-stacks.get(n, 0) // per) > level else " " for n in range(room))
        for level in range(most)
    )
    return [(Span(" "), Span(row.rstrip(), Style("accent"))) for row in rows]


def _figure(value: float, unit: str) -> str:
    """A number that was typed or measured; a whole one as it was typed."""
    return f"{numbers.in_full(value)}{' ' if unit != 'x' else ''}{unit}".rstrip()


def _short(value: float, unit: str) -> str:
    """A number as its author would write it."""
    return numbers.quantity(value) + "x" if unit == "x" else numbers.quantity(value, unit)


def _signs(signs: Sequence[tuple[int, str]], room: int) -> str:
    """Each sign below its cell; "" where two would touch. A sign alone is never in the way of another."""
    row = ""
    for column, sign in sorted(signs):
        at = max(0, min(column - (cells.width(sign) // 2 if len(sign) > 1 else 0), room - cells.width(sign)))
        if len(sign) > 1 and row and at < len(row) + 2:
            return ""
        row = row[:at].ljust(at) + sign
    return row


def _in_letters(signs: Sequence[tuple[int, str]], room: int) -> list[str]:
    """The same in letters, of a size in which they do not touch; empty where there is none."""
    for size in (*SHORT[:1], *SLIM, *SHORT[1:]):
        rows, end = [""] * ROWS[size], -_APART
        for column, sign in sorted(signs):
            drawn = letters(sign, room, (size,), 1)
            wide = max(map(cells.width, drawn or [""]))
            at = max(0, min(column - wide // 2, room - wide))
            if drawn is None or at < end + _APART:
                break
            rows = [row.ljust(at) + text for row, text in zip(rows, drawn, strict=True)]
            end = at + wide
        else:
            return rows
    return []


def _merged(spans: Sequence[Span]) -> list[Span]:
    found: list[Span] = []
    for span in spans:
        if found and found[-1].style == span.style:
            found[-1] = Span(found[-1].text + span.text, span.style)
        else:
            found.append(span)
    return found

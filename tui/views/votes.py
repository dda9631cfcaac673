"""How a room answered, once that is revealed: bars per option, two votes side by side, numbers on an axis,
the most frequent texts. Pure; a state before its reveal gives nothing.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from quiz import quantity, wording
from quiz.kinds import number as key_number
from quiz.question import Question
from runtime.questions import QuestionState, Round
from slides import cells
from slides.text import Line, Span, Style
from tui.views import numbers

DIM, FAINT, GOOD = Style("dim"), Style("faint"), Style("good", bold=True)
BAR, ROW = "▇", 24  # a bar's cell, and how many the longest has
LEAST = 8  # the least that is worth drawing
MOST = 5  # different answers that are listed
STACK = 3  # rows of dots above an axis


def bar(count: int, most: int, room: int, right: bool) -> Line:
    """A bar with its figure, at most `room` + 6 cells."""
    cells_ = round(room * count / most) if most else 0
    cells_ = max(cells_, 1 if count else 0)
    return Span(BAR * cells_, Style("good" if right else "dim")), Span(f"{' ' if cells_ else ''}{count}", DIM)


def column(state: QuestionState, used: Sequence[int], width: int) -> int | None:
    """Where the bars of all options begin beside their first rows of `used` cells; None: below them, or
    nowhere."""
    if not _barred(state) or width < 60:
        return None
    start = max(width - ROW - 10, max(used, default=0) + 3)
    return start if width - start >= LEAST + 6 else None


def beside(state: QuestionState, n: int, used: int, start: int, width: int) -> Line:
    """How many chose option `n`, from the cell `start` on."""
    votes = state.votes
    room = min(ROW, width - start - 6)
    return (Span(" " * (start - used)), *bar(votes[n], max(votes), room, n in state.key))


def below(state: QuestionState, n: int, indent: int, width: int) -> list[Line]:
    """The same in a row of its own."""
    if not _barred(state):
        return []
    votes = state.votes
    room = max(4, min(ROW, width - indent - 8))
    return [(Span(" " * indent), *bar(votes[n], max(votes), room, n in state.key))]


def _barred(state: QuestionState) -> bool:
    """Whether there is something to compare: one answer is no histogram, two rounds have their own."""
    return state.phase == "revealed" and sum(state.votes) > 1 and not state.before


def rounds(state: QuestionState, width: int) -> list[Line]:
    """Both votes of a question that was asked twice, option by option, and what the talk between them won."""
    if state.phase != "revealed" or not state.before or not state.votes:
        return []
    first, second = state.before[-1].votes, state.votes
    if len(first) != len(second) or not sum(first) or not sum(second):
        return []
    room = max(3, min(ROW, (width - 22) // 2))
    most = max(*first, *second)
    column = 7 + room + 8
    head: Line = (Span("       first vote".ljust(column), DIM), Span("second vote", DIM))
    lines: list[Line] = [cells.clip(head, width)]
    for n, (before, after) in enumerate(zip(first, second, strict=True)):
        right = n in state.key
        left = (
            Span(f"  {'✓' if right else ' '} {n + 1}  ", GOOD if right else DIM),
            *bar(before, most, room, right),
        )
        lines.append(cells.clip((*cells.pad(left, column), *bar(after, most, room, right)), width))
    return [*lines, *_gain(state, first, second, width)]


def _gain(state: QuestionState, first: Sequence[int], second: Sequence[int], width: int) -> list[Line]:
    if not state.key or state.kind == "multi":
        return []
    shares = [sum(votes[n] for n in state.key if n < len(votes)) / sum(votes) for votes in (first, second)]
    before, after = shares
    told = f"right: {numbers.percent(before)}, then {numbers.percent(after)}"
    gain = normalised_gain(before, after)
    spans = [Span(told, DIM)]
    if gain is not None:
        spans += [
            Span("  ·  normalised gain ", DIM),
            Span(f"{gain:.2f}".replace("-", "−"), Style("heading", bold=True)),
            Span(" = (second − first) / (1 − first), Hake 1998", Style("faint")),
        ]
    return [(), *cells.wrap(spans, width)]


def normalised_gain(before: float, after: float) -> float | None:
    """What was won of what could be won: (after - before) / (1 - before), for shares of right answers
    (R. R. Hake, Am. J. Phys. 66, 64, 1998). None where all were right before."""
    return None if before >= 1.0 else (after - before) / (1.0 - before)


# --- typed, ordered, paired -----------------------------------------------------------------------------


def frequent(question: Question, state: QuestionState, width: int) -> list[Line]:
    """The most frequent of the answers that are no pick among options, right ones marked."""
    if state.phase != "revealed":
        return []
    every: list[QuestionState | Round] = [*state.before, state]
    tables = [(_told(question, one), "") for one in every]
    if len(tables) > 1:
        tables = [(table, f"vote {n}") for n, (table, _) in enumerate(tables, 1)]
    lines: list[Line] = []
    for table, head in tables:
        if sum(table.values()) < 2:
            continue
        if head:
            lines.append((Span(head, DIM),))
        most = max(table.values())
        column = min(max(cells.width(text) for text in table), max(8, width - 22), 40)
        for text, count in sorted(table.items(), key=lambda row: (-row[1], row[0]))[:MOST]:
            right = _right(question, state, text)
            mark = Span("✓ " if right else "  ", GOOD)
            shown = cells.fit((Span(cells.clean(text), Style("text", bold=right)),), column)
            drawn = (
                mark,
                *shown,
                Span("  "),
                *bar(count, most, max(3, min(ROW, width - column - 10)), right),
            )
            lines.append(cells.clip(drawn, width))
        if len(table) > MOST:
            others = len(table) - MOST
            lines.append((Span(f"  {others} other{'s' if others > 1 else ''}", FAINT),))
    return lines


def _told(question: Question, one: QuestionState | Round) -> Counter[str]:
    """The answers as they are listed, those that mean the same as one."""
    if question.kind in ("order", "match"):
        told = (
            " ".join(str(n + 1) if n >= 0 else numbers.DASH for n in choice)
            for choice in one.answers.values()
        )
        return Counter(told)
    forms: dict[str, Counter[str]] = {}  # `all reduce` and `all-reduce` are one answer
    for text in one.texts.values():
        shown = "; ".join(" ".join(part.split()) for part in text)
        forms.setdefault(re.sub(r"[ -]", "", wording.normal(shown)), Counter())[shown] += 1
    return Counter({min(form, key=lambda text: (-form[text], text)): form.total() for form in forms.values()})


def _right(question: Question, state: QuestionState, text: str) -> bool:
    if question.kind in ("order", "match"):
        return text == " ".join(str(n + 1) for n in state.key)
    if question.kind == "cloze":
        parts = text.split("; ")
        return len(parts) == len(state.accepted) and all(
            fits(accepted, part) for accepted, part in zip(state.accepted, parts, strict=True)
        )
    return any(fits(accepted, text) for accepted in state.accepted)


def fits(accepted: str, typed: str) -> bool:
    """Whether a typed answer is this accepted one, a number within its tolerance or the same words."""
    wanted, given = key_number(accepted.removeprefix("=").strip()), quantity.read(typed)
    if wanted is None:
        return wording.fits(accepted, typed)
    value = quantity.converted(given, wanted.unit) if given else None
    slack = 1e-12 * max(abs(wanted.low), abs(wanted.high))
    return value is not None and wanted.low - slack <= value <= wanted.high + slack


# --- numbers on an axis ---------------------------------------------------------------------------------


def values(one: QuestionState | Round, unit: str) -> list[float]:
    """The numbers that were typed, in `unit`; others are left out."""
    found: list[float] = []
    for text in one.texts.values():
        read = quantity.read(text[0]) if text else None
        value = quantity.converted(read, unit) if read else None
        if value is not None and math.isfinite(value):
            found.append(value)
    return found


def strip(
    given: Sequence[float],
    band: tuple[float, float] | None,
    unit: str,
    width: int,
    ticks: Sequence[tuple[float, str]] = (),
) -> list[Line]:
    """Everybody's number as a dot above an axis, and what is right (or measured) as a band on it; `ticks` are
    marks of the axis with a sign each.

    The axis is logarithmic where the numbers are of very different sizes, and says so.
    """
    ends = [*given, *(band or ()), *(value for value, _ in ticks)]
    room = min(width, 76) - 2
    if not ends or room < 20:
        return []
    low, high = min(ends), max(ends)
    wide = low > 0 and high / low > 50
    if low == high:
        low, high = low - (abs(low) or 1.0) / 2, high + (abs(high) or 1.0) / 2

    def column(value: float) -> int:
        share = math.log(value / low) / math.log(high / low) if wide else (value - low) / (high - low)
        return round(share * (room - 1))

    stacks = Counter(column(value) for value in given)
    per = max(1, -(-max(stacks.values(), default=0) // STACK))
    most = max((-(-count // per) for count in stacks.values()), default=0)
    lines: list[Line] = []
    for level in range(most, 0, -1):
        row = "".join("●" if -(-stacks.get(n, 0) // per) >= level else " " for n in range(room))
        lines.append((Span(" "), Span(row.rstrip(), Style("accent"))))
    first, last = (column(band[0]), column(band[1])) if band else (room, -1)
    axis = tuple(
        Span("█" if first <= n <= last else "─", GOOD if first <= n <= last else FAINT) for n in range(room)
    )
    lines.append((Span(" "), *_merged(axis)))
    if ticks:
        signs = {column(value): sign for value, sign in ticks}
        marks = "".join(signs.get(n, " ") for n in range(room))
        lines.append((Span(f" {marks.rstrip()}", Style("text", bold=True)),))
    left, right = (f"{numbers.figure(end)}{' ' + unit if unit else ''}" for end in (low, high))
    gap = room - cells.width(left) - cells.width(right)
    lines.append((Span(f" {left}{' ' * max(1, gap)}{right}", DIM),))
    said = [*(["logarithmic"] if wide else []), *([f"a dot is up to {per} answers"] if per > 1 else [])]
    if said:
        lines.append((Span(f" {', '.join(said)}", FAINT),))
    return [cells.clip(line, width) for line in lines]


def _merged(spans: Sequence[Span]) -> list[Span]:
    found: list[Span] = []
    for span in spans:
        if found and found[-1].style == span.style:
            found[-1] = Span(found[-1].text + span.text, span.style)
        else:
            found.append(span)
    return found

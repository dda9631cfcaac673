"""The most frequent of answers that are no pick among options: typed, ordered, paired. Pure; a state before
its reveal gives nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from quiz.answer_key import graded
from quiz.answers import text_matching
from quiz.kinds.registry import ARRANGED
from quiz.question import Question
from runtime.classroom.question_state import QuestionState, Round, said
from runtime.classroom.question_without_votes_and_key import WORDED, known_texts, unread
from slides.drawing import cells
from slides.drawing.large.letters import letters
from slides.drawing.text import Line, Span, Style
from tui.figures import numbers
from tui.views.question.picture import Asked
from tui.views.question.votes import (
    DIM,
    FAINT,
    FIGURE,
    GOOD,
    LARGE,
    ROW,
    TOUCHING,
    Say,
    bar,
    figures_in_letters,
    with_letters,
)

BETWEEN: Line = (Span(""),)  # an empty row between two bars: of these all stay, or none
_ALWAYS: Line = (Span(" "),)  # one that stays: bars as high as letters would be one block
MOST, _LEAST = 5, 3  # different answers that are listed, and the fewest of them in letters


def frequent(question: Question, state: QuestionState, width: int, say: Say = str) -> list[Line]:
    """The most frequent of the answers that are no pick among options, right ones marked, with a `BETWEEN`
    from one to the next; two votes side by side. `question` holds the key."""
    found = _most_frequent(question, state)
    if found is None:
        return []
    votes, alls = found.votes, [one.answered for one in found.votes]
    column = min(
        max((cells.width(row.shown) for row in found.rows), default=0),
        max(8, width - 12 - 10 * len(votes)),
        40,
    )
    room = max(3, min(ROW // len(votes), (width - column - 4) // len(votes) - FIGURE))
    lines: list[Line] = []
    if len(votes) > 1:
        lead = Span(" " * (column + 4))
        lines.append((lead, Span(say("first vote").ljust(room + FIGURE), DIM), Span(say("second vote"), DIM)))
    for n, row in enumerate(found.rows[:MOST]):
        right = _right(question, state, row)
        shown = cells.fit((Span(cells.clean(row.shown), Style("text", bold=right)),), column)
        drawn: Line = (Span("✓ " if right else "  ", GOOD), *shown, Span("  "))
        for count, of in zip(row.counts, alls, strict=True):
            drawn = (*drawn, *cells.pad(bar(count, of, room, right, sign=TOUCHING), room + FIGURE))
        lines += [*[BETWEEN] * bool(n), drawn]
    return [cells.clip(line, width) for line in [*lines, *_left_out(found, MOST, say)]]


def _in_letters(
    question: Question, state: QuestionState, width: int, most: int, say: Say
) -> list[Line] | None:
    """At `most` so many of one vote in letters made of blocks; None where an answer has no room so."""
    found = _most_frequent(question, state)
    if found is None or len(found.votes) > 1 or not found.rows:
        return None
    rows, of = found.rows[:most], state.answered
    if any(_right(question, state, row) for row in found.rows[most:MOST]):
        return None
    marks = ["✓ " if _right(question, state, row) else "" for row in rows]
    for size in LARGE:
        words = [letters(row.shown, width // 2, (size,), 1) for row in rows]
        figures = figures_in_letters([row.counts[-1] for row in rows], of, width // 4 - 2)
        drawn = [each for each in words if each]
        if len(drawn) == len(rows) and figures:
            break
    else:
        return None
    column = max(cells.width(line) for each in drawn for line in each) + 2
    lines: list[Line] = []
    for n, (row, each, figure) in enumerate(zip(rows, drawn, figures, strict=True)):
        filled = bar(row.counts[-1], of, min(ROW, width - column - 2), bool(marks[n]))[0]
        beside_ = with_letters(filled, figure, (), width - column - 2)
        look = GOOD if marks[n] else Style("text")
        lines += [_ALWAYS] * bool(n)
        for at, (text, told_) in enumerate(zip(each, beside_, strict=True)):
            mark = marks[n] if at == len(each) // 2 else ""
            lines.append((Span(mark.ljust(2), GOOD), Span(text.ljust(column), look), *told_))
    return [*lines, *_left_out(found, most, say)]


def in_letters(asked: Asked, above: list[Line]) -> list[list[Line]]:
    """`above`, and below it the answers in letters, from all that are listed down to the few that most have
    given and all that are right; none where these have no room so."""
    revealed = asked.revealed
    if revealed is None:
        return []
    counts = range(MOST, _LEAST - 1, -1)
    drawn = (_in_letters(asked.question, revealed, asked.width, most, asked.say) for most in counts)
    return [[*above, (), *lines] for lines in drawn if lines]


class _Frequent(NamedTuple):
    """`rows` of answers that can be shown, and how many are `waiting` in words that nobody has read."""

    votes: list[QuestionState | Round]
    rows: list[_Row]
    waiting: int


def _most_frequent(question: Question, state: QuestionState) -> _Frequent | None:
    """None where there is nothing to compare."""
    if state.phase != "revealed":
        return None
    votes: list[QuestionState | Round] = [*state.before[-1:], state]
    table, hidden = _told(question, votes), set[tuple[str, ...]]()
    if question.kind in WORDED:
        hidden = {text for one in votes for text in unread(one, known_texts(state))}
    unsaid = [row for row in table if row.answer[1] in hidden and not _right(question, state, row)]
    table = [row for row in table if row not in unsaid]
    waiting = sum(row.counts[-1] for row in unsaid) + state.unsaid * (question.kind in WORDED)
    several_ = sum(sum(row.counts) for row in table) + waiting > 1
    return _Frequent(votes, table, waiting) if several_ else None


def _left_out(found: _Frequent, most: int, say: Say) -> list[Line]:
    """How many answers have no bar, where `most` have one."""
    lines: list[Line] = []
    if (others := len(found.rows) - most) > 0:
        words = say(f"{others} other{'s' if others > 1 else ''}")
        lines.append((Span(f"  {words}", FAINT),))
    if found.waiting:
        word = "other answer" if found.waiting == 1 else "other answers"
        words = say(f"{found.waiting} {word} in words of their own")
        lines.append((Span(f"  {words}", FAINT),))
    return lines


class _Row(NamedTuple):
    """Answers that mean the same: one of them, as it is shown, and how often each vote has them."""

    answer: tuple[tuple[int, ...], tuple[str, ...]]
    shown: str
    counts: list[int]


def _right(question: Question, state: QuestionState, row: _Row) -> bool:
    own = graded(question, state.undecided, *row.answer)
    return own is not None and own.right


def _told(question: Question, votes: Sequence[QuestionState | Round]) -> list[_Row]:
    """The most frequent of the last vote first."""
    forms: dict[str, Counter[str]] = {}  # `all reduce` and `all-reduce` are one answer
    found: dict[str, _Row] = {}
    for at, one in enumerate(votes):
        for each in said(one):
            answer = each.choice, each.text
            shown = (
                " ".join(str(n + 1) if n >= 0 else numbers.DASH for n in answer[0])
                if question.kind in ARRANGED
                else "; ".join(" ".join(part.split()) for part in answer[1])
            )
            ordered = question.kind in ARRANGED  # numbers, whose blanks count
            form = text_matching.form(shown, question.case or ordered)
            forms.setdefault(form, Counter())[shown] += each.count
            row = found.setdefault(form, _Row(answer, shown, [0] * len(votes)))
            row.counts[at] += each.count
    rows = [row._replace(shown=_usual(forms[form])) for form, row in found.items()]
    return sorted(rows, key=lambda row: (-row.counts[-1], -sum(row.counts), row.shown))


def _usual(forms: Counter[str]) -> str:
    return min(forms, key=lambda text: (-forms[text], text))

"""How a room answered, once that is revealed: bars per option, two votes side by side, how many were right.
Pure; a state before its reveal gives nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from quiz.answer_key import graded
from quiz.kinds.registry import PICKED, SEVERAL
from quiz.normalised_gain import normalised_gain
from quiz.question import Question
from runtime.classroom.question_state import QuestionState, Round, said, voters
from slides.drawing import cells
from slides.drawing.large.letters import Size, letters
from slides.drawing.text import Line, Span, Style
from tui.figures import numbers
from tui.views.question.large import SIZES, SLIM, at_most, lines_in_letters

DIM, FAINT, GOOD = Style("dim"), Style("faint"), Style("good", bold=True)
BAR, ROW = "█", 40  # a bar's cell, and how many one has that stands for all who answered
TOUCHING, UPPER_HALF = "▆", "▀"  # of bars that have no empty row between them, of one row and at its foot
LEAST, FIGURE = 6, 11  # the least that is worth drawing, and what its figures take
Say = Callable[[str], str]  # puts the program's words into the deck's language
LARGE: tuple[Size, ...] = ("low", "slim")  # of letters for the figures of bars that are as high


def bar(count: int, of: int, room: int, right: bool, percent: bool = True, sign: str = BAR) -> Line:
    """A bar of `sign` that is as much of its `room` as `count` is of all who answered, with its figures: at
    most `room` and `FIGURE` cells."""
    cells_ = max(round(room * min(count, of) / of) if of else 0, 1 if count else 0)
    share = f" ({numbers.percent(count / of)})" if percent and count and of > 1 else ""
    told = f"{' ' if cells_ else ''}{count}"
    return Span(sign * cells_, Style("good" if right else "dim")), Span(told, DIM), Span(share, FAINT)


class Bars(NamedTuple):
    """The bars of the options stand from the cell `start` on, each at most `room` cells and its figure; those
    of another vote `step` cells further."""

    start: int
    room: int
    step: int


def placed(state: QuestionState, used: Sequence[int], width: int) -> Bars | None:
    """Where the bars of all options stand, beside their last rows of `used` cells: what reaches further has
    its bar below. None: there is nothing to compare (one answer is no histogram), or no room beside."""
    count = len(told(state))
    if width < 60 or not count:
        return None
    fitting = [cells_ + 3 for cells_ in used if cells_ + 3 <= width - count * (LEAST + FIGURE)]
    start = max(width - count * (ROW // count + FIGURE) - 4, *fitting, 0)
    step = (width - start) // count
    return Bars(start, min(ROW, step - FIGURE), step)


def has_room_beside(used: Sequence[int], width: int) -> bool:
    """Whether bars that can be told from each other have room beside rows of `used` cells."""
    return width - max(used, default=0) - 3 - FIGURE >= 2 * LEAST


def beside(state: QuestionState, n: int, bars: Bars, sign: str = BAR) -> Line:
    """How many chose option `n`, in each vote; a bar is made of `sign`."""
    drawn = [
        bar(votes[n], of or max(votes), bars.room, n in state.key, of is not None, sign)
        for votes, of in zip(told(state), whole(state), strict=True)
    ]
    return tuple(span for line in drawn[:-1] for span in cells.pad(line, bars.step)) + tuple(drawn[-1])


def figure(state: QuestionState, n: int) -> Line:
    """How many chose option `n` in the last vote, without a bar."""
    of, counts = whole(state)[-1], told(state)[-1]
    return bar(counts[n], of or max(counts), 0, n in state.key, of is not None)[1:]


def heads(state: QuestionState, bars: Bars, say: Say = str) -> Line:
    """What stands above the bars of two votes."""
    if len(told(state)) < 2:
        return ()
    return (
        Span(" " * bars.start),
        Span(say("first vote").ljust(bars.step), DIM),
        Span(say("second vote"), DIM),
    )


def below(state: QuestionState, n: int, indent: int, width: int, say: Say = str) -> list[Line]:
    """The same in a row of its own, a row for each vote."""
    both = told(state)
    words = _beside_each_other(say("first"), say("second")) if len(both) > 1 else ("",)
    room = max(4, min(ROW, width - indent - FIGURE - 2 - len(words[0])))
    return [
        (
            Span(" " * indent),
            Span(word, DIM),
            *bar(votes[n], of or max(votes), room, n in state.key, of is not None),
        )
        for word, votes, of in zip(words, both, whole(state), strict=False)
    ]


def _beside_each_other(*words: str) -> tuple[str, ...]:
    wide = max(map(cells.width, words)) + 1
    return tuple(word.ljust(wide) for word in words)


def across(state: QuestionState, n: int, indent: int, width: int, sign: str = BAR, say: Say = str) -> Line:
    """The same in one row, over all the cells there are, a bar made of `sign`; two votes side by side."""
    both = told(state)
    if not both:
        return ()
    words = (f"{say('first vote')} ", f"{say('second vote')} ") if len(both) > 1 else ("",)
    step = (width - indent) // len(both)
    room = step - FIGURE - len(words[-1]) - 1
    if room < LEAST:
        return ()
    line: Line = (Span(" " * indent),)
    for word, votes, of in zip(words, both, whole(state), strict=False):
        drawn = bar(votes[n], of or max(votes), room, n in state.key, of is not None, sign)
        line = (*line, *cells.pad((Span(word, DIM), *drawn), step))
    return line


def tall(
    state: QuestionState,
    n: int,
    rows: int,
    width: int,
    verdict: Line,
    *,
    least: int = ROW,
    parted: bool = True,
    say: Say = str,
) -> list[Line]:
    """A bar that is `rows` high, its figures in letters behind or, where it is too long, in it; where these
    have no room, or a bar of all would have fewer than `least` cells, in its middle row under the verdict. Of
    two votes the first has the row at the top, and the verdict the one at the foot. Where nothing has
    `parted` it from the next, it ends half a row above that."""
    lines = _tall(state, n, rows, width, verdict, least, say)
    if not parted:
        bar, *figures = lines[-1] or (Span(""),)
        lines[-1] = (bar._replace(text=bar.text.replace(BAR, UPPER_HALF)), *figures)
    return lines


def _tall(
    state: QuestionState, n: int, rows: int, width: int, verdict: Line, least: int, say: Say
) -> list[Line]:
    both, alls = told(state), whole(state)
    if not both:
        return beside_rows(verdict, rows, width)
    votes, of = both[-1], alls[-1]
    right, percent = n in state.key, of is not None
    whole_ = of or max(votes)
    room = width // 2 - 2 if len(both) == 1 and width >= least else 0
    large = figures_in_letters(votes, of, room, rows) if room else []
    if large and len(large[n]) == rows:
        return with_letters(bar(votes[n], whole_, min(ROW, width), right)[0], large[n], verdict, width)
    filled, *figures = bar(votes[n], whole_, width - FIGURE - 1, right, percent)
    of_verdict = rows - 1 if len(both) > 1 else rows // 2 - 1
    said = {of_verdict: (filled, *verdict), rows // 2: (filled, *figures)}
    if of_verdict == rows // 2:
        said[of_verdict] = (filled, *figures, *verdict)
    lines = [said.get(row, (filled,)) for row in range(rows)]
    if len(both) > 1:
        first, all_ = both[0], alls[0]
        thin = bar(first[n], all_ or max(first), width - FIGURE - 12, right, all_ is not None)
        lines[0] = (*thin, Span(f" {say('first vote')}", FAINT))
    return lines


def figures_in_letters(votes: Sequence[int], of: int | None, room: int, rows: int = 3) -> list[list[str]]:
    """How many chose each option, in letters of one size in at most `room` cells and `rows`; empty where they
    have no room so."""
    texts = [f"{count} ({numbers.percent(count / of)})" if of and of > 1 else str(count) for count in votes]
    for size in at_most(rows, LARGE):
        drawn = [found for text in texts if (found := letters(text, room, (size,), 1))]
        if len(drawn) == len(texts):
            return [[row.ljust(max(map(len, one))) for row in one] for one in drawn]
    return []


def with_letters(filled: Span, figure: Sequence[str], verdict: Line, width: int) -> list[Line]:
    """A bar with its figure in letters behind it, or at its end where there is no room, and the verdict where
    that has any."""
    wide, long = max(map(len, figure)), cells.width(filled.text)
    behind = long + 1 + wide <= width
    ink = Style("background", filled.style.ink, bold=True)
    lines: list[Line] = []
    room = width - (long + 1 + wide if behind else long)
    for text, word in zip(figure, beside_rows(verdict, len(figure), room), strict=True):
        if behind:
            lines.append((filled, Span(" "), Span(text, DIM), *word))
        else:
            short = filled._replace(text=filled.text[: long - wide - 2])
            lines.append((short, Span(f" {text} ", ink), *word))
    return lines


def beside_rows(verdict: Line, rows: int, room: int) -> list[Line]:
    """A verdict beside so many rows: in letters where these and `room` cells hold them, else in the middle
    row, if that has room."""
    large = lines_in_letters([verdict], room, at_most(rows, (*SIZES, *SLIM))) if verdict else None
    if large is not None:
        above = (rows - len(large[0])) // 2
        return [*[()] * above, *large[0], *[()] * (rows - above - len(large[0]))]
    said = verdict if cells.line_width(verdict) <= room else ()
    return [said if row == rows // 2 else () for row in range(rows)]


def told(state: QuestionState) -> list[tuple[int, ...]]:
    """Of the first vote and the second, as far as there are several answers to compare."""
    if state.phase != "revealed" or not state.votes:
        return []
    both = [one.votes for one in _rounds(state)]
    # A second vote that nobody answered stands beside the first, as what it is.
    return both if (len(both) > 1 and any(map(any, both))) or several(state) else []


def whole(state: QuestionState) -> list[int | None]:
    """Of each vote that is told how many answered it, as in `voters`."""
    return [voters(one, state.kind) for one in _rounds(state)]


def _rounds(state: QuestionState) -> list[QuestionState | Round]:
    fitting = [one for one in state.before[-1:] if len(one.votes) == len(state.votes)]
    return [*fitting, state]


def several(state: QuestionState) -> bool:
    """Whether there is more than one answer. What the room is told has hands among its votes, and several
    picks may be one answer."""
    votes = state.votes if state.kind not in SEVERAL else (max(state.votes, default=0),)
    return state.answered > 1 or sum(votes) > 1


def gain(question: Question, state: QuestionState, width: int, say: Say = str) -> list[Line]:
    """Of a question that was asked twice: how many were right, and what the talk between the votes won."""
    if state.phase != "revealed" or not state.before:
        return []
    before, after = (right_share(question, one, state.undecided) for one in (state.before[-1], state))
    if before is None or after is None:
        silent = not state.answered and not any(state.votes)
        said = [say(before.words)] if before is not None else []
        return [(Span("; ".join([*said, say("nobody answered the second vote")]), DIM),)] if silent else []
    spans = [Span(f"{say('right')}: {say(before.short)}, {say('then')} {say(after.short)}", DIM)]
    won = normalised_gain(before.share, after.share)
    if won is not None:
        spans += [
            Span(" · normalised gain ", DIM),
            Span(f"{won:.2f}".replace("-", "−"), Style("heading", bold=True)),
        ]
        formula = Span(" = (second − first) / (1 − first), Hake 1998", FAINT)
        short, room = Span(" (Hake 1998)", FAINT), width - cells.line_width(spans)
        spans += [one for one in (formula, short) if cells.line_width((one,)) <= room][:1]
    return cells.wrap(spans, width)


class Share(NamedTuple):
    """`right` of `of` answers, hands among them."""

    right: int
    of: int

    @property
    def share(self) -> float:
        """Between 0 and 1."""
        return self.right / self.of

    @property
    def words(self) -> str:
        """As a sentence says it: "19 of 36 answers right (53 %)"."""
        answers = f"{self.of} answer{'s' if self.of != 1 else ''}"
        return f"{self.right} of {answers} right ({numbers.percent(self.share)})"

    @property
    def short(self) -> str:
        """Without words: "19 of 36 (53 %)"."""
        return f"{self.right} of {self.of} ({numbers.percent(self.share)})"


def right_share(
    question: Question, one: QuestionState | Round, undecided: Sequence[str] = ()
) -> Share | None:
    """How many of a vote's answers were right, by the key that `question` holds, those left out that a
    measurement left `undecided`; None where that cannot be known: nothing is right, or hands were counted for
    parts of answers."""
    if not (question.keyed or undecided):
        return None
    if question.kind in PICKED and question.kind not in SEVERAL:
        counted = {n: count for n, count in enumerate(one.votes) if str(n + 1) not in undecided}
        whole = sum(counted.values())
        return Share(sum(counted.get(n, 0) for n in question.key), whole) if whole else None
    if one.unsaid or (question.kind in SEVERAL and voters(one, question.kind) is None):
        return None
    found = [(graded(question, undecided, each.choice, each.text), each.count) for each in said(one)]
    whole = sum(count for grade, count in found if grade is not None)
    right = sum(count for grade, count in found if grade is not None and grade.right)
    return Share(right, whole) if whole else None

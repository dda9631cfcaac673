"""A number: those of the room on an axis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from quiz.answers import quantity
from quiz.answers.scale import Scale
from quiz.answers.tolerance_as_written import number
from quiz.question import Question
from runtime.classroom.question_state import QuestionState, said
from slides.drawing.text import Line, Span
from tui.views.question import axis
from tui.views.question.answer_rows import FAINT
from tui.views.question.kinds.typed import TypedPicture
from tui.views.question.picture import Air, Asked


class NumericPicture(TypedPicture):
    """A typed number, and on its axis the numbers of the room."""

    def answers_in_words(self, question: Question) -> bool:
        return False

    def others(self, asked: Asked, revealed: QuestionState) -> list[Line]:
        return _numbers(revealed, asked.width, asked.question.axis, asked.say)

    def listed(self, asked: Asked) -> list[Line]:
        return [*super().listed(asked), *_own(asked)]

    def body(self, asked: Asked, air: Air) -> list[Line] | None:
        rows = super().body(asked, air)
        return rows if rows is None else [*rows, *_own(asked)]


def _own(asked: Asked) -> list[Line]:
    """The axis that the question has, and where on it one's own number lies, until the reveal shows all."""
    scale = asked.question.axis
    if scale is None or asked.revealed is not None:
        return []
    read = quantity.read(asked.typed[0]) if asked.typed else None
    value = quantity.converted(read, scale.unit) if read else None
    given = [value] if value is not None and scale.low <= value <= scale.high else []
    return [
        *[()] * (not given),
        *axis.strip(given, None, scale.unit, asked.width, asked=scale, say=asked.say),
    ]


def _numbers(
    revealed: QuestionState, width: int, scale: Scale | None, say: Callable[[str], str]
) -> list[Line]:
    """The numbers of the room on an axis; those of a prediction stand on that of what was measured."""
    unit = unit_of(revealed)
    given = axis.values(revealed, unit)
    before = axis.values(revealed.before[-1], unit) if revealed.before else []
    if revealed.samples or (scale is None and len(given) + len(before) < 2):
        return []
    lines = axis.strip(given, _band(revealed), unit, width, before=before, asked=scale, say=say)
    if others := sum(each.count for each in said(revealed)) - len(given):
        what = "answer is" if others == 1 else "answers are"
        words = say(f"{others} other {what} not in {unit or 'numbers'}")
        lines.append((Span(f" {words}", FAINT),))
    return lines


def unit_of(state: QuestionState) -> str:
    """The unit of the key, else the one that most have written."""
    for accepted in state.accepted:
        if (found := number(accepted)) is not None:
            return found.unit
    written: Counter[str] = Counter()
    for each in said(state):
        if each.text and (read := quantity.read(each.text[0])) and read.unit:
            written[read.unit] += each.count
    return max(written, key=lambda unit: written[unit], default="")


def _band(state: QuestionState) -> tuple[float, float] | None:
    found = [one for accepted in state.accepted if (one := number(accepted)) is not None]
    return (found[0].low, found[0].high) if found else None


PICTURE = NumericPicture()

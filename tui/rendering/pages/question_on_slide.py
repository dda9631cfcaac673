"""A question on its slide at this moment: what the class has answered, and what was measured for it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from quiz.question import Question
from runtime.classroom.question_state import QuestionState
from slides.deck import Box, Quiz
from slides.drawing.layout import layout_blocks
from slides.drawing.text import Line
from slides.problems import Problem
from tui.classroom.answering.prediction import Prediction, predicted
from tui.classroom.room import Room
from tui.deck import languages
from tui.keys.table import key_of
from tui.views.question import prediction
from tui.views.question.line_below import Told
from tui.views.question.markdown import markdown
from tui.views.question.question import question_lines

if TYPE_CHECKING:
    from slides.drawing.layout import Pictures

LARGE_FROM = 28  # rows for a question from which on what was measured is in large letters


def lines(
    room: Room, block: Quiz, width: int, rows: int, pictures: Pictures, *, letters: bool = True
) -> list[Line]:
    """The question in `width` cells and `rows` rows, 0 where it is as high as it needs to be; a box where it
    cannot be read. `letters` False where words must be found."""
    session, answering = room.session, room.answering
    parsed = answering.parsed(block)
    if not isinstance(parsed, Question):
        path = session.contents.deck.path
        boxes = tuple(
            Box(Problem(path, first.line, first.message, first.mend), raw=block.body, line=first.line)
            for first in parsed[:1]
        )
        return layout_blocks(boxes, 0, width)
    state = session.question(block.id)
    ours = session.role == "console"
    large = rows >= LARGE_FROM
    kept = prediction.LARGE_ROWS if large else prediction.MEASURED_ROWS
    counted, people = room.counted.get(block.id, (0, 0))
    # Pictures that came with the deck have no file beside it.
    file = session.contents.deck.path if session.contents.pictures is None else ""
    return question_lines(
        parsed,
        state,
        answering.picked(block.id),
        width,
        rows,
        typed=answering.typed(block.id),
        told=Told(
            hints=ours or session.may_answer,
            locks=ours,
            left_s=answering.left_s(state) if state is not None else None,
            people=room.answerers if ours else people,
            counted=None if ours else counted,
            onward=_onward(room, block, state),
            say=languages.words_of(session.contents.deck),
        ),
        measured=_measured(room, block, parsed, width, large=large),
        reserve=(kept, prediction.LEAST_ROWS) if block.directive == "predict" else (0, 0),
        everything=session.state.look.full,
        letters=letters,
        draw=partial(_markdown, file, parsed.line, pictures),
    )


def _markdown(file: str, line: int, pictures: Pictures, text: str, width: int) -> list[Line]:
    return markdown(text, width, file, line, pictures)


def _onward(room: Room, block: Quiz, state: QuestionState | None) -> tuple[str, str]:
    """The key that goes on with a locked question, and its word: a prediction is measured first."""
    plan = predicted(room.session.contents, block) if state and block.directive == "predict" else None
    if state is None or not isinstance(plan, Prediction) or plan.next(state) is None:
        return key_of("reveal"), "reveals"
    going = any(room.alive(demo.id) for demo in plan.blocks)
    return key_of("demo"), "stops" if going else "measures"


def _measured(room: Room, block: Quiz, question: Question, width: int, *, large: bool) -> list[list[Line]]:
    """What was measured for a prediction, in ways from much of it to little."""
    found = room.answering.prediction()
    if block.directive != "predict" or found is None or found[1].id != block.id:
        return []
    ours = room.session.role == "console"
    going = next((demo.id for demo in found[0].blocks if room.alive(demo.id)), "")
    say = languages.words_of(room.session.contents.deck)
    return prediction.ways(found[0], question, found[1], width, going=going, hints=ours, large=large, say=say)

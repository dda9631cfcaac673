"""What was answered so far, for the teacher's eyes: before the reveal the room is shown none of it."""

from __future__ import annotations

from collections.abc import Callable

from quiz.answers.option_labels import labels
from quiz.kinds.registry import ARRANGED
from quiz.question import Question
from runtime.classroom.question_state import QuestionState, said
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style

_BAR = 30  # cells of all votes
_MOST = 9  # rows


def votes_so_far(question: Question, state: QuestionState, words: Callable[[str], str]) -> list[Line]:
    """A row for each option, line or order that was picked: how often, and what it is, in `words`."""
    if question.kind in ARRANGED:
        found = [
            (" ".join(str(n + 1) if n >= 0 else "–" for n in each.choice), "", each.count)
            for each in said(state)
        ]
    elif question.code:
        lines = question.code.split("\n")
        found = [(str(n + 1), lines[n].strip(), count) for n, count in enumerate(state.votes) if count]
    else:
        texts = [words(option.text) for option in question.options]
        found = list(zip(labels(texts), texts, state.votes or [0] * len(texts), strict=False))
    whole = max(1, state.answered)
    rows: list[Line] = []
    for label, text, count in found[:_MOST]:
        long = round(_BAR * count / whole)
        bar = Span("█" * long + " " * (_BAR - long), Style("accent"))
        rows.append(
            (Span(f"  {label:>6} ", Style("dim")), bar, Span(f" {count:>4}  "), Span(cells.clean(text)))
        )
    return rows

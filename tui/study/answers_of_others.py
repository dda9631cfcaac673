"""Holds an export of study against the lessons that are here: no answer picks what is not there.

Of a lesson that is not here, or a question that is of another kind now, nothing is known: that is kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from quiz.question import Question
from quiz.study.merging_two_stores import Export
from slides.problems import quoted
from slides.reading.from_disk.source import DeckError
from tui.deck.contents import open_deck
from tui.study import course, question_selection
from tui.study.growing_deck import GrowingDeck


def without_impossible(export: Export) -> tuple[Export, list[str]]:
    """Return an export without answers that pick what is not there, and a line for each that was left out."""
    known: dict[str, Mapping[str, Question]] = {}
    said: list[str] = []
    lost: set[tuple[str, str]] = set()
    kept = []
    for answer in export.answers:
        if answer.lesson not in known:
            known[answer.lesson] = _questions(answer.lesson)
        question = known[answer.lesson].get(answer.question)
        why = ""
        if question is not None and question.kind == answer.kind:
            why = _not_there(question, export.from_nought(answer))
        if why:
            name = Path(answer.lesson).stem
            said.append(f"{quoted(name)}, question {quoted(answer.question)}, {quoted(answer.at)}: {why}")
            lost.add((answer.lesson, answer.question))
        else:
            kept.append(answer)
    answered = {(answer.lesson, answer.question) for answer in kept}
    cards = [
        card for card in export.cards if (key := (card.lesson, card.question)) not in lost or key in answered
    ]
    return Export(export.schema, kept, cards, export.lessons, export.rounds, export.export), said


def _questions(id: str) -> Mapping[str, Question]:
    path = course.file_of(id)
    if path is None:
        return {}
    try:
        found = question_selection.readable(GrowingDeck(open_deck(path)))
    except DeckError:
        return {}
    return {name: question for name, (_, _, question) in found.items()}


def _not_there(question: Question, choice: Sequence[int]) -> str:
    """What is wrong with a choice, counted from 0; "" where it can be picked. -1 leaves a pair open."""
    least = -1 if question.prompts else 0
    beyond = next((n for n in choice if not least <= n < question.places), None)
    if beyond is None:
        return ""
    return f"picks {beyond + 1}, and there are 1 to {question.places}"

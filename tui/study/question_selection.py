"""What a sitting asks: the questions of a lesson, or a deck made of questions that are due."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from msgspec import structs

from quiz.kinds.registry import SILENT
from quiz.question import Question, Trouble
from runtime.host import consent
from slides.deck import Deck, Demo, Quiz, Slide
from tui.classroom.answering.prediction import Prediction, predicted
from tui.deck import question_of_block
from tui.study import growing_deck
from tui.study.course import Lesson
from tui.study.growing_deck import GrowingDeck


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question block of a sitting stands for: the card, its demo, and the how-manieth time.

    `graded`: it can be right or wrong; any other is only kept. `measured` are the demos of a prediction: it
    is held against what they give.
    """

    lesson: Lesson
    question: str
    quiz: Quiz
    title: str
    demo: Demo | None
    graded: bool = True
    measured: tuple[Demo, ...] = ()
    turn: int = 1


def readable(contents: GrowingDeck) -> dict[str, tuple[int, Quiz, Question]]:
    """The questions of a deck that can be asked, by block, with the slide that each stands on."""
    found = {}
    for quiz, index in growing_deck.questions(contents):
        read = question_of_block.read(quiz)
        fits = isinstance(read, Question) and read.kind not in SILENT
        if isinstance(read, Question) and fits and not isinstance(predicted_by(contents, quiz), Trouble):
            found[quiz.id] = index, quiz, read
    return found


def predicted_by(contents: GrowingDeck, quiz: Quiz) -> Prediction | Trouble | None:
    """Return what a `predict` question measures or its mistake; None for any other question."""
    return predicted(contents, quiz) if quiz.directive == "predict" else None


def of_lesson(lesson: Lesson, contents: GrowingDeck) -> dict[str, Asked]:
    """Every question of a lesson, by its block."""
    return {id: _asked(lesson, contents, id, *found) for id, found in readable(contents).items()}


def _asked(
    lesson: Lesson, contents: GrowingDeck, id: str, index: int, quiz: Quiz, question: Question
) -> Asked:
    plan = predicted_by(contents, quiz)
    measured = plan.blocks if isinstance(plan, Prediction) else ()
    demo = measured[0] if measured else growing_deck.demo_near(contents, index, question.tags)
    graded = question.keyed or bool(measured)
    return Asked(lesson, id, quiz, contents.heads[index].title, demo, graded, measured)


class Gathered(NamedTuple):
    """A deck of questions, what their blocks stand for, and in which deck each demo of theirs stands."""

    book: GrowingDeck
    asked: dict[str, Asked]
    decks: dict[str, Path]


def of_round(name: str, chosen: Sequence[Asked]) -> Gathered:
    """Questions from anywhere, a slide each. Two lessons may give a block the same name: here the second
    has the number of its question."""
    found: dict[str, Asked] = {}
    decks: dict[str, Path] = {}
    pages: list[Slide] = []
    behind: dict[str, tuple[Asked, Demo]] = {}
    for n, one in enumerate(chosen):
        quiz, demo, path = one.quiz, one.demo, one.lesson.path
        blocks = (*one.measured, *((demo,) if demo is not None else ()))
        names = {
            block.id: block.id if decks.get(block.id, path) == path else f"{block.id}~{n}" for block in blocks
        }
        decks |= dict.fromkeys(names.values(), path)
        behind |= {
            names[block.id]: (one, structs.replace(block, id=names[block.id])) for block in one.measured
        }
        if one.measured:
            quiz = structs.replace(quiz, attrs=dict(_renamed(quiz.attrs, names)))
        if demo is not None:
            demo = structs.replace(demo, id=names[demo.id])
        id = f"{one.question}~{n}"
        found[id] = replace(one, quiz=quiz, demo=demo)
        pages.append(growing_deck.page(n, id, one.title, one.lesson.title, quiz))
    # What a prediction measures stands behind, where nobody walks.
    pages += [
        growing_deck.demo_page(n, demo, one.title)
        for n, (one, demo) in enumerate(behind.values(), len(pages))
    ]
    heads = tuple(growing_deck.head_of(page) for page in pages)
    first = str(chosen[0].lesson.path)  # a host wants to know where a deck stands
    return Gathered(GrowingDeck(Deck(first, name, "Due today", heads), pages), found, decks)


def unasked(gathered: Gathered) -> dict[Path, tuple[str, ...]]:
    """The scripts of a round that nobody has agreed to yet, by the deck that each stands in."""
    scripts: dict[Path, list[str]] = {}
    behind = [demo for n in range(len(gathered.book)) for demo in gathered.book.demos(n)]
    for demo in (*(one.demo for one in gathered.asked.values()), *behind):
        if demo is not None and (deck := gathered.decks.get(demo.id)) is not None:
            scripts.setdefault(deck, []).append(consent.runnable(demo.name, demo.params, deck))
    missing = {deck: consent.missing(deck, blocks) for deck, blocks in scripts.items()}
    return {deck: blocks for deck, blocks in missing.items() if blocks}


def _renamed(attrs: dict[str, str], names: dict[str, str]) -> Iterator[tuple[str, str]]:
    """A prediction about blocks that are called otherwise here."""
    for key, value in attrs.items():
        if key == "metric":
            block, _, figure = value.partition(".")
            yield key, f"{names.get(block, block)}.{figure}"
        else:
            yield key, names.get(value, value) if key == "over" else value

"""The question of a block of a deck: read, or what is wrong with it, and as an audience may have it."""

from __future__ import annotations

from msgspec import structs

from quiz.formats import native
from quiz.parse import parse_question
from quiz.question import Question, Trouble
from quiz.shuffle import arranged
from quiz.shuffle import keyless as keyless_question
from slides.deck import Demo, Quiz
from slides.problems import quoted
from tui.deck.contents import Contents


def read(block: Quiz, *, redacted: bool = False) -> Question | tuple[Trouble, ...]:
    """The question of a block as its deck has it, or what is wrong with it.

    A poll has no key, and a prediction of something measured need not have one: that may be it. `redacted`:
    nobody here is to have a key.
    """
    kind = block.kind or ("poll" if block.directive == "poll" else "")
    arguments = block.id, kind, block.attrs, block.body, block.body_line
    found = parse_question(*arguments, redacted=redacted)
    measured = block.directive == "predict" and "metric" in block.attrs
    if measured and not redacted and not isinstance(found, Question):
        unkeyed = parse_question(*arguments, redacted=True)
        return unkeyed if isinstance(unkeyed, Question) else found
    return found


def twin(contents: Contents, block: Quiz) -> Trouble | None:
    """What is wrong with a question whose id another block above has: their answers would be one's."""
    for head in contents.heads:
        if head.line > block.line:
            break
        if f"#{block.id}" in head.raw:
            others: tuple[Demo | Quiz, ...] = (*contents.demos(head.index), *contents.quizzes(head.index))
            for other in others:
                if other.id == block.id and other.line < block.line:
                    message = f"the block id {quoted(block.id)} is also used on line {other.line}"
                    return Trouble(block.line, message, "Give one of them another id.")
    return None


def question(block: Quiz) -> Question | None:
    """The question of a block; None: it cannot be read."""
    found = read(block)
    return found if isinstance(found, Question) else None


class Withheld:
    """The questions of a deck as an audience may have them, in the arrangement of a class."""

    def __init__(self, contents: Contents, seed: str) -> None:
        self._contents, self._seed = contents, seed
        self._told: dict[tuple[int, str], int] = {}

    def body(self, slide: int, body: str) -> tuple[str, list[str]] | None:
        """(kind, lines) of the next question of a slide with this text, None where it cannot be read."""
        alike = [quiz for quiz in self._contents.quizzes(slide) if quiz.body == body]
        nth = self._told.get((slide, body), 0)
        self._told[slide, body] = nth + 1
        found = question(alike[nth]) if nth < len(alike) else None
        if found is not None and twin(self._contents, alike[nth]):
            return None
        if found is None:
            return None
        bare = structs.replace(keyless_question(arranged(found, self._seed)), hints=())
        return bare.kind, native.body(bare).split("\n")

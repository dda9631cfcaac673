"""A line that somebody typed -> the answer it means, or what to type instead.

single, truefalse, poll    2, b or its text            line       12
multi                      1,3 or 1 3 or ac            order      3 1 2, every item once
match                      b a c, or 1b 2a 3c          cloze      16 GB; ring  (gaps by `;`)
order and match also take the texts themselves, with `;` between them
numeric                    16.6 GB                     text       anything

Options are called by what `quiz.answers.option_labels` gives them, so that no label can be taken for a text:
where one of them is a number they have letters, and `3` is the one that reads 3.
"""

from __future__ import annotations

from collections.abc import Sequence

from quiz.kinds.kind import Reply, of
from quiz.question import Question

__all__ = ["Reply", "as_typed", "how_to_answer", "labels_of", "read_reply"]


def read_reply(question: Question, typed: str) -> Reply | str:
    """The answer in `typed`, or one line that says what is expected. An empty line is none: `Reply()`."""
    typed = typed.strip()
    return of(question.kind).reply(question, typed) if typed else Reply()


def labels_of(question: Question) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the prompts and the options of a question are called in lines. Prompts that are numbers have no
    labels, and are answered in their order."""
    kind = of(question.kind)
    return kind.prompt_labels(question), kind.labels(question)


def as_typed(question: Question, choice: Sequence[int]) -> str:
    """Return a choice (0-based) as it would be typed: `1,3`, and `1b 2a` for pairs."""
    return of(question.kind).as_typed(question, choice)


def how_to_answer(question: Question) -> str:
    """Describe a line that answers, with an example; "" for free text."""
    return of(question.kind).how(question)

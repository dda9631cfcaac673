"""What every format is read into: the questions that are whole, and every trouble of the others."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from quiz.question import Question, Trouble


class Bank(NamedTuple):
    """Questions in order of the file, troubles in order of line."""

    questions: tuple[Question, ...]
    troubles: tuple[Trouble, ...]


def named(questions: Iterable[Question]) -> tuple[Question, ...]:
    """The questions with an id each: their own, or made of title or stem; the second of a name gets a number.

    Ids are what answers are remembered by, so the same file always gives the same ones.
    """
    taken: set[str] = set()
    found = []
    for question in questions:
        base = slug(question.id or question.title or question.stem) or "question"
        id, n = base, 1
        while id in taken:
            n += 1
            id = f"{base}-{n}"
        taken.add(id)
        found.append(replace(question, id=id))
    return tuple(found)


def slug(text: str) -> str:
    """At most 48 letters, digits and hyphens of `text`."""
    return "-".join(re.findall(r"\w+", text.casefold()))[:48].strip("-")

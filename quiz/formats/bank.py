"""What every format is read into: the questions that are whole, and every trouble of the others."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from quiz.question import Option, Question, Trouble


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
        base = question.id or slug(question.title or question.stem) or "question"
        id, n = base, 1
        while id in taken:
            n += 1
            id = f"{base}-{n}"
        taken.add(id)
        found.append(replace(question, id=id))
    return tuple(found)


def shared(options: tuple[Option, ...]) -> tuple[Option, ...]:
    """The options of a multiple choice whose shares a file says: an option without one earns nothing.

    Where they are just what our own rule gives (equal shares, as much lost by a wrong one) none is kept.
    """
    right = sum(option.right for option in options)
    weights = [option.weight or 0.0 for option in options]
    rule = [(1 if option.right else -1) / right for option in options] if right else []
    same = all(abs(have - want) < 1e-4 for have, want in zip(weights, rule, strict=False))
    return tuple(replace(o, weight=None if same else w) for o, w in zip(options, weights, strict=True))


def slug(text: str) -> str:
    """At most 48 letters, digits and hyphens of `text`."""
    return "-".join(re.findall(r"[^\W_]+", text.casefold()))[:48].strip("-")

"""What every format is read into: the questions that are whole, and every trouble of the others."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from msgspec.structs import replace

from quiz.question import Option, Question, Trouble

MOST_OF_A_NAME = 512  # characters of a text that its id is made of
_WORDS = re.compile(r"[^\W_]+").findall


class Bank(NamedTuple):
    """Questions in order of the file, troubles in order of line. `notes` tell what of a question that was
    read had to be left out."""

    questions: tuple[Question, ...]
    troubles: tuple[Trouble, ...]
    notes: tuple[Trouble, ...] = ()


class Names:
    """Gives each question of a file an id: its own, or made of title or stem; a second one gets a number.

    Ids are what answers are remembered by, so the same file always gives the same ones.
    """

    def __init__(self) -> None:
        self._next: dict[str, int] = {}
        self._taken: set[str] = set()

    def take(self, own: str, text: str) -> str:
        id = base = own or slug(text) or "question"
        if id in self._taken:
            n = self._next.get(base, 1)
            while id in self._taken:
                n += 1
                id = f"{base}-{n}"
            self._next[base] = n
        self._taken.add(id)
        return id


def named(questions: Iterable[Question]) -> tuple[Question, ...]:
    """The questions with an id each."""
    names = Names()
    return tuple(replace(q, id=names.take(q.id, q.title or q.stem)) for q in questions)


def shared(options: tuple[Option, ...]) -> tuple[Option, ...]:
    """The options of a multiple choice whose shares a file says: an option without one earns nothing.

    Where they are just what our own rule gives (equal shares, as much lost by a wrong one) none is kept.
    """
    rule = 1 / max(1, sum(option.right for option in options))
    if all(abs((o.weight or 0.0) - (rule if o.right else -rule)) < 1e-4 for o in options):
        return tuple(replace(option, weight=None) for option in options)
    return tuple(replace(o, weight=0.0) if o.weight is None else o for o in options)


def slug(text: str) -> str:
    """At most 48 letters, digits and hyphens of `text`, of which only the beginning is looked at."""
    return "-".join(_WORDS(text[:MOST_OF_A_NAME].casefold()))[:48].strip("-")

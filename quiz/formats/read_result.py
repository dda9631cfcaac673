"""The result of every reader: the valid questions, and every problem of the others."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from html import unescape
from typing import NamedTuple

from msgspec.structs import replace

from quiz.question import Option, Question, Trouble

# The shares that Moodle's editor knows, in per cent (question/engine's grade options); others it refuses.
FRACTIONS = (
    100.0, 90.0, 83.33333, 80.0, 75.0, 70.0, 66.66667, 60.0, 50.0, 40.0, 33.33333, 30.0, 25.0, 20.0, 16.66667,
    14.28571, 12.5, 11.11111, 10.0, 5.0, 0.0,
)  # fmt: skip
_SHARES = {None, *(round(sign * share / 100, 7) for share in FRACTIONS for sign in (1, -1))}
LEGAL_WITHIN = 1.001e-3  # per cent, as Moodle compares them
MOST = 200_000  # questions of a file; what has more is no teacher's, and would fill the memory
MOST_OF_A_NAME = 512  # characters of a text that its id is made of
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,400}>")
_WORDS = re.compile(r"[^\W_]+").findall
_ASCII = bytes(ord(sign.lower()) if (sign := chr(n)).isalnum() else 32 for n in range(128)) + bytes(128)


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
        self.twice: dict[str, str] = {}  # what is told of an id that had to change, by the new one
        self._next: dict[str, int] = {}
        self._taken: set[str] = set()

    def take(self, own: str, text: str) -> str:
        """Return an id that is free, made of `own` or of the text; a second use of `own` goes to `twice`."""
        id = base = own or slug(text) or "question"
        if id in self._taken:
            n = self._next.get(base, 1)
            while id in self._taken:
                n += 1
                id = f"{base}-{n}"
            self._next[base] = n
            if own:
                self.twice[id] = f"the id {own[:40]!r} is used above: here it is {id[:44]!r}"
        self._taken.add(id)
        return id

    def notes(self, questions: Iterable[Question]) -> list[Trouble]:
        """Return notes on ids that had to change, among `questions`."""
        if not self.twice:
            return []
        mend = "Give it another, or answers of one count for the other"
        return [Trouble(q.line, self.twice[q.id], mend, 1) for q in questions if q.id in self.twice]


def beyond(line: int) -> Trouble:
    """Return the problem of a file with more questions than are read."""
    return Trouble(line, f"more than {MOST:,} questions: from here on nothing is read", "Split the file", 1)


def named(questions: Iterable[Question], troubles: Iterable[Trouble], notes: Iterable[Trouble] = ()) -> Bank:
    """Return the bank with an id for each question; problems and notes in order of the file."""
    names = Names()
    found = tuple(
        replace(q, id=names.take(q.id, q.title or (words(q.stem) if q.markup == "html" else q.stem)))
        for q in questions
    )
    told = [*notes, *names.notes(found)]
    return Bank(found, _sorted(troubles), _sorted(told))


def words(html: str) -> str:
    """The words of a text in HTML, with one blank between them."""
    return " ".join(unescape(_TAG.sub(" ", html)).split())


def _sorted(troubles: Iterable[Trouble]) -> tuple[Trouble, ...]:
    return tuple(sorted(troubles, key=lambda trouble: (trouble.line, trouble.column)))


def shared(options: tuple[Option, ...]) -> tuple[Option, ...]:
    """The options of a multiple choice whose shares a file says: an option without one earns nothing.

    Where they are just what our own rule gives (equal shares, as much lost by a wrong one) none is kept.
    """
    rights = 0
    for option in options:
        rights += option.right
    rule = 1 / max(1, rights)
    for option in options:
        if abs((option.weight or 0.0) - (rule if option.right else -rule)) >= 1e-4:
            return tuple([replace(o, weight=0.0) if o.weight is None else o for o in options])
    return tuple([Option(o.text, o.right, o.explain) for o in options])


@lru_cache(256)  # a file has few
def legal(percent: float) -> float:
    """Return the share nearest to `percent` that Moodle knows."""
    near = min(FRACTIONS, key=lambda share: abs(share - abs(percent)))
    return near if percent > 0 else 0.0 - near


def doubts(question: Question) -> list[tuple[str, str]]:
    """What Moodle would not take, or warn of, in the shares of a whole question, and what to write."""
    shares = [option.weight for option in question.options] or [answer.weight for answer in question.accepted]
    told = []
    for share in dict.fromkeys(shares) if not _SHARES.issuperset(shares) else ():
        percent = round(100 * (share or 0.0), 5)
        if abs((near := legal(percent)) - percent) > LEGAL_WITHIN:
            told.append((f"Moodle refuses a share of {percent:g} %", f"Write {near:.7g}"))
    if question.kind == "multi":
        earned = sum([option.weight or 0.0 for option in question.options if option.right])
        if earned and abs(earned - 1) > 0.01:
            what = f"the right answers come to {100 * earned:.4g} %: Moodle warns"
            told.append((what, "Let them come to 100"))
    return told


def slug(text: str) -> str:
    """At most 48 letters, digits and hyphens of `text`, of which only the beginning is looked at."""
    beginning = text[:64]  # mostly enough
    if beginning.isascii():
        made = b"-".join(beginning.encode().translate(_ASCII).split()).decode()
        if len(text) <= 48:
            return made
        if len(made) > 48:
            return made[:48].strip("-")
    return "-".join(_WORDS(text[:MOST_OF_A_NAME].casefold()))[:48].strip("-")

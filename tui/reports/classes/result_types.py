"""What is told of how a class answered: questions, votes, people. Made by `results_from_journal`."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from quiz.kinds.registry import SEVERAL


@dataclass(frozen=True, slots=True)
class Given:
    """One answer: whose (by the first screen of that name), in which round (1-based), what, and how long
    after the round was opened.

    `points` of `out_of`; None where nothing is right or wrong. `seconds` None: the journal does not say.
    """

    screen: str
    question: str
    round: int
    words: str
    points: float | None
    out_of: float
    right: bool | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Said:
    """An option, or an answer that was given: how often in each round, `hands` of them by hand. `right` None:
    nothing is."""

    text: str
    right: bool | None
    votes: tuple[int, ...]
    hands: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Vote:
    """A round: how many answered, hands among them, and the shares of them that were right and of the
    points they earned; None where that cannot be known."""

    answered: int
    hands: int
    right: float | None
    facility: float | None


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """`facility` is that of the last round that anybody answered; `median_s` seconds to its answers; `key` in
    words. `parts` are what the numbers and letters of an answer stand for, where it is made of such. Stem,
    parts and options are Markdown. `measured`: of a prediction what each block's runs gave, in base units."""

    question: str
    kind: str
    stem: str
    points: float
    key: str
    said: tuple[Said, ...]
    rounds: tuple[Vote, ...]
    given: tuple[Given, ...]
    facility: float | None
    gain: float | None
    discrimination: float | None
    median_s: float | None
    parts: tuple[str, ...] = ()
    measured: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict)

    @property
    def counts(self) -> int:
        """The round that counts (1-based): the last that anybody answered."""
        return counting(self.rounds)

    @property
    def answered(self) -> int:
        """How many answered in the round that counts."""
        return self.rounds[self.counts - 1].answered

    def shares(self, said: Said) -> tuple[float | None, ...]:
        """Of each round the share of those who answered that said this; None where nobody did, or where hands
        were counted for several picks of one answer."""
        parts = self.kind in SEVERAL
        return tuple(
            count / vote.answered if vote.answered and not (parts and vote.hands) else None
            for count, vote in zip(said.votes, self.rounds, strict=True)
        )


@dataclass(frozen=True, slots=True)
class PersonResult:
    """`name` is the one chosen, "" for none. A name is one person, on whatever screens; without one every
    screen is a person of its own: nothing tells whose it was before. `out_of`: the points of every question
    of the class that is graded, answered or not."""

    screen: str
    name: str
    console: bool
    answered: int
    points: float
    out_of: float


@dataclass(frozen=True, slots=True)
class Change:
    """A question whose key is another now: in words, and what that does to its facility and to people."""

    question: str
    was: str
    now: str
    facility_was: float | None
    facility_now: float | None
    changed: int


@dataclass(frozen=True, slots=True)
class Results:
    """`began` is wall-clock seconds. Questions in the order they were asked, people in that of their first
    answer."""

    class_id: str
    title: str
    began: float
    questions: tuple[QuestionResult, ...]
    people: tuple[PersonResult, ...]

    @property
    def facility(self) -> float | None:
        """Mean facility over the questions that have one, None if none has."""
        return _mean(q.facility for q in self.questions)


def counting(votes: Sequence[Vote]) -> int:
    """The round that counts (1-based): the last that anybody answered."""
    return max((n for n, vote in enumerate(votes, 1) if vote.answered), default=len(votes))


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if known else None

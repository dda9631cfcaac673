"""Hands raised for what a side of a duel should choose: the teacher counts, and the most of them decide."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from tui.classroom import turned_estimate
from tui.classroom.session import Session


class Ballot(NamedTuple):
    """What is voted on, such as `a.tp`, in words, and the values with which that side's layout can be."""

    key: str
    title: str
    values: tuple[Any, ...]

    @property
    def asks(self) -> str:
        """What to write."""
        listed = ", ".join(map(str, self.values))
        return f"hands for {self.title}: one count for each of {listed}, with spaces between"


class Vote(NamedTuple):
    """What a side takes, by how many hands of all; the words of the duel with it."""

    ballot: Ballot
    value: Any
    hands: int
    of: int
    words: tuple[str, ...]

    @property
    def said(self) -> str:
        """The outcome in a sentence."""
        return f"{self.ballot.title}: {self.value}, by {self.hands} of {self.of} hands"


def ballot(session: Session, key: str = "") -> Ballot | None:
    """The vote on `key`, else on what keys turn, else on what they would first; None: no duel."""
    from runtime.estimate import duel
    from runtime.estimate.request import Refused

    block = turned_estimate.here(session)
    if block is None or not block.duel:
        return None
    words = turned_estimate.as_turned(session, block)[0].words
    try:
        every = {f"{side}.{slider.key}": (side, slider) for side, slider in duel.sliders(duel.terms(words))}
        asked = key or session.state.look.slider
        found = asked if asked in every else next(iter(every))
        side, slider = every[found]
        values = duel.values(words, side, slider)
    except Refused:
        return None
    return Ballot(found, f"side {side.upper()}, {slider.title}", values)


def counted(session: Session, text: str) -> Vote | str:
    """The outcome of counts such as `3 11 4`, or `a.tp 3 11 4`; else what to write."""
    first, _, rest = text.strip().partition(" ")
    key = first.lower() if re.fullmatch(r"[A-Za-z]\.[a-z]+", first) else ""
    asked = ballot(session, key)
    block = turned_estimate.here(session)
    if asked is None or block is None:
        return "no question or duel here to count hands for"
    if key and key != asked.key:
        known = " ".join(turned_estimate.sliders(session, block))
        return f"{key} is not a choice of a side: {known}"
    words = re.split(r"[\s,;/]+", (rest if key else text).strip())
    if len(words) != len(asked.values) or not all(re.fullmatch(r"[0-9]{1,4}", word) for word in words):
        return asked.asks
    counts = [int(word) for word in words]
    most = max(counts)
    if not most:
        return "nobody raised a hand: write at least one"
    best = [value for value, count in zip(asked.values, counts, strict=True) if count == most]
    if len(best) > 1:
        level = " and ".join(map(str, best))
        return f"{level} have {most} hands each: let them vote again between these"
    found = turned_estimate.chosen(session, block, (f"{asked.key}={best[0]}",))
    return Vote(asked, best[0], most, sum(counts), found)

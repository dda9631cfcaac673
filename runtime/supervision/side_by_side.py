"""What runs of one class share when several go on at once: each is slower for it, and has to say so."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol

from runtime.launch.device import Placement, cores

_CROWD = re.compile(r"\d+ ranks on \d+ cores?")


class Beside(Protocol):
    """A run, as far as it stands beside others."""

    placement: Placement
    beside: tuple[int, int]
    was_beside: bool

    @property
    def world(self) -> int:
        """Number of its ranks."""


def note(living: Iterable[Beside]) -> None:
    """Tell each run that goes on how many ranks there are on the CPU by now, and of how many demos."""
    runs = list(living)
    ranks = sum(run.world for run in runs if run.placement.device != "cuda")
    for run in runs:
        run.beside = (ranks, len(runs))
        run.was_beside = run.was_beside or len(runs) > 1


def told(bent: tuple[str, ...], beside: tuple[int, int], was_beside: bool) -> tuple[str, ...]:
    """What was bent of a run, true for all that runs: `8 ranks on 2 cores, 2 demos`.

    A run that was not alone keeps that in what it says: its figures come from both times.
    """
    ranks, demos = beside
    if demos < 2:
        return (*bent, "another demo ran beside it for a while") if was_beside else bent
    here = cores()
    words = [f"{ranks} ranks on {here} core{'s' * (here > 1)}"] if ranks > here else []
    alone = tuple(word for word in bent if not _CROWD.fullmatch(word))
    return (", ".join([*words, f"{demos} demos"]), *alone)

"""Notes runs of one class that go on at the same time: each is slower for it, and its badge says so."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from runtime.launch.device_choice import cores
from runtime.protocol import ranks_on_cores


class Beside(Protocol):
    """What this needs of a run."""

    beside: tuple[int, int]
    was_beside: bool

    @property
    def ranks_on_cores(self) -> int:
        """Number of its ranks that compute on cores of this machine."""


def note(living: Iterable[Beside]) -> None:
    """Tell each living run how many ranks are on the cores here now, and of how many demos."""
    runs = list(living)
    ranks = sum(run.ranks_on_cores for run in runs)
    for run in runs:
        run.beside = (ranks, len(runs))
        run.was_beside = run.was_beside or len(runs) > 1


def told(bent: tuple[str, ...], beside: tuple[int, int], was_beside: bool) -> tuple[str, ...]:
    """Return the notes beside a badge, with the other runs counted in: `8 ranks on 2 cores, 2 demos`.

    A run that was not alone keeps a note of it: its figures come from both times.
    """
    ranks, demos = beside
    if demos < 2:
        return (*bent, "another demo ran beside it for a while") if was_beside else bent
    words = [ranks_on_cores.note(ranks, cores()), f"{demos} demos"]
    own = ranks_on_cores.found(bent)
    return (", ".join(filter(None, words)), *(word for word in bent if word != own))

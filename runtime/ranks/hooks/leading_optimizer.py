"""Chooses the optimizer that leads: a step of it is a step of the run.

Of several that step in turn (GANs) the last of a turn leads, so that a step holds one turn; which one that is
is known when the first steps again. If they do not step in turn the first one leads, and what others do
belongs to its step. An optimizer that steps once the leader has led begins another training, if it was made
since then: scripts train one thing after the other. Of optimizers made before, one may take more steps than
another (GANs), so only time tells: once the newcomer has made `ALONE` steps without one of the leader, the
leader is done.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakSet

ALONE = 3


class LeadingOptimizer:
    """`nth` numbers the trainings of the script from 0. Optimizers are compared by identity only."""

    def __init__(self) -> None:
        self.nth = 0
        self.leader: Any = None
        self._led = 0  # steps of it
        self._first: Any = None  # that has stepped; None: it is known whether there are turns
        self._last: Any = None  # that stepped after it
        self._turns: Any = None  # who led before the last of a turn did, and has stepped again since then
        self._again = 0
        self._made_late: WeakSet[Any] = WeakSet()
        self._stepped: WeakSet[Any] = WeakSet()
        self._newcomer: Any = None
        self._alone = 0  # steps of the newcomer since the leader's last

    @property
    def begun(self) -> bool:
        """Whether any step of the run was made."""
        return self._led > 0

    def made(self, optimizer: Any) -> None:
        """Note that an optimizer was made."""
        if self.begun:
            self._made_late.add(optimizer)

    def steps(self, optimizer: Any) -> str:
        """Return the part of an optimizer about to step: it "leads", it "joins" the leader's step, it
        "follows" a leader that is done, or it is not known yet which of these two ("waits")."""
        came = optimizer not in self._stepped
        self._stepped.add(optimizer)
        if self.leader is None:
            self.leader = self._first = optimizer
        self._in_turn(optimizer)
        if optimizer is self.leader:
            return "leads"
        if came and self._led > 1:
            self._newcomer, self._alone = optimizer, 0
        if optimizer is not self._newcomer:
            return "joins"
        self._alone += 1
        if optimizer not in self._made_late and self._alone < ALONE:
            return "waits"
        self.nth += not _parameters(optimizer) & _parameters(self.leader)
        self.leader, self._led, self._newcomer = optimizer, 0, None
        self._first, self._last, self._turns = optimizer, None, None
        return "follows"

    def _in_turn(self, optimizer: Any) -> None:
        if self._first is None:
            self._again += optimizer is self._turns
            if self._turns is not None and self._again > 1:  # twice, and not the last of the turn
                self.leader, self._turns = self._turns, None
        elif optimizer is not self._first:
            self._last = optimizer
        elif self.begun:
            if self._last is not None:
                self.leader, self._turns, self._again = self._last, self._first, 1
            self._first = self._last = None

    def has_led(self) -> None:
        """Note that the leader's step is over."""
        self._led += 1
        self._alone = self._again = 0


def _parameters(optimizer: Any) -> set[int]:
    return {id(parameter) for group in optimizer.param_groups for parameter in group["params"]}

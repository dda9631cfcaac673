"""Holds a run between two steps and lets it go on: the host's half, so that all ranks stop alike.

The rank's half, and why no rank is left waiting in a collective, is in `runtime.ranks.rank_orders`.
"""

from __future__ import annotations

from typing import Any

from runtime.protocol.events import Beat
from runtime.protocol.figures import Steering


class StepGate:
    """How far a run may go, and how fast. `order` is for all its ranks, whenever it has changed."""

    def __init__(self) -> None:
        self._hold = 0  # the number of the newest hold
        self._until: int | None = None  # the last step that may begin; None: any
        self._pace_s = 0.0
        self._begun = -1  # the newest step of any rank, as far as we have heard

    @property
    def figures(self) -> Steering:
        """What a snapshot shows of the hold."""
        return Steering(self._until, self._pace_s)

    @property
    def until(self) -> int | None:
        """The last step that ranks may begin; None: they are not held."""
        return self._until

    @property
    def pace_s(self) -> float:
        """The least time of a step in seconds; 0: as fast as it goes."""
        return self._pace_s

    @property
    def bent(self) -> tuple[str, ...]:
        """What a badge says about it."""
        return (f"paced to {self._pace_s:g} s a step",) if self._pace_s > 0 else ()

    @property
    def order(self) -> dict[str, Any]:
        """The whole order, also for a rank that connects later."""
        hold, until = (0, -1) if self._until is None else (self._hold, self._until)
        return {"do": "steer", "hold": hold, "until": until, "pace_s": self._pace_s}

    @property
    def next_step(self) -> int:
        """The first step that no rank has begun, as far as the host has heard."""
        return 1 + (self._begun if self._until is None else max(self._begun, self._until))

    def steer(self, steps: int | None, pace_s: float) -> None:
        """Hold or release the run. `steps` None: go on; 0: hold before the next step; n: after n more."""
        self._pace_s = pace_s
        if steps is None:
            self._until = None
        elif self._until is None:
            self._hold += 1
            self._until = self._begun + steps
        else:
            self._until += steps

    def heard(self, beat: Beat) -> bool:
        """Take in a sign of life; True: the rank was further than we knew when it heard of the hold, so the
        others are to be sent the new `order`."""
        self._begun = max(self._begun, beat.step)
        further = self._until is not None and beat.heard == self._hold and beat.step > self._until
        if further:
            self._until = beat.step
        return further

    def begin_again(self) -> None:
        """Start over for a new generation. A hold stays at its step: the lost steps are done again."""
        self._begun = -1

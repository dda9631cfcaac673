"""What becomes of an answer to a puzzle, whatever kind it is of."""

from __future__ import annotations

from dataclasses import dataclass, field


class Unreadable(Exception):
    """An answer's text is no answer to this puzzle; says why, and what to write."""


@dataclass(frozen=True)
class Fault:
    """What keeps an answer from counting, in words.

    `lane` and `at` are where it is in the picture: a device and a step, a stream and a place in its order.
    """

    text: str
    lane: int = -1
    at: int = -1


@dataclass(frozen=True)
class Judged:
    """`score` counts once there are no faults; None: it cannot be told yet. Less is better."""

    score: float | None
    faults: tuple[Fault, ...] = field(default=())

    @property
    def valid(self) -> bool:
        """Whether the answer keeps all rules."""
        return self.score is not None and not self.faults


NEAR = 1e-3  # of the best: figures of formulas are compared no closer


def solves(judged: Judged, best: float) -> bool:
    """Whether an answer is as good as the best known."""
    return judged.valid and judged.score is not None and judged.score <= best * (1 + NEAR)

"""Puts the newest settled step of every rank on one time axis."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from runtime.metrics.collectives.waiting_time import Entered
from runtime.metrics.steps.step_breakdown import Phase, agreed, labels, marks, phases
from runtime.protocol.events import Step
from runtime.protocol.figures import Mark

MOST_RANKS = 16  # of which a screen can show one step, and what they wrote, at once
Pieces = Callable[[int, int], Iterable[Phase]]  # of (step, rank): its forwards and backwards one by one


class Timeline:
    """Computed when first asked for: most steps are over before anybody looks."""

    def __init__(self, world: int, pieces: Pieces) -> None:
        self._world, self._pieces = world, pieces
        self.settled: Sequence[tuple[Step, list[Entered]]] = ()
        self._drawn: tuple[tuple[tuple[Mark, ...], ...], float | None] | None = ((), None)

    def settle(self, settled: Sequence[tuple[Step, list[Entered]]]) -> None:
        """Keep a step of all ranks that reported it."""
        self.settled, self._drawn = settled, None

    def newest(self) -> tuple[tuple[tuple[Mark, ...], ...], float | None]:
        """Return pieces and length of the step; `()` for a rank that did not report it."""
        if self._drawn is None:
            self._drawn = self._draw()
        return self._drawn

    def _draw(self) -> tuple[tuple[tuple[Mark, ...], ...], float | None]:
        if not self.settled or self._world > MOST_RANKS:
            return (), None
        origin = min(step.t0 for step, _ in self.settled)
        laid = [phases(step, self._pieces(step.step, step.rank)) for step, _ in self.settled]
        issued = [[one.collective for one in entered] for _, entered in self.settled]
        named = agreed([(each, labels(each, own)) for each, own in zip(issued, laid, strict=True)])
        drawn = {
            step.rank: marks(entered, origin, own, names)
            for (step, entered), own, names in zip(self.settled, laid, named, strict=True)
        }
        lanes = tuple(drawn.get(rank, ()) for rank in range(self._world))
        return lanes, max(step.t for step, _ in self.settled) - origin

"""Figures of a script's own (`probe.value`): by name, a list of numbers from each rank."""

from __future__ import annotations

from runtime.protocol.events import MAX_VALUES, Value
from runtime.protocol.figures import Named

NAMES = 16  # of one run
RANKS = 64  # whose figures a screen gets


class Values:
    """The newest value of each rank, by name."""

    def __init__(self, world: int) -> None:
        self._ranks = range(min(world, RANKS))
        self._said: dict[str, dict[int, Value]] = {}

    def add(self, value: Value) -> None:
        """Keep a value; names beyond the first `NAMES`, and ranks beyond the first `RANKS`, are left out."""
        if value.rank in self._ranks and (value.name in self._said or len(self._said) < NAMES):
            self._said.setdefault(value.name, {})[value.rank] = value

    def named(self) -> tuple[Named, ...]:
        """Return them in the order in which the names first came; `()` for a rank without one."""
        return tuple(
            Named(
                name,
                next(iter(said.values())).unit,
                max(value.step for value in said.values()),
                tuple(tuple(said[rank].values) if rank in said else () for rank in self._ranks),
                tuple(next(iter(said.values())).labels[:MAX_VALUES]),
            )
            for name, said in self._said.items()
        )

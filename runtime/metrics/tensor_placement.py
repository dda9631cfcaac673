"""Where the parts of each parameter lie, put together from what every rank has told of its own.

Tensors of one name but for its numbers (`blocks.0.up.weight`, `blocks.1.up.weight`, …), of one shape and cut
in the same way, are one row: what a screen can show of a model of many layers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from runtime.metrics.steps.ranks_on_one_time_axis import MOST_RANKS
from runtime.protocol.events import Shards
from runtime.protocol.figures import Part, PlacedTensor, Placement

MOST_ROWS = 48
_NUMBER = re.compile(r"(?<![^.])\d+(?![^.])")  # a whole word of a name
_Shape = tuple[int, ...]
_Tensor = tuple[str, _Shape]
_Parts = tuple[Part, ...]


class TensorPlacement:
    """What all ranks told last. Put together when first asked for after that."""

    def __init__(self, world: int) -> None:
        self._world = world
        self._told: dict[int, Shards] = {}
        self._placement: Placement | None = None

    def add(self, event: Shards) -> None:
        """Take what a rank has told; of more ranks than a screen can show at once nothing is kept."""
        if self._world <= MOST_RANKS:
            self._told[event.rank] = event
            self._placement = None

    def newest(self) -> Placement | None:
        """Return where all parts lie; None until every rank has told."""
        if self._placement is None and len(self._told) == self._world:
            self._placement = _placement([self._told[rank] for rank in range(self._world)])
        return self._placement


def _placement(told: Sequence[Shards]) -> Placement:
    # By name and shape: what a script has cut by hand may have another shape on every rank.
    stored: dict[_Tensor, dict[int, Sequence[int]]] = {}
    state: dict[_Tensor, dict[int, Sequence[int]]] = {}
    for rank, one in enumerate(told):
        for name, sizes, part, stepped in one.tensors:
            tensor = name, tuple(sizes)
            stored.setdefault(tensor, {})[rank] = part
            if stepped:
                state.setdefault(tensor, {})[rank] = stepped
    alike: dict[tuple[str, _Shape, bool, _Parts], list[_Tensor]] = {}
    for tensor, by_rank in stored.items():
        cut = all(by_rank.values())
        parts = _parts(by_rank) if cut else (Part((), (), tuple(by_rank)),)
        alike.setdefault((_NUMBER.sub("*", tensor[0]), tensor[1], cut, parts), []).append(tensor)
    rows: list[PlacedTensor] = []
    for (pattern, shape, cut, parts), tensors in alike.items():
        states = tuple(_parts(state.get(tensor, {})) for tensor in tensors)
        if len(set(states)) == 1:
            states = states[:1]
        name = pattern if len(tensors) > 1 else tensors[0][0]
        rows.append(PlacedTensor(name, len(tensors), shape, cut, parts, states if any(states) else ()))
    return Placement(tuple(rows[:MOST_ROWS]), max(one.more for one in told) + _tensors(rows[MOST_ROWS:]))


def _tensors(rows: Sequence[PlacedTensor]) -> int:
    return sum(row.count for row in rows)


def _parts(by_rank: dict[int, Sequence[int]]) -> _Parts:
    """The different parts in their order within the tensor, each with all its ranks; none is empty."""
    ranks: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = {}
    for rank, part in by_rank.items():
        half = len(part) // 2
        offset, size = tuple(part[:half]), tuple(part[half:])
        if all(size):
            ranks.setdefault((offset, size), []).append(rank)
    return tuple(Part(offset, size, tuple(who)) for (offset, size), who in sorted(ranks.items()))

"""The row that stands for all ranks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from runtime.protocol.figures import RankRow
from tui.figures import categories

MEAN = -1  # its rank
_newest: tuple[Sequence[RankRow] | None, RankRow] = (None, RankRow(rank=MEAN, node=0, pid=0, state=""))


def mean_row(rows: Sequence[RankRow]) -> RankRow:
    """The mean of each figure that every rank knows; as parts of a bar, means sum to the mean step."""
    global _newest
    kept, found = _newest
    if kept is not rows:  # the same ones are drawn again and again, and a thousand take milliseconds
        found = _made(rows)
        _newest = rows, found
    return found


def _made(rows: Sequence[RankRow]) -> RankRow:
    figures: dict[str, float | int | None] = {}
    for name in ("loss", "tokens_s", "step_s", *(kind.field for kind in categories.TIME)):
        figures[name] = _mean([getattr(row, name) for row in rows])
    for kind in categories.MEMORY:
        value = _mean([getattr(row, kind.field) for row in rows])
        figures[kind.field] = None if value is None else round(value)
    steps = [row.step for row in rows if row.step is not None]
    figures["step"] = min(steps) if steps and len(steps) == len(rows) else None
    return replace(RankRow(rank=MEAN, node=0, pid=0, state=_most(rows)), **figures)


def _mean(values: Sequence[float | None]) -> float | None:
    if not (count := len(values)) or None in values:
        return None
    # Shares of it are added: the sum of what a rank may say can be more than a float holds.
    return math.fsum([value / count for value in values])  # type: ignore[operator]  # none of them is None


def _most(rows: Sequence[RankRow]) -> str:
    """The state most ranks are in."""
    return max(Counter(row.state for row in rows).items(), key=lambda item: item[1])[0] if rows else ""

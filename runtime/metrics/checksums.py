"""Compares the ranks' parameters by checksum, tells the odd ones out, sums a gradient's norm."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Set

from runtime.protocol.events import Check
from runtime.protocol.figures import RankRow


class Checks:
    """The newest checksums of all ranks, by step."""

    def __init__(self, world: int, steps: int) -> None:
        """Keep at most `steps` steps."""
        self._world, self._steps = world, steps
        self._found: dict[int, dict[int, Check]] = {}

    def add(self, check: Check) -> float | None:
        """Take in a checksum; returns the norm of the whole gradient once all ranks have sent their share."""
        found = self._found.setdefault(check.step, {})
        found[check.rank] = check
        while len(self._found) > self._steps:
            del self._found[min(self._found)]
        if len(found) < self._world:
            return None
        shares = [each.share for each in found.values() if each.share is not None]
        if len(shares) == self._world:
            return math.sqrt(math.fsum(shares))
        if not check.part or shares:
            return None
        # A run recorded before there were shares: by part, each once.
        norms = {each.part: each.grad_norm for each in found.values()}
        known = [norm for norm in norms.values() if norm is not None]
        return math.hypot(*known) if len(known) == len(norms) else None

    def equal(self, living: Set[int]) -> tuple[bool | None, int | None]:
        """Whether all checksums of a part agree, at the newest step that every living rank reported.

        None: no two ranks have the same part.
        """
        found = self.of_common_step(living)
        there = [found[rank] for rank in living if found[rank].checksum] if found else []
        if not there:
            return None, None
        pairs = {(check.part, check.checksum) for check in there}
        return len(pairs) == len({part for part, _ in pairs}), there[0].step

    def of_common_step(self, living: Set[int]) -> dict[int, Check]:
        """Return by rank the checks of the newest step that every living rank has reported."""
        for step in sorted(self._found, reverse=True):
            if living and living <= self._found[step].keys():
                return self._found[step]
        return {}


def agreement(rows: Iterable[RankRow], equal: bool | None) -> dict[int, bool]:
    """rank -> whether its parameters are those of the others; absent: not known.

    Where they differ, the odd ones out are those that disagree with a strict majority at the newest step that
    most ranks have reported; without a majority nobody is right.
    """
    known = [row for row in rows if row.checksum is not None]
    if equal is None:
        return {}
    if equal:
        return {row.rank: True for row in known}
    steps = Counter(row.checksum_step for row in known)
    if not steps:
        return {}
    step = steps.most_common(1)[0][0]
    there = [row for row in known if row.checksum_step == step]
    checksum, votes = Counter(row.checksum for row in there).most_common(1)[0]
    majority = votes * 2 > len(there)
    return {row.rank: majority and row.checksum == checksum for row in there}

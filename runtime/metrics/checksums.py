"""Compares the ranks' parameters by checksum, and sums the gradient norm of a sharded model."""

from __future__ import annotations

import math
from collections.abc import Set

from runtime.protocol.events import Check


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

"""From the failure of one generation to the first step of the next: what took how long, and what was lost."""

from __future__ import annotations

from runtime.figures import Recovery
from runtime.store import RunStore


class Recovering:
    """One recovery, as far as it has come. Moments are seconds of the monotonic clock, None: not known yet.

    `failed_at` is when a rank failed by its own account or by ours who did it, `noticed_at` when we saw it,
    `ended_at` when the last process of the old generation was gone, `forked_at` when the new ones were there.
    """

    def __init__(
        self,
        generation: int,
        what: str,
        reached: int,
        failed_at: float | None,
        noticed_at: float,
        ended_at: float,
    ) -> None:
        self._generation, self._what, self._reached = generation, what, reached
        self._failed_at, self._noticed_at, self._ended_at = failed_at, noticed_at, ended_at
        self.forked_at: float | None = None
        self._final: Recovery | None = None

    def figures(self, store: RunStore) -> Recovery:
        """`store`: of the new generation. Each phase ends when the last rank has done with it."""
        if self._final is not None:
            return self._final
        moments = (
            ("detected", self._noticed_at),
            ("killed", self._ended_at),
            ("forked", self.forked_at),
            ("rendezvous", store.phases_at.get("build")),
            ("loaded", store.phases_at.get("train")),
            ("first step", store.first_step_at),
        )
        phases, before = [], self._failed_at
        for name, moment in moments:
            if moment is None:
                break
            if before is not None:
                phases.append((name, max(0.0, moment - before)))
            before = moment
        first = store.first_step
        lost = None if first is None else max(0, self._reached + 1 - first)
        return Recovery(self._generation, self._what, tuple(phases), lost)

    def close(self, store: RunStore) -> None:
        """The new generation has ended too: nothing of this one changes any more."""
        self._final = self.figures(store)

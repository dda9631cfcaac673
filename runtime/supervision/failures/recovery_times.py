"""Times a recovery, from the failure of one generation to the first step of the next, and what was lost."""

from __future__ import annotations

from msgspec.structs import replace

from runtime.metrics.store import RunStore
from runtime.protocol.figures import Failure, Recovery


def recovery(failure: Failure, store: RunStore | None, now: float = float("inf")) -> Recovery:
    """Return a recovery as known at `now`; `store` is the new generation's, None before its first event.

    Each phase ends when the last rank has done with it.
    """
    phases_at = store.phases_at if store is not None else {}
    moments = (
        ("detected", failure.noticed_at),
        ("killed", failure.ended_at),
        ("forked", failure.forked_at),
        ("rendezvous", phases_at.get("build")),
        ("loaded", phases_at.get("train")),
        ("first step", store.first_step_at if store is not None else None),
    )
    phases, before = [], failure.failed_at
    for name, moment in moments:
        if moment is None or moment > now:
            break
        if before is not None:
            phases.append((name, max(0.0, moment - before)))
        before = moment
    first = store.first_step if store is not None else None
    lost = None if first is None else max(0, failure.reached + 1 - first)
    return Recovery(failure.generation, failure.what, tuple(phases), lost)


class Recovering:
    """One recovery in progress, or over."""

    def __init__(self, failure: Failure) -> None:
        self.failure = failure
        self._final: Recovery | None = None

    def forked(self, at: float) -> None:
        """Note when the processes of the new generation were started."""
        self.failure = replace(self.failure, forked_at=at)

    def figures(self, store: RunStore) -> Recovery:
        """Return its figures; `store` is the new generation's."""
        return self._final or recovery(self.failure, store)

    def close(self, store: RunStore) -> None:
        """Freeze its figures: the new generation has ended too."""
        self._final = self.figures(store)

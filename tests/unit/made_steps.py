"""Steps as ranks report them, with known causes, and a store that has heard them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import asdict

from runtime.metrics.run_figures import figures
from runtime.metrics.store import RunStore
from runtime.protocol.events import Collective, Event, Step
from runtime.protocol.figures import RankRow
from runtime.protocol.messages import Snapshot

R, G = "run", 1
META: dict[str, Any] = {
    "block": "b", "run": R, "generation": G, "demo": "ddp", "params": {}, "state": "running", "why": "",
    "badge": "LIVE CPU", "bent": (), "backend": "gloo", "device": "cpu", "ran_s": 1.0, "budget_s": None,
    "steps": 200,
}  # fmt: skip
# A drawn step: 2 ms data, 10 forward, 30 backward, 4 optimizer, 1 other; one bucket, ready at the end of
# backward's own work, transferred in 6 ms once everybody is there.
DATA, FORWARD, OWN_BACKWARD, TRANSFER, OPTIMIZER, OTHER = 0.002, 0.010, 0.024, 0.006, 0.004, 0.001
PARTS = ("data", "compute", "hidden", "exposed", "wait", "optimizer", "other")


def ddp_step(
    step: int,
    world: int = 4,
    late: dict[int, float] | None = None,
    transfer: float = TRANSFER,
    early_bucket: float | None = None,
    loss: Callable[[int], float | None] = lambda rank: 2.0,
    tokens: int = 512,
    dropped: tuple[int, ...] = (),
) -> list[Event]:
    """What ranks report of one data-parallel step. `late[rank]`: extra seconds in its forward.

    `early_bucket`: a second bucket that every rank enters so many seconds into backward and that takes
    `transfer` too.
    """
    late = late or {}
    t0 = 100.0 + step
    ready = {r: t0 + DATA + FORWARD + late.get(r, 0.0) + OWN_BACKWARD for r in range(world)}
    end = max(ready.values()) + transfer
    events: list[Event] = []
    for r in range(world):
        seq = 2 * step if early_bucket is not None else step
        if early_bucket is not None:
            entered = {q: ready[q] - OWN_BACKWARD + early_bucket for q in range(world)}
            done = max(entered.values()) + transfer
            events.append(
                Collective(R, G, r, done, seq, "all-reduce", "0", -1, 1000, step, entered[r], done, 0.0)
            )
            seq += 1
        exposed = end - ready[r]
        if r not in dropped:
            events.append(
                Collective(R, G, r, end, seq, "all-reduce", "0", -1, 4000, step, ready[r], end, exposed)
            )
        t = end + OPTIMIZER + OTHER
        forward = FORWARD + late.get(r, 0.0)
        backward = end - (t0 + DATA + forward)
        events.append(Step(R, G, r, t, step, t0, loss(r), tokens, DATA, forward, backward, OPTIMIZER, OTHER))
    return events


def store_after(steps: int = 3, world: int = 4, **how: Any) -> RunStore:
    store = RunStore(world, now=0.0)
    for step in range(steps):
        store.ingest_all(ddp_step(step, world, **how), now=1.0)
    return store


def snap(
    store: RunStore, least: tuple[float, str] | None = None, now: float | None = 1.0, **changes: Any
) -> Snapshot:
    about = {**META, "world": store.world, "earlier": tuple(store.trainings.past), **changes}
    about["backend"] = store.backend or about["backend"]
    return Snapshot(**about, **asdict(figures(store, about["backend"], least, now)))


def total(row: RankRow) -> float:
    return sum(getattr(row, part) for part in PARTS)


def plain_step(rank: int, t0: float, t: float) -> Step:
    return Step(R, G, rank, t, 0, t0, None, 0, 0.0, 0.0, 0.0, 0.0, t - t0)

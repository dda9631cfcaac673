"""Who is slow: who was busy, not who came last, in ways of training whose collectives wait for each other."""

from __future__ import annotations

import pytest
from made_steps import (
    G,
    R,
    snap,
    total,
)

from runtime.metrics.store import RunStore
from runtime.protocol.events import Collective, Event, Step


def buckets_step(step: int, late: dict[int, float], world: int = 4, buckets: int = 7) -> list[Event]:
    """One step of DDP with `buckets`: a bucket is full every 4 ms of backward and takes 2 ms from the last
    entry on, one after the other; `late`: seconds more in a rank's forward."""
    every, takes, t0 = 0.004, 0.002, 100.0 * step
    begin = {rank: t0 + 0.010 + late.get(rank, 0.0) for rank in range(world)}  # of its backward
    done, reached = [], 0.0
    for n in range(buckets):
        reached = max(reached, max(begin.values()) + every * (n + 1)) + takes
        done.append(reached)
    events: list[Event] = []
    for rank in range(world):
        issued = [begin[rank] + every * (n + 1) for n in range(buckets)]
        for n, end in enumerate(done):  # as `runtime.ranks.hooks.collective_waits.exposure` says it
            exposed = max(0.0, end - max(issued[-1], done[n - 1] if n else 0.0))
            events.append(
                Collective(R, G, rank, end, buckets * step + n, "all-reduce", "0", -1, 8, step,
                           issued[n], end, exposed)
            )  # fmt: skip
        forward = begin[rank] - t0
        backward = done[-1] - begin[rank]
        events.append(Step(R, G, rank, done[-1], step, t0, 1.0, 64, 0.0, forward, backward, 0.0, 0.0))
    return events


def test_a_straggler_makes_the_others_wait_in_the_buckets_that_it_has_not_entered() -> None:
    """Rank 2 is 50 ms late; while it fills its buckets the others stand, and would not without it."""
    even, slow = RunStore(4, now=0.0), RunStore(4, now=0.0)
    for step in range(4):
        even.ingest_all(buckets_step(step, {}), now=1.0)
        slow.ingest_all(buckets_step(step, {2: 0.050}), now=1.0)
    for before, after in zip(snap(even).rows, snap(slow).rows, strict=True):
        held_up = 0.0 if after.rank == 2 else 0.050
        assert before.wait == pytest.approx(0.0) and after.wait == pytest.approx(held_up)
        assert before.exposed == pytest.approx(after.exposed) == pytest.approx(0.002)
        assert total(after) == pytest.approx(after.step_s, abs=1e-12)
    assert (snap(slow).slowest, snap(slow).slowest_by_s) == (2, pytest.approx(0.050))


def test_who_computes_between_two_waits_stands_for_each_by_itself() -> None:
    """A shard asked for in advance: that the others have not asked for the next one yet holds up nobody."""
    store = RunStore(2, now=0.0)
    for rank, second in ((0, 0.1), (1, 0.9)):
        for seq, (issued, begin, end) in enumerate(((0.0, 0.2, 0.5), (second, 0.95, 1.0))):
            store.ingest(
                Collective(R, G, rank, end, seq, "all-gather", "0", -1, 8, 0, issued, end, end - begin)
            )
        store.ingest(Step(R, G, rank, 1.5, 0, 0.0, 1.0, 1, 0.0, 1.5, 0.0, 0.0, 0.0))
    assert [row.wait for row in snap(store).rows] == [pytest.approx(0.0)] * 2
    assert [row.exposed for row in snap(store).rows] == [pytest.approx(0.35)] * 2


def shards_step(step: int, late: dict[int, float], gathers: int = 6) -> list[Event]:
    """Four ranks that meet in `gathers` collectives a step, each after 10 ms of computing; `late` is spent
    before the third."""
    t0, moment, events = 100.0 * step, 100.0 * step, []
    for n in range(gathers):
        ready = {rank: moment + 0.010 + (late.get(rank, 0.0) if n == 2 else 0.0) for rank in range(4)}
        moment = max(ready.values()) + 0.001
        events += [
            Collective(R, G, rank, moment, gathers * step + n, "all-gather", "0", -1, 8, step,
                       ready[rank], moment, moment - ready[rank])
            for rank in range(4)
        ]  # fmt: skip
    return [
        *events,
        *(Step(R, G, r, moment, step, t0, 1.0, 1, 0.0, moment - t0, 0.0, 0.0, 0.0) for r in range(4)),
    ]


@pytest.mark.parametrize("rank", range(4))
def test_slow_is_who_was_busy_in_the_step_and_not_who_came_last_to_its_end(rank: int) -> None:
    store = RunStore(4, now=0.0)
    for step in range(6):
        store.ingest_all(shards_step(step, {rank: 0.040}), now=1.0)
    shown = snap(store)
    assert (shown.slowest, shown.slowest_by_s) == (rank, pytest.approx(0.040))
    assert [row.wait for row in shown.rows] == [
        pytest.approx(0.0 if other == rank else 0.040) for other in range(4)
    ]


def test_nobody_is_slow_whose_turn_it_only_was() -> None:
    """Each rank is late in a quarter of the steps."""
    store = RunStore(4, now=0.0)
    for step in range(16):
        store.ingest_all(shards_step(step, {step % 4: 0.040}), now=1.0)
    assert snap(store).slowest is None
    for step in range(16, 32):  # rank 1 nearly always: in one step of eight it was another
        store.ingest_all(shards_step(step, {1 if step % 8 else 3: 0.040}), now=1.0)
    assert snap(store).slowest == 1


def test_a_stage_that_is_slow_is_named() -> None:
    """Rank 0 computes 0.1 s and sends, rank 1 stands for it and computes 0.4 s: in a step of 0.6 s."""
    store = RunStore(2, now=0.0)
    for step in range(4):
        t = 100.0 * step
        store.ingest_all(
            [
                Collective(R, G, 0, t, step, "send", "0", 1, 8, step, t + 0.1, None, 0.0),
                Collective(R, G, 1, t, step, "receive", "0", 0, 8, step, t, t + 0.12, 0.12),
                Collective(R, G, 1, t, step, "send", "0", 0, 8, step, t + 0.52, None, 0.0),
                Collective(R, G, 0, t, step, "receive", "0", 1, 8, step, t + 0.1, t + 0.54, 0.44),
                *(Step(R, G, r, t + 0.6, step, t, 1.0, 1, 0.0, 0.3, 0.3, 0.0, 0.0) for r in (0, 1)),
            ],
            now=1.0,
        )
    shown = snap(store)
    assert (shown.slowest, shown.slowest_by_s) == (1, pytest.approx(0.32))
    assert [row.wait for row in shown.rows] == [pytest.approx(0.42), pytest.approx(0.1)]


def test_a_posted_receive_is_no_communication() -> None:
    """Posted at 0, sent at 0.5, taken at 0.9 without standing for it: nobody saw when it came. Where the
    receiver stood for it, its end is the sender's too."""
    store = RunStore(2, now=0.0)
    store.ingest_all(
        [
            Collective(R, G, 0, 1.0, 0, "send", "0", 1, 8, 0, 0.5, None, 0.0),
            Collective(R, G, 1, 1.0, 0, "receive", "0", 0, 8, 0, 0.0, None, 0.0),
            *(Step(R, G, r, 1.0, 0, 0.0, 1.0, 1, 0.0, 1.0, 0.0, 0.0, 0.0) for r in (0, 1)),
        ]
    )
    assert [(row.hidden, row.exposed, row.wait) for row in snap(store).rows] == [(0.0, 0.0, 0.0)] * 2
    assert snap(store).overlap is None
    store = RunStore(2, now=0.0)
    store.ingest_all(
        [
            Collective(R, G, 0, 1.0, 0, "send", "0", 1, 8, 0, 0.5, 0.95, 1e-4),  # waited for at its end only
            Collective(R, G, 1, 1.0, 0, "receive", "0", 0, 8, 0, 0.0, 0.6, 0.3),
            *(Step(R, G, r, 1.0, 0, 0.0, 1.0, 1, 0.0, 1.0, 0.0, 0.0, 0.0) for r in (0, 1)),
        ]
    )
    sender, receiver = snap(store).rows
    assert sender.hidden == pytest.approx(0.1)
    assert (receiver.hidden, receiver.exposed, receiver.wait) == (
        pytest.approx(0.0), pytest.approx(0.1), pytest.approx(0.2)
    )  # fmt: skip

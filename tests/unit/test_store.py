"""Every figure of the panel, moved by a known cause by the known amount."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from runtime import messages, values
from runtime.curves import CURVE_POINTS, HIGHEST, LOWEST, MEDIAN
from runtime.events import (
    Beat,
    Boot,
    Check,
    Collective,
    Done,
    Event,
    Fault,
    Group,
    Hello,
    Log,
    Memory,
    Step,
    Value,
)
from runtime.figures import RankRow
from runtime.messages import Snapshot
from runtime.ranked import WINDOW
from runtime.store import RunStore

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


def snap(store: RunStore, **changes: Any) -> Snapshot:
    return store.snapshot(**{**META, "now": 1.0, **changes})


def total(row: RankRow) -> float:
    return sum(getattr(row, part) for part in PARTS)


def test_the_bar_of_an_even_step() -> None:
    row = snap(store_after()).rows[0]
    step_s = DATA + FORWARD + OWN_BACKWARD + TRANSFER + OPTIMIZER + OTHER
    assert row.step_s == pytest.approx(step_s)
    assert row.data == pytest.approx(DATA)
    assert row.compute == pytest.approx(FORWARD + OWN_BACKWARD)
    assert (row.hidden, row.wait) == (pytest.approx(0.0), pytest.approx(0.0))
    assert row.exposed == pytest.approx(TRANSFER)
    assert row.optimizer == pytest.approx(OPTIMIZER)
    assert row.other == pytest.approx(OTHER)
    assert total(row) == pytest.approx(row.step_s, abs=1e-12)


def test_a_rank_slowed_50_ms_makes_the_others_wait_50_ms() -> None:
    even, slow = snap(store_after()), snap(store_after(late={2: 0.050}))
    for rank in (0, 1, 3):
        assert slow.rows[rank].wait == pytest.approx(0.050)
        assert slow.rows[rank].exposed == pytest.approx(TRANSFER)
        assert slow.rows[rank].late_s == pytest.approx(0.0)
        assert slow.rows[rank].compute == pytest.approx(even.rows[rank].compute)
    assert slow.rows[2].wait == pytest.approx(0.0)
    assert slow.rows[2].compute == pytest.approx(even.rows[2].compute + 0.050)
    assert slow.rows[2].late_s == pytest.approx(0.050)
    assert (slow.slowest, slow.slowest_by_s) == (2, pytest.approx(0.050))
    for row in slow.rows:
        assert total(row) == pytest.approx(row.step_s, abs=1e-12)


def test_a_slower_link_moves_exposed_and_nothing_else() -> None:
    fast, slow = snap(store_after()).rows[1], snap(store_after(transfer=TRANSFER + 0.030)).rows[1]
    assert slow.exposed - fast.exposed == pytest.approx(0.030)
    for part in ("data", "compute", "hidden", "wait", "optimizer", "other"):
        assert getattr(slow, part) == pytest.approx(getattr(fast, part))


def test_a_bucket_behind_backward_is_hidden() -> None:
    snapshot = snap(store_after(early_bucket=0.005))
    row = snapshot.rows[0]
    assert row.hidden == pytest.approx(TRANSFER)
    assert row.exposed == pytest.approx(TRANSFER)
    assert row.compute == pytest.approx(FORWARD + OWN_BACKWARD - TRANSFER)
    assert total(row) == pytest.approx(row.step_s, abs=1e-12)
    assert snapshot.overlap == pytest.approx(0.5)
    assert (snapshot.collectives, snapshot.collective_bytes) == (2, 5000)
    assert snapshot.collective_op == "all-reduce"
    assert snapshot.bytes_by_op == {"all-reduce": 5000}


def test_hidden_time_begins_when_the_last_rank_has_entered() -> None:
    """Rank 2 enters the early bucket 4 ms after the others: for them it was not under way before."""
    snapshot = snap(store_after(early_bucket=0.005, late={2: 0.004}))
    assert [row.hidden for row in snapshot.rows] == [pytest.approx(TRANSFER)] * 4


def test_a_lost_entry_is_a_dash_not_a_guess() -> None:
    snapshot = snap(store_after(dropped=(1,)))
    for row in snapshot.rows:
        assert (row.compute, row.hidden, row.exposed, row.wait) == (None, None, None, None)
        assert row.step_s is not None and row.data == pytest.approx(DATA)
    assert snapshot.overlap is None
    assert snapshot.slowest is None


def test_one_lost_entry_does_not_spoil_the_window() -> None:
    store = store_after(3)
    store.ingest_all(ddp_step(3, dropped=(1,)), now=1.0)
    row = snap(store).rows[0]
    assert row.exposed == pytest.approx(TRANSFER)
    assert total(row) == pytest.approx(row.step_s, abs=1e-12)


def test_means_over_the_window_sum_to_the_mean_step() -> None:
    store = RunStore(4, now=0.0)
    for step in range(WINDOW + 5):
        store.ingest_all(ddp_step(step, late={step % 4: 0.003 * step}, transfer=0.001 * (step % 7)), now=1.0)
    for row in snap(store).rows:
        assert total(row) == pytest.approx(row.step_s, abs=1e-12)


def test_the_window_forgets_the_past() -> None:
    store = store_after(WINDOW, late={2: 0.050})
    for step in range(WINDOW, 2 * WINDOW):
        store.ingest_all(ddp_step(step), now=1.0)
    assert snap(store).rows[0].wait == pytest.approx(0.0)
    assert snap(store).slowest is None


def test_lateness_is_against_the_median_of_the_others() -> None:
    rows = snap(store_after(late={0: 0.010, 1: 0.020, 2: 0.030, 3: 0.100})).rows
    assert [row.late_s for row in rows] == [pytest.approx(x) for x in (-0.020, -0.010, 0.010, 0.080)]
    rows = snap(store_after(world=3, late={0: 0.010, 1: 0.020, 2: 0.060})).rows
    assert [row.late_s for row in rows] == [pytest.approx(x) for x in (-0.030, -0.015, 0.045)]


def test_a_step_is_compared_once_every_rank_has_reported_it() -> None:
    store = RunStore(4, now=0.0)
    events = ddp_step(0, late={3: 0.020})
    store.ingest_all([e for e in events if e.rank != 3], now=1.0)
    early = snap(store)
    assert (early.rows[0].step, early.rows[0].loss) == (0, 2.0)
    assert (early.rows[0].step_s, early.rows[0].wait) == (None, None)
    store.ingest_all([e for e in events if e.rank == 3], now=1.0)
    assert snap(store).rows[0].wait == pytest.approx(0.020)


def test_a_rank_that_stops_reporting_does_not_freeze_the_others_for_ever() -> None:
    store = store_after(2)
    for step in range(2, 60):
        store.ingest_all([e for e in ddp_step(step, late={0: 0.001 * step}) if e.rank != 3], now=1.0)
    assert store.settled >= 60 - 40
    assert all(len(rank.steps) < 40 and len(rank.collectives) < 40 for rank in store.ranks)


def test_tokens_per_second_from_the_median_step() -> None:
    store = store_after(5)
    store.ingest_all(ddp_step(5, transfer=3.0), now=1.0)  # one hiccup
    row = snap(store).rows[0]
    typical = DATA + FORWARD + OWN_BACKWARD + TRANSFER + OPTIMIZER + OTHER
    assert row.tokens_s == pytest.approx(512 / typical)


def test_a_group_waits_for_its_own_members_only() -> None:
    store = RunStore(4, now=0.0)
    for rank, group in ((0, "a"), (1, "a"), (2, "b"), (3, "b")):
        store.ingest(Group(R, G, rank, 1.0, group, "", [0, 1] if group == "a" else [2, 3]))
    enter = {0: 10.0, 1: 10.5, 2: 10.0, 3: 10.1}
    for rank, group in ((0, "a"), (1, "a"), (2, "b"), (3, "b")):
        done = 10.7
        store.ingest(
            Collective(
                R, G, rank, done, 0, "all-reduce", group, -1, 8, 0, enter[rank], done, done - enter[rank]
            )
        )
        store.ingest(Step(R, G, rank, 11.0, 0, 9.0, 1.0, 1, 0.0, 0.5, 1.5, 0.0, 0.0))
    rows = snap(store).rows
    assert [row.wait for row in rows] == [pytest.approx(x) for x in (0.5, 0.0, 0.1, 0.0)]
    assert [row.exposed for row in rows] == [pytest.approx(x) for x in (0.2, 0.2, 0.6, 0.6)]


def test_a_collective_outside_forward_and_backward_is_taken_out_of_its_phase() -> None:
    """A blocking all-reduce of 0.1 s in `other`, entered 0.02 s earlier than by rank 1."""
    store = RunStore(2, now=0.0)
    for rank, enter in ((0, 10.4), (1, 10.42)):
        done = 10.5
        store.ingest(Collective(R, G, rank, done, 0, "all-reduce", "0", -1, 8, 0, enter, done, done - enter))
        store.ingest(Step(R, G, rank, 10.6, 0, 10.0, 1.0, 1, 0.0, 0.1, 0.2, 0.0, 0.3))
    first, second = snap(store).rows
    assert (first.wait, first.exposed) == (pytest.approx(0.02), pytest.approx(0.08))
    assert first.other == pytest.approx(0.3 - 0.1)
    assert second.other == pytest.approx(0.3 - 0.08)
    assert first.compute == pytest.approx(0.3)
    assert total(first) == pytest.approx(first.step_s)


def test_an_8_mb_buffer_moves_its_own_kind_of_memory() -> None:
    def memory(gathered: int) -> Memory:
        return Memory(R, G, 0, 1.0, 0, 10, 20, 30, 40, gathered, None, None, None, None)

    store = store_after()
    store.ingest(memory(0))
    before = snap(store).rows[0]
    store.ingest(memory(8 << 20))
    after = snap(store).rows[0]
    assert (before.params, before.grads, before.optimizer_bytes, before.activations) == (10, 20, 30, 40)
    assert after.gathered is not None and before.gathered is not None
    assert after.gathered - before.gathered == 8 << 20
    assert after.temporary is None
    assert snap(store).rows[1].params is None


def test_equal_is_judged_at_the_newest_step_all_ranks_reported() -> None:
    store = store_after()
    assert (snap(store).equal, snap(store).equal_step) == (None, None)
    for rank in range(4):
        store.ingest(Check(R, G, rank, 1.0, 10, "aa", 0.5))
    assert (snap(store).equal, snap(store).equal_step) == (True, 10)
    for rank in range(3):
        store.ingest(Check(R, G, rank, 1.0, 20, "bb", 0.5))
    assert snap(store).equal_step == 10
    store.ingest(Check(R, G, 3, 1.0, 20, "bc", 0.5))
    assert (snap(store).equal, snap(store).equal_step) == (False, 20)
    assert snap(store).rows[3].checksum == "bc"
    assert snap(store).rows[3].grad_norm == 0.5


def test_state_silence_drops_and_collective_count_come_from_signs_of_life() -> None:
    store = RunStore(2, now=0.0)
    store.ingest(Hello(R, G, 1, 0.0, 1, 1, 0, 2, 77, "cpu", "gloo", 0.0, 0.0, "msgpack"), now=0.5)
    store.ingest(Boot(R, G, 1, 0.4, "rendezvous"), now=0.5)
    assert snap(store, now=0.5).rows[1].state == "rendezvous"
    assert snap(store, now=0.5).rows[1].pid == 77
    store.ingest(Beat(R, G, 1, 1.0, "backward", 4, 42, 41, 3), now=1.0)
    row = snap(store, now=3.0).rows[1]
    assert (row.state, row.seq, row.drops, row.silent_s) == ("backward", 42, 3, pytest.approx(2.0))
    store.ingest(Log(R, G, 1, 2.5, "out", "hello"), now=2.5)
    assert snap(store, now=3.0).rows[1].silent_s == pytest.approx(2.0)
    assert snap(store, now=3.0).logs == ("rank 1: hello",)
    store.ingest(Done(R, G, 1, 3.0, 1, None, {}), now=3.0)
    assert (snap(store, now=9.0).rows[1].state, snap(store, now=9.0).rows[1].silent_s) == ("dead", 0.0)


def test_launch_phases_wait_for_the_last_rank() -> None:
    store = RunStore(2, now=0.0)
    for rank, at in ((0, 1.0), (1, 1.5)):
        store.ingest(Boot(R, G, rank, at, "rendezvous"))
    assert store.phases_at["rendezvous"] == 1.5


def test_the_first_fault_of_a_rank_is_kept() -> None:
    store = RunStore(2, now=0.0)
    store.ingest(Fault(R, G, 1, 1.0, "ValueError: bad", "ddp.py:7"))
    store.ingest(Fault(R, G, 1, 2.0, "consequence", ""))
    assert store.faults[1].what == "ValueError: bad"


def test_curves_are_thinned_and_keep_the_newest_point() -> None:
    store = RunStore(1, now=0.0)
    for step in range(1001):
        store.ingest(Step(R, G, 0, step + 0.1, step, step, 1.0 / (step + 1), 1, 0, 0.1, 0, 0, 0))
    (curve,) = snap(store).curves
    assert curve.steps[0] == 0 and curve.steps[-1] == 1000
    assert len(curve.steps) <= CURVE_POINTS + 1
    assert curve.losses == [1.0 / (step + 1) for step in curve.steps]


def test_many_ranks_have_three_curves() -> None:
    store = store_after(3, world=9, loss=lambda rank: float(rank))
    curves = {curve.rank: curve for curve in snap(store).curves}
    assert {rank: curve.losses[-1] for rank, curve in curves.items()} == {LOWEST: 0, MEDIAN: 4, HIGHEST: 8}


def test_the_timeline_partitions_each_step_on_one_axis() -> None:
    snapshot = snap(store_after(late={2: 0.050}, early_bucket=0.005))
    assert snapshot.timeline_s == pytest.approx(
        DATA + FORWARD + 0.050 + OWN_BACKWARD + TRANSFER + OPTIMIZER + OTHER
    )
    for lane in snapshot.timeline:
        own = [mark for mark in lane if not mark.label]
        for mark, following in pairwise(own):
            assert mark.t1 == pytest.approx(following.t0)
        assert own[0].t0 == pytest.approx(0.0)
        assert own[-1].t1 == pytest.approx(snapshot.timeline_s)
        assert [mark.label for mark in lane if mark.label] == ["b0", "b1"]
    kinds = [mark.kind for mark in snapshot.timeline[0] if not mark.label]
    assert kinds == ["data", "forward", "backward", "wait", "exposed", "optimizer", "other"]
    assert "wait" not in [mark.kind for mark in snapshot.timeline[2]]
    waits = next(mark for mark in snapshot.timeline[0] if mark.kind == "wait")
    assert waits.t1 - waits.t0 == pytest.approx(0.050)


def test_nothing_known_is_nothing_shown() -> None:
    snapshot = snap(RunStore(4, now=0.0))
    assert [row.step for row in snapshot.rows] == [None] * 4
    assert (snapshot.equal, snapshot.overlap, snapshot.slowest, snapshot.collectives) == (None,) * 4
    assert (snapshot.timeline, snapshot.curves) == ((), ())


def test_strangers_and_repeats_do_no_harm() -> None:
    store = store_after()
    for event in ddp_step(2):
        store.ingest(event)  # a batch that was sent twice
    for rank in (-1, 4, 10**6):
        store.ingest(Beat(R, G, rank, 1.0, "forward", 1, 1, 1, 0))
    assert len(snap(store).rows) == 4


@pytest.mark.parametrize(("world", "limit_ms"), [(4, 2.0), (1024, 100.0)])
def test_a_snapshot_is_cheap(world: int, limit_ms: float) -> None:
    store = store_after(WINDOW, world=world)
    took = []
    for step in range(20 if world < 100 else 2):
        began = time.process_time()
        store.ingest_all(ddp_step(WINDOW + step, world), now=1.0)
        messages.encode(snap(store))
        took.append(time.process_time() - began)
    # The best of them: a core that is shared with another process is slower, in its own time too.
    assert min(took) * 1000 < limit_ms * (2 if world > 100 else 1)


# --- transfers and a script's own figures ---------------------------------------------------------------


def transfer(rank: int, op: str, peer: int, entered: float, done: float, group: str = "0") -> Collective:
    return Collective(R, G, rank, done, 0, op, group, peer, 64, 0, entered, done, done - entered)


def plain_step(rank: int, t0: float, t: float) -> Step:
    return Step(R, G, rank, t, 0, t0, None, 0, 0.0, 0.0, 0.0, 0.0, t - t0)


def test_a_transfer_waits_for_its_other_end() -> None:
    store = RunStore(2)
    store.ingest_all([transfer(0, "send", 1, 1.0, 1.5), plain_step(0, 0.9, 1.6)])
    store.ingest_all([transfer(1, "receive", 0, 1.3, 1.5), plain_step(1, 1.2, 1.6)])
    shown = snap(store)
    assert [row.wait for row in shown.rows] == [pytest.approx(0.3), pytest.approx(0.0)]
    assert [row.exposed for row in shown.rows] == [pytest.approx(0.2), pytest.approx(0.2)]
    assert shown.rows[0].late_s is None  # nobody is late to a transfer between two


def test_the_ends_of_a_transfer_are_counted_in_their_group() -> None:
    store = RunStore(4)
    store.ingest_all([Group(R, G, rank, 0.0, "odd", "odd", [1, 3]) for rank in (1, 3)])
    store.ingest_all([transfer(1, "send", 1, 1.0, 1.5, "odd"), transfer(3, "receive", 0, 1.4, 1.5, "odd")])
    store.ingest_all([plain_step(rank, 0.9, 1.6) for rank in range(4)])
    assert [row.wait for row in snap(store).rows] == [0.0, pytest.approx(0.4), 0.0, pytest.approx(0.0)]


def test_a_transfer_whose_other_end_was_lost_is_unknown_at_its_two_ends_only() -> None:
    store = RunStore(3)
    store.ingest(transfer(0, "send", 1, 1.0, 1.5))
    store.ingest_all([plain_step(rank, 0.9, 1.6) for rank in range(3)])
    assert [row.wait for row in snap(store).rows] == [None, None, 0.0]


def test_send_and_receive_together_are_transfers() -> None:
    store = RunStore(1)
    store.ingest_all([transfer(0, "send", 0, 1.0, 1.1), transfer(0, "receive", 0, 1.0, 1.1)])
    store.ingest(plain_step(0, 0.9, 1.6))
    shown = snap(store)
    assert (shown.collectives, shown.collective_op) == (2, "transfers")


def test_a_step_without_tokens_has_no_rate() -> None:
    store = RunStore(1)
    store.ingest(plain_step(0, 0.0, 1.0))
    assert snap(store).rows[0].tokens_s is None


def test_figures_of_the_scripts_own_are_the_newest_of_each_rank() -> None:
    store = RunStore(3)
    for step, value in ((0, 1.0), (1, 2.0)):
        store.ingest(Value(R, G, 0, 1.0, "fit", "ms", step, [value, value]))
    store.ingest(Value(R, G, 2, 1.0, "fit", "ms", 0, [7.0]))
    (fit,) = snap(store).values
    assert (fit.name, fit.unit, fit.step, fit.ranks) == ("fit", "ms", 1, ((2.0, 2.0), (), (7.0,)))


def test_figures_have_bounds() -> None:
    store = RunStore(100)
    for name in range(40):
        store.ingest_all([Value(R, G, rank, 1.0, f"n{name}", "", 0, [1.0]) for rank in range(100)])
    assert len(snap(store).values) == values.NAMES
    assert all(len(named.ranks) == values.RANKS for named in snap(store).values)


def test_what_a_script_found_out_is_kept() -> None:
    store = RunStore(1)
    assert snap(store).rows[0].result is None
    store.ingest(Done(R, G, 0, 1.0, 0, None, {"equal": True}))
    assert snap(store).rows[0].result == {"equal": True}


def test_thousands_of_ranks_that_report_one_by_one_cost_no_more_each() -> None:
    world = 4096
    store = RunStore(world)
    began = time.process_time()
    for step in range(2):
        for rank in range(world):
            assert store.settled == step - 1
            store.ingest(Step(R, G, rank, step + 1.0, step, float(step), 2.0, 1, 0.0, 1.0, 0.0, 0.0, 0.0))
    assert store.settled == 1
    assert time.process_time() - began < 1.0


def test_a_rank_that_ends_holds_up_nobody() -> None:
    store = RunStore(3)
    for rank in (2, 0):
        store.ingest(Step(R, G, rank, 1.0, 0, 0.0, 2.0, 1, 0.0, 1.0, 0.0, 0.0, 0.0))
    assert store.settled == -1
    store.ingest(Done(R, G, 1, 1.5, 1, None, {}))
    assert store.settled == 0


def test_of_a_sharded_model_only_copies_of_a_part_are_compared() -> None:
    store = store_after()
    for rank in range(4):  # two rows of two: ranks 0 and 2 have the same slices, 1 and 3
        store.ingest(Check(R, G, rank, 1.0, 10, "ab"[rank % 2], 3.0 + rank % 2, str(rank % 2)))
    assert (snap(store).equal, snap(store).equal_step) == (True, 10)
    assert [row.grad_norm for row in snap(store).rows] == [5.0] * 4  # of all slices together, each once
    for rank in range(4):
        store.ingest(Check(R, G, rank, 1.0, 20, "ab"[rank % 2] + "x" * (rank == 3), 1.0, str(rank % 2)))
    assert (snap(store).equal, snap(store).equal_step) == (False, 20)


def test_parts_that_nobody_else_has_are_not_compared() -> None:
    store = store_after()
    for rank in range(3):
        store.ingest(Check(R, G, rank, 1.0, 10, "", 1.0, str(rank)))
    assert snap(store).rows[0].grad_norm is None  # a part is still missing
    store.ingest(Check(R, G, 3, 1.0, 10, "", 1.0, "3"))
    row = snap(store).rows[0]
    assert (row.checksum, row.checksum_step, row.grad_norm) == (None, None, 2.0)
    assert (snap(store).equal, snap(store).equal_step) == (None, None)


def alone(rank: int, step: int, took: float, collective: bool = False) -> list[Event]:
    """A step of a rank that waits for nobody, or (its entry comes before it) for others who are far on."""
    t = 100.0 * step
    entered = Collective(R, G, rank, t + took, step, "all-reduce", "0", -1, 8, step, t, t + took, took)
    own = Step(R, G, rank, t + took, step, t, 1.0, 64, 0.0, took, 0.0, 0.0, 0.0)
    return [entered, own] if collective else [own]


def test_a_rank_that_is_left_behind_has_no_figures_of_steps_long_ago() -> None:
    store = RunStore(2, now=0.0)
    for step in range(4):
        store.ingest_all([*alone(0, step, 0.1), *alone(1, step, 0.3)], now=1.0)
    assert snap(store).rows[1].step_s == pytest.approx(0.3)
    for step in range(4, 50):  # rank 0 goes on, alone
        store.ingest_all(alone(0, step, 0.1), now=2.0)
    first, behind = snap(store).rows
    assert first.step_s == pytest.approx(0.1)
    assert (behind.step, behind.step_s, behind.compute, behind.tokens_s, behind.late_s) == (3, *(None,) * 4)


@pytest.mark.parametrize("collective", [False, True])
def test_a_rank_that_is_left_behind_shows_the_steps_that_it_is_at(collective: bool) -> None:
    """Who communicates with nobody is measured in full; of others the wait is not known any more."""
    store = RunStore(2, now=0.0)
    for step in range(50):
        store.ingest_all(alone(0, step, 0.1), now=1.0)
    for step in range(8):
        store.ingest_all(alone(1, step, 0.5, collective), now=2.0)
    row = snap(store).rows[1]
    assert (row.step, row.step_s) == (7, pytest.approx(0.5))
    assert row.compute == (None if collective else pytest.approx(0.5))
    assert row.wait == (None if collective else pytest.approx(0.0))
    for step in range(8, 50):  # it catches up
        store.ingest_all(alone(1, step, 0.2), now=3.0)
    assert snap(store).rows[1].step_s == pytest.approx(0.2)


def test_what_few_ranks_write_is_shown_at_length() -> None:
    store = RunStore(4, now=0.0)
    store.ingest_all([Log(R, G, 0, 1.0, "out", f"line {n}") for n in range(100)], now=1.0)
    assert snap(store).tails[0][0] == "line 52" and snap(store).tails[1:] == ((), (), ())
    store.ingest_all([Log(R, G, r, 1.0, "out", f"{n}") for r in range(4) for n in range(100)], now=1.0)
    assert [len(tail) for tail in snap(store).tails] == [40] * 4


def test_collectives_are_called_alike_on_ranks_that_did_the_same() -> None:
    """Time that a rank is held up for is none of its phases, which then seem to lie earlier than they did."""

    def one(rank: int, held: float) -> list[Event]:
        back, end = 0.2 + held, 1.0 + held
        entered = [
            Collective(R, G, rank, end, n, "all-reduce", "0", -1, 8, 0, back + 0.1 * n, end, 0.0)
            for n in (0, 1)
        ]
        return [*entered, Step(R, G, rank, end, 0, 0.0, 1.0, 64, 0.0, 0.2, 0.4, 0.0, held)]

    store = RunStore(3, now=0.0)
    store.ingest_all([*one(0, 0.0), *one(1, 0.0), *one(2, 0.5)], now=1.0)
    lanes = snap(store).timeline
    assert [[mark.label for mark in lane if mark.label] for lane in lanes] == [["b0", "b1"]] * 3


def test_all_reduces_of_forward_are_no_buckets_and_transfers_say_where_to() -> None:
    def step(rank: int) -> list[Event]:
        ops = [("all-reduce", -1, 0.1), ("all-gather", -1, 0.15), ("all-reduce", -1, 0.5), ("send", 1, 0.6)]
        entered = [
            Collective(R, G, rank, 1.0, n, op, "0", peer, 8, 0, at, 1.0, 0.0)
            for n, (op, peer, at) in enumerate(ops)
        ]
        return [*entered, Step(R, G, rank, 1.0, 0, 0.0, 1.0, 64, 0.0, 0.3, 0.7, 0.0, 0.0)]

    store = RunStore(1, now=0.0)
    store.ingest_all(step(0), now=1.0)
    (lane,) = snap(store).timeline
    assert [mark.label for mark in lane if mark.label] == ["r0", "g0", "r1", "→1"]

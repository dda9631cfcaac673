"""What is known of a run besides who waits for whom: memory, checks, state, curves, figures of a script."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from made_steps import (
    DATA,
    FORWARD,
    OPTIMIZER,
    OTHER,
    OWN_BACKWARD,
    TRANSFER,
    G,
    R,
    ddp_step,
    plain_step,
    snap,
    store_after,
)

from runtime.metrics import custom_values
from runtime.metrics import store as store_module
from runtime.metrics.loss_curves import CURVE_POINTS, HIGHEST, LOWEST, MEDIAN
from runtime.metrics.rank_state import WINDOW
from runtime.metrics.store import RunStore
from runtime.protocol import messages
from runtime.protocol.events import (
    ON_PURPOSE,
    Beat,
    Boot,
    Check,
    Collective,
    Done,
    Event,
    Fault,
    Hello,
    Log,
    Memory,
    Step,
    Value,
    XRay,
)


def test_tokens_per_second_from_the_median_step() -> None:
    store = store_after(5)
    store.ingest_all(ddp_step(5, transfer=3.0), now=1.0)  # one hiccup
    row = snap(store).rows[0]
    typical = DATA + FORWARD + OWN_BACKWARD + TRANSFER + OPTIMIZER + OTHER
    assert row.tokens_s == pytest.approx(512 / typical)


def test_the_peak_is_the_allocators_else_that_of_the_step_that_was_x_rayed() -> None:
    def seen(rank: int, peak: int | None) -> XRay:
        return XRay(R, G, rank, 2.0, 5, 1.0, 2.0, peak, "", "", [])

    store = store_after()
    assert all(row.peak is None for row in snap(store).rows)  # the sum of kinds is no peak
    store.xrays.order(5)
    store.ingest(seen(0, 15_100_000))
    store.ingest(Memory(R, G, 1, 1.0, 0, 10, 20, 30, 40, 0, None, 77, None, None))
    store.ingest(seen(1, 15_200_000))
    rows = snap(store).rows
    assert (rows[0].peak, rows[1].peak) == (15_100_000, 77)
    assert rows[1].held_sum == 100


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
        store.ingest(Check(R, G, rank, 1.0, 20, "bb", 0.25))
    assert snap(store).equal_step == 10
    # A rank that is ahead does not stand beside the others with a norm of another step.
    assert [(row.grad_norm, row.checksum) for row in snap(store).rows] == [(0.5, "aa")] * 4
    store.ingest(Check(R, G, 3, 1.0, 20, "bc", 0.25))
    assert (snap(store).equal, snap(store).equal_step) == (False, 20)
    assert snap(store).rows[3].checksum == "bc"
    assert [(row.grad_norm, row.grad_norm_step) for row in snap(store).rows] == [(0.25, 20)] * 4


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


def test_what_is_done_to_a_rank_begins_a_new_window() -> None:
    store = store_after(WINDOW)
    before_s = snap(store).rows[0].step_s
    store.ingest(Fault(R, G, 2, 1.0, "slowed 9000 ms", ON_PURPOSE))
    assert snap(store).rows[2].harm == "slowed 9000 ms" and snap(store).rows[0].step_s == before_s
    for step in range(WINDOW, WINDOW + 3):
        store.ingest_all(ddp_step(step, transfer=9.0), now=1.0)
    steps = [row.step_s for row in snap(store).rows]
    assert before_s is not None and all(step_s is not None and step_s > 4 * before_s for step_s in steps)


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
    assert len(snap(store).values) == custom_values.NAMES
    assert all(len(named.ranks) == custom_values.RANKS for named in snap(store).values)


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


def test_of_a_sharded_model_only_copies_of_a_part_are_compared() -> None:
    store = store_after()
    for rank in range(4):  # two rows of two: ranks 0 and 2 have the same slices, 1 and 3
        store.ingest(Check(R, G, rank, 1.0, 10, "ab"[rank % 2], 3.0 + rank % 2, str(rank % 2)))
    assert (snap(store).equal, snap(store).equal_step) == (True, 10)
    norms = [(row.grad_norm, row.grad_norm_step) for row in snap(store).rows]
    assert norms == [(5.0, 10)] * 4  # of all slices together, each once
    store.ingest(Check(R, G, 0, 1.0, 20, "a", 1.0, "0"))
    assert snap(store).rows[0].grad_norm_step == 10  # the others' parts of step 20 are not there yet
    for rank in range(4):
        store.ingest(Check(R, G, rank, 1.0, 20, "ab"[rank % 2] + "x" * (rank == 3), 1.0, str(rank % 2)))
    assert (snap(store).equal, snap(store).equal_step) == (False, 20)


def test_parts_that_nobody_else_has_are_not_compared() -> None:
    store = store_after()
    for rank in range(3):
        store.ingest(Check(R, G, rank, 1.0, 10, "", 1.0, str(rank)))
    row = snap(store).rows[0]
    assert (row.grad_norm, row.grad_norm_step) == (None, None)  # a part is still missing
    store.ingest(Check(R, G, 3, 1.0, 10, "", 1.0, "3"))
    row = snap(store).rows[0]
    assert (row.checksum, row.checksum_step, row.grad_norm) == (None, None, 2.0)
    assert (snap(store).equal, snap(store).equal_step) == (None, None)


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


def test_a_server_counts_its_steps_otherwise_than_who_it_serves() -> None:
    """A reply is the last of a worker's step, and the first of the server's next: both know of each other."""

    def transfer(rank: int, op: str, n: int, step: int, at: float) -> Event:
        done = n + at + 0.1
        return Collective(R, G, rank, done, n, op, "0", 1 - rank, 8, step, n + at, done, 0.1)

    def step(rank: int, n: int) -> Event:
        return Step(R, G, rank, n + 1.0, n, float(n), 0.5, 0, 0.0, 0.2, 0.2, 0.0, 0.6)

    store = RunStore(2, now=0.0)
    for n in range(40):
        asked = [transfer(1, "send", n, n, 0.3), transfer(0, "receive", n, n, 0.2), step(0, n)]
        replied = [transfer(0, "send", n, n + 1, 0.6), transfer(1, "receive", n, n, 0.4), step(1, n)]
        store.ingest_all([*asked, *replied], now=float(n))
    assert [row.wait is not None for row in snap(store).rows] == [True, True]


@pytest.mark.parametrize("world", [2, 12])
def test_a_training_ends_with_the_loss_of_its_last_step_on_every_rank(world: int) -> None:
    """The first rank has begun with the next one before the others have told the end of this one."""

    def step(rank: int, n: int) -> Event:
        loss = 10.0 - n + 0.001 * rank
        return Step(R, G, rank, n + 1.0, n, float(n), loss, 0, 0.0, 0.2, 0.2, 0.0, 0.6, n // 3)

    store = RunStore(world, now=0.0)
    for rank in range(world):  # one after the other, each up to a step after the end of the first
        store.ingest_all([step(rank, n) for n in range(4)], now=1.0)
    for n in (4, 5, 6):
        store.ingest_all([step(rank, n) for rank in range(world)], now=2.0)
    shown = snap(store)
    half = 0.001 * (world - 1) / 2
    assert [(t.first_step, t.steps) for t in shown.trainings] == [(0, 3), (3, 3), (6, 1)]
    assert [t.loss for t in shown.trainings] == pytest.approx([8 + half, 5 + half, 4 + half])
    first, second = reversed(shown.earlier)
    assert first.curve.steps == [0, 1, 2] and second.curve.steps == [3, 4, 5]
    assert [curve.steps for curve in shown.curves if curve.steps] == [[6]] * (world if world <= 8 else 3)


@pytest.mark.parametrize("world", [2, 12])
def test_a_training_that_fell_apart_has_no_loss_at_its_end(world: int) -> None:
    """Not the last one before it did: its curve ends there, but it went on."""

    def step(rank: int, n: int) -> Event:
        loss = float("nan") if n % 3 == 2 else 10.0 - n
        return Step(R, G, rank, n + 1.0, n, float(n), loss, 0, 0.0, 0.2, 0.2, 0.0, 0.6, n // 3)

    store = RunStore(world, now=0.0)
    for n in range(6):
        store.ingest_all([step(rank, n) for rank in range(world)], now=float(n))
    shown = snap(store)
    assert [(t.first_step, t.steps, t.loss) for t in shown.trainings] == [(0, 3, None), (3, 3, None)]


def test_collectives_without_a_step_do_not_pile_up() -> None:
    """And where a step comes after all, nothing is told of what was forgotten."""
    store = RunStore(2, now=0.0)
    many = store_module.MOST_OF_A_STEP + 100
    for n in range(many):
        for rank in range(2):
            done = n + 0.5
            store.ingest(Collective(R, G, rank, done, n, "all-reduce", "0", -1, 8, 0, n, done, 0.1), now=1.0)
    assert max(len(pile) for rank in store.ranks for pile in rank.collectives.values()) <= 100
    for rank in range(2):
        store.ingest(Step(R, G, rank, many, 0, 0.0, 1.0, 0, 0.0, 0.2, 0.2, 0.0, 0.6), now=2.0)
    shown = snap(store)
    assert [row.wait for row in shown.rows] == [None, None] and shown.collectives is None

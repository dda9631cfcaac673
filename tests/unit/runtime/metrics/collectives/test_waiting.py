"""How ranks wait for each other, moved by a known cause by the known amount: bars, lateness, transfers."""

from __future__ import annotations

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
    total,
)

from runtime.metrics.rank_state import WINDOW
from runtime.metrics.store import RunStore
from runtime.protocol.events import Beat, Collective, Done, Event, Group, Step


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


def transfer(rank: int, op: str, peer: int, entered: float, done: float, group: str = "0") -> Collective:
    return Collective(R, G, rank, done, 0, op, group, peer, 64, 0, entered, done, done - entered)


def test_a_transfer_waits_for_its_other_end() -> None:
    store = RunStore(2)
    store.ingest_all([transfer(0, "send", 1, 1.0, 1.5), plain_step(0, 0.9, 1.6)])
    store.ingest_all([transfer(1, "receive", 0, 1.3, 1.5), plain_step(1, 1.2, 1.6)])
    shown = snap(store)
    assert [row.wait for row in shown.rows] == [pytest.approx(0.3), pytest.approx(0.0)]
    assert [row.exposed for row in shown.rows] == [pytest.approx(0.2), pytest.approx(0.2)]
    assert shown.slowest is None  # both were busy for as long


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


def test_a_rank_that_ends_holds_up_nobody() -> None:
    store = RunStore(3)
    for rank in (2, 0):
        store.ingest(Step(R, G, rank, 1.0, 0, 0.0, 2.0, 1, 0.0, 1.0, 0.0, 0.0, 0.0))
    assert store.settled == -1
    store.ingest(Done(R, G, 1, 1.5, 1, None, {}))
    assert store.settled == 0


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


def test_who_trains_alone_is_late_for_nobody() -> None:
    store = RunStore(2, now=0.0)
    for step in range(4):
        store.ingest_all([*alone(0, step, 0.1), *alone(1, step, 0.3)], now=1.0)
    assert [row.late_s for row in snap(store).rows] == [None, None]
    assert snap(store).slowest is None


def beats(rank: int, t: float, waits: int | None, entered: int, state: str = "backward") -> Beat:
    """A sign of life of a rank that has entered so many, and stands in all-reduce `waits` or in none."""
    named = "" if waits is None else f"all-reduce #{waits}"
    group = "" if waits is None else "0"
    return Beat(
        R, G, rank, t, state, 3, entered, entered, 0, waits=named, group=group, entered={"0": entered}
    )


def waits(store: RunStore, now: float) -> list[str]:
    return [row.waits for row in store.rows(now)]


def test_who_stands_in_a_collective_says_for_whom_once_it_is_long() -> None:
    store = RunStore(4, 0.0)
    for tenth in range(30):
        t = tenth / 10
        store.ingest_all([beats(rank, t, 26, 27) for rank in (0, 1, 3)], t)
        if tenth == 0:
            store.ingest(beats(2, t, None, 26, "optimizer"), t)
        if tenth == 14:
            assert waits(store, t) == ["", "", "", ""]
    assert waits(store, 2.9) == ["2", "2", "", "2"]
    store.ingest_all([beats(rank, 3.0, None, 27) for rank in range(4)], 3.0)
    assert waits(store, 3.0) == ["", "", "", ""]


def test_where_all_have_entered_it_is_who_is_silent() -> None:
    store = RunStore(3, 0.0)
    for tenth in range(30):
        heard = (0, 1, 2) if tenth < 3 else (0, 1)
        store.ingest_all([beats(rank, tenth / 10, 26, 27) for rank in heard], tenth / 10)
    assert waits(store, 2.9) == ["2", "2", ""]


def test_no_rank_waits_for_long_in_a_step_that_takes_long_itself() -> None:
    store = store_after(transfer=5.0)  # a bucket is under way while backward goes on
    for tenth in range(40):
        t = 100 + tenth / 10
        store.ingest_all([beats(rank, t, 26, 27 if rank else 26) for rank in range(1, 4)], t)
    assert waits(store, 103.9) == ["", "", "", ""]


def test_of_many_ranks_that_are_waited_for_their_number_is_said() -> None:
    store = RunStore(6, 0.0)
    for tenth in range(20):
        t = tenth / 10
        store.ingest(beats(0, t, 26, 27), t)
        store.ingest_all([beats(rank, t, None, 26) for rank in range(1, 6)], t)
    assert waits(store, 1.9) == ["5 ranks", "", "", "", "", ""]

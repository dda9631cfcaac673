"""Bandwidth of collectives: a known cause moves it by the known amount."""

from __future__ import annotations

from typing import Any

import pytest
from made_steps import G, R, snap

from runtime.metrics.collectives.bandwidth import Members, Traffic, bus_factor, calls_of, transfer_s
from runtime.metrics.collectives.waiting_time import Entered
from runtime.metrics.store import RunStore
from runtime.protocol.events import Beat, Collective, Group, Step
from runtime.protocol.figures import OpRow


def call(rank: int, entered: float, done: float | None, size: int = 8 << 20, **more: Any) -> Collective:
    fields = {"seq": 0, "op": "all-reduce", "group": "0", "peer": -1, "step": 0} | more
    return Collective(
        run=R, generation=G, rank=rank, t=done or 0.0, bytes=size, t_issue=entered, t_done=done,
        exposed=0.0, **fields,
    )  # fmt: skip


def step(rank: int, number: int = 0, t: float = 10.0) -> Step:
    return Step(R, G, rank, t, number, 0.0, 2.0, 512, 0.0, t, 0.0, 0.0, 0.0)


def world(*calls: Collective, ranks: int = 4, groups: tuple[Group, ...] = (), steps: int = 1) -> RunStore:
    store = RunStore(ranks, now=0.0)
    every = list(range(ranks))
    store.ingest_all(Group(R, G, rank, 0.0, "0", "default_pg", every) for rank in every)
    store.ingest_all(groups)
    store.ingest_all(calls)
    for number in range(steps):
        store.ingest_all(step(rank, number) for rank in every)
    assert store.settled == steps - 1
    return store


def ops(store: RunStore) -> list[OpRow]:
    return list(snap(store).ops)


@pytest.mark.parametrize(
    ("op", "n", "factor"),
    [("all-reduce", 4, 1.5), ("all-reduce", 8, 1.75), ("all-gather", 4, 0.75), ("reduce-scatter", 8, 0.875),
     ("all-to-all", 2, 0.5), ("gather", 4, 0.75), ("scatter", 4, 0.75), ("broadcast", 4, 1.0),
     ("reduce", 4, 1.0), ("send", 4, 1.0), ("all-reduce", 1, 0.0)],
)  # fmt: skip
def test_the_factors_of_nccl_tests(op: str, n: int, factor: float) -> None:
    assert bus_factor(op, n) == factor


def test_8_mib_in_10_ms_is_839_mb_a_second() -> None:
    [row] = ops(world(*(call(rank, 1.0, 1.010) for rank in range(4))))
    assert (row.op, row.group, row.members, row.calls, row.bytes) == ("all-reduce", "world", 4, 1, 8 << 20)
    assert row.seconds == pytest.approx(0.010)
    assert row.algbw == pytest.approx((8 << 20) / 0.010)
    assert row.busbw == pytest.approx(1.5 * (8 << 20) / 0.010)


def test_a_late_rank_changes_no_bandwidth() -> None:
    """Rank 2 is 50 ms late: the others wait, and the links are as fast as they were."""
    [row] = ops(world(*(call(rank, 1.0 + 0.050 * (rank == 2), 1.060) for rank in range(4))))
    assert row.seconds == pytest.approx(0.010)
    assert row.algbw == pytest.approx((8 << 20) / 0.010)


def test_twice_the_bytes_in_twice_the_time_is_the_same_bandwidth() -> None:
    [one] = ops(world(*(call(rank, 1.0, 1.010) for rank in range(4))))
    [two] = ops(world(*(call(rank, 1.0, 1.020, 16 << 20) for rank in range(4))))
    assert two.bytes == 2 * one.bytes and two.seconds == pytest.approx(2 * (one.seconds or 0))
    assert two.busbw == pytest.approx(one.busbw)


def test_what_is_under_way_together_shares_the_links() -> None:
    """Two of 8 MiB from 1.000 to 1.010 and from 1.005 to 1.015: 16 MiB in 15 ms."""
    both = [
        call(rank, *when, seq=seq)
        for rank in range(4)
        for seq, when in enumerate([(1.0, 1.010), (1.005, 1.015)])
    ]
    [row] = ops(world(*both))
    assert (row.calls, row.bytes) == (2, 16 << 20)
    assert row.seconds == pytest.approx(0.015)
    assert row.algbw == pytest.approx((16 << 20) / 0.015)


def test_a_lost_entry_or_end_costs_the_time_and_nothing_else() -> None:
    [row] = ops(world(*(call(rank, 1.0, 1.010) for rank in range(3))))
    assert (row.calls, row.bytes, row.seconds, row.algbw, row.busbw) == (1, 8 << 20, None, None, None)
    [row] = ops(world(*(call(rank, 1.0, None if rank == 3 else 1.010) for rank in range(4))))
    assert row.calls == 1 and row.seconds == pytest.approx(0.010)  # of the three that told their end
    assert row.algbw == pytest.approx((8 << 20) / 0.010)


def test_kinds_and_groups_apart_and_the_rows_of_a_mesh_together() -> None:
    rows = [Group(R, G, rank, 0.0, f"r{rank // 2}", "mesh_shard", [rank // 2 * 2, rank // 2 * 2 + 1])
            for rank in range(4)]  # fmt: skip
    pair = [Group(R, G, rank, 0.0, "p", "undefined", [1, 3]) for rank in (1, 3)]
    calls = [call(rank, 1.0, 1.010, 4000, group=f"r{rank // 2}", op="all-gather") for rank in range(4)]
    calls += [call(rank, 2.0, 2.010, 1000, group="p", op="broadcast") for rank in (1, 3)]
    calls += [call(rank, 3.0, 3.001, 0, op="barrier") for rank in range(4)]
    gather, broadcast, barrier = ops(world(*calls, groups=(*rows, *pair)))
    assert (gather.op, gather.group, gather.members, gather.bytes) == ("all-gather", "shard", 2, 4000)
    assert gather.busbw == pytest.approx(0.5 * 4000 / 0.010)
    assert (broadcast.group, broadcast.members, broadcast.bytes) == ("ranks 1,3", 2, 1000)
    assert (barrier.op, barrier.calls, barrier.bytes, barrier.algbw) == ("barrier", 1, 0, None)
    assert barrier.seconds == pytest.approx(0.001)


def test_means_are_over_all_steps_of_the_window() -> None:
    """One check in four steps is a quarter of a call; its bandwidth is its own."""
    [row] = ops(world(*(call(rank, 1.0, 1.010, 4000) for rank in range(2)), ranks=2, steps=4))
    assert (row.calls, row.bytes) == (0.25, 1000)
    assert row.seconds == pytest.approx(0.0025)
    assert row.algbw == pytest.approx(4000 / 0.010)


def test_a_group_torch_does_not_list_has_no_bus_bandwidth() -> None:
    traffic = Traffic(4)
    traffic.settled([calls_of([Entered(call(0, 1.0, 1.5, 50, group="?"), 1.0)])])
    [row] = traffic.rows({}, 4)
    assert (row.group, row.members, row.algbw, row.busbw) == ("a group", 0, 100, None)


def test_labels() -> None:
    assert Members("default_pg", (0, 1, 2, 3)).label(4) == "world"
    assert Members("undefined", (0, 1, 2)).label(4) == "ranks 0-2"
    assert Members("", (0, 2)).label(4) == "ranks 0,2"
    assert Members("", tuple(range(0, 40, 2))).label(64) == "ranks 0,2,4,6,8,10,…"
    assert Members("mesh_dp", (0, 2)).label(4) == "dp"
    assert "\x1b" not in Members("\x1b[2J", (0, 2)).label(4)


def test_an_end_before_the_last_entry_is_no_time() -> None:
    """The root of a broadcast has sent before the last one asked."""
    assert transfer_s([Entered(call(0, 1.0, 1.2), 1.5)]) == 0.0
    assert transfer_s([Entered(call(0, 1.0, 1.2), 1.5), Entered(call(0, 2.0, 2.5), 2.0)]) == 0.5


def test_a_rank_that_cannot_see_its_collectives_has_dashes() -> None:
    store = RunStore(2, now=0.0)
    store.ingest_all(Beat(R, G, rank, 1.0, "forward", 0, -1, -1, 0) for rank in range(2))
    store.ingest_all(step(rank) for rank in range(2))
    shown = snap(store)
    assert (shown.collectives, shown.collective_bytes, shown.ops) == (None, None, ())
    for row in shown.rows:
        assert (row.compute, row.hidden, row.exposed, row.wait, row.seq) == (None,) * 5
        assert row.step_s == 10.0


def test_the_collective_entered_last_is_kept() -> None:
    store = RunStore(1, now=0.0)
    store.ingest(Beat(R, G, 0, 1.0, "forward", 0, 42, 41, 0, "all-reduce #41"))
    assert snap(store).rows[0].last == "all-reduce #41"

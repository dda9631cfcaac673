"""The film of a step: what ranks told of it on one axis, and of which step."""

from __future__ import annotations

from made_steps import ddp_step

from runtime.metrics.run_figures import figures
from runtime.metrics.store import RunStore
from runtime.protocol.events import Event, Group, Moments
from runtime.protocol.figures import Film
from runtime.supervision.load_shedding import thinned

AT = [0.003, 0.012, 0.036]


def told(rank: int, step: int) -> Moments:
    t0 = 100.0 + step
    return Moments("run", 1, rank, t0, step, [t0 + t for t in AT], [0, 5, 0], [10, 30, 0], [0, 0, 40 + rank])


def film(*events: Event, world: int = 2) -> Film | None:
    store = RunStore(world, 0.0)
    store.ingest_all([Group("run", 1, 0, 0.0, "0", "", list(range(world))), *events], 0.0)
    return figures(store, "gloo", now=0.0).film


def test_moments_and_transfers_are_on_the_axis_of_their_step() -> None:
    found = film(told(0, 0), told(1, 0), *ddp_step(0, world=2, late={1: 0.01}))
    assert found is not None and found.step == 0
    assert [round(moment.t, 6) for moment in found.ranks[1].moments] == AT
    assert found.ranks[1].moments[2].grads == 41 and found.ranks[0].moments[1].gathered == 5
    for step in found.ranks:
        [transfer] = step.transfers
        assert (transfer.op, transfer.bytes, transfer.ranks) == ("all-reduce", 4000, (0, 1))
        assert 0 < transfer.t0 < transfer.t1 < found.span_s
        assert {mark.kind for mark in step.phases} >= {"data", "forward", "backward", "optimizer"}
    # The transfer begins when the last has come: both ranks' bars begin together.
    assert found.ranks[0].transfers[0].t0 == found.ranks[1].transfers[0].t0


def test_a_step_of_which_nobody_told_leaves_the_film_of_the_one_before() -> None:
    events = [told(0, 0), told(1, 0), *ddp_step(0, world=2), *ddp_step(1, world=2)]
    found = film(*events)
    assert found is not None and found.step == 0
    assert film(*ddp_step(0, world=2)) is None
    later = film(*events, told(0, 2), told(1, 2), *ddp_step(2, world=2))
    assert later is not None and later.step == 2


def test_a_rank_that_told_nothing_has_no_moments() -> None:
    found = film(told(0, 0), *ddp_step(0, world=2))
    assert found is not None
    assert found.ranks[0].moments and not found.ranks[1].moments and found.ranks[1].transfers


def test_moments_of_a_rank_that_says_nonsense_are_left_out() -> None:
    broken = Moments("run", 1, 0, 0.0, 0, [1.0, 2.0], [1], [1], [1])
    assert film(broken, *ddp_step(0, world=2)) is None


def test_they_are_among_the_first_to_go_where_a_host_cannot_keep_up() -> None:
    events = [told(0, 0), *ddp_step(0, world=2)]
    assert not [event for event in thinned(events) if isinstance(event, Moments)]

"""Schedules of pipelines: every order is possible, complete, and as long as its formula says."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from runtime.metrics.steps import pipeline_schedules
from runtime.metrics.steps.pipeline_schedules import SCHEDULES, USUAL, Shape, exists, grid, idle, live, span
from runtime.protocol.figures import Piece

names = st.sampled_from(sorted(SCHEDULES))
shapes = st.builds(Shape, st.integers(1, 7), st.integers(1, 20), st.integers(1, 4))


@pytest.mark.parametrize(
    ("name", "makespan", "of_total", "of_ideal", "held"),
    [
        ("gpipe", 33, 3 / 11, 3 / 8, [8, 8, 8, 8]),
        ("1f1b", 33, 3 / 11, 3 / 8, [4, 3, 2, 1]),
        ("interleaved", 57, 3 / 19, 3 / 16, [11, 9, 7, 5]),  # pieces of half the size
        ("zero-bubble", 51, 3 / 51, 3 / 48, [8, 8, 8, 8]),
        ("zbv", 51, 3 / 51, 3 / 48, [8, 8, 8, 8]),
    ],
)
def test_four_ranks_and_eight_micro_batches(name, makespan, of_total, of_ideal, held):
    lanes = grid(name, Shape(4, 8, 1 if name in ("gpipe", "1f1b") else 2))
    assert span(lanes) == makespan
    assert idle(lanes) == pytest.approx((of_total, of_ideal))
    assert [live(lane) for lane in lanes] == held


@given(names, shapes)
def test_an_order_does_everything_once_and_in_its_turn(name, shape):
    assume(exists(name, shape))
    lanes = grid(name, shape)
    stages = shape.ranks * shape.chunks
    ends: dict[tuple[str, int, int], float] = {}
    for rank, lane in enumerate(lanes):
        assert {p.stage for p in lane} == set(SCHEDULES[name].stages(shape, rank))
        for before, after in pairwise(lane):
            assert before.t1 <= after.t0  # a rank does one thing at a time
        for p in lane:
            assert p.t1 - p.t0 == USUAL.of(p.kind)
            assert (p.kind, p.stage, p.microbatch) not in ends
            ends[p.kind, p.stage, p.microbatch] = p.t1
    split = name in ("zero-bubble", "zbv")
    every = [(stage, m) for stage in range(stages) for m in range(shape.microbatches)]
    assert ends.keys() == {(kind, *at) for kind in ("FIW" if split else "FB") for at in every}
    back = "I" if split else "B"
    for p in (p for lane in lanes for p in lane):
        if p.kind == "F" and p.stage > 0:
            assert ends["F", p.stage - 1, p.microbatch] <= p.t0
        if p.kind == back:
            assert ends["F", p.stage, p.microbatch] <= p.t0
            if p.stage < stages - 1:
                assert ends[back, p.stage + 1, p.microbatch] <= p.t0
        if p.kind == "W":
            assert ends["I", p.stage, p.microbatch] <= p.t0


@given(st.sampled_from(["gpipe", "1f1b", "interleaved"]), shapes)
def test_makespan_and_idle_time_are_those_of_the_formulas(name, shape):
    ranks, microbatches, chunks = shape
    assume(exists(name, shape) and (name != "interleaved" or microbatches % ranks == 0))
    lanes = grid(name, shape)
    assert span(lanes) == 3 * (chunks * microbatches + ranks - 1)
    shares = idle(lanes)
    assert shares == pytest.approx(((ranks - 1) / (chunks * microbatches + ranks - 1),
                                    (ranks - 1) / (chunks * microbatches)))  # fmt: skip
    assert len(pipeline_schedules.formulas(shape, shares)) == 2


@given(names, shapes)
def test_the_formula_is_said_only_where_it_holds(name, shape):
    assume(exists(name, shape))
    shares = idle(grid(name, shape))
    assert bool(pipeline_schedules.formulas(shape, shares)) == (
        shares[0] == pytest.approx(pipeline_schedules.idle_of_total(shape), abs=1e-9)
    )


@given(st.integers(1, 8), st.integers(1, 24))
def test_what_is_held(ranks, microbatches):
    """All micro-batches with GPipe; with 1F1B as many as there are ranks from here to the last."""
    shape = Shape(ranks, microbatches)
    assert [live(lane) for lane in grid("gpipe", shape)] == [microbatches] * ranks
    few = [min(microbatches, ranks - rank) for rank in range(ranks)]
    assert [live(lane) for lane in grid("1f1b", shape)] == few


def test_more_micro_batches_make_the_bubble_smaller_and_more_stages_too():
    def bubble(name: str, *shape: int) -> float:
        return idle(grid(name, Shape(*shape)))[0]

    assert [round(bubble("1f1b", 4, m), 3) for m in (4, 8, 16, 32)] == [0.429, 0.273, 0.158, 0.086]
    assert [round(bubble("interleaved", 4, 8, v), 3) for v in (1, 2, 4)] == [0.273, 0.158, 0.086]
    assert bubble("zero-bubble", 4, 8) < bubble("1f1b", 4, 8)


def test_a_shape_that_has_no_order_is_refused():
    assert not exists("interleaved", Shape(4, 11, 2))  # rounds of 5 and 6
    assert not exists("zbv", Shape(4, 8, 3)) and not exists("gpipe", Shape(4, 8, 2))
    assert not exists("1f1b", Shape(0, 8)) and not exists("1f1b", Shape(4, 0))
    with pytest.raises(ValueError, match="there is no zbv"):
        grid("zbv", Shape(4, 8, 1))


def test_nothing_is_idle_of_nothing():
    assert idle(()) is None and idle(((),)) is None and span(()) == 0
    assert live(()) == 0 and live((Piece("F", 0, 0, 0, 1),)) == 1

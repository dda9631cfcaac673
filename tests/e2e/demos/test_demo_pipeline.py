"""Pipeline parallelism on real ranks: the same training in any schedule, and the schedule asked for."""

from __future__ import annotations

import pytest
from demo_run import Ran, Run, as_promised
from msgspec.structs import replace as changed

from runtime.catalog.registry import DEMOS
from runtime.catalog.specs.model_parallel.pipeline_memory import rank_bytes
from runtime.launch.device_choice import cores, place
from runtime.launch.run_badge import PADDED, as_measured
from runtime.metrics.steps import pipeline_schedules
from runtime.metrics.steps.pipeline_schedules import SCHEDULES, Shape
from runtime.protocol.figures import Pipeline

pytest.importorskip("torch")
pytestmark = pytest.mark.slow
STEPS = 3


def of(ran: Ran) -> Pipeline:
    assert ran.snapshot.pipeline is not None
    return ran.snapshot.pipeline


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_every_schedule_trains_as_the_whole_model_does(run: Run, schedule: str) -> None:
    ran = run("pipeline", ranks=4, steps=STEPS, schedule=schedule, pad_ms=0)
    as_promised(ran)
    last = 0 if schedule == "zbv" else 3
    assert [row.rank for row in ran.snapshot.rows if row.loss is not None] == [last]
    replicas = run("zero", ranks=4, steps=STEPS, stage=0, layers=8, width=64, seq=32, batch=8)
    whole = [sum(losses) / 4 for losses in zip(*(replicas.losses(rank) for rank in range(4)), strict=True)]
    assert ran.losses(last) == pytest.approx(whole, abs=1e-4)
    assert [row.params for row in ran.snapshot.rows] == rank_bytes(ran.demo.values)
    assert ran.snapshot.equal is None  # nobody promised that different layers are equal


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_what_the_ranks_did_is_recognised(run: Run, schedule: str) -> None:
    """The measured order of work is that of the schedule, on every rank: 'live' follows from it."""
    pipeline = of(run("pipeline", ranks=4, steps=STEPS, schedule=schedule, pad_ms=0))
    shape = Shape(4, 8, 1 if schedule in ("gpipe", "1f1b") else 2)
    assert pipeline.schedule == SCHEDULES[schedule].title and pipeline.step == STEPS - 1
    assert pipeline.theory == pipeline_schedules.grid(schedule, shape)
    assert pipeline.live == pipeline.theory_live == tuple(map(pipeline_schedules.live, pipeline.theory))
    assert pipeline.bubble is not None and 0 < pipeline.bubble < 1
    assert pipeline.bubble_ideal == pytest.approx(pipeline.bubble / (1 - pipeline.bubble))


def test_activations_are_those_of_the_micro_batches_that_are_live(run: Run) -> None:
    """GPipe holds all micro-batches on every rank, 1F1B as many as there are ranks from here to the end."""
    all_of_them, few = (
        run("pipeline", ranks=4, steps=STEPS, schedule=s, pad_ms=0) for s in ("gpipe", "1f1b")
    )
    for rank, live in enumerate((4, 3, 2, 1)):
        most, least = (ran.figures(rank)["activations"] for ran in (all_of_them, few))
        assert isinstance(most, int) and isinstance(least, int)
        assert least / most == pytest.approx(live / 8, rel=0.01)


def test_what_crosses_a_boundary(run: Run) -> None:
    """A middle rank sends and receives the width of every token once forward and once back."""
    one, two = (run("pipeline", ranks=4, steps=STEPS, schedule=s, pad_ms=0) for s in ("1f1b", "interleaved"))
    tokens, width = 32 * 32, 64
    for ran, stages in ((one, 1), (two, 2)):  # interleaving by v costs v times the traffic
        calls, size = ran.issued(step=2, rank=1)
        assert calls == {"send": 2 * 8 * stages, "receive": 2 * 8 * stages}
        assert size == dict.fromkeys(("send", "receive"), 2 * 4 * tokens * width * stages)


def test_a_padded_rank_sleeps_as_the_badge_says(run: Run) -> None:
    ran = run("pipeline", ranks=3, steps=4, layers=3, micro_batches=3)
    assert (PADDED in place(ran.demo).bent) == (cores() < 3)
    if cores() < 3:
        padded = [float(row.result["pad_ms"] or 0) for row in ran.snapshot.rows if row.result]
        assert len(set(padded)) == 1 and padded[0] > 0
        assert f"padded {padded[0]:.0f} ms" in as_measured(place(ran.demo).bent, ran.snapshot.values)
    chosen = run("pipeline", ranks=2, steps=2, micro_batches=2, layers=2, pad_ms=30)
    assert "padded 30 ms" in place(chosen.demo).bent
    for lane in of(chosen).lanes:
        assert all(p.t1 - p.t0 >= (0.03 if p.kind == "F" else 0.06) for p in lane)


@pytest.mark.skipif(cores() >= 4, reason="ranks that have a core each need no pads")
def test_pads_are_long_enough_for_the_order_that_is_claimed(run: Run) -> None:
    """1F1B idles most, then interleaved, then zero-bubble; where the machine had too much else to do for one
    of them to show it, that one says so."""
    claimed = []
    for schedule in ("1f1b", "interleaved", "zero-bubble"):
        ran = run("pipeline", ranks=4, steps=4, schedule=schedule)
        bubble = of(ran).bubble
        assert bubble is not None
        if not DEMOS["pipeline"].unshown(ran.demo.values, ran.snapshot):
            claimed.append(bubble)
    assert claimed == sorted(claimed, reverse=True), claimed


def test_what_it_cannot_show_it_says(run: Run) -> None:
    ran = run("pipeline", ranks=4, steps=STEPS, pad_ms=0)
    pipeline, unshown = of(ran), DEMOS["pipeline"].unshown
    near, far = (changed(pipeline, bubble=share) for share in (0.3, 0.55))
    assert unshown(ran.demo.values, changed(ran.snapshot, pipeline=near)) == ""
    why = unshown(ran.demo.values, changed(ran.snapshot, pipeline=far))
    assert why.startswith("ranks were idle 55% of the time, and by the schedule 27%: ")
    assert "pad_ms=50 shows it" in why


def test_an_uneven_cut_trains_as_well(run: Run) -> None:
    ran = run("pipeline", ranks=3, steps=1, schedule="gpipe", layers=4, micro_batches=6, pad_ms=0)
    as_promised(ran)
    assert of(ran).theory_bubble == pytest.approx(pipeline_schedules.idle_of_total(Shape(3, 6)))


def test_one_rank_is_a_pipeline_without_gaps_between_stages(run: Run) -> None:
    ran = run("pipeline", ranks=1, steps=2, pad_ms=0)
    as_promised(ran)
    assert of(ran).theory_bubble == 0 and len(of(ran).lanes[0]) == 16

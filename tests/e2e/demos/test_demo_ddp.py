"""`ddp` on real ranks: what its switches do to the messages of a step; the result they leave alone."""

from __future__ import annotations

from itertools import pairwise

import pytest
from demo_run import Run, as_promised
from msgspec.structs import replace

from runtime.catalog import registry
from runtime.catalog.specs import sizes
from runtime.launch.device_choice import place
from runtime.launch.run_badge import as_measured
from runtime.protocol.events import Step

pytest.importorskip("torch")
pytestmark = pytest.mark.slow
WHOLE = 4 * sizes.tinylm_parameters({"width": 128, "layers": 2, "seq": 64})


def test_replicas_stay_equal_with_one_exchange_of_all_gradients(run: Run) -> None:
    ran = run("ddp", ranks=2, steps=4)
    as_promised(ran)
    assert ran.snapshot.equal is True
    assert ran.issued(step=3) == ({"all-reduce": 1}, {"all-reduce": WHOLE})
    assert len({tuple(ran.losses(rank)) for rank in range(2)}) == 2  # each reads its own samples


def test_no_sync_saves_all_exchanges_but_the_last(run: Run) -> None:
    plain = run("ddp", ranks=2, steps=4)
    always, once = (run("ddp", ranks=2, steps=4, micro_batches=4, no_sync=no_sync) for no_sync in (0, 1))
    for ran, exchanges in ((always, 4), (once, 1)):
        as_promised(ran)
        assert ran.issued(step=3) == ({"all-reduce": exchanges}, {"all-reduce": exchanges * WHOLE})
        assert ran.losses(1) == pytest.approx(plain.losses(1), abs=1e-3)


def test_a_rank_is_slowed_by_its_own_steps(run: Run) -> None:
    """On any machine, however slow: what it sleeps is as long as what its steps took before. A step is
    measured from one forward to the next: at least a backward and an optimizer long, at most two steps."""
    ran = run("ddp", ranks=2, steps=14, slow_rank=1, slow_factor=2)
    assert "rank 1 slowed 2 of its steps" in place(ran.demo).bent
    [slowed] = [v for v in ran.snapshot.values if v.name == "slowed"]
    slept_s = slowed.ranks[1][0] / 1000
    assert slowed.ranks[0] == () and slowed.unit == "ms"
    steps = [e for e in ran.events if isinstance(e, Step) and e.rank == 1]
    at_least = [e.backward + e.optimizer for e in steps[1:5]]
    at_most = [after.t - e.t0 for e, after in pairwise(steps[1:5])]  # three of four: the median is below
    assert min(at_least) < slept_s / 2 < max(at_most)
    assert all(e.forward > slept_s for e in steps[5:])
    assert f"rank 1 slowed {1000 * slept_s:.0f} ms" in as_measured(place(ran.demo).bent, ran.snapshot.values)


def test_a_slowdown_that_vanishes_is_said(run: Run) -> None:
    ran = run("ddp", ranks=2, steps=14, slow_rank=1, slow_factor=2)
    unshown = registry.DEMOS["ddp"].unshown
    right = replace(ran.snapshot, slowest=1, slowest_by_s=0.5, values=())
    values = {**ran.demo.values, "slow_factor": 0.0, "slow_ms": 50.0}
    assert unshown(values, right) == ""
    wrong = replace(right, slowest=0, slowest_by_s=0.03)
    assert unshown(values, wrong).startswith("rank 1 slept 50 ms in a step of ")
    assert "rank 0 came last" in unshown(values, wrong)
    assert unshown({**values, "slow_rank": -1}, wrong) == ""


def test_buckets_by_size(run: Run) -> None:
    ran = run("ddp", ranks=2, steps=4, bucket_mb=0.25)
    as_promised(ran)
    calls, size = ran.issued(step=3)
    assert calls["all-reduce"] == 7 and size["all-reduce"] == WHOLE
    assert ran.losses(0) == pytest.approx(run("ddp", ranks=2, steps=4).losses(0), abs=1e-4)


def test_a_static_graph_learns_the_same(run: Run) -> None:
    static = run("ddp", ranks=2, steps=4, static_graph=1)
    as_promised(static)
    assert static.losses(0) == pytest.approx(run("ddp", ranks=2, steps=4).losses(0), abs=1e-4)


@pytest.mark.parametrize("hook", ["fp16", "bf16"])
def test_gradients_of_16_bits_are_half_the_bytes(run: Run, hook: str) -> None:
    ran = run("ddp", ranks=2, steps=4, hook=hook)
    as_promised(ran)
    assert ran.issued(step=3) == ({"all-reduce": 1}, {"all-reduce": WHOLE // 2})
    assert ran.snapshot.equal is True
    losses, plain = ran.losses(0), run("ddp", ranks=2, steps=4).losses(0)
    assert losses == pytest.approx(plain, abs=0.02) and losses[1:] != plain[1:]  # close, not the same


def test_the_timed_hook_says_how_long_each_bucket_took(run: Run) -> None:
    ran = run("ddp", ranks=2, steps=4, hook="timed", bucket_mb=0.25)
    as_promised(ran)
    [took] = [v for v in ran.snapshot.values if v.name == "bucket_ms"]
    assert took.unit == "ms" and [len(times) for times in took.ranks] == [7, 7]
    assert all(t > 0 for times in took.ranks for t in times)
    assert ran.losses(0) == run("ddp", ranks=2, steps=4, bucket_mb=0.25).losses(0)


def test_unshuffled_all_strategies_read_the_same_samples(run: Run) -> None:
    """Rank for rank others, but together the same: their mean losses agree."""
    size = {"width": 128, "layers": 4, "seq": 64, "batch": 8}
    ddp, zero = (
        run("ddp", ranks=2, steps=3, shuffle=0, **size),
        run("zero", ranks=2, steps=3, stage=0, **size),
    )
    means = [
        [sum(losses) / 2 for losses in zip(ran.losses(0), ran.losses(1), strict=True)] for ran in (ddp, zero)
    ]
    assert means[0] == pytest.approx(means[1], abs=1e-4)


def test_what_does_not_go_together_is_refused() -> None:
    for params in ({"micro_batches": "3"}, {"micro_batches": "2", "no_sync": "1", "static_graph": "1"},
                   {"hook": "powersgd"}):  # fmt: skip
        assert isinstance(registry.check("ddp", params), registry.Refusal), params

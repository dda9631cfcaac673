"""ZeRO by DeepSpeed: the same training as by torch's own means, and what each rank keeps of it."""

from __future__ import annotations

import importlib.util

import pytest
from demo_run import Run, as_promised

from runtime.catalog import registry
from runtime.catalog.registry import Launchable, Refusal
from runtime.catalog.specs import sizes

pytest.importorskip("torch")
pytestmark = pytest.mark.slow
installed = pytest.mark.skipif(importlib.util.find_spec("deepspeed") is None, reason="needs deepspeed")


@installed
def test_all_stages_learn_what_zero_learns_with_the_memory_of_the_formula(run: Run) -> None:
    zero = run("zero", ranks=4, steps=3, stage=0)
    for stage in range(4):
        ran = run("deepspeed", ranks=4, steps=3, stage=stage)
        as_promised(ran)
        formula = registry.DEMOS["deepspeed"].memory(ran.demo.values)
        for rank in range(4):
            assert ran.losses(rank) == pytest.approx(zero.losses(rank), abs=1e-4)
            figures = ran.figures(rank)
            assert {kind: figures[kind] for kind in formula if kind != "grads"} == pytest.approx(
                {kind: size for kind, size in formula.items() if kind != "grads"}, rel=1e-3
            )
        assert ran.snapshot.equal is (None if stage == 3 else True)


@installed
def test_bytes_per_step_by_collective(run: Run) -> None:
    """DeepSpeed averages by all-reduce and gathers the parameters after the step; in stage 3 it reduces to
    slices, and gathers every layer for forward and again for backward."""
    n = 4 * sizes.tinylm_parameters({"width": 256, "layers": 8, "seq": 16})
    issued = [run("deepspeed", ranks=4, steps=3, stage=stage).issued(step=2)[1] for stage in range(4)]
    counted = [{op: size for op, size in by_op.items() if size > 1000} for by_op in issued]
    assert counted == [
        {"all-reduce": pytest.approx(n, abs=100)},
        *[{"all-reduce": pytest.approx(n, abs=100), "all-gather": n}] * 2,
        {"all-gather": 2 * n, "reduce-scatter": n},
    ]


@installed
@pytest.mark.parametrize("ranks", [1, 3])
def test_any_number_of_ranks(run: Run, ranks: int) -> None:
    whole = (
        run("single", steps=2, layers=8, seq=16, batch=1)
        if ranks == 1
        else run("zero", ranks=ranks, steps=2, stage=0)
    )
    for stage in (2, 3):
        ran = run("deepspeed", ranks=ranks, steps=2, stage=stage)
        if ranks == 1:
            as_promised(ran)  # three do not share evenly
        for rank in range(ranks):
            assert ran.losses(rank) == pytest.approx(whole.losses(rank), abs=1e-4)


def test_where_it_is_missing_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runtime.catalog.params.find_spec", lambda name: None)
    refusal = registry.check("deepspeed", {})
    assert isinstance(refusal, Refusal) and refusal.why == "deepspeed is not installed here"
    assert "'deepspeed<1,>=0.19'" in refusal.mend
    wrong = registry.check("deepspeed", {"stage": "4"})
    assert isinstance(wrong, Refusal) and "stage=4" in wrong.why
    assert isinstance(registry.check("deepspeed", {"stage": "2"}, here=False), Launchable)
    assert isinstance(registry.check("zero", {}), Launchable)

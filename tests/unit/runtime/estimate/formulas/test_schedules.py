"""Idle time and memory of zero bubbles and DualPipe, as their papers' tables say them."""

from __future__ import annotations

import pytest
from made_estimates import estimated

from runtime.estimate.request import Refused

SHAPE = "layers=64 hidden=256 heads=4"


@pytest.mark.parametrize(("p", "m"), [(4, 8), (8, 24), (8, 64), (16, 120), (2, 2)])
def test_idle_time_of_the_tables(p: int, m: int) -> None:
    """Qi et al. (arXiv 2401.10241), table 2 with F = B = W = 1: (p-1)(F+B+W), (p-1)(F+B-W), none.

    DeepSeek-V3 (arXiv 2412.19437), table 2, with B = 2 and F&B = 3: (p-1)(F+B), (p-1)(F+B-2W),
    (p/2-1)(F&B+B-3W)."""
    ideal = 3 * m
    idle = {"1f1b": 3 * (p - 1), "zb-h1": p - 1, "zb-h2": 0, "dualpipe": 2 * (p // 2 - 1)}
    for schedule, waited in idle.items():
        found = estimated(f"{SHAPE} pp={p} micro_batches={m} schedule={schedule}")["pipeline"]
        assert found["makespan"] == pytest.approx(ideal + waited)
        assert found["idle_of_ideal"] == pytest.approx(waited / ideal)
        assert found["idle_of_total"] == pytest.approx(waited / (ideal + waited))


@pytest.mark.parametrize(("schedule", "held"), [("1f1b", 8), ("zb-h1", 8), ("zb-h2", 15), ("dualpipe", 9)])
def test_micro_batches_held_of_the_tables(schedule: str, held: int) -> None:
    """p, p and 2 p - 1 (Qi et al., section 2); p + 1 (DeepSeek-V3, table 2), and its weights twice."""
    line = f"{SHAPE} pp=8 micro_batches=64 schedule={schedule}"
    found = estimated(line)
    assert found["pipeline"]["live"][0] == held
    assert found["activations"]["first_stage"] == pytest.approx(held * 8 * found["activations"]["per_layer"])
    whole = estimated(f"{line} zero=1")["memory"]["parameters"]
    usual = estimated(f"{SHAPE} pp=8 micro_batches=64 zero=1")["memory"]["parameters"]
    assert whole == pytest.approx(usual * (2 if schedule == "dualpipe" else 1), rel=0.2)
    assert estimated(f"{SHAPE} pp=8 micro_batches=4 schedule={schedule}")["pipeline"]["live"][0] == 4


@pytest.mark.parametrize("schedule", ["zb-h1", "zb-h2", "dualpipe"])
def test_each_formula_can_be_opened(schedule: str) -> None:
    found = estimated(f"{SHAPE} pp=8 micro_batches=64 schedule={schedule}")["explain"]
    source = found["pipeline.idle_of_ideal"]["source"]
    assert ("2412.19437" if schedule == "dualpipe" else "2401.10241") in source
    assert "min(m," in found["activations.first_stage"]["formula"]


@pytest.mark.parametrize(
    ("words", "why", "mend"),
    [
        ("pp=4 micro_batches=8 interleave=2 schedule=zb-h1", "no interleaved stages", "schedule=1f1b"),
        ("layers=63 pp=7 micro_batches=8 schedule=dualpipe", "must be even", "pp=8 micro_batches=8"),
        ("pp=8 micro_batches=9 schedule=dualpipe", "must be even", "micro_batches=10"),
        ("pp=8 schedule=zero-bubble", "not known", "zb-h1"),
    ],
)
def test_what_cannot_be(words: str, why: str, mend: str) -> None:
    shape = "hidden=256 heads=4" if "layers=" in words else SHAPE
    with pytest.raises(Refused) as raised:
        estimated(f"{shape} {words}")
    assert why in raised.value.why and mend in raised.value.mend, raised.value


def test_dualpipe_hides_what_experts_send() -> None:
    line = "model=deepseek-v3 gpu=h800 pp=16 dp=128 ep=64 micro_batches=120 uneven=1 zero=1 precision=fp8"
    usual, dual = estimated(line), estimated(f"{line} schedule=dualpipe")
    assert usual["time"]["exposed"]["ep"] == usual["time"]["communication"]["ep"]
    hidden = dual["time"]["communication"]["ep"] - dual["time"]["exposed"]["ep"]
    assert hidden == pytest.approx(dual["time"]["compute_s"])


def test_fp8_is_of_matrices_only() -> None:
    """Attention and head run at half of the fp8 peak: longer than all of it in fp8, shorter than none."""
    line = "model=deepseek-v3 gpu=h800 dp=64 ep=64"
    narrow, wide = estimated(f"{line} precision=fp8"), estimated(line)
    share = narrow["time"]["compute_s"] / wide["time"]["compute_s"]
    assert 0.5 < share < 0.7
    assert estimated("model=gpt2 gpu=a100 precision=fp8")["time"]["compute_s"] == pytest.approx(
        estimated("model=gpt2 gpu=a100")["time"]["compute_s"]
    )


def test_what_deepseek_computes_again() -> None:
    """arXiv 2412.19437, sections 3.2.3 and 3.3.3: outputs of norms, up-projections, SwiGLU's output."""
    line = "model=deepseek-v3 seq=4096"
    every, few = (estimated(f"{line} recompute={how}") for how in ("none", "selective"))
    heads = 128 * (192 + 192 + 128)  # queries, keys, values
    ffn = (3 * 18432 + 58 * 9 * 2048) / 61
    scores = 4 * 128 * 4096  # flash attention's sums
    expected = 2 * 4096 * (2 * 7168 + heads + ffn) + scores
    before, after = every["activations"]["per_layer"], few["activations"]["per_layer"]
    assert before - after == pytest.approx(expected)
    again = 2 * 61 * (1536 * 128 * 192 + 512 * 128 * 256) * 4096
    assert few["flops_hardware"] - few["flops"] == pytest.approx(again)


@pytest.mark.parametrize("words", ["", "schedule=gpipe", "interleave=2", "schedule=zb-h1", "schedule=zb-h2"])
def test_what_is_live_has_its_formula_too(words: str) -> None:
    found = estimated(f"model=gpt3 pp=4 micro_batches=8 {words}")
    assert found["explain"]["pipeline.live"]["value"] == found["pipeline"]["live"][0]
    assert found["explain"]["pipeline.live"]["formula"].startswith("m")  # of m micro-batches

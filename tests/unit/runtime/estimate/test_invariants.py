"""What holds of every estimate: sharding never takes more, nothing is lost between parts and whole, one
is one."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from made_estimates import estimated

from runtime.estimate.formulas.step_time import EFFICIENCY

POWERS = st.sampled_from([1, 2, 4, 8])
MODELS = st.sampled_from(
    ["layers=8 hidden=1024 heads=8", "layers=8 hidden=512 heads=8 kv_heads=8 ffn=1536", "params=3e9",
     "layers=8 hidden=512 heads=8 kv_heads=8 ffn=1024 experts=8 active_experts=2"]
)  # fmt: skip
OPTIMIZER = st.sampled_from(["adam", "sgd", "momentum", "adamw8bit", "adafactor", "muon"])
PRECISION = st.sampled_from(["mixed", "fp32", "bf16-pure", "mixed-fp32-grads", "fp8"])
WAYS = st.fixed_dictionaries(
    {"dp": POWERS, "tp": POWERS, "pp": POWERS, "cp": st.sampled_from([1, 2]), "zero": st.integers(0, 3),
     "micro_batches": st.sampled_from([8, 16]), "sp": st.integers(0, 1), "flash": st.integers(0, 1),
     "recompute": st.sampled_from(["none", "selective", "full"]), "optimizer": OPTIMIZER,
         "precision": PRECISION}
)  # fmt: skip
QUICK = settings(max_examples=60, deadline=None)


@QUICK
@given(MODELS, WAYS)
def test_parts_sum_to_the_whole(model: str, ways: dict[str, object]) -> None:
    found = estimated(f"{model} gpu=h100", **ways)
    memory, time = found["memory"], found["time"]
    assert memory["states"] == pytest.approx(memory["parameters"] + memory["gradients"] + memory["optimizer"])
    whole = memory["states"] + memory["activations"] + memory["gathered"] + memory["overhead"]
    assert memory["total"] == pytest.approx(whole)
    activations = [found["activations"][part] or 0 for part in ("layers", "embedding", "head", "recomputed")]
    assert memory["activations"] == pytest.approx(sum(activations))
    assert time["step_s"] == pytest.approx(time["compute_s"] + time["idle_s"] + time["exposed_s"])
    assert time["exposed_s"] <= time["communication_s"] + 1e-12
    assert found["traffic"]["total"] == pytest.approx(
        sum(found["traffic"][k] for k in ("dp", "tp", "pp", "cp", "ep"))
    )
    for value in (*memory.values(), *activations):
        assert value is None or value >= 0


@QUICK
@given(MODELS, WAYS)
def test_memory_falls_with_sharding(model: str, ways: dict[str, object]) -> None:
    states = [estimated(model, **(ways | {"zero": zero}))["memory"]["states"] for zero in range(4)]
    assert all(after <= before * (1 + 1e-12) for before, after in pairwise(states))
    for key in ("dp", "tp", "pp"):
        found = [estimated(model, **(ways | {key: n}))["memory"] for n in (1, 2, 4, 8)]
        for before, after in pairwise(found):
            # Of the fullest device: with more stages that may be the first, which has the positions as well.
            if key != "pp" or before["stage"] == after["stage"] == 0:
                assert after["states"] <= before["states"] * (1 + 1e-12), key


@QUICK
@given(MODELS, WAYS)
def test_traffic_is_conserved_over_links(model: str, ways: dict[str, object]) -> None:
    found = estimated(f"{model} gpu=h100", **ways)["traffic"]
    for strategy in ("dp", "tp", "pp", "cp", "ep"):
        over = sum(link.get(strategy, 0.0) for link in found["links"].values())
        assert over == pytest.approx(found[strategy])


@QUICK
@given(MODELS, st.integers(0, 3), OPTIMIZER, PRECISION)
def test_one_data_parallel_rank_is_one_device(model: str, zero: int, optimizer: str, precision: str) -> None:
    words = f"{model} gpu=h100 optimizer={optimizer} precision={precision}"
    alone, one = estimated(words), estimated(f"{words} dp=1 zero={zero}")
    assert one["memory"] == alone["memory"] and one["time"] == alone["time"]
    assert one["traffic"]["total"] == 0 and one["time"]["communication_s"] == 0
    if precision == "fp8":  # attention and the head stay in 16 bit, where they are known
        assert EFFICIENCY / 2 <= one["mfu"] <= EFFICIENCY * (1 + 1e-9)
    else:
        assert one["mfu"] == pytest.approx(EFFICIENCY)
    assert one["pipeline"]["idle_of_total"] == 0


@QUICK
@given(MODELS, WAYS)
def test_work_does_not_depend_on_the_layout(model: str, ways: dict[str, object]) -> None:
    """Operations of a token are the model's; of a step they grow with its tokens alone."""
    found, alone = estimated(model, **ways), estimated(model)
    assert found["flops_per_token"] == pytest.approx(alone["flops_per_token"])
    tokens = ways["dp"] * ways["micro_batches"] * 2048  # type: ignore[operator]
    assert found["flops"] == pytest.approx(tokens * alone["flops_per_token"])
    assert found["flops_hardware"] >= found["flops"]


@QUICK
@given(MODELS, WAYS)
def test_activations_fall_with_recomputation(model: str, ways: dict[str, object]) -> None:
    assume(not model.startswith("params"))
    none, selective, full = (
        estimated(model, **(ways | {"recompute": how}))["activations"]["per_layer"]
        for how in ("none", "selective", "full")
    )
    assert full <= selective <= none


@QUICK
@given(st.sampled_from(["all_reduce", "all_gather", "broadcast"]), st.integers(2, 64), st.floats(1, 1e10))
def test_a_longer_message_and_a_slower_link_take_longer(op: str, ranks: int, size: float) -> None:
    from runtime.estimate.formulas.collective_times import pipelined_tree_s, ring_s, tree_s

    for time in (ring_s, tree_s, pipelined_tree_s):
        assert time(op, size, ranks, 1e9, 1e-6) < time(op, 2 * size, ranks, 1e9, 1e-6)
        assert time(op, size, ranks, 1e9, 1e-6) < time(op, size, ranks, 5e8, 1e-6)
        assert time(op, size, ranks, 1e9, 1e-6) < time(op, size, ranks, 1e9, 2e-6)


@pytest.mark.parametrize("interleave", [1, 2])
@pytest.mark.parametrize(("ranks", "micro_batches"), [(2, 4), (4, 8), (4, 4), (8, 8), (4, 12)])
def test_pipelines_agree_with_their_grid(ranks: int, micro_batches: int, interleave: int) -> None:
    """The schedules that the demo `pipeline` draws, piece by piece, give the same times and micro-
    batches held."""
    from runtime.metrics.steps.pipeline_schedules import Shape, grid, idle, live, span

    lanes = grid("interleaved" if interleave > 1 else "1f1b", Shape(ranks, micro_batches, interleave))
    staged = f"pp={ranks} micro_batches={micro_batches} interleave={interleave}"
    shape = f"layers={16 * ranks} hidden=64 heads=4 {staged}"
    found = estimated(shape)["pipeline"]
    assert found["makespan"] == pytest.approx(span(lanes) / interleave)
    assert (found["idle_of_total"], found["idle_of_ideal"]) == pytest.approx(idle(lanes))
    assert found["live"] == pytest.approx([live(lane) / interleave for lane in lanes])


def test_a_sharded_layer_is_a_call_of_its_own() -> None:
    """FSDP gathers twice and scatters once a layer: messages to start, the same bytes; it was one for all."""
    words = "layers=12 hidden=768 heads=12 dp=16 zero=3 bandwidth=1e12 latency={}"
    slow, fast = (estimated(words.format(latency)) for latency in ("1e-3", "0"))
    assert slow["traffic"] == fast["traffic"]
    spent = slow["time"]["communication_s"] - fast["time"]["communication_s"]
    assert spent == pytest.approx(3 * 12 * 15 * 1e-3)
    alone = estimated(words.format("1e-3"), shard=1)  # no states are shared: one all-reduce, of all bytes
    plain = estimated(words.format("1e-3").replace("zero=3", "zero=0"))
    assert alone["traffic"]["dp"] == plain["traffic"]["dp"]
    assert alone["time"]["communication_s"] == plain["time"]["communication_s"]

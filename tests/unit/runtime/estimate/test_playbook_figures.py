"""The Ultra-Scale Playbook (Hugging Face, 2025): the numbers behind its figures of memory, in GiB.

It counts a GPT with the norm behind the last layer, which the papers' formula leaves out (2 h parameters),
and activations of the layers and of the embedding's mask, without logits.
"""

from __future__ import annotations

import pytest
from made_estimates import estimated, printed

GIB = 2**30
# `memory-recomputation` (1B, 3B) and `memusage_activations` (8B): layers, hidden, heads, then by sequence the
# parameters in fp32 and activations.
SHAPES = {
    "1B": (16, 2048, 32), "3B": (28, 3072, 24), "8B": (32, 4096, 32),
}  # fmt: skip
FIGURES = [
    ("1B", 1024, 3.9879302978515625, 3.564453125), ("1B", 2048, 3.9957427978515625, 12.12890625),
    ("1B", 4096, 4.0113677978515625, 44.2578125), ("1B", 8192, 4.0426177978515625, 168.515625),
    ("3B", 1024, 13.296180725097656, None), ("3B", 8192, 13.378211975097656, None),
    ("8B", 1024, 25.979034423828125, 9.25390625), ("8B", 2048, 25.994659423828125, 28.5078125),
    ("8B", 4096, 26.025909423828125, 97.015625), ("8B", 8192, 26.088409423828125, 354.03125),
    ("8B", 16384, 26.213409423828125, 1348.0625),
]  # fmt: skip


@pytest.mark.parametrize(("size", "seq", "parameters", "activations"), FIGURES)
def test_memory_by_sequence(size: str, seq: int, parameters: float, activations: float | None) -> None:
    layers, hidden, heads = SHAPES[size]
    found = estimated(f"layers={layers} hidden={hidden} heads={heads} vocab=128256 seq={seq}")
    assert 4 * (found["params"] + 2 * hidden) / GIB == parameters
    if activations is not None:
        held = found["activations"]
        assert (held["layers"] + held["embedding"]) / GIB == activations
    full = estimated(f"params={found['params'] + 2 * hidden} precision=fp32")["memory"]
    assert full["gradients"] / GIB == parameters and full["optimizer"] / GIB == 2 * parameters


# `dp_ourjourney`, `cp_8B`, `pp_memoryusage`: Llama 3.2 1B and Llama 3 8B in 16 bit, whole MiB; 34 s b h a
# layer, which is a GPT's without scores, of the same layers and width.
@pytest.mark.parametrize(
    ("model", "shape", "parameters", "optimizer", "activations"),
    [
        ("llama3.2-1b", "layers=16 hidden=2048 heads=32", 2.3017578125, 9.20703125,
         {1024: 1.0625, 2048: 2.125, 4096: 4.25, 8192: 8.5, 16384: 17.0}),
        ("llama3-8b", "layers=32 hidden=4096 heads=32", 14.95703125, 59.828125,
         {1024: 4.25, 4096: 17.0, 16384: 68.0, 65536: 272.0, 131072: 544.0}),
    ],
)  # fmt: skip
def test_memory_in_16_bit(
    model: str, shape: str, parameters: float, optimizer: float, activations: dict[int, float]
) -> None:
    """Its optimizer's states are two moments: the fp32 copy is left out there (`bf16-fp32-states`)."""
    found = estimated(f"model={model} precision=bf16-fp32-states")["memory"]
    assert found["parameters"] // 2**20 / 1024 == found["gradients"] // 2**20 / 1024 == parameters
    assert found["optimizer"] // 2**20 / 1024 == pytest.approx(optimizer, abs=2.1 / 1024)  # 4 x the weights
    for seq, size in activations.items():
        held = estimated(f"{shape} seq={seq} recompute=selective")["activations"]
        assert held["layers"] / GIB == size


def test_stages_of_a_pipeline() -> None:
    """`pp_memoryusage`, Llama 3 8B on 8 stages: 2.6035 GiB of weights where the embedding is."""
    found = estimated("model=llama3-8b pp=8 micro_batches=8")["memory"]
    assert found["parameters"] // 2**20 / 1024 == 2.603515625


# How to Scale Your Model (Austin et al., 2025), part 6: bf16 weights and two fp32 moments of 70e9 parameters.
@pytest.mark.parametrize(("params", "weights", "states"), [("70e9", 140, 560), ("13e9", 26, 104)])
def test_scaling_book_bytes_of_training(params: str, weights: int, states: int) -> None:
    """Part 6: ~140 GB and ~560 GB; part 5, question 2: (2 + 4 + 4) x 13e9 = 130 GB."""
    found = estimated(f"params={params} precision=bf16-fp32-states")["memory"]
    assert (found["parameters"] / 1e9, found["optimizer"] / 1e9) == (weights, states)


def test_scaling_book_parameters_of_llama_2_13b() -> None:
    """Part 5, question 1: 8.5e9 in MLPs, 4.2e9 in attention, 0.3e9 in the vocabulary: 13.1e9 (13.0e9 exactly,
    of widths as they were released)."""
    found = estimated("layers=40 hidden=5120 heads=40 kv_heads=40 ffn=13824 vocab=32000")
    assert printed(3 * 40 * 5120 * 13824 / 1e9, 1) == "8.5" and printed(4 * 40 * 5120**2 / 1e9, 1) == "4.2"
    assert found["params"] == 13_015_864_320
    ends = found["params"] - 3 * 40 * 5120 * 13824 - 4 * 40 * 5120**2
    assert ends == 2 * 32000 * 5120 + (2 * 40 + 1) * 5120


def test_accelerate_table_of_bert() -> None:
    """model_size_estimator.md, bert-base-cased: 206.59 MB in float16; with Adam 826.36 MB."""
    found = estimated("params=108310272 precision=bf16-pure")["memory"]
    assert found["parameters"] / 2**20 == pytest.approx(206.59, abs=0.01)
    assert found["states"] / 2**20 == pytest.approx(826.36, abs=0.04)  # four times the rounded 206.59


# How to Scale Your Model, part 2: HBM bandwidth and peak of a chip, one-way bandwidth of a link.
@pytest.mark.parametrize(
    ("gpu", "peak", "memory_bandwidth", "link"),
    [("tpu-v4", 2.75e14, 1.2e12, 4.5e10), ("tpu-v5p", 4.59e14, 2.8e12, 9e10),
     ("tpu-v5e", 1.97e14, 8.1e11, 4.5e10), ("tpu-v6e", 9.20e14, 1.6e12, 9e10)],
)  # fmt: skip
def test_scaling_book_chips(gpu: str, peak: float, memory_bandwidth: float, link: float) -> None:
    """Its figures have two digits; data sheets one or two more."""
    found = estimated(f"params=1e9 gpu={gpu}")["device"]
    assert found["bf16"] == pytest.approx(peak, rel=0.003)
    assert found["memory_bandwidth"] == pytest.approx(memory_bandwidth, rel=0.03)
    assert found["link"] == link


def test_operations_a_byte_that_a_matrix_has_to_reach() -> None:
    """Part 1: a TPU v5e is bound by arithmetic from 240 tokens on; an H100 from about 300."""
    assert round(estimated("params=1e9 gpu=tpu-v5e")["device"]["operations_a_byte"], -1) == 240
    assert round(estimated("params=1e9 gpu=h100")["device"]["operations_a_byte"], -1) == 300

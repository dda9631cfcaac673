"""Tables of measured rates: what was measured is put in, and the percentages beside it have to come out.

Where a table counts FLOPs otherwise than `mfu` does, it is held against that convention by name
(`flops_conventions`): most frameworks print PaLM's 6 N + 12 L H Q T with every parameter in N.
"""

from __future__ import annotations

import pytest
from made_estimates import estimated, printed

# torchtitan, docs/performance.md (June 2024): 64 A100s, FSDP2, tokens a second of a GPU, percent.
TITAN = [
    ("llama3-8b", 8192, 1, 2904, "56.8"), ("llama3-8b", 8192, 1, 2973, "58.2"),
    ("llama3-8b", 8192, 1, 2876, "56.3"), ("llama3-70b", 8192, 1, 331, "51.7"),
    ("llama3-70b", 8192, 1, 323, "50.5"), ("llama2-13b", 4096, 2, 2162, "61.1"),
    ("llama2-13b", 4096, 2, 1914, "54.1"), ("llama2-13b", 4096, 2, 1904, "53.8"),
    ("llama2-70b", 4096, 1, 355, "50.8"), ("llama2-70b", 4096, 2, 353, "50.5"),
]  # fmt: skip


def of_palm(words: str) -> float:
    """MFU in percent by PaLM's count."""
    return 100 * float(estimated(words)["flops_conventions"]["palm"]["mfu"])


@pytest.mark.parametrize(("model", "seq", "batch", "rate", "cell"), TITAN)
def test_torchtitan_on_a100(model: str, seq: int, batch: int, rate: int, cell: str) -> None:
    """Rates are whole numbers: half a token a second is up to 0.1 % of Llama 3 70B's."""
    words = f"model={model} gpu=a100 dp=64 zero=3 seq={seq} batch={batch}"
    low, high = (of_palm(f"{words} step_s={batch * seq / (rate + half)}") for half in (-0.5, 0.5))
    assert low - 0.05 <= float(cell) <= high + 0.05


# llm-foundry, scripts/train/benchmarking/README.md, "H100 80GB BF16": layers, hidden, heads, sequence,
# GPUs, tokens a second of a GPU, percent, parameters (GPT layout, norm at the end, vocabulary of 50 368).
MPT = [
    (32, 4096, 32, 2048, 8, 10643, "46.44", 6658859008), (32, 4096, 32, 4096, 8, 8611, "40.42", 6667247616),
    (32, 4096, 32, 8192, 8, 6935, "37.14", 6684024832), (32, 4096, 32, 32768, 8, 3318, "30.94", 6784688128),
    (32, 4096, 32, 65536, 8, 1956, "28.59", 6918905856),
    (40, 5120, 40, 2048, 64, 4800, "39.86", 12853954560),
    (40, 5120, 40, 16384, 8, 2985, "35.55", 12927354880),
    (48, 7168, 56, 2048, 32, 2308, "43.92", 29975214080),
    (24, 2048, 16, 2048, 8, 45455, "41.82", 1315950592), (24, 2048, 16, 65536, 8, 5506, "26.34", 1445974016),
]  # fmt: skip


@pytest.mark.parametrize(
    ("layers", "hidden", "heads", "seq", "gpus", "rate", "cell", "params"),
    MPT,
    ids=[str(row[-1]) for row in MPT],
)
def test_mpt_on_h100(
    layers: int, hidden: int, heads: int, seq: int, gpus: int, rate: int, cell: str, params: int
) -> None:
    """The paper's GPT layout has no norm behind the last layer: 2 h of their parameters."""
    words = f"layers={layers} hidden={hidden} heads={heads} seq={seq} vocab=50368 flash=1"
    found = estimated(words)
    assert found["params"] + 2 * hidden == params
    line = f"{words} dp={gpus} zero=3 gpu=h100 params={params}"
    assert of_palm(f"{line} step_s={seq / rate}") == pytest.approx(float(cell), abs=0.02)


# Llama 3 (arXiv 2407.21783), table 4: devices, cp, dp, sequence, sequences of a replica, TFLOP/s, percent.
LLAMA_3 = [(8192, 1, 64, 8192, 32, 430, "43"), (16384, 1, 128, 8192, 16, 400, "41"),
           (16384, 16, 8, 131072, 16, 380, "38")]  # fmt: skip


@pytest.mark.parametrize("row", LLAMA_3)
def test_llama_3_table_4(row: tuple[int, int, int, int, int, int, str]) -> None:
    """TP 8 and PP 16 in every row, 16M tokens a step. Rates are rounded (400 of 989 is 40.4 %, 41 % are
    printed): a percentage is met within what the rounding of its rate leaves open."""
    devices, cp, dp, seq, many, tera, cell = row
    layout = f"tp=8 pp=16 cp={cp} dp={dp} micro_batches={many} uneven=1"
    found = estimated(f"model=llama3-405b gpu=h100 {layout} seq={seq} achieved={tera}e12")
    assert found["layout"]["devices"] == devices
    assert dp * many * seq == 16 * 2**20
    assert 100 * found["mfu"] == pytest.approx(float(cell), abs=0.5 + 100 * 5 / 989.4)


def test_deepseek_v3_table_1() -> None:
    """arXiv 2412.19437, table 1 and section 1: 2664K H800 hours of pre-training at 2 dollars are $5.328M;
    180K hours and 3.7 days for a trillion tokens on 2048 of them; 671B parameters, 37B of them active."""
    words = "model=deepseek-v3 gpu=h800 dp=2048 ep=64 zero=1 price=2"
    tokens_a_step = estimated(words)["layout"]["seq"] * 2048
    step = 180e3 * 3600 / 2048 / (1e12 / tokens_a_step)  # of 180K hours a trillion
    trillion, all_of_it = (estimated(f"{words} step_s={step} tokens={n}") for n in ("1e12", "14.8e12"))
    assert printed(trillion["days"], 1) == "3.7"
    assert printed(all_of_it["device_hours"] / 1e3, 0) == "2664"
    assert printed(all_of_it["money"] / 1e6, 3) == "5.328"
    assert int(all_of_it["params"] / 1e9) == 671 and int(all_of_it["params_active"] / 1e9) == 37


# How to Scale Your Model (Austin et al., 2025), part 6, LLaMA 3-70B.
def test_scaling_book_parameters_by_part() -> None:
    found = estimated("model=llama3-70b seq=8192")
    assert printed(80 * 3 * 8192 * 28672 / 1e9, 1) == "56.4"  # "56.3e9" there, cut
    assert printed(found["params"] / 1e9, 1) in ("70.5", "70.6")  # 70.4e9 there: of 56.3, 2.1 and 12
    ends = 2 * 128256 * 8192
    assert printed(ends / 1e9, 1) == "2.1"
    assert found["params"] - ends - 80 * 3 * 8192 * 28672 == pytest.approx(12e9, rel=0.01)


@pytest.mark.parametrize(("chips", "share", "days"), [(8960, 0.4, 44), (18823, 0.5, 17)])
def test_scaling_book_days(chips: int, share: float, days: int) -> None:
    """Parts 5 and 6: 44 days at 40 % of 8960 v5p chips, about 17 at 50 % of 18 823, of 6.3e24 FLOPs."""
    found = estimated(f"params=70e9 tokens=15e12 dp={chips} gpu=tpu-v5p achieved={share * 4.59e14}")
    assert found["flops"] == pytest.approx(6.3e24) and round(found["days"]) == days
    assert found["mfu"] == pytest.approx(share)


def test_scaling_book_one_chip() -> None:
    """Part 6: 6.3e24 FLOPs take a single v5p 435 years at its peak."""
    found = estimated("params=70e9 tokens=15e12 gpu=tpu-v5p achieved=4.59e14")
    assert int(found["days"] / 365) == 435


def test_scaling_book_question_1_of_part_4() -> None:
    """D 4096, F 4 D, V 32 000, L 64: 16e9 parameters there, with D 4e3 and V 2 D 4e3; a quarter is
    attention's. Question 5: at s = 2 D attention costs what its four projections do.
    """
    line = "layers=64 hidden=4096 heads=32 kv_heads=32 ffn=16384 vocab=32000"
    found = estimated(line)
    exact = 64 * (3 * 4096 * 16384 + 4 * 4096**2 + 2 * 4096) + 2 * 32000 * 4096 + 4096
    assert found["params"] == exact and exact == pytest.approx(16e9, rel=0.1)
    at = estimated(f"{line} seq=8192")["flops_parts"]
    assert at["attention"] == 64 * 6 * 4 * 4096**2  # FLOPs of the projections Q, K, V and O of a token

"""Narayanan et al. (arXiv 2104.04473): table 1, equations 2 to 4, and the pipeline of section 2.2."""

from __future__ import annotations

import pytest
from made_estimates import estimated, printed

# Billions of parameters, heads, hidden, layers, tp, pp, devices, batch, TFLOP/s a device, % of peak, PFLOP/s.
TABLE_1 = [
    ("1.7", 24, 2304, 24, 1, 1, 32, 512, 137, 44, "4.4"),
    ("3.6", 32, 3072, 30, 2, 1, 64, 512, 138, 44, "8.8"),
    ("7.5", 32, 4096, 36, 4, 1, 128, 512, 142, 46, "18.2"),
    ("18.4", 48, 6144, 40, 8, 1, 256, 1024, 135, 43, "34.6"),
    ("39.1", 64, 8192, 48, 8, 2, 512, 1536, 138, 44, "70.8"),
    ("76.1", 80, 10240, 60, 8, 4, 1024, 1792, 140, 45, "143.8"),
    ("145.6", 96, 12288, 80, 8, 8, 1536, 2304, 148, 47, "227.1"),
    ("310.1", 128, 16384, 96, 8, 16, 1920, 2160, 155, 50, "297.4"),
    ("529.6", 128, 20480, 105, 8, 35, 2520, 2520, 163, 52, "410.2"),
    ("1008.0", 160, 25600, 128, 8, 64, 3072, 3072, 163, 52, "502.0"),
]


@pytest.mark.parametrize("row", TABLE_1, ids=lambda row: row[0])
def test_table_1(row: tuple[str, int, int, int, int, int, int, int, int, int, str]) -> None:
    cell, heads, hidden, layers, tp, pp, devices, batch, tera, percent, peta = row
    dp = devices // (tp * pp)
    shape = f"layers={layers} hidden={hidden} heads={heads} vocab=51200 seq=2048"
    found = estimated(f"{shape} tp={tp} pp={pp} dp={dp} micro_batches={batch // dp} recompute=full "
                      "gpu=a100-80 "
                      f"achieved={tera}e12")  # fmt: skip
    assert printed(found["params"] / 1e9, 1) == cell
    # The paper's own closed forms, written out.
    b, l, s, h, v = batch, layers, 2048, hidden, 51200  # noqa: E741
    assert found["params"] == 12 * l * h * h + 13 * l * h + (v + s) * h
    assert found["flops_hardware"] == pytest.approx(
        96 * b * s * l * h * h * (1 + s / (6 * h) + v / (16 * l * h))
    )
    assert round(100 * found["hfu"]) == percent
    # 1e15/s of all devices, from TFLOP/s that are printed as whole numbers.
    assert float(peta) == pytest.approx(
        found["hfu"] * 312e12 * devices / 1e15, rel=0.5 / tera + 0.05 / float(peta)
    )


@pytest.mark.parametrize(
    ("params", "tokens", "devices", "achieved", "days"),
    [(175e9, 300e9, 1024, 140e12, 34), (1008e9, 450e9, 3072, 163e12, 84)],
)
def test_training_days_of_section_5(
    params: float, tokens: float, devices: int, achieved: float, days: int
) -> None:
    """8 T P / (n X): 34 days for GPT-3 on 1024 A100s, 84 for a trillion parameters on 3072."""
    found = estimated(f"params={params} tokens={tokens} dp={devices} recompute=full achieved={achieved}")
    assert round(found["days"]) == days


def test_bubble_of_section_2() -> None:
    """p 4, m 8, a backward two forwards: 33 units, 3/11 of all time and 3/8 of the ideal; held micro-
    batches."""
    shape = "layers=8 hidden=64 heads=4 pp=4 micro_batches=8"
    found = estimated(shape)["pipeline"]
    assert found["makespan"] == 33
    assert printed(100 * found["idle_of_total"], 2) == "27.27" and 100 * found["idle_of_ideal"] == 37.5
    assert found["live"] == [4, 3, 2, 1]
    assert estimated(f"{shape} schedule=gpipe")["pipeline"]["live"] == [8, 8, 8, 8]
    looped = estimated(f"{shape} interleave=2")["pipeline"]
    assert looped["idle_of_ideal"] == 3 / 16 and looped["makespan"] == 24 + 3 * 3 / 2


def test_traffic_of_sections_3_and_4() -> None:
    """8 b s h (t-1)/t a layer and micro-batch inside a layer, b s h between stages, a share of it
    scattered."""
    shape = "layers=8 hidden=1024 heads=16 seq=512 batch=2 tp=4 pp=4 micro_batches=8"
    block = 2 * 512 * 1024  # b s h
    found = estimated(shape)["traffic"]
    assert found["tp"] == pytest.approx(
        2 * 8 * block * 3 / 4 * 2 * 8
    )  # bytes, layers of a stage, micro-batches
    assert found["pp"] == pytest.approx(2 * block * 8 * 2)  # bytes, micro-batches, both ways
    scattered = estimated(f"{shape} sp=1")["traffic"]
    assert scattered["tp"] == pytest.approx(found["tp"]) and scattered["pp"] == pytest.approx(found["pp"] / 4)

"""ZeRO (arXiv 1910.02054): tables 1 and 2, figure 1, and the traffic of section 7."""

from __future__ import annotations

import math

import pytest
from made_estimates import estimated, printed

# Table 1: GB a device with stages 1, 2 and 3, by parameters and data parallel ranks.
TABLE_1 = {
    7.5e9: {
        1: ("120", "120", "120"), 4: ("52.5", "41.3", "30"), 16: ("35.6", "21.6", "7.5"),
        64: ("31.4", "16.6", "1.88"), 256: ("30.4", "15.4", "0.47"), 1024: ("30.1", "15.1", "0.12"),
    },
    128e9: {
        1: ("2048", "2048", "2048"), 4: ("896", "704", "512"), 16: ("608", "368", "128"),
        64: ("536", "284", "32"), 256: ("518", "263", "8"), 1024: ("513", "257", "2"),
    },
    1e12: {
        1: ("16000", "16000", "16000"), 4: ("7000", "5500", "4000"), 16: ("4750", "2875", "1000"),
        64: ("4187", "2218", "250"), 256: ("4046", "2054", "62.5"), 1024: ("4011", "2013", "15.6"),
    },
}  # fmt: skip
CELLS = [
    (params, ranks, stage, cell)
    for params, rows in TABLE_1.items()
    for ranks, row in rows.items()
    for stage, cell in enumerate(row, 1)
]


@pytest.mark.parametrize(("params", "ranks", "stage", "cell"), CELLS)
def test_table_1(params: float, ranks: int, stage: int, cell: str) -> None:
    """Some cells are rounded (41.25 is 41.3), some cut (4187.5 is 4187): either is the printed digit."""
    digits = len(cell.partition(".")[2])
    found = estimated(f"params={params:g} zero={stage} dp={ranks}")["memory"]["states"] / 1e9
    half_up = math.floor(found * 10**digits + 0.5) / 10**digits
    cut = math.floor(found * 10**digits) / 10**digits
    assert cell in (f"{half_up:.{digits}f}", f"{cut:.{digits}f}")


@pytest.mark.parametrize(("stage", "cell"), [(0, "120.0"), (1, "31.4"), (2, "16.6"), (3, "1.9")])
def test_figure_1(stage: int, cell: str) -> None:
    found = estimated(f"params=7.5B zero={stage} dp=64")["memory"]
    assert printed(found["states"] / 1e9, 1) == cell


# Table 2: the largest model by states alone on V100s of 32 GB; model parallel ranks, devices, then billions.
TABLE_2 = [
    (1, 64, ("2", "7.6", "14.4", "128")),
    (2, 128, ("4", "15.2", "28.8", "256")),
    (4, 256, ("8", "30.4", "57.6", "512")),
    (8, 512, ("16", "60.8", "115.2", "1024")),
    (16, 1024, ("32", "121.6", "230.4", "2048")),
]


@pytest.mark.parametrize(("tp", "devices", "row"), TABLE_2)
def test_table_2(tp: int, devices: int, row: tuple[str, ...]) -> None:
    """The first row is printed, the others are it times the degree (0.5T, 1T, 2T are 512, 1024, 2048)."""
    for stage, cell in enumerate(row):
        found = (
            estimated(f"params=1B zero={stage} dp={devices // tp} tp={tp} memory=32e9")["largest_params"]
            / 1e9
        )
        digits = len(cell.partition(".")[2])
        assert math.floor(found / tp * 10**digits) / 10**digits * tp == pytest.approx(float(cell))


@pytest.mark.parametrize(("stage", "times"), [(0, 2), (1, 2), (2, 2), (3, 3)])
def test_traffic_of_section_7(stage: int, times: int) -> None:
    """2 P and 3 P numbers of two bytes, less the part that a rank has already."""
    found = estimated(f"params=7.5e9 zero={stage} dp=64")["traffic"]["dp"]
    assert found == pytest.approx(times * 7.5e9 * 2 * 63 / 64)

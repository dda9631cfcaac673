"""The note on published trainings says what the estimate says today."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from runtime.estimate.estimate import estimate
from runtime.estimate.request import read, request

NOTE = Path(__file__).parents[4] / "runtime" / "estimate" / "TRAININGS.md"
ROWS = re.findall(r"^\| ([^|]+) \| `([^`]+)` \| ([^|]+) \| ([^|]+) \|$", NOTE.read_text(), re.MULTILINE)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_note_is_true(row: tuple[str, str, str, str]) -> None:
    found = estimate(request(read(row[1].split())))
    gpu, whole = found.request.gpu, found.cost
    assert gpu is not None and whole is not None and found.mfu is not None and found.hfu is not None
    rate = found.hfu * gpu.peak(found.request.precision.peak) / 1e12
    said = f"{rate:.0f} TFLOP/s, {100 * found.mfu:.0f} % MFU, {whole.days:.0f} days"
    assert row[3] == f"{said}, {found.memory.total / 1e9:.0f} GB"


def test_rates_of_megatron_are_met_within_a_tenth() -> None:
    reported = [(re.match(r"(\d+) TFLOP/s", row[2]), re.match(r"(\d+) TFLOP/s", row[3])) for row in ROWS[:3]]
    for paper, ours in reported:
        assert paper and ours and abs(int(ours[1]) / int(paper[1]) - 1) < 0.1
    assert len(ROWS) == 7

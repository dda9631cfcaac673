"""The note on published trainings says what the estimate says today."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from runtime.estimate.duel import chosen_words
from runtime.estimate.estimate import estimate
from runtime.estimate.planner import plan
from runtime.estimate.request import read, request

NOTE = Path(__file__).parents[4] / "runtime" / "estimate" / "TRAININGS.md"
EVERY = re.findall(r"^\| ([^|]+) \| `([^`]+)` \| ([^|]+) \| ([^|]+) \|$", NOTE.read_text(), re.MULTILINE)
ROWS = [row for row in EVERY if "gpus=" not in row[1]]
PLANS = [row for row in EVERY if "gpus=" in row[1]]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_note_is_true(row: tuple[str, str, str, str]) -> None:
    found = estimate(request(read(row[1].split())))
    gpu, whole = found.request.gpu, found.cost
    assert gpu is not None and whole is not None and found.mfu is not None and found.hfu is not None
    rate = found.hfu * gpu.peak(found.request.precision.peak) / 1e12
    said = f"{rate:.0f} TFLOP/s, {100 * found.mfu:.0f} % MFU, {whole.days:.0f} days"
    assert row[3] == f"{said}, {found.memory.total / 1e9:.0f} GB"


@pytest.mark.parametrize("row", PLANS, ids=lambda row: row[0])
def test_the_planner_chooses_what_the_note_says(row: tuple[str, str, str, str]) -> None:
    asked = request(read(row[1].split()))
    assert chosen_words(plan(asked, asked.values["gpus"], 1).best[0]) == row[3]


def test_llama_3_is_planned_as_its_paper_laid_it_out() -> None:
    """arXiv 2407.21783, table 4: tp 8, pp 16, dp 128 on 16 384 devices."""
    assert PLANS[0][3].startswith("tp 8, pp 16, dp 128, ZeRO-2")
    assert PLANS[1][3].startswith("pp 16, ep 8, dp 128")  # arXiv 2412.19437, 3.2: and ep 64


def test_rates_of_megatron_are_met_within_a_tenth() -> None:
    reported = [(re.match(r"(\d+) TFLOP/s", row[2]), re.match(r"(\d+) TFLOP/s", row[3])) for row in ROWS[:3]]
    for paper, ours in reported:
        assert paper and ours and abs(int(ours[1]) / int(paper[1]) - 1) < 0.1
    assert len(ROWS) == 7

"""Layouts: an answer is scored by the estimator, and the best is the one its planner finds."""

from __future__ import annotations

import pytest

from runtime.estimate.planner import plan
from runtime.estimate.request import request
from runtime.puzzles.cluster import Cluster, best
from runtime.puzzles.registry import PUZZLES
from runtime.puzzles.verdict import Unreadable

CLUSTERS = [puzzle.rules for puzzle in PUZZLES if isinstance(puzzle.rules, Cluster)]


@pytest.mark.parametrize("rules", CLUSTERS, ids=lambda it: it.model)
def test_the_planner_finds_nothing_shorter(rules: Cluster) -> None:
    """It searches in its own way: by memory and time alone, stages that divide the layers."""
    asked = request(
        {
            "model": rules.model, "gpu": rules.gpu, "seq": rules.seq, "global_batch": rules.global_batch,
            "flash": 1, "interleave": 1, "cp": 1,
        }
    )  # fmt: skip
    found = [
        e for e in plan(asked, rules.gpus).best if e.request.layout.tp <= 8 and e.request.layout.pp <= 16
    ]
    assert found[0].step_s == pytest.approx(best(rules)[0])


def test_it_has_to_fit() -> None:
    judged = CLUSTERS[0].judge("tp=1 pp=1 zero=0 batch=1 recompute=none")
    assert not judged.valid
    assert "does not fit" in judged.faults[0].text


def test_a_layout_that_cannot_be_says_why() -> None:
    rules = Cluster("llama3-8b", "h100", 8, 8192, 64)
    assert rules.judge("tp=8 pp=4").faults[0].text == "tp x pp = 32 does not divide 8 GPUs"
    assert "ZeRO 3" in rules.judge("pp=2 zero=3").faults[0].text
    for text in ("dp=2", "tp=3", "tp", "recompute=maybe"):
        with pytest.raises(Unreadable):
            rules.judge(text)

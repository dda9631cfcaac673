"""Activation checkpointing: less is kept by the formula, and what is computed again is what was there."""

from __future__ import annotations

import pytest
from demo_run import Run, as_promised

from runtime.catalog.specs.one_process.checkpointing import MODES, kept

pytest.importorskip("torch")
pytestmark = pytest.mark.slow


def test_side_by_side_they_keep_less_and_learn_the_same_to_the_last_bit(run: Run) -> None:
    ran = run("checkpointing", steps=2, batch=2, layers=2)
    as_promised(ran)
    for row, mode in zip(ran.snapshot.rows, MODES, strict=True):
        assert row.result is not None and row.result["mode"] == mode
        assert row.activations == kept(ran.demo.values, mode)
        assert ran.losses(row.rank) == ran.losses(0)
    assert ran.snapshot.equal is True


@pytest.mark.parametrize("mode", MODES)
def test_one_mode_on_all_ranks(run: Run, mode: str) -> None:
    ran = run("checkpointing", mode=mode, ranks=1, steps=2, width=64)
    as_promised(ran)
    assert ran.figures()["activations"] == kept(ran.demo.values, mode)


def test_what_is_computed_again_costs_backward_another_forward(run: Run) -> None:
    """In processor time: a backward is two forwards, with one more of the blocks it is three."""
    ran = run("checkpointing", steps=6, ranks=4, batch=16, width=128, layers=4)
    backward = [row.result["backward_cpu_s"] for row in ran.snapshot.rows if row.result]
    none, selective, mlp, full = (value for value in backward if isinstance(value, float))
    assert none < mlp < full < 2.5 * none and selective < full


def test_selective_is_the_core_of_attention(run: Run) -> None:
    """What it drops grows with the square of the sequence, and with the heads; not with the width."""
    for seq in (64, 128):
        none, selective = (
            run("checkpointing", mode=mode, ranks=1, steps=2, width=64, batch=2, seq=seq)
            for mode in ("none", "selective")
        )
        dropped = int(str(none.figures()["activations"])) - int(str(selective.figures()["activations"]))
        assert dropped == 4 * 4 * 4 * 2 * seq * seq  # 4 layers, 4 heads, 4 bytes, 2 sequences

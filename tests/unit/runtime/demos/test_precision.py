"""The updates that bf16 loses, and the copy in which they arrive."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from runtime.demos import precision  # noqa: E402


def test_small_updates_vanish_in_bf16_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert precision.add_up(0.001, 1000, torch.bfloat16) == 1.0
    assert precision.add_up(0.001, 1000, torch.float32) == pytest.approx(2.0, abs=1e-4)
    monkeypatch.setattr(precision, "STEPS", 20)
    changed = {name: precision.train(*recipe)[1] for name, recipe in precision.RECIPES.items()}
    assert changed["bf16 alone"] < 0.9 * changed["fp32"]
    assert changed["bf16, fp32 copy"] == pytest.approx(changed["fp32"], rel=0.02)


def test_its_adam_is_torchs() -> None:
    weight = torch.randn(5, 3)
    own = weight.clone().requires_grad_()
    optimizer, state = torch.optim.Adam([own], lr=precision.RATE), (torch.zeros(5, 3), torch.zeros(5, 3))
    for step in range(1, 4):
        own.grad = torch.randn(5, 3)
        weight = weight + precision.adam(own.grad, *state, step)
        optimizer.step()
        torch.testing.assert_close(weight, own.detach())


def test_it_is_short() -> None:
    assert len(Path(precision.__file__).read_text("utf-8").splitlines()) <= 100

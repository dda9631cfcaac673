"""The step by hand makes the gradients of autograd and the update of torch's own Adam."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from runtime.catalog import registry  # noqa: E402
from runtime.demos import step_by_hand as hand  # noqa: E402


def test_gradients_and_update_are_torchs() -> None:
    torch.manual_seed(3)
    shapes = ((hand.VOCAB, 8), (8, 32), (32, hand.VOCAB))
    weights = [torch.randn(*shape, dtype=torch.float64) for shape in shapes]
    own = [w.clone().requires_grad_() for w in weights]
    adam = torch.optim.Adam(own, lr=hand.RATE)
    state: list[torch.Tensor] = []
    for step in range(1, 4):
        tokens, targets = torch.randint(0, hand.VOCAB, (2, 50))
        _, kept = hand.forward(weights, tokens, targets)
        gradients = hand.backward(weights, kept, tokens, targets)
        adam.zero_grad()
        hand.forward(own, tokens, targets)[0].backward()
        for g, w in zip(gradients, own, strict=True):
            torch.testing.assert_close(g, w.grad)
        hand.adam(weights, gradients, state, step)
        adam.step()
        for w, o in zip(weights, own, strict=True):
            torch.testing.assert_close(w, o.detach())


def test_it_is_short_and_can_be_shown() -> None:
    file = registry.demo_file("step_by_hand")
    assert file == Path(hand.__file__) and len(file.read_text("utf-8").splitlines()) <= 100
    assert registry.demo_file("../demos/step_by_hand") is None and registry.demo_file("nothing") is None

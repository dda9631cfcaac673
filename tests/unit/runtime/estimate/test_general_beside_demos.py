"""The general formulas of a GPT beside the demos' own, which are held against the allocator of real ranks.

The demos' small model has no biases of queries, keys and values, no dropout and a head of its own; what it
saves and keeps is within 0.5 percent of a GPT's of that shape. The general total is a sum of what each kind
has at most: it is no peak, as gradients grow while activations go.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from runtime.catalog import registry
from runtime.catalog.params import number
from runtime.catalog.registry import Launchable
from runtime.estimate.formulas import memory
from runtime.estimate.formulas.memory import Memory, Subject
from runtime.estimate.formulas.states import PRECISIONS
from runtime.estimate.inputs.layout import Layout
from runtime.estimate.inputs.models import gpt

NEAR = 0.005
LINES = ("single", "single width=512 layers=4", "single batch=32 seq=128 width=256", "ddp ranks=2",
         "zero stage=1 ranks=4", "fsdp ranks=4", "fsdp ranks=2 width=512 layers=4")  # fmt: skip


def both(line: str) -> tuple[Memory, dict[str, float]]:
    parsed = registry.parse_line(line)
    assert isinstance(parsed, tuple)
    demo = registry.check(*parsed)
    assert isinstance(demo, Launchable)
    spec = registry.find(demo.name)
    assert spec is not None
    width, layers, seq, batch = (number(demo.values[k]) for k in ("width", "layers", "seq", "batch"))
    model = replace(
        gpt(layers, width, 4, 256, seq), dropout=False, tied=False, final_norm=True, qkv_bias=False
    )
    stage = 3 if demo.name == "fsdp" else number(demo.values.get("stage", 0))
    ranks = 1 if demo.name == "single" else number(demo.values["ranks"])
    layout = Layout(seq=seq, batch=batch, flash=True, dp=ranks, zero=stage)
    found = memory.on_stage(Subject.of(model), layout, PRECISIONS["fp32"], "adam", False, 0)
    return found, dict(spec.memory(demo.values))


@pytest.mark.parametrize("line", LINES)
def test_states_and_activations(line: str) -> None:
    found, demo = both(line)
    assert found.parameters == pytest.approx(demo["params"], rel=NEAR)
    assert found.gradients == pytest.approx(demo["grads"], rel=NEAR)
    assert found.optimizer == pytest.approx(demo["optimizer_bytes"], rel=NEAR)
    assert found.activations == pytest.approx(demo["activations"], rel=NEAR)

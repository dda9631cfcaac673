"""`checkpointing`: parameters and key figures."""

from __future__ import annotations

import math
from dataclasses import replace

from runtime.catalog.params import (
    DEMOS_DIR,
    LAUNCH_PARAMS,
    DemoSpec,
    Param,
    Values,
    exactly,
    number,
    training,
)
from runtime.catalog.specs import shown
from runtime.catalog.specs.replicated import replica
from runtime.catalog.specs.sizes import activations, block_activations
from runtime.protocol.messages import Snapshot

MODES = ("none", "selective", "mlp", "full")


def kept(values: Values, mode: str) -> int:
    """Bytes that autograd holds after a forward (`sizes.activations`).

    Attention is written out: in place of a sum for each row it keeps the row, for each head. `selective`
    drops these. `mlp` drops what the MLP keeps but for its input: the second norm's output, its two
    figures a token, and both sides of the gelu. `full` keeps the block's input of all it has.
    """
    width, layers, seq = (number(values[name]) for name in ("width", "layers", "seq"))
    tokens, heads = seq * number(values["batch"]), math.gcd(width, 4)
    weights = 4 * heads * seq * tokens
    block = block_activations(values, tokens) - 4 * heads * tokens + weights
    dropped = {"none": 0, "selective": weights, "mlp": 4 * (9 * width + 2) * tokens,
               "full": block - 4 * width * tokens}  # fmt: skip
    return activations({**values, "layers": 0}) + layers * (block - dropped[mode])


def _unshown(values: Values, ran: Snapshot) -> str:
    """What is computed again costs processor time in backward."""
    found = shown.results(ran, "backward_cpu_s")
    if values["mode"] != "each" or len(found) < len(MODES) or found[0] < found[2] < found[3]:
        return ""
    told = ", ".join(f"{mode} {shown.ms(took)}" for mode, took in zip(MODES, found, strict=False))
    return f"the backwards took {told} of processor time: {shown.crowded(ran) or 'the processor was busy'}"


def _expects(values: Values) -> dict[str, tuple[float, float]]:
    mode = str(values["mode"])
    sizes = [kept(values, m) for m in (MODES[: number(values["ranks"])] if mode == "each" else (mode,))]
    return {**exactly(replica(values)), "activations": (min(sizes), max(sizes))}


SPEC = DemoSpec(
    "checkpointing",
    "Activation checkpointing: forget in forward what backward can compute once more",
    DEMOS_DIR / "checkpointing.py",
    (
        replace(LAUNCH_PARAMS[0], default=4, help="processes; each trains alone"),
        *LAUNCH_PARAMS[1:],
        Param("mode", "choice", "each", "what is forgotten; each: all four on ranks in turn",
              choices=("each", *MODES), rank_arg=True),
        *training(steps=50, layers=4),
    ),
    steps=lambda values: number(values["steps"]),
    expects=_expects,
    unshown=_unshown,
    memory=lambda values: {**replica(values), "activations": kept(values, MODES[0] if values["mode"] == "each"
                                                                  else str(values["mode"]))},
    view="memory",
    watch="fewer activations from rank to rank, longer backwards, the same loss to the last bit",
    when="activations, not weights, are what does not fit: long sequences, deep models",
)  # fmt: skip

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
from runtime.catalog.specs.data_parallel.replicated import replica
from runtime.catalog.specs.sizes import (
    VOCAB,
    activations,
    adamw_scratch,
    block_activations,
    tinylm_block,
    tinylm_parameters,
)
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


def peak(values: Values, mode: str) -> int:
    """The most bytes at once: parameters, Adam's state, and the largest of four moments.

    The begin of backward, as in `sizes.moments`; the gelu of the last or first block, where what the mode has
    forgotten of this one block is there again; its softmax, whose weights and two gradients of their size are
    there at once; the optimizer's scratch.
    """
    width, layers, seq = (number(values[name]) for name in ("width", "layers", "seq"))
    tokens, whole = seq * number(values["batch"]), 4 * tinylm_parameters(values)
    weights, unit = 4 * math.gcd(width, 4) * seq * tokens, 4 * tokens * width
    saved, of_block = kept(values, mode), 4 * tinylm_block(values)
    a_block = (saved - kept({**values, "layers": 0}, mode)) // layers if layers else 0
    begin = saved + 2 * 4 * tokens * VOCAB
    before_head = saved - 4 * tokens * (VOCAB + 2 * width)
    again = kept(values, "none") - saved if layers else 0
    again = again // layers if mode in ("mlp", "full") else 0
    gelu = before_head + again - 4 * unit + 9 * unit + 4 * (VOCAB * width + 4 * width**2)
    beside = 9 if mode == "selective" else 6  # q, k and v twice: kept, and as they are computed with again
    softmax = before_head - a_block + beside * unit + 3 * weights + 4 * (VOCAB * width + 9 * width**2)
    earlier = max(0, (layers - 1) * (of_block - a_block))  # in the first block, not the last
    moments = (begin, gelu + earlier, softmax + earlier, whole + adamw_scratch(values))
    return 3 * whole + max(moments)


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


def _memory(values: Values) -> dict[str, int]:
    """Of the rank that holds most: with `each` the first, which forgets nothing."""
    mode = MODES[0] if values["mode"] == "each" else str(values["mode"])
    return {**replica(values), "activations": kept(values, mode), "gathered": 0, "peak": peak(values, mode)}


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
    expects=_expects,
    unshown=_unshown,
    memory=_memory,
    view="memory",
    watch="fewer activations from rank to rank, longer backwards, the same loss to the last bit",
    when="activations, not weights, are what does not fit: long sequences, deep models",
    gpu="shared",
)  # fmt: skip

"""`tensor`: parameters and key figures."""

from __future__ import annotations

import math

from runtime.catalog.params import (
    DEMOS_DIR,
    LAUNCH_PARAMS,
    DemoSpec,
    Refusal,
    Values,
    exactly,
    number,
    training,
)
from runtime.catalog.specs.sizes import (
    VOCAB,
    adamw_scratch,
    embedding_activations,
    head_activations,
    tinylm_parameters,
    tokens_of,
)


def _heads_left_over(values: Values) -> Refusal | None:
    ranks, heads = number(values["ranks"]), math.gcd(number(values["width"]), 4)
    if heads % ranks == 0:
        return None
    fits = max(n for n in range(1, ranks + 1) if heads % n == 0)
    return Refusal(f"{heads} attention heads cannot be dealt out to {ranks} ranks", f"write ranks={fits}")


def _parameters(values: Values) -> int:
    """Of one rank: 1/W of every matrix of a block and of the bias of `up`; the rest of the model is whole."""
    width, layers, ranks = (number(values[name]) for name in ("width", "layers", "ranks"))
    cut = 12 * width**2 + 4 * width
    return tinylm_parameters(values) - layers * (cut - cut // ranks)


def _memory(values: Values) -> dict[str, int]:
    """Bytes by kind, and the most at once (`peak`): the moments of `sizes.moments` with what is cut.

    A block keeps 4 T D numbers on every rank, inputs and outputs of its norms, and its share of 12: q, k, v,
    what attention gives, and both sides of the gelu. At the begin of backward no gradient is there yet; in
    the gelu's backward those of the head and of later blocks are, and of the layer after it.
    """
    width, layers, ranks = (number(values[name]) for name in ("width", "layers", "ranks"))
    share, tokens = 4 * _parameters(values), tokens_of(values)
    heads = math.gcd(width, 4)
    block = 4 * (tokens * (4 * width + 4) + tokens * (12 * width + heads) // ranks)
    saved = layers * block + head_activations(values, tokens) + embedding_activations(values, tokens)
    of_block = 4 * (12 * width**2 + 4 * width) // ranks + 4 * 5 * width
    begin = saved + 2 * 4 * tokens * VOCAB
    gone = 4 * tokens * (VOCAB + 2 * width) + 4 * tokens * 4 * width // ranks
    there = 4 * tokens * width + 4 * tokens * 8 * width // ranks
    last = saved - gone + there + 4 * (VOCAB * width + 4 * width**2 // ranks)
    first = last + (layers - 1) * (of_block - block)
    after = share + adamw_scratch(values) // ranks
    return {
        "params": share, "grads": share, "optimizer_bytes": 2 * share, "activations": saved, "gathered": 0,
        "peak": 3 * share + max(begin, last, first, after),
    }  # fmt: skip


def _expects(values: Values) -> dict[str, tuple[float, float]]:
    same = {f"{what}_difference": (0.0, 1e-5) for what in ("loss", "logits", "gradient")}
    kinds = ("params", "grads", "optimizer_bytes")
    return exactly({kind: _memory(values)[kind] for kind in kinds}) | same


SPEC = DemoSpec(
    "tensor",
    "Tensor parallelism: every matrix cut by columns, then by rows, and the result of one rank",
    DEMOS_DIR / "tensor.py",
    (*LAUNCH_PARAMS, *training(steps=100, layers=2)),
    unfit=_heads_left_over,
    expects=_expects,
    memory=_memory,
    view="collectives",
    watch="two all-reduces forward and two backward a layer, each of a whole activation, hardly hidden",
    alike=lambda values: {"batch": str(number(values["ranks"]) * number(values["batch"]))},  # one for all
    when="a layer is too large for one rank, and the ranks share a node: every layer waits for the links",
    gpu="own",
)

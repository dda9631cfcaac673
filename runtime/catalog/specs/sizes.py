"""Formulas for bytes and parameters of the small transformer all demos share (`demos.model.TinyLM`)."""

from __future__ import annotations

import math

from runtime.catalog.params import Values, number

VOCAB = 256


def tinylm_block(values: Values) -> int:
    """Count the parameters of a block of the model: 12 d^2 in matrices, 9 d in norms and biases."""
    width = number(values["width"])
    return 12 * width**2 + 9 * width


def tinylm_parameters(values: Values) -> int:
    """Count the parameters of the whole model: the blocks, two embeddings, the last norm, the head."""
    width, layers, seq = (number(values[name]) for name in ("width", "layers", "seq"))
    return layers * tinylm_block(values) + (2 * 256 + seq + 2) * width


def even_shards(values: Values, parts: int) -> bool:
    """Whether the first dimension of every parameter divides into so many shards without padding."""
    return all(size % parts == 0 for size in (number(values["width"]), number(values["seq"]), 256))


def sharded(values: Values, parts: int, reshard: bool) -> dict[str, float]:
    """Return the bytes by kind that a rank of `fully_shard` holds of the model in `parts` slices."""
    if parts == 1 or not even_shards(values, parts):
        return {}  # nothing to gather, or padded slices
    share = 4 * tinylm_parameters(values) / parts
    gathered = gathered_at_once(values, reshard)
    return {"params": share, "grads": share, "optimizer_bytes": 2 * share, "gathered": gathered}


def gathered_at_once(values: Values, reshard: bool) -> int:
    """Return the most bytes of whole weights on a rank of `fully_shard`, with blocks as units.

    With `reshard`: what is outside the blocks, the block in use, and the one fetched before it is needed (in
    forward the buffer that the block in use came in). Without: everything, and that buffer. Of a narrow model
    most is outside the blocks, and that has a buffer too when it comes.
    """
    block, whole = 4 * tinylm_block(values), 4 * tinylm_parameters(values)
    outside = whole - number(values["layers"]) * block
    return max(2 * outside, outside + 2 * block if reshard else whole + block)


# --- memory through one step ------------------------------------------------------------------------------
#
# Held against the ledger and the allocator by tests/bench/memory.py. T is tokens of a rank in one
# forward, D the width, V = 256 the vocabulary; everything is fp32 but the token numbers.


def activations(values: Values, samples: int | None = None) -> int:
    """Return the bytes that autograd saves in one forward of `samples` sequences (None: a whole batch).

    A block saves 16 T D numbers: its input, the first norm's output, q, k, v, what attention gives, the input
    and output of the second norm, 4 at the entry and 4 at the exit of the gelu. The last norm has its input
    and output, the loss T V log-probabilities. Small change: two figures a token for every norm, the sum of
    each attention row, the tokens and their targets.
    """
    tokens, layers = _tokens(values, samples), number(values["layers"])
    blocks = layers * block_activations(values, tokens)
    return blocks + head_activations(values, tokens) + embedding_activations(values, tokens)


def block_activations(values: Values, tokens: int) -> int:
    """Return the bytes that one block saves of `tokens` tokens; `activations` says of what."""
    width = number(values["width"])
    return 4 * (16 * tokens * width + (2 * 2 + math.gcd(width, 4)) * tokens)


def head_activations(values: Values, tokens: int) -> int:
    """Return the bytes saved by the last norm, the head and the loss, with its targets and weight."""
    return 4 * (2 * tokens * number(values["width"]) + 2 * tokens + tokens * VOCAB) + 8 * tokens + 4


def embedding_activations(values: Values, tokens: int) -> int:
    """Return the bytes saved by the embeddings: the tokens, and the positions in a sequence."""
    return 8 * (tokens + number(values["seq"]))


def replicated(
    values: Values,
    optimizer_bytes: float | None = None,
    *,
    adam: bool = True,
    samples: int | None = None,
    buckets: bool = True,
    no_sync: bool = False,
) -> dict[str, int]:
    """Return the bytes by kind on a rank with the whole model, and the most it has at once (`peak`).

    `optimizer_bytes` None: Adam's 8 a parameter; `adam`: it steps, with scratch space of its own. `samples`:
    those of one forward, where a step has several. `buckets`: gradients have a home all the time (DDP's, or
    several backwards a step); else they grow in backward while activations go. `no_sync`: those of all
    micro-batches but the last stand beside DDP's buckets, and the widest weight's is on its way to be added.
    """
    whole = 4 * tinylm_parameters(values)
    state = 2 * whole if optimizer_bytes is None else int(optimizer_bytes)
    saved = activations(values, samples)
    moments = _moments(values, samples, 0 if buckets else 1)
    there = whole if buckets else 0
    if no_sync:
        begin, last, first = moments
        widest = 4 * 4 * number(values["width"]) ** 2
        there, moments = 2 * whole, (begin, last + widest, first + widest)
    after = whole + (_adamw_scratch(values) if adam else 0)
    return {
        "params": whole, "grads": whole, "optimizer_bytes": state, "activations": saved, "gathered": 0,
        "peak": whole + state + max(there + max(moments), after),
    }  # fmt: skip


def fully_sharded(values: Values, parts: int, reshard: bool) -> dict[str, int]:
    """The same of `fully_shard` with `parts` slices and blocks as units; {} where slices would be padded.

    Its peak is one of: the last block on its way in forward, in a buffer and in gloo's own beside the buffer
    of the block before it, which FSDP2 keeps as long; the begin of backward; the gelu's backward in the last
    block, with the block before it fetched already; a block's gradients on their way (themselves and the
    buffer that they are sent from), with the two blocks before it gathered and the slices of the gradients of
    all blocks after it.
    """
    if parts == 1 or not even_shards(values, parts):
        return {}
    whole, block, layers = 4 * tinylm_parameters(values), 4 * tinylm_block(values), number(values["layers"])
    outside, share = whole - layers * block, whole // parts
    begin, *gelus = _moments(values, None, 1)
    saved = 4 * 16 * _tokens(values) * number(values["width"])  # of a block
    head = 4 * VOCAB * number(values["width"])
    on_their_way = max(
        (min(before, 2) if reshard else before) * block + (layers - before) * block // parts + saved * before
        for before in range(layers)
    )
    fetched = min(layers, 2) + 1 + (0 if reshard else layers - 1)
    peak = max(
        outside + fetched * block + saved * (layers - 1),
        begin + (outside + block if reshard else whole),
        gelus[0] + (outside + min(layers, 2) * block if reshard else whole),
        outside + 2 * block + head + on_their_way,
        share + _adamw_scratch(values) // parts,
    )
    return {
        "params": share, "grads": share, "optimizer_bytes": 2 * share,
        "activations": activations(values), "gathered": gathered_at_once(values, reshard),
        "peak": 3 * share + peak,
    }  # fmt: skip


def _tokens(values: Values, samples: int | None = None) -> int:
    return number(values["seq"]) * (samples if samples is not None else number(values["batch"]))


def _moments(values: Values, samples: int | None, gradients: int) -> tuple[int, int, int]:
    """Bytes of activations, their gradients and (times `gradients`) those of weights, at three moments.

    The begin of backward, with gradients of the log-probabilities and of the logits; then backward of the
    gelu in the last and in the first block: its saved output is gone, gradients of its output, its input and
    the residual are there, and of the weights those of the head, of later blocks and of the layer after it.
    """
    width, layers, tokens = number(values["width"]), number(values["layers"]), _tokens(values, samples)
    saved = activations(values, samples)
    head, block, down = VOCAB * width, tinylm_block(values), 4 * width**2
    gelu = saved + 4 * (-tokens * VOCAB - 2 * tokens * width - 4 * tokens * width + 9 * tokens * width)
    last = gelu + 4 * gradients * (head + down)
    first = last + 4 * (layers - 1) * (gradients * block - 16 * tokens * width)
    return saved + 2 * 4 * tokens * VOCAB, last, first


def _adamw_scratch(values: Values) -> int:
    """`torch.optim.AdamW` on the CPU, one tensor after the other: for the widest weight (4 D D) a square root
    and what it is divided to, and the same of the weight before it (D D), which Python has not let go."""
    return 4 * 9 * number(values["width"]) ** 2

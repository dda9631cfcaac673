"""Formulas for bytes and parameters of the small transformer all demos share (`demos.model.TinyLM`)."""

from __future__ import annotations

import math

from runtime.catalog.params import Values, number

VOCAB = 256
AS_IT_IS: Values = {"width": 128, "layers": 2, "seq": 64}  # `TinyLM()` without a word of its size


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
    tokens, layers = tokens_of(values, samples), number(values["layers"])
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
    micro-batches but the last stand beside DDP's buckets.
    """
    whole = 4 * tinylm_parameters(values)
    state = 2 * whole if optimizer_bytes is None else int(optimizer_bytes)
    saved = activations(values, samples)
    begin, last, first = moments(values, samples, 0 if buckets else 1)
    there = (1 + no_sync) * whole if buckets else 0
    # That of the widest weight is a tensor of its own until it is added to what has a home.
    widest = 4 * 4 * number(values["width"]) ** 2 if buckets else 0
    heights = (begin, last + widest, first + widest)
    after = whole + (adamw_scratch(values) if adam else 0)
    return {
        "params": whole, "grads": whole, "optimizer_bytes": state, "activations": saved, "gathered": 0,
        "peak": whole + state + max(there + max(heights), after),
    }  # fmt: skip


def tokens_of(values: Values, samples: int | None = None) -> int:
    """Count the tokens of one forward on a rank."""
    return number(values["seq"]) * (samples if samples is not None else number(values["batch"]))


def moments(values: Values, samples: int | None, gradients: int) -> tuple[int, int, int]:
    """Bytes of activations, their gradients and (times `gradients`) those of weights, at three moments.

    The begin of backward, with gradients of the log-probabilities and of the logits; then backward of the
    gelu in the last and in the first block: its saved output is gone, gradients of its output, its input and
    the residual are there, and of the weights those of the head, of later blocks and of the layer after it.
    """
    width, layers, tokens = number(values["width"]), number(values["layers"]), tokens_of(values, samples)
    saved = activations(values, samples)
    head, block, down = VOCAB * width, tinylm_block(values), 4 * width**2
    gelu = saved + 4 * (-tokens * VOCAB - 2 * tokens * width - 4 * tokens * width + 9 * tokens * width)
    last = gelu + 4 * gradients * (head + down)
    first = last + 4 * (layers - 1) * (gradients * block - 16 * tokens * width)
    return saved + 2 * 4 * tokens * VOCAB, last, first


def adamw_scratch(values: Values) -> int:
    """`torch.optim.AdamW` on the CPU, one tensor after the other: for the widest weight (4 D D) a square root
    and what it is divided to, and the same of the weight before it (D D), which Python has not let go."""
    return 4 * 9 * number(values["width"]) ** 2

"""Bytes and parameters of the small transformer that all demos share, by formula (`demos.model.TinyLM`)."""

from __future__ import annotations

from runtime.params import Values, number


def tinylm_block(values: Values) -> int:
    """Parameters of one block of `demos.model.TinyLM`: 12 d^2 in matrices, 9 d in norms and biases."""
    width = number(values["width"])
    return 12 * width**2 + 9 * width


def tinylm_parameters(values: Values) -> int:
    """Parameters of all of it: the blocks, two embeddings, the last norm, the head."""
    width, layers, seq = (number(values[name]) for name in ("width", "layers", "seq"))
    return layers * tinylm_block(values) + (2 * 256 + seq + 2) * width


def even_shards(values: Values, parts: int) -> bool:
    """Do the first dimensions of all parameters fall into so many equal shards, with no padding?"""
    return all(size % parts == 0 for size in (number(values["width"]), number(values["seq"]), 256))


def sharded(values: Values, parts: int, reshard: bool) -> dict[str, float]:
    """What a rank of `fully_shard` holds of the model in `parts` slices, in bytes."""
    if parts == 1 or not even_shards(values, parts):
        return {}  # nothing to gather, or padded slices
    share = 4 * tinylm_parameters(values) / parts
    gathered = gathered_at_once(values, reshard)
    return {"params": share, "grads": share, "optimizer_bytes": 2 * share, "gathered": gathered}


def gathered_at_once(values: Values, reshard: bool) -> int:
    """Most bytes of whole weights on a rank of `fully_shard`, blocks as units.

    With `reshard`: what is outside the blocks, the block in use, and the one fetched before it is needed (in
    forward the buffer that the block in use came in). Without: everything, and that buffer.
    """
    block, whole = 4 * tinylm_block(values), 4 * tinylm_parameters(values)
    return whole - (number(values["layers"]) - 2) * block if reshard else whole + block

"""Formulas for what a rank of `fully_shard` holds of the model that all demos share: padded slices."""

from __future__ import annotations

from typing import NamedTuple

from runtime.catalog.params import Values, number
from runtime.catalog.specs.sizes import VOCAB, activations, adamw_scratch, moments, tokens_of


class Slices(NamedTuple):
    """Bytes of parameters in one slice a rank.

    FSDP2 cuts a tensor by rows into ceil(rows / ranks), so that the last rank has fewer where they do not
    divide; buffers are as large as if it had as many (`padded`).
    """

    whole: int
    largest: int  # of a rank with full slices
    least: int  # of the last rank
    ranks: int

    @property
    def padded(self) -> int:
        """Bytes of the buffer that all slices arrive in, or leave from."""
        return self.largest * self.ranks


def slices(tensors: list[tuple[int, int]], ranks: int) -> Slices:
    """The slices of tensors of (rows, bytes of a row) on `ranks` ranks."""
    rows = [(-(-many // ranks), many) for many, _ in tensors]
    full = sum(each * size for (each, _), (_, size) in zip(rows, tensors, strict=True))
    last = sum(
        max(0, many - each * (ranks - 1)) * size
        for (each, many), (_, size) in zip(rows, tensors, strict=True)
    )
    return Slices(sum(many * size for many, size in tensors), full, last, ranks)


def block_slices(values: Values, ranks: int) -> Slices:
    """Of one block: four square matrices, two of the MLP, six vectors of norms and biases."""
    width = number(values["width"])
    square, row = [(width, 4 * width)] * 4, [(width, 4)] * 5
    return slices([*square, (4 * width, 4 * width), (width, 16 * width), *row, (4 * width, 4)], ranks)


def outside_slices(values: Values, ranks: int) -> Slices:
    """Of what is outside the blocks: embeddings of tokens and positions, the last norm, the head."""
    width = number(values["width"])
    tables = [(VOCAB, 4 * width), (number(values["seq"]), 4 * width), (VOCAB, 4 * width)]
    return slices([*tables, (width, 4), (width, 4)], ranks)


def shares(values: Values, parts: int) -> tuple[int, int]:
    """The most and the least bytes of parameters that one of `parts` ranks holds."""
    block, outside, layers = (
        block_slices(values, parts),
        outside_slices(values, parts),
        number(values["layers"]),
    )
    return layers * block.largest + outside.largest, layers * block.least + outside.least


def sharded(values: Values, parts: int, reshard: bool) -> dict[str, tuple[float, float]]:
    """Return the least and the most bytes by kind on a rank of `fully_shard` in `parts` slices."""
    if parts == 1:
        return {}  # nothing to gather
    most, least = shares(values, parts)
    found = {"params": (least, most), "grads": (least, most), "optimizer_bytes": (2 * least, 2 * most)}
    gathered = gathered_at_once(values, reshard, parts)
    return {kind: (float(low), float(high)) for kind, (low, high) in found.items()} | {
        "gathered": (float(gathered), float(gathered))
    }


def gathered_at_once(values: Values, reshard: bool, parts: int = 1) -> int:
    """Return the most bytes of whole weights on a rank of `fully_shard`, with blocks as units.

    With `reshard`: what is outside the blocks, the block in use, and the one fetched before it is needed (in
    forward the buffer that the block in use came in). Without: everything, and that buffer. Of a narrow model
    most is outside the blocks, and that has a buffer too when it comes. Whole weights have the padding of
    `parts` too: FSDP2 makes room for full slices from every rank.
    """
    block, outside = block_slices(values, parts), outside_slices(values, parts)
    blocks = 1 if reshard else number(values["layers"])
    return outside.padded + max(outside.padded, (blocks + 1) * block.padded)


def fully_sharded(values: Values, parts: int, reshard: bool) -> dict[str, int]:
    """`sizes.replicated` of `fully_shard` in `parts` slices, blocks as units, on a rank with full slices.

    Its peak is one of: the last block on its way in forward, in a buffer and in gloo's own beside the buffer
    of the block before it, which FSDP2 keeps as long; the begin of backward; the gelu's backward in the last
    block, with the block before it fetched already; a block's gradients on their way (themselves and the
    buffer that they are sent from), with the two blocks before it gathered and the slices of the gradients of
    all blocks after it.

    Gloo's thread lets a buffer go after it has said that the transfer is done. Where the processor is busy
    that can be later than what the rank does next, and its peak then has a block more.
    """
    if parts == 1:
        return {}
    layers, width = number(values["layers"]), number(values["width"])
    block, outside = block_slices(values, parts), outside_slices(values, parts)
    share = shares(values, parts)[0]
    whole = layers * block.padded + outside.padded
    begin, *gelus = moments(values, None, 1)
    saved = 4 * 16 * tokens_of(values) * width  # of a block
    on_their_way = max(
        (min(before, 2) if reshard else before) * block.padded
        + (layers - before) * block.largest
        + saved * before
        for before in range(layers)
    )
    arriving = (min(layers, 2) + 1) * block.padded + (0 if reshard else (layers - 1) * block.padded)
    fetched = min(layers, 2) * block.padded
    peak = max(
        outside.padded + arriving + saved * (layers - 1),
        begin + (outside.padded if reshard else whole),
        gelus[0] + (outside.padded + fetched if reshard else whole),
        outside.padded + block.whole + block.padded + 4 * VOCAB * width + on_their_way,
        share + adamw_scratch(values) // parts,
    )
    return {
        "params": share, "grads": share, "optimizer_bytes": 2 * share,
        "activations": activations(values), "gathered": gathered_at_once(values, reshard, parts),
        "peak": 3 * share + peak,
    }  # fmt: skip

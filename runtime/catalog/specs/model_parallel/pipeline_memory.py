"""What a rank of `pipeline` holds: its stages, what autograd saves of micro-batches in flight, and the most
at once.

T is the tokens of a micro-batch, D the width, V = 256 the vocabulary; everything is fp32 but token numbers.
"""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple

from runtime.catalog.params import Values, number
from runtime.catalog.specs.model_parallel.pipeline_halves import input_half, weight_half
from runtime.catalog.specs.sizes import (
    VOCAB,
    adamw_scratch,
    block_activations,
    embedding_activations,
    head_activations,
    tinylm_block,
)
from runtime.metrics.steps.pipeline_schedules import SCHEDULES, Shape, grid

ONE_STAGE = ("gpipe", "1f1b")  # on each rank


def shape(values: Values) -> Shape:
    """Return ranks, micro-batches, and stages on a rank (1 where the schedule has just one)."""
    chunks = number(values["chunks"]) if values["schedule"] not in ONE_STAGE else 1
    return Shape(number(values["ranks"]), number(values["micro_batches"]), chunks)


def rank_bytes(values: Values) -> list[int]:
    """Parameters of each rank in bytes: the blocks of its stages, on the first the embeddings, on the last
    norm and head."""
    wanted, schedule = shape(values), SCHEDULES[str(values["schedule"])]
    stages = (schedule.stages(wanted, rank) for rank in range(wanted.ranks))
    return [sum(stage_bytes(values, index) for index in held) for held in stages]


def stage_bytes(values: Values, index: int) -> int:
    """Parameters of one stage in bytes."""
    width, seq = number(values["width"]), number(values["seq"])
    blocks = blocks_of(values, index) * tinylm_block(values)
    embeddings = (VOCAB + seq) * width if index == 0 else 0
    return 4 * (blocks + embeddings + ((VOCAB + 2) * width if index == last_stage(values) else 0))


def last_stage(values: Values) -> int:
    """The number of the stage that has the head."""
    return shape(values).ranks * shape(values).chunks - 1


def blocks_of(values: Values, stage: int) -> int:
    """Blocks of the model in a stage."""
    stages, layers = last_stage(values) + 1, number(values["layers"])
    return (stage + 1) * layers // stages - stage * layers // stages


def tokens_of(values: Values) -> int:
    """Tokens of one micro-batch."""
    wanted = shape(values)
    return number(values["seq"]) * wanted.ranks * number(values["batch"]) // wanted.microbatches


def stage_saved(values: Values, stage: int) -> int:
    """Bytes that autograd saves of one micro-batch on a stage."""
    tokens = tokens_of(values)
    ends = embedding_activations(values, tokens) if stage == 0 else 0
    ends += head_activations(values, tokens) if stage == last_stage(values) else 0
    return ends + blocks_of(values, stage) * block_activations(values, tokens)


def saved_bytes(values: Values) -> list[int]:
    """The most that autograd saves on each rank at once: of every micro-batch from its forward to the end of
    its backward, in the order of the schedule; log-probabilities only to the end of its first half."""
    found = []
    early = 4 * tokens_of(values) * VOCAB
    for lane in grid(str(values["schedule"]), shape(values)):
        split = {piece.stage for piece in lane if piece.kind == "I"} & {last_stage(values)} - {0}
        held = []
        for piece in lane:
            saved, sooner = stage_saved(values, piece.stage), early if piece.stage in split else 0
            held.append({"F": saved, "I": -sooner}.get(piece.kind, sooner - saved))
        found.append(max(accumulate(held)))
    return found


class _Moments(NamedTuple):
    """Bytes of one backward of a stage beyond what was saved for it: as it begins, and in its last block.

    `first`: with the gradients of weights that are there by then, where it is the step's first.
    """

    begin: int
    last_block: int
    first: int


def _backward(values: Values, stage: int) -> _Moments:
    """At the begin gradients of log-probabilities and logits; then those of a block's output (which on all
    stages but the last came in a buffer), of the gelu's output, and of the weight behind it."""
    width, tokens = number(values["width"]), tokens_of(values)
    is_last = stage == last_stage(values)
    residual = tokens * width if is_last else 0
    gone = tokens * VOCAB + 2 * tokens * width if is_last else 0
    down = 4 * (residual + 4 * tokens * width - gone + 4 * width**2)
    return _Moments(8 * tokens * VOCAB if is_last else 0, down, down + (4 * VOCAB * width if is_last else 0))


def rank_peak(values: Values, rank: int) -> int:
    """The most that a rank has at once, in bytes.

    All the time: parameters, Adam's two moments, and what `torch.distributed.pipelining` keeps for each
    micro-batch: a buffer for the input of every stage but the first, one for the gradient of the output of
    every stage but the last. From forward to backward what autograd saves, and a stage's output (of the last
    one its logits); between neighbours on one rank output and gradient take the place of a buffer.
    """
    wanted, name = shape(values), str(values["schedule"])
    width, tokens, many = number(values["width"]), tokens_of(values), wanted.microbatches
    block_input, logits = 4 * tokens * width, 4 * tokens * VOCAB
    stages = SCHEDULES[name].stages(wanted, rank)
    last = last_stage(values)
    share = sum(stage_bytes(values, index) for index in stages)
    ends = sum((index > 0) + (index < last) for index in stages)
    fixed = 3 * share + many * ends * block_input + 2 * 8 * tokens * many
    now = most = gradients = 0
    begun: set[int] = set()  # stages with gradients
    for piece in grid(name, wanted)[rank]:
        stage = piece.stage
        on, back = (
            block_input * (0 <= there <= last and there not in stages) for there in (stage + 1, stage - 1)
        )
        # The input of a stage behind the first is the buffer that it came in.
        saved = stage_saved(values, stage) - (block_input if stage else 0) + (on if stage < last else logits)
        half = input_half(tokens, width, blocks_of(values, stage), last=stage == last)
        if piece.kind == "F":
            now += saved
            most = max(most, now + gradients)
            continue
        if piece.kind == "I":
            if stage:
                most = max(most, now + gradients + half.inside)
                now += half.stays - block_input + back
            continue
        if piece.kind == "W" and stage:
            again = stage in begun
            blocks = blocks_of(values, stage)
            inside = weight_half(values, tokens, blocks, last=stage == last, first_time=not again)
            saved += half.stays - block_input + back
        else:
            moments = _backward(values, stage)
            inside = max(moments.begin, moments.last_block if stage in begun else moments.first)
        most = max(most, now + gradients + inside)
        if stage not in begun:
            begun.add(stage)
            gradients += stage_bytes(values, stage)
        now -= saved
        if (
            name not in ONE_STAGE
        ):  # the runtime of several stages holds on to what it sent until the step ends
            now += on + back
        most = max(most, now + gradients)
    left = now if any(piece.kind == "I" for piece in grid(name, wanted)[rank]) else 0
    return fixed + max(most, gradients + left + adamw_scratch(values))

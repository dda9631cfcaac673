"""What a backward in halves holds: the gradients of inputs first, those of weights when there is a gap.

`torch.distributed.pipelining` keeps for the second half of a stage's micro-batch all that autograd saved
(the graph hangs together) and the gradient of every weight's output. The first stage passes no gradient on:
its first half is empty, and its second a whole backward. T, D and V as in `pipeline_memory`.
"""

from __future__ import annotations

from typing import NamedTuple

from runtime.catalog.params import Values, number
from runtime.catalog.specs.sizes import VOCAB


class InputHalf(NamedTuple):
    """Bytes beyond what the forward left: the most inside, and what stays when it is over."""

    inside: int
    stays: int


def input_half(tokens: int, width: int, blocks: int, *, last: bool) -> InputHalf:
    """A block keeps 11 T D: gradients behind its two norms, q, k, v and o, 4 behind the first layer of the
    MLP, and that of its input. One more is there while two are added.

    Of the last stage logits and log-probabilities go, the gradient of the logits stays, with two of the
    norm's sides; before that the gradients of log-probabilities and of logits are there together.
    """
    line, logits = 4 * tokens * width, 4 * tokens * VOCAB
    if not last:
        return InputHalf((11 * blocks + 1) * line, 11 * blocks * line)
    rest = (11 * blocks + 2) * line
    return InputHalf(max(2 * logits, logits + rest + line), rest - logits)


def weight_half(values: Values, tokens: int, blocks: int, *, last: bool, first_time: bool) -> int:
    """The most bytes beyond those that were there as it began.

    Weight by weight in the order of the model: its gradient comes (to stay in the step's first, else until
    the next one is there), then what only it needed goes. What attention and gelu saved goes at the very end.
    """
    width = number(values["width"])
    line, square = 4 * tokens * width, 4 * width**2
    # Of a block's norms, q, k, v, o and both layers of the MLP: what comes, and how much goes after it.
    block = ((0, 3), (square, 1), (square, 1), (square, 2), (square, 1), (4 * square, 5), (4 * square, 4))
    steps = [*block * blocks, *([(0, 2), (4 * VOCAB * width, 1)] if last else [])]
    now = most = before = 0
    for comes, goes in steps:
        most = max(most, now + comes)
        now += (comes if first_time else comes - before) - goes * line
        before = comes
    return most

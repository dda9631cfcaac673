"""Which expert gets which token, and the way there and back."""

import math
from typing import Any, NamedTuple

import torch
import torch.distributed as dist
from torch import Tensor


class Routes(NamedTuple):
    """Of `n` tokens with `k` choices each, those that an expert has room for, side by side by expert."""

    token: Tensor  # [kept] which token
    expert: Tensor  # [kept] goes to which expert
    weight: Tensor  # [kept] and counts how much of the result
    dropped: int  # choices for which there was no room
    balance: Tensor  # the balancing loss: 1 where all experts are wanted alike, up to the number of experts


def route(logits: Tensor, k: int, capacity: float) -> Routes:
    """The `k` most wanted experts of each token [n, experts], first choices first, while there is room.

    Room for each expert is `capacity` times its fair share of the choices of this rank; balance is
    E sum(f_e P_e), with the share f_e of first choices and the mean probability P_e (Fedus et al., 2021,
    "Switch transformers", equations 4 to 6). Of several choices the weights sum to 1 (GShard).
    """
    (n, experts), tokens = logits.shape, torch.arange(len(logits), device=logits.device)
    probabilities = logits.softmax(-1)
    weight, chosen = probabilities.topk(k)
    if k > 1:
        weight = weight / weight.sum(-1, keepdim=True)
    expert, token = chosen.T.flatten(), tokens.repeat(k)
    wanted = torch.nn.functional.one_hot(expert, experts)
    # 1 for the first who wants an expert, 2 for the second
    place = (wanted.cumsum(0) * wanted).sum(-1)
    kept = place <= math.ceil(capacity * k * n / experts)
    order = kept.nonzero()[:, 0]
    order = order[expert[order].argsort(stable=True)]  # choices of the same expert side by side
    share = torch.bincount(chosen[:, 0], minlength=experts) / n
    balance = experts * (share * probabilities.mean(0)).sum()
    return Routes(token[order], expert[order], weight.T.flatten()[order], int((~kept).sum()), balance)


class Exchange(torch.autograd.Function):
    """`out[r]` rows go to rank r, `back[r]` come from it. Backward: their gradients go the other way."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, out: list[int], back: list[int]) -> Tensor:
        """Send rows [sum(out), ...] to their ranks and return those that came, [sum(back), ...]."""
        ctx.out, ctx.back = out, back
        arrived = rows.new_empty(sum(back), *rows.shape[1:])
        dist.all_to_all_single(arrived, rows.contiguous(), output_split_sizes=back, input_split_sizes=out)
        return arrived

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        """Send the gradients of the rows that came back to where they came from: [sum(out), ...]."""
        home = gradient.new_empty(sum(ctx.out), *gradient.shape[1:])
        dist.all_to_all_single(
            home, gradient.contiguous(), output_split_sizes=ctx.out, input_split_sizes=ctx.back
        )
        return home, None, None

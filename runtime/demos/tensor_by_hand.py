"""Tensor parallelism by hand: torchrun --nproc-per-node 4 tensor_by_hand.py [sequence]"""

import sys
from copy import deepcopy
from typing import Any

import torch
import torch.distributed as dist
from model import Sentences, TinyLM, next_token_loss
from torch import Tensor
from torch.distributed import get_world_size as world

BATCH, SEQ, WIDTH, LAYERS, STEPS, RATE = 8, 32, 64, 2, 10, 3e-3


def part(x: Tensor, dim: int = 1) -> Tensor:
    """This rank's share of a dimension, by default that of the tokens."""
    return x.chunk(world(), dim)[dist.get_rank()].contiguous()


def summed(x: Tensor) -> Tensor:
    """All-reduce."""
    total = x.clone()
    dist.all_reduce(total)
    return total


def gathered(x: Tensor) -> Tensor:
    """All-gather: the tokens of all ranks, side by side."""
    parts = [torch.empty_like(x) for _ in range(world())]
    dist.all_gather(parts, x.contiguous())
    return torch.cat(parts, 1)


def scattered(x: Tensor) -> Tensor:
    """Reduce-scatter: the sum, and of it this rank's tokens."""
    parts = [p.contiguous() for p in x.chunk(world(), 1)]
    dist.reduce_scatter(mine := torch.empty_like(parts[0]), parts)
    return mine


class _Exchange(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, there: Any, back: Any) -> Tensor:
        ctx.back = back
        return there(x)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        return ctx.back(gradient), None, None


BORDERS: dict[str, Any] = {
    "tensor": ((Tensor.clone, summed), (summed, Tensor.clone)),
    "sequence": ((gathered, scattered), (scattered, gathered)),
}


def cut(model: TinyLM, way: str) -> None:
    """Columns, then rows; with `sequence` what lies between blocks is cut by tokens."""
    f, g = BORDERS[way]
    for b in model.blocks:
        for p in (b.q.weight, b.k.weight, b.v.weight, *b.up.parameters()):
            p.data = part(p.data, 0)
        for p in (b.o.weight, b.down.weight):
            p.data = part(p.data, 1)
        if dist.get_rank() > 0:
            b.down.bias = None  # added once
        for module, border in ((b.norm1, f), (b.norm2, f), (b.o, g), (b.down, g)):
            module.register_forward_hook(lambda _, __, x, border=border: _Exchange.apply(x, *border))
    if way == "sequence":
        model.blocks[0].register_forward_pre_hook(lambda _, x: _Exchange.apply(x[0], part, gathered))
        model.blocks[-1].register_forward_hook(lambda _, __, x: _Exchange.apply(x, gathered, part))


def main() -> None:
    """Train cut and whole, side by side: `off` is how much the losses differ at most."""
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    way, off, text = sys.argv[1] if sys.argv[1:] else "tensor", 0.0, Sentences(STEPS * BATCH, SEQ)
    model = deepcopy(whole := TinyLM(WIDTH, LAYERS, SEQ))
    cut(model, way)
    ours, theirs = (torch.optim.AdamW(m.parameters(), lr=RATE) for m in (model, whole))
    for step in range(STEPS):
        tokens, targets = text.take(step * BATCH, BATCH)
        loss, other = (next_token_loss(m(tokens), targets) for m in (model, whole))
        (loss + other).backward()
        for name, p in model.named_parameters():
            if way == "sequence" and ("norm1" in name or "norm2" in name):
                dist.all_reduce(p.grad)  # each rank has seen its tokens only
        for optimizer in (ours, theirs):
            optimizer.step()
            optimizer.zero_grad()
        off = max(off, abs(loss.item() - other.item()))
    print(f"rank {dist.get_rank()}: {way}, loss {loss.item():.4f}, off {off:.0e}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

"""Fully sharded data parallel by hand: torchrun --nproc-per-node 4 fsdp_by_hand.py"""

from collections.abc import Callable
from copy import deepcopy

import torch
import torch.distributed as dist
from model import Sentences, TinyLM, next_token_loss
from torch import Tensor, nn
from torch.distributed.fsdp import fully_shard

BATCH, SEQ, STEPS, RATE = 2, 32, 10, 3e-3
gathered = [0, 0]  # bytes of whole parameters on this rank: now, and the most at once


class Unit:
    """What is gathered together: some modules, of which a rank keeps a slice, and what they compute."""

    def __init__(self, modules: list[nn.Module], compute: Callable[[Tensor], Tensor]) -> None:
        self.compute, self.parameters = compute, [p for m in modules for p in m.parameters()]
        rank, self.world = dist.get_rank(), dist.get_world_size()
        flat = torch.cat([p.detach().flatten() for p in self.parameters])
        self.rest = flat.new_zeros(-len(flat) % self.world)  # to come out even
        self.whole = torch.cat([flat, self.rest])
        self.shard = nn.Parameter(self.whole.chunk(self.world)[rank].clone())
        places = self.whole[: len(flat)].split([p.numel() for p in self.parameters])
        for p, place in zip(self.parameters, places, strict=True):
            p.data = place.view_as(p)
        self.whole.untyped_storage().resize_(0)

    def gather(self) -> None:
        """Every rank's slice, side by side."""
        self.whole.untyped_storage().resize_(self.whole.nbytes)
        places = list(self.whole.chunk(self.world))
        dist.all_gather(places, self.shard.data)
        gathered[0] += self.whole.nbytes
        gathered[1] = max(gathered)

    def free(self) -> None:
        """Only the slice is left."""
        self.whole.untyped_storage().resize_(0)
        gathered[0] -= self.whole.nbytes

    def reduce(self) -> None:
        """The mean gradient of this rank's slice."""
        gradients = [p.grad.flatten() for p in self.parameters]
        g = torch.cat([*gradients, self.rest]) / self.world
        self.shard.grad = torch.empty_like(self.shard)
        dist.reduce_scatter(self.shard.grad, [*g.chunk(self.world)])
        for p in self.parameters:
            p.grad = None


def train(units: list[Unit], tokens: Tensor, targets: Tensor) -> float:
    """Forward and backward, a unit at a time; afterwards every shard has its gradient."""
    kept, y = [], tokens
    for unit in units:
        x = y.detach().requires_grad_(y.is_floating_point())
        unit.gather()
        kept.append((x, y := unit.compute(x)))
        unit.free()
    loss = next_token_loss(y, targets)
    gradient = torch.autograd.grad(loss, y)[0]
    for unit, (x, y) in reversed([*zip(units, kept, strict=True)]):
        unit.gather()
        y.backward(gradient)
        unit.free()
        unit.reduce()
        gradient = x.grad
    return loss.item()


def main() -> None:
    """Train by hand and by `fully_shard`, side by side: `off` is how much the losses differ at most."""
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    rank, world, lm, off = dist.get_rank(), dist.get_world_size(), TinyLM(64, 4, SEQ), 0.0
    theirs, text = deepcopy(lm), Sentences(STEPS * world * BATCH, SEQ)
    first = Unit([lm.emb, lm.pos], lambda x: lm.emb(x) + lm.pos(torch.arange(SEQ)))
    last = Unit([lm.norm, lm.head], lambda x: lm.head(lm.norm(x)))
    units = [first, *(Unit([block], block) for block in lm.blocks), last]
    for module in (*theirs.blocks, theirs):
        fully_shard(module)
    shards = [unit.shard for unit in units]
    ours, library = (torch.optim.AdamW(p, lr=RATE) for p in (shards, theirs.parameters()))
    for step in range(STEPS):
        tokens, targets = text.take((step * world + rank) * BATCH, BATCH)
        loss, other = train(units, tokens, targets), next_token_loss(theirs(tokens), targets)
        other.backward()
        ours.step()
        library.step()
        library.zero_grad()
        off = max(off, abs(loss - other.item()))
    print(f"rank {rank}: loss {loss:.4f}, off {off:.0e}; gathered at most {gathered[1] // 1000} kB")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
# mypy: disable-error-code="union-attr, assignment"

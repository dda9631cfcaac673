"""Distributed data parallel by hand: torchrun --nproc-per-node 4 ddp_by_hand.py"""

from copy import deepcopy

import torch
import torch.distributed as dist
from model import Sentences, TinyLM, next_token_loss
from torch import nn
from torch.nn.parallel import DistributedDataParallel

BATCH, SEQ, STEPS, RATE = 4, 32, 10, 3e-3


def same_start(model: nn.Module) -> None:
    """Rank 0's parameters, on every rank."""
    for p in model.parameters():
        dist.broadcast(p.data, src=0)


def average(model: nn.Module) -> None:
    """The mean gradient of all ranks, in place of its own."""
    for p in model.parameters():
        p.grad.div_(dist.get_world_size())
        dist.all_reduce(p.grad)  # a sum of shares: the mean


def apart(model: nn.Module) -> float:
    """How far the copies of the ranks are from each other, by the sum of their parameters."""
    total = nn.utils.parameters_to_vector(model.parameters()).detach().double().sum()
    ends = torch.stack([total, -total])
    dist.all_reduce(ends, op=dist.ReduceOp.MAX)  # the largest, and the smallest with its sign turned
    return ends.sum().item()


def main() -> None:
    """Train by hand and by DDP, side by side: `off` is how much the losses differ at most."""
    dist.init_process_group("gloo")
    rank, world, off = dist.get_rank(), dist.get_world_size(), 0.0
    torch.manual_seed(rank)  # on purpose: every rank builds another model
    ours = TinyLM(64, 2, SEQ)
    theirs = DistributedDataParallel(deepcopy(ours))  # broadcasts by itself
    before = apart(ours)
    same_start(ours)
    hand, library = (torch.optim.AdamW(m.parameters(), lr=RATE) for m in (ours, theirs))
    text = Sentences(STEPS * world * BATCH, SEQ)
    for step in range(STEPS):
        tokens, targets = text.take((step * world + rank) * BATCH, BATCH)
        loss, other = (next_token_loss(model(tokens), targets) for model in (ours, theirs))
        loss.backward()
        other.backward()  # averages while it goes
        average(ours)
        for optimizer in (hand, library):
            optimizer.step()
            optimizer.zero_grad()
        off = max(off, abs(loss.item() - other.item()))
    copies = f"copies apart by {before:.1f}, then by {apart(ours):.0e}"
    print(f"rank {rank}: loss {loss.item():.4f}, off {off:.0e}; {copies}")
    del theirs, library  # first: DDP, as the last to hold a group, can wait for ever for gloo's thread
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
# mypy: disable-error-code="union-attr, assignment"

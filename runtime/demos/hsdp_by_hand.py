"""Hybrid sharding by hand, machines of two: torchrun --nproc-per-node 4 hsdp_by_hand.py"""

from copy import deepcopy

import torch
import torch.distributed as dist
from model import Sentences, TinyLM, next_token_loss
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

BATCH, SEQ, STEPS, RATE, MACHINE = 2, 32, 10, 3e-3, 2
near, far = [0], [0]  # bytes handed to collectives within a machine, and between machines


class Sharded:
    """A model of which each machine has a copy, and each rank a slice of that copy."""

    def __init__(self, model: nn.Module) -> None:
        rank, self.world = dist.get_rank(), dist.get_world_size()
        ranks = range(self.world)
        rows = [[*ranks[at : at + MACHINE]] for at in ranks[::MACHINE]]
        columns = [[*ranks[at::MACHINE]] for at in range(MACHINE)]
        self.within, _ = dist.new_subgroups_by_enumeration(rows)
        self.between, _ = dist.new_subgroups_by_enumeration(columns)
        self.parameters = list(model.parameters())
        flat = nn.utils.parameters_to_vector(self.parameters).detach()
        self.rest = flat.new_zeros(-len(flat) % MACHINE)  # to come out even
        self.slice = nn.Parameter(torch.cat([flat, self.rest]).chunk(MACHINE)[rank % MACHINE].clone())

    def gather(self) -> None:
        """The slices of this machine, side by side, into the model."""
        slices = [torch.empty_like(self.slice) for _ in range(MACHINE)]
        dist.all_gather(slices, self.slice.data, group=self.within)
        near[0] += MACHINE * self.slice.nbytes
        flat = torch.cat(slices)
        nn.utils.vector_to_parameters(flat[: len(flat) - len(self.rest)], self.parameters)

    def reduce(self) -> None:
        """The mean gradient of this rank's slice: first within the machine, then between machines."""
        gradients = [p.grad.flatten() for p in self.parameters]
        g = torch.cat([*gradients, self.rest]) / self.world
        mine = torch.empty_like(self.slice)
        dist.reduce_scatter(mine, [*g.chunk(MACHINE)], group=self.within)
        dist.all_reduce(mine, group=self.between)
        self.slice.grad = mine
        near[0] += g.nbytes
        far[0] += self.slice.nbytes
        for p in self.parameters:
            p.grad = None


def main() -> None:
    """Train by hand and by `fully_shard`, side by side: `off` is how much the losses differ at most."""
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    rank, world, off = dist.get_rank(), dist.get_world_size(), 0.0
    model = TinyLM(64, 2, SEQ)
    theirs = deepcopy(model)
    ours = Sharded(model)
    mesh = init_device_mesh("cpu", (world // MACHINE, MACHINE), mesh_dim_names=("replicate", "shard"))
    for module in (*theirs.blocks, theirs):
        fully_shard(module, mesh=mesh)
    hand, library = (torch.optim.AdamW(p, lr=RATE) for p in ([ours.slice], theirs.parameters()))
    text = Sentences(STEPS * world * BATCH, SEQ)
    for step in range(STEPS):
        tokens, targets = text.take((step * world + rank) * BATCH, BATCH)
        ours.gather()
        loss, other = (next_token_loss(m(tokens), targets) for m in (model, theirs))
        loss.backward()
        other.backward()
        ours.reduce()
        for optimizer in (hand, library):
            optimizer.step()
            optimizer.zero_grad()
        off = max(off, abs(loss.item() - other.item()))
    told = f"a step: {near[0] // STEPS // 1000} kB near, {far[0] // STEPS // 1000} kB far"
    print(f"rank {rank}: loss {loss.item():.4f}, off {off:.0e}; {told}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
# mypy: disable-error-code="union-attr, assignment"

"""A checkpoint in shares, by hand: torchrun --nproc-per-node 4 checkpoint_by_hand.py FOLDER; again with 2"""

import sys
from pathlib import Path

import torch
import torch.distributed as dist
from model import Sentences, TinyLM, next_token_loss
from torch import Tensor, nn

BATCH, SEQ, EVERY, RATE = 8, 32, 5, 0.03  # the batch is that of all ranks
FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else "shares")
STEPS = int(sys.argv[2]) if len(sys.argv) > 2 else 10


def save(everything: Tensor, step: int) -> None:
    """Each rank writes its share; the file that says so is written when all shares are there."""
    rank, world = dist.get_rank(), dist.get_world_size()
    place = FOLDER / f"step-{step:06d}"
    place.mkdir(parents=True, exist_ok=True)
    share = everything.tensor_split(world)[rank].clone()
    torch.save(share, place / f"share-{rank}.pt")
    dist.barrier()
    if rank == 0:
        (place / "whole").write_text(f"{world} shares")


def newest() -> tuple[Tensor, int, int] | None:
    """What the newest whole checkpoint holds, its step, and by how many ranks it was written."""
    found = sorted(mark.parent for mark in FOLDER.glob("step-*/whole"))
    if not found:
        return None
    world = int((found[-1] / "whole").read_text().split()[0])
    shares = [torch.load(found[-1] / f"share-{rank}.pt") for rank in range(world)]
    return torch.cat(shares), int(found[-1].name.removeprefix("step-")), world


def main() -> None:
    """Train from the newest whole checkpoint on; every few steps each rank writes its share of another."""
    dist.init_process_group("gloo")
    rank, world, first = dist.get_rank(), dist.get_world_size(), 0
    torch.manual_seed(0)
    model = TinyLM(64, 2, SEQ)
    parameters = list(model.parameters())
    moving = [torch.zeros_like(p) for p in parameters]  # the optimizer's state: an average of gradients
    if found := newest():
        flat, first, writers = found
        weights, averages = flat.chunk(2)
        nn.utils.vector_to_parameters(weights, parameters)
        nn.utils.vector_to_parameters(averages, moving)
        if rank == 0:
            print(f"{world} ranks go on with step {first}, from the shares of {writers}", flush=True)
    text = Sentences((first + STEPS) * BATCH, SEQ)
    for step in range(first, first + STEPS):
        own = BATCH // world
        tokens, targets = text.take(step * BATCH + rank * own, own)  # follows from the step: none twice
        loss = next_token_loss(model(tokens), targets)
        gradients = torch.autograd.grad(loss, parameters)
        for p, average, g in zip(parameters, moving, gradients, strict=True):
            dist.all_reduce(g)
            average.mul_(0.9).add_(g / world)
            p.data -= RATE * average
        if (step + 1) % EVERY == 0:
            both = [nn.utils.parameters_to_vector(part).detach() for part in (parameters, moving)]
            save(torch.cat(both), step + 1)
    dist.all_reduce(loss := loss.detach() / world)
    size = (FOLDER / f"step-{first + STEPS:06d}" / f"share-{rank}.pt").stat().st_size
    print(f"rank {rank}: step {first + STEPS}, loss of all {loss.item():.5f}, a share of {size // 1000} kB")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

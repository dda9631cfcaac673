"""Five broken trainings: torchrun --nproc-per-node 4 five_bugs.py"""
# told: wrong: the same noise

from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DistributedSampler


def epochs(data: list[int], count: int) -> list[list[int]]:
    """Return what this rank sees of `data` in each of `count` epochs: shuffled anew every time."""
    # --- yours: from here
    sampler = DistributedSampler(data, shuffle=True)
    seen = []
    for epoch in range(count):
        sampler.set_epoch(epoch)
        seen.append(list(sampler))
    return seen
    # --- to here


def step(model: DistributedDataParallel, optimizer: torch.optim.Optimizer, batches: list[Any]) -> None:
    """Make one step with the mean gradient of all micro-batches of all ranks."""
    # --- yours: from here
    optimizer.zero_grad()
    for n, (x, y) in enumerate(batches):
        with nullcontext() if n == len(batches) - 1 else model.no_sync():
            (F.mse_loss(model(x), y) / len(batches)).backward()
    optimizer.step()
    # --- to here


def prepare(path: Path) -> str:
    """Write the data set once, on rank 0, and read it on all ranks."""
    # --- yours: from here
    if dist.get_rank() == 0:
        path.write_text("four tokens are here")
    dist.barrier()
    return path.read_text()
    # --- to here


def save(state: dict[str, torch.Tensor], path: Path) -> None:
    """Write the checkpoint, which is the same on all ranks, once; nobody goes on before it is there."""
    # --- yours: from here
    if dist.get_rank() == 0:
        torch.save(state, path)
    dist.barrier()
    # --- to here


def noise(seed: int, size: int) -> torch.Tensor:
    """Return noise for the samples of this rank: the same in every run, different on every rank."""
    # --- yours: from here
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(size, generator=generator)
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    print(dist.get_rank(), epochs(list(range(8)), 2), noise(1, 2))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

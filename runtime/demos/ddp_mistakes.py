"""Four ways to get data parallel training wrong without any error, and how each shows.

torchrun --nproc-per-node 4 ddp_mistakes.py --mistake sampler
  sampler    no DistributedSampler: all ranks shuffle all samples alike and read the same ones
  set_epoch  no `sampler.set_epoch`: every epoch deals the samples in the same order
  seed       every rank builds the model from its own seed, and nobody broadcasts one: the copies differ
  unequal    the last rank reads a quarter of a batch: each of its samples weighs four times as much
"""

import argparse
import zlib
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from itertools import chain, count
from typing import Any

import torch
import torch.distributed as dist
from device import backend, device
from instruments import probe
from model import Sentences, TinyLM, next_token_loss
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from torch.nn.utils import parameters_to_vector
from torch.utils.data import BatchSampler, DistributedSampler, RandomSampler

STEPS_IN_EPOCH = 4
MISTAKES = ("sampler", "set_epoch", "seed", "unequal")


def arguments() -> argparse.Namespace:
    """Read the command line; without a mistake everything is done right, to compare with."""
    parser = argparse.ArgumentParser(description="data parallel training with a mistake in it")
    parser.add_argument("--mistake", choices=("none", *MISTAKES), default="sampler")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--batch", type=int, default=8, help="sequences per rank and step")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def epochs(samples: Sentences, batch: int, mistake: str, seed: int) -> Iterator[list[int]]:
    """The numbers of the samples that this rank reads, batch after batch and epoch after epoch."""
    dealt: DistributedSampler[int] = DistributedSampler(samples, seed=seed)
    shuffled = RandomSampler(samples, generator=torch.Generator().manual_seed(seed))
    sampler = shuffled if mistake == "sampler" else dealt
    for epoch in count():
        if mistake != "set_epoch":
            dealt.set_epoch(epoch)
        yield from BatchSampler(sampler, batch, drop_last=False)


def of_all(mine: Any) -> list[Any]:
    """What every rank has for `mine`, by rank."""
    everybody: list[Any] = [None] * dist.get_world_size()
    dist.all_gather_object(everybody, mine)
    return everybody


def fair_gradient(model: nn.Module, tokens: Tensor, targets: Tensor) -> Tensor:
    """That of the mean loss over all these samples, in which each counts alike; flat."""
    gradients = torch.autograd.grad(next_token_loss(model(tokens), targets), list(model.parameters()))
    return torch.cat([g.flatten() for g in gradients])


def main() -> None:
    """Train with one mistake, then report the figures that give it away: no training script computes them."""
    args = arguments()
    probe.boot("rendezvous")
    here = device()  # this rank's GPU, or the CPU
    dist.init_process_group(backend(here))
    rank, world = dist.get_rank(), dist.get_world_size()

    probe.boot("build")
    alone, small = args.mistake == "seed", args.mistake == "unequal" and rank == world - 1
    torch.manual_seed(args.seed + rank * alone)
    untrained = TinyLM().to(here)
    # `init_sync` is the wrapper's broadcast, which would mend what the seeds have done.
    model = DistributedDataParallel(deepcopy(untrained), init_sync=not alone)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    probe.watch(model, optimizer)
    batch = args.batch // 4 if small else args.batch
    samples = Sentences(STEPS_IN_EPOCH * args.batch * world, seed=args.seed, here=here)
    batches = epochs(samples, batch, args.mistake, args.seed)

    read: list[int] = []
    for step in range(args.steps):
        with probe.step(tokens=batch * samples.seq):
            with probe.phase("data"):
                numbers = next(batches)
                tokens, targets = samples.pick(numbers)
            with probe.phase("forward"):
                loss = next_token_loss(model(tokens), targets)
            with probe.phase("backward"):
                loss.backward()
            if step == 0:
                averaged = torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])
            with probe.phase("optimizer"):
                optimizer.step()
                optimizer.zero_grad()
            probe.loss(loss)
        read += numbers
        probe.value("samples", numbers)
    # Nothing of what follows is in a training script: so nobody notices.
    share, sizes, everything = len(samples) // world, of_all(batch), of_all(read)
    of_first_step = [i for numbers, size in zip(everything, sizes, strict=True) for i in numbers[:size]]
    fair = fair_gradient(untrained, *samples.pick(of_first_step))
    readers = Counter(chain(*(set(numbers[:share]) for numbers in everything)))
    checksum = zlib.crc32(parameters_to_vector(model.parameters()).detach().cpu().numpy().tobytes())
    found = {
        "read_by_several": sum(n > 1 for n in readers.values()) / len(readers),
        "same_order": read[:share] == read[share : 2 * share] if len(read) >= 2 * share else None,
        "copies": len(set(of_all(checksum))),
        "sample_weight": sizes[0] / batch,  # beside one of rank 0
        "gradient_off": ((averaged - fair).norm() / fair.norm()).item(),
    }
    probe.result(loss=loss.item(), steps=args.steps, **found)
    print("\n".join(f"{name:16s} {value}" for name, value in found.items()), flush=True)
    del model  # first: DDP, as the last to hold a group, can wait forever for gloo's thread
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

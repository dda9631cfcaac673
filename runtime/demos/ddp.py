"""Distributed data parallel: every rank holds the whole model, reads its own data, and averages gradients.

torchrun --nproc-per-node 4 ddp.py --steps 20
"""

import argparse
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import count

import torch
import torch.distributed as dist
from device import backend, device
from gradient_hooks import HOOKS
from instruments import probe
from model import Sentences, TinyLM, next_token_loss
from straggler import Straggler
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

Batch = tuple[torch.Tensor, torch.Tensor]
STEPS_IN_EPOCH = 128


def arguments() -> argparse.Namespace:
    """Read the command line; a slow rank is slowed by `--slow_ms` or by `--slow_factor` of its own step."""
    parser = argparse.ArgumentParser(description="train a small transformer with distributed data parallel")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch", type=int, default=8, help="sequences per rank and step")
    parser.add_argument("--seq", type=int, default=64, help="tokens per sequence")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--bucket_mb", type=float, default=25.0, help="size of a gradient bucket in MiB")
    parser.add_argument("--micro_batches", type=int, default=1, help="pieces the batch is cut into (k)")
    parser.add_argument("--no_sync", type=int, default=0, help="1: no all-reduce before the last piece")
    parser.add_argument("--static_graph", type=int, default=0, help="1: every step uses the same parameters")
    parser.add_argument("--hook", choices=HOOKS, default="none", help="what else is done to a bucket")
    parser.add_argument("--shuffle", type=int, default=1, help="0: deal the samples in their own order")
    parser.add_argument("--slow_rank", type=int, default=-1, help="inject a fault: slow this rank down")
    parser.add_argument("--slow_ms", type=float, default=0.0, help="... by so many milliseconds a step")
    parser.add_argument("--slow_factor", type=float, default=0.0, help="... by so many of its own steps")
    return parser.parse_args()


def epochs(loader: DataLoader[Batch], sampler: DistributedSampler[Batch]) -> Iterator[Batch]:
    """Epoch after epoch; without `set_epoch` every one would deal the samples in the same order."""
    for epoch in count():
        sampler.set_epoch(epoch)
        yield from loader


def main() -> None:
    """Train on a GPU or the CPU; the loss of a rank is the mean over its own batch, in nats per byte."""
    args = arguments()
    probe.boot("rendezvous")
    here = device()  # this rank's GPU, or the CPU
    dist.init_process_group(backend(here))
    rank, world = dist.get_rank(), dist.get_world_size()

    probe.boot("build")
    torch.manual_seed(args.seed)
    model = DistributedDataParallel(
        TinyLM(args.width, args.layers, args.seq).to(here),
        bucket_cap_mb=args.bucket_mb,  # gradients travel in buckets
        gradient_as_bucket_view=True,  # ... and live in them
        static_graph=bool(args.static_graph),  # 1: learned in step 0
    )
    hook = HOOKS[args.hook]
    if hook is not None:
        model.register_comm_hook(None, hook)  # in place of the plain all-reduce of a bucket
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    probe.watch(model, optimizer)

    # The sampler deals the samples out, here evenly: in an epoch no two ranks see the same one.
    text = Sentences(STEPS_IN_EPOCH * args.batch * world, args.seq, args.seed)
    sampler: DistributedSampler[Batch] = DistributedSampler(text, shuffle=bool(args.shuffle), seed=args.seed)
    batches = epochs(DataLoader(text, args.batch, sampler=sampler), sampler)

    k = args.micro_batches
    straggler = Straggler(args.slow_ms, args.slow_factor, k)
    for step in range(args.steps):
        with probe.step(tokens=args.batch * args.seq):
            with probe.phase("data"):
                tokens, targets = (part.to(here) for part in next(batches))

            total = 0.0
            for i, (x, y) in enumerate(zip(tokens.chunk(k), targets.chunk(k), strict=True)):
                alone = args.no_sync and i < k - 1  # gradients add up here
                with model.no_sync() if alone else nullcontext():
                    with probe.phase("forward"):
                        loss = next_token_loss(model(x), y) / k
                        if rank == args.slow_rank:
                            straggler.drag()  # the injected fault: a sleep

                    with probe.phase("backward"):
                        loss.backward()  # DDP averages the gradients in here
                total += loss.item()

            with probe.phase("optimizer"):
                optimizer.step()
                optimizer.zero_grad()

            probe.loss(total)
        if rank == 0 and step % 10 == 0:
            print(f"step {step:4d}  loss {total:.3f}", flush=True)

    probe.result(loss=total, steps=args.steps)
    del model  # first: DDP, as the last to hold a group, can wait forever for gloo's thread
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

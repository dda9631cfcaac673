"""Data parallel by hand: when do the gradients travel? One by one, all in one, or in buckets during backward.

torchrun --nproc-per-node 4 buckets.py --schedule buckets

  per_parameter   after backward, an all-reduce for each parameter: many messages, each pays for its start
  flat            after backward, one all-reduce of everything: one start, but nobody computes meanwhile
  buckets         as soon as all gradients of a bucket are there, while backward goes on with earlier layers

All three are buckets: of one parameter, of all, or of `bucket_mb`. A gradient lives in its bucket, so nothing
is copied. The first step is checked against one process that takes the batches of all ranks in one piece.
"""

import argparse

import torch
import torch.distributed as dist
from bucket_by_hand import pack
from device import backend, device
from instruments import probe
from model import Sentences, TinyLM, next_token_loss

SCHEDULES = ("per_parameter", "flat", "buckets")


def arguments() -> argparse.Namespace:
    """Read the command line; `--bucket_mb` (MiB) only counts with `--schedule buckets`."""
    parser = argparse.ArgumentParser(description="data parallel training with gradient buckets by hand")
    parser.add_argument("--schedule", choices=SCHEDULES, default="buckets")
    parser.add_argument("--bucket_mb", type=float, default=0.25, help="... of so many MiB")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--batch", type=int, default=8, help="sequences per rank and step")
    parser.add_argument("--seq", type=int, default=64, help="tokens per sequence")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def main() -> None:
    """Train with the chosen schedule; report how far the first gradients are from one process's."""
    args = arguments()
    probe.boot("rendezvous")
    here = device()  # this rank's GPU, or the CPU
    dist.init_process_group(backend(here))
    rank, world = dist.get_rank(), dist.get_world_size()

    probe.boot("build")
    torch.manual_seed(args.seed)  # equal copies, for nobody broadcasts one
    model = TinyLM(args.width, args.layers, args.seq).to(here)
    text = Sentences(args.steps * world * args.batch, args.seq, args.seed, here)
    everything, follows = text.take(0, world * args.batch)  # the first step's, of all ranks
    right = list(torch.autograd.grad(next_token_loss(model(everything), follows), list(model.parameters())))

    full = {"per_parameter": 0.0, "flat": float("inf"), "buckets": args.bucket_mb * 2**20}[args.schedule]
    buckets = pack(model, full, overlap=args.schedule == "buckets")
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    probe.watch(model, optimizer)

    for step in range(args.steps):
        with probe.step(tokens=args.batch * args.seq):
            with probe.phase("data"):
                tokens, targets = text.take((step * world + rank) * args.batch, args.batch)
            with probe.phase("forward"):
                loss = next_token_loss(model(tokens), targets)
            with probe.phase("backward"):
                loss.backward()
                for bucket in buckets:
                    bucket.finish()
            if step == 0:
                pairs = zip((p.grad for p in model.parameters()), right, strict=True)
                off = max(((f - r).abs().max() / r.abs().max()).item() for f, r in pairs)
                right.clear()  # else every later step has a copy of all gradients beside its own
            with probe.phase("optimizer"):
                optimizer.step()
                optimizer.zero_grad(set_to_none=False)  # the gradients stay where they are
            probe.loss(loss)
        if rank == 0 and step % 10 == 0:
            print(f"step {step:4d}  loss {loss.item():.4f}", flush=True)

    probe.result(loss=loss.item(), steps=args.steps, buckets=len(buckets), gradient_difference=off)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

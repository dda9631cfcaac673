"""Gradient accumulation: k micro-batches give the gradient of one large batch, in the memory of one of them.

torchrun --nproc-per-node 4 accumulate.py --micro_batches 4

Each loss is a mean over its micro-batch, so it is divided by k before the gradients are added up. The ranks
talk once per optimizer step: in the last micro-batch. The first step is checked against one process that
takes the batches of all ranks in one piece.
"""

import argparse
import copy
from contextlib import nullcontext

import torch
import torch.distributed as dist
from device import backend, device
from instruments import probe
from model import Sentences, TinyLM, next_token_loss
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel


def arguments() -> argparse.Namespace:
    """Read the command line: a batch, the pieces it is cut into, and two mistakes to try (0 or 1)."""
    parser = argparse.ArgumentParser(description="train with accumulated gradients")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--batch", type=int, default=16, help="sequences per rank and optimizer step")
    parser.add_argument("--micro_batches", type=int, default=4, help="pieces the batch is cut into (k)")
    parser.add_argument("--forget_divide", type=int, default=0, help="mistake: add losses, gradient k times")
    parser.add_argument("--sync_every", type=int, default=0, help="mistake: all-reduce in each micro-batch")
    parser.add_argument("--seq", type=int, default=64, help="tokens per sequence")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--lr", type=float, default=0.3)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def two_samples() -> None:
    """The example to follow with a pencil: y = w1 x1 + w2 x2 + b, mean squared error of two samples.

    Each loss is divided by 2 before backward, as below by k, so that the sum of gradients is their mean.
    """
    weights = torch.tensor([0.773, 0.321, 0.067], dtype=torch.float64, requires_grad=True)
    losses, gradients = [], []
    for x, y in (((6.0, 2.0, 1.0), 15.0), ((5.0, 2.0, 1.0), 12.0)):
        inputs = torch.tensor(x, dtype=torch.float64)
        loss = (weights @ inputs - y) ** 2
        (loss / 2).backward()
        assert weights.grad is not None
        losses.append(loss.item())
        gradients += weights.grad.tolist()
    torch.optim.SGD([weights], lr=1e-3).step()
    probe.value("example_losses", losses)
    probe.value("example_gradients", gradients)  # after the first sample, after the second
    probe.value("example_weights", weights.tolist())


def one_batch_gradients(model: nn.Module, tokens: Tensor, targets: Tensor) -> list[Tensor]:
    """Return the gradients of a batch in one piece, by parameter; tokens and targets are [batch, seq]."""
    return list(torch.autograd.grad(next_token_loss(model(tokens), targets), list(model.parameters())))


def difference(found: list[Tensor], expected: list[Tensor]) -> float:
    """The largest error of any gradient tensor, relative to the largest number in it."""
    pairs = zip(found, expected, strict=True)
    return max(((gradient - wanted).abs().max() / wanted.abs().max()).item() for gradient, wanted in pairs)


def main() -> None:
    """Train on gradients that add up over `k` micro-batches; report how far the first is from one batch's."""
    args = arguments()
    probe.boot("rendezvous")
    here = device()  # this rank's GPU, or the CPU
    dist.init_process_group(backend(here))
    rank, world, k = dist.get_rank(), dist.get_world_size(), args.micro_batches

    probe.boot("build")
    two_samples()
    torch.manual_seed(args.seed)
    whole = TinyLM(args.width, args.layers, args.seq).to(here)  # to compare with
    model = DistributedDataParallel(copy.deepcopy(whole), gradient_as_bucket_view=True)
    # Not Adam: it divides by the size of the gradients, which hides a forgotten 1/k.
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    probe.watch(model, optimizer)
    text = Sentences(args.steps * world * args.batch, args.seq, args.seed, here)

    for step in range(args.steps):
        with probe.step(tokens=args.batch * args.seq):
            with probe.phase("data"):
                tokens, targets = text.take((step * world + rank) * args.batch, args.batch)
            total = 0.0
            for i, (x, y) in enumerate(zip(tokens.chunk(k), targets.chunk(k), strict=True)):
                last = i == k - 1
                with nullcontext() if last or args.sync_every else model.no_sync():
                    with probe.phase("forward"):
                        loss = next_token_loss(model(x), y)
                        total += loss.item() / k
                    with probe.phase("backward"):
                        (loss if args.forget_divide else loss / k).backward()  # adds to .grad
            if step == 0:
                found = [p.grad.clone() for p in model.parameters() if p.grad is not None]
            with probe.phase("optimizer"):
                optimizer.step()
                optimizer.zero_grad()  # after the last micro-batch, never between two
            probe.loss(total)
        if step == 0:
            off = difference(found, one_batch_gradients(whole, *text.take(0, world * args.batch)))
            del whole, found  # from here on there is only what accumulation needs
        if rank == 0 and step % 10 == 0:
            print(f"step {step:4d}  loss {total:.3f}", flush=True)

    probe.result(loss=total, steps=args.steps, gradient_difference=off)
    if rank == 0:
        print(f"k = {k}: gradient off by {off:.2g} from that of one batch", flush=True)
    del model  # first: DDP, as the last to hold a group, can wait forever for gloo's thread
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

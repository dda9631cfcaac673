"""Fully sharded data parallel: each rank stores a slice of every parameter and gathers a block to use it.

torchrun --nproc-per-node 4 fsdp.py --reshard 1

A unit is what is gathered together: here a block, and one for all that is outside the blocks. Before its
forward the slices of a unit come from all ranks into one buffer and are copied out of it; after it the whole
parameters are freed again (`reshard`), to be gathered a second time for backward. Gradients are added up and
sliced in one go (reduce-scatter), and the optimizer only ever sees this rank's slices. On GPUs the next unit
is fetched on another stream while one computes; with gloo on CPUs every transfer is waited for: overlap 0 %.

Never more whole parameters are on a rank than: those outside the blocks, those of the block in use, and one
buffer (in forward that of the block in use, in backward that of the next); or, of a narrow model, those
outside the blocks and the buffer that they come in. With `--reshard 0` all of them stay until backward has
used them: one all-gather a block less, and the memory of the whole model.
"""

import argparse

import torch
import torch.distributed as dist
from device import backend, device
from instruments import probe
from model import Sentences, TinyLM, next_token_loss
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


def arguments() -> argparse.Namespace:
    """Read the command line; few tokens in a wide model, so that memory is parameters above all."""
    parser = argparse.ArgumentParser(description="train a small transformer with fully sharded data parallel")
    parser.add_argument("--reshard", type=int, default=1, help="1: free a block's parameters after forward")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--batch", type=int, default=1, help="sequences per rank and step")
    parser.add_argument("--seq", type=int, default=16, help="tokens per sequence")
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def nbytes(module: nn.Module, ranks: int) -> int:
    """Return the bytes of a module's parameters as they are gathered; called while they are whole.

    From every rank comes a slice of as many rows, padded where they do not divide.
    """
    return sum(-(-len(p) // ranks) * ranks * p[0].numel() * p.element_size() for p in module.parameters())


def most_gathered(model: TinyLM, reshard: bool, ranks: int) -> int:
    """The upper bound on the bytes of whole parameters that a rank holds at once."""
    blocks = [nbytes(block, ranks) for block in model.blocks]
    outside = nbytes(model, ranks) - sum(blocks)
    return outside + max(outside, (max(blocks) if reshard else sum(blocks)) + max(blocks))


def main() -> None:
    """Train with sharded parameters; report bytes of a shard and the upper bound on what a rank holds."""
    args = arguments()
    probe.boot("rendezvous")
    here = device()  # this rank's GPU, or the CPU
    dist.init_process_group(backend(here))
    rank, world = dist.get_rank(), dist.get_world_size()

    probe.boot("build")
    torch.manual_seed(args.seed)
    model = TinyLM(args.width, args.layers, args.seq).to(here)
    shard_bytes = nbytes(model, world) // world
    gathered_bytes = most_gathered(model, bool(args.reshard), world)
    probe.value("upper_bound", shard_bytes + gathered_bytes, "bytes")

    mesh = init_device_mesh(here.type, (world,))
    for block in model.blocks:
        fully_shard(block, mesh=mesh, reshard_after_forward=bool(args.reshard))
    fully_shard(model, mesh=mesh, reshard_after_forward=False)  # needed again at once: backward begins here
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    probe.watch(model, optimizer)
    text = Sentences(args.steps * world * args.batch, args.seq, args.seed, here)

    for step in range(args.steps):
        with probe.step(tokens=args.batch * args.seq):
            with probe.phase("data"):
                tokens, targets = text.take((step * world + rank) * args.batch, args.batch)
            with probe.phase("forward"):
                loss = next_token_loss(model(tokens), targets)
            with probe.phase("backward"):
                loss.backward()
            with probe.phase("optimizer"):
                optimizer.step()
                optimizer.zero_grad()
            probe.loss(loss)
        if rank == 0 and step % 10 == 0:
            print(f"step {step:4d}  loss {loss.item():.4f}", flush=True)

    probe.result(
        loss=loss.item(),
        steps=args.steps,
        shard_bytes=shard_bytes,
        upper_bound_bytes=shard_bytes + gathered_bytes,
    )
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

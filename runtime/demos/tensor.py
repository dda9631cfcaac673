"""Tensor parallelism: every matrix cut among the ranks, and the same result as on one rank.

torchrun --nproc-per-node 4 tensor.py

Two matrices that follow each other are cut together, the first by columns and the second by rows:

  Y = f(X [A1 A2]) [B1]  =  f(X A1) B1 + f(X A2) B2        rank i holds Ai and Bi, and computes its term
                   [B2]

Column by column f needs no exchange: that is why columns come first. An all-reduce adds the terms up: one for
the attention (whose heads are dealt out) and one for the MLP, and the same again in backward for the gradient
of X. So 2 all-reduces forward and 2 backward a layer, each of the whole activation.
Shoeybi et al., "Megatron-LM", 2019.
"""

import argparse
import copy

import torch
import torch.distributed as dist
from device import backend, device
from instruments import probe
from model import Block, Sentences, TinyLM, next_token_loss
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import Replicate
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleOutput,
    RowwiseParallel,
    parallelize_module,
)


def arguments() -> argparse.Namespace:
    """Read the command line; the batch is one for all ranks, which share one model."""
    parser = argparse.ArgumentParser(description="train a small transformer with tensor parallelism")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--batch", type=int, default=8, help="sequences per step, the same on every rank")
    parser.add_argument("--seq", type=int, default=64, help="tokens per sequence")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def cut(block: Block, mesh: DeviceMesh) -> nn.Module:
    """Heads by the columns of q, k, v and the rows of o; the MLP by columns of up and rows of down."""
    columns, rows, every = ColwiseParallel(), RowwiseParallel(), Replicate()
    # q, k and v share one input: named as what it is, its gradient is added up once and not three times.
    shared = PrepareModuleOutput(output_layouts=every, desired_output_layouts=every, use_local_output=False)
    plan = {"norm1": shared, "q": columns, "k": columns, "v": columns, "o": rows, "up": columns, "down": rows}
    return parallelize_module(block, mesh, plan)


def largest_difference(found: Tensor, expected: Tensor) -> float:
    """Relative to the largest number expected."""
    return ((found - expected).abs().max() / expected.abs().max()).item()


def main() -> None:
    """Train with cut matrices; report how far loss, logits and a gradient of step 0 are from one rank's."""
    args = arguments()
    probe.boot("rendezvous")
    here = device()  # this rank's GPU, or the CPU
    dist.init_process_group(backend(here))
    rank, world = dist.get_rank(), dist.get_world_size()

    probe.boot("build")
    torch.manual_seed(args.seed)
    whole = TinyLM(args.width, args.layers, args.seq).to(here)  # the same on every rank, to compare with
    model = copy.deepcopy(whole)
    mesh = init_device_mesh(here.type, (world,), mesh_dim_names=("tensor",))
    for block in model.blocks:
        cut(block, mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    probe.watch(model, optimizer)
    text = Sentences(args.steps * args.batch, args.seq, args.seed, here)  # one batch for all ranks

    for step in range(args.steps):
        with probe.step(tokens=args.batch * args.seq // world):  # one batch for all of them
            with probe.phase("data"):
                tokens, targets = text.take(step * args.batch, args.batch)
            with probe.phase("forward"):
                logits = model(tokens)
                loss = next_token_loss(logits, targets)
                if step > 0:
                    del logits  # those of the first step are compared
            with probe.phase("backward"):
                loss.backward()
            if step == 0:
                gradient = model.blocks[0].up.weight.grad.full_tensor()
            with probe.phase("optimizer"):
                optimizer.step()
                optimizer.zero_grad()
            probe.loss(loss)
        if step == 0:
            expected = whole(tokens)
            expected_loss = next_token_loss(expected, targets)
            expected_loss.backward()
            probe.result(
                loss_difference=(loss - expected_loss).abs().item(),
                logits_difference=largest_difference(logits, expected),
                gradient_difference=largest_difference(gradient, whole.blocks[0].up.weight.grad),
            )
            del whole, logits, expected, expected_loss, gradient  # a rank has its share again, and no more
        if rank == 0 and step % 10 == 0:
            print(f"step {step:4d}  loss {loss.item():.4f}", flush=True)

    probe.result(loss=loss.item(), steps=args.steps)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

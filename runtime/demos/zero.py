"""ZeRO: the same training with less and less of the model's state on every rank.

torchrun --nproc-per-node 4 zero.py --stage 3

Between two steps a rank of W stores, for N parameters in fp32 under AdamW:

  stage 0   DDP: everything                                                        4N     4N     8N    bytes
  stage 1   ... but its share of the optimizer state: steps that, broadcasts it    4N     4N     8N/W
  stage 2   `fully_shard(reshard_after_forward=False)`, see below                  4N/W   4N/W   8N/W
  stage 3   `fully_shard`: gathers a block's parameters for its forward, again
            for its backward, and frees them in between                            4N/W   4N/W   8N/W
                                                                      parameters, gradients, optimizer state

ZeRO-2 keeps whole parameters all the time and gathers them after the optimizer step. Stage 2 here gathers
them once in forward and keeps them until backward is through with them: the same traffic and, while it
counts, the same memory as ZeRO-2, but between two steps it stores shards. Rajbhandari et al., 2020.

What a step has to send of the parameters S, on 4 ranks: 1.5 S in stages 0 to 2 (an all-reduce, or its halves
reduce-scatter and all-gather), up to 2.25 S in stage 3, which gathers twice. What it does send is more: in
stage 1 `ZeroRedundancyOptimizer` broadcasts on top of DDP's all-reduce, 2.25 S; in stages 2 and 3 PyTorch's
gloo backend makes the reduce-scatter from an all-reduce, 2.25 S and up to 3 S.
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
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel
from torch.optim import AdamW, Optimizer


def arguments() -> argparse.Namespace:
    """Read the command line; few tokens in a wide model, so that memory is the model's state above all."""
    parser = argparse.ArgumentParser(description="train with parameters, gradients, optimizer state sharded")
    parser.add_argument("--stage", type=int, default=3, help="0: DDP, 1: optimizer, 2: + gradients, 3: all")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--batch", type=int, default=1, help="sequences per rank and step")
    parser.add_argument("--seq", type=int, default=16, help="tokens per sequence")
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def shard(model: TinyLM, stage: int, lr: float) -> tuple[nn.Module, Optimizer]:
    """Return the model and its AdamW as a ZeRO stage (0 to 3) stores them; the process group is there."""
    if stage <= 1:
        replica = DistributedDataParallel(model, gradient_as_bucket_view=True)
        if stage == 0:
            return replica, AdamW(replica.parameters(), lr=lr)
        # As buckets: a broadcast for each rank's share instead of one for each parameter.
        return replica, ZeroRedundancyOptimizer(
            replica.parameters(), optimizer_class=AdamW, parameters_as_bucket_view=True, lr=lr
        )
    mesh = init_device_mesh(model.head.weight.device.type, (dist.get_world_size(),))
    for block in model.blocks:  # what is gathered together; the model itself takes what is left
        fully_shard(block, mesh=mesh, reshard_after_forward=stage == 3)
    fully_shard(model, mesh=mesh, reshard_after_forward=False)  # its backward comes at once
    return model, AdamW(model.parameters(), lr=lr)


def main() -> None:
    """Train at the chosen stage; what each rank stores is measured by the probe, the loss is reported."""
    args = arguments()
    probe.boot("rendezvous")
    here = device()  # this rank's GPU, or the CPU
    dist.init_process_group(backend(here))
    rank, world = dist.get_rank(), dist.get_world_size()

    probe.boot("build")
    torch.manual_seed(args.seed)
    model, optimizer = shard(TinyLM(args.width, args.layers, args.seq).to(here), args.stage, args.lr)
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

    probe.result(loss=loss.item(), steps=args.steps)
    del model  # first: DDP, as the last to hold a group, can wait forever for gloo's thread
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

"""Three ways to train on two nodes, one after the other: which sends least over the slow link between them?

torchrun --nnodes 2 --nproc-per-node 2 --node-rank 0 --master-addr HOST interconnect.py   (and 1)

  ddp    all ranks sum all gradients: P bytes of parameters go round a ring of all ranks, twice
  fsdp   all ranks share one copy: its slices are gathered twice a step, and gradients scattered, between all
  hsdp   each node shares a copy of its own: only the gradient of a rank's slice goes to the other node

Counted are bytes, by the kernel, on the connections that lead to another node: they are the same whatever
the link. Most of what a rank sends with hsdp stays within its node, where bytes are cheap.
"""

import argparse
import os
import time
from statistics import median

import torch
import torch.distributed as dist
from instruments import probe
from links import Crossing
from model import Sentences, TinyLM, next_token_loss
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel

WAYS = ("ddp", "fsdp", "hsdp")


def arguments() -> argparse.Namespace:
    """Read the command line; `--steps` are of each way, after one that is not counted."""
    parser = argparse.ArgumentParser(description="bytes between nodes: DDP, FSDP and hybrid sharding")
    parser.add_argument("--steps", type=int, default=8, help="of each, after a first one that is not counted")
    parser.add_argument("--batch", type=int, default=2, help="sequences per rank and step")
    parser.add_argument("--seq", type=int, default=16, help="tokens per sequence")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def spread(way: str, lm: TinyLM) -> nn.Module:
    """The model as this way of training has it on the ranks."""
    if way == "ddp":
        return DistributedDataParallel(lm, gradient_as_bucket_view=True)
    here = int(os.environ["LOCAL_WORLD_SIZE"])
    world = dist.get_world_size()
    shape = (world // here, here) if way == "hsdp" else (world,)
    names = ("replicate", "shard")[-len(shape) :]
    mesh = init_device_mesh("cpu", shape, mesh_dim_names=names)
    for block in lm.blocks:
        fully_shard(block, mesh=mesh)
    return fully_shard(lm, mesh=mesh, reshard_after_forward=False)


def main() -> None:
    """Train in each way; report what crossed nodes in a step, of all ranks together, and how long it took."""
    args = arguments()
    probe.boot("rendezvous")
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    probe.boot("build")
    text = Sentences((args.steps + 1) * world * args.batch, args.seq, args.seed)
    crossed: dict[str, float] = {}
    losses: dict[str, float] = {}
    for way in WAYS:
        torch.manual_seed(args.seed)
        model = spread(way, TinyLM(args.width, args.layers, args.seq))
        optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
        probe.watch(model, optimizer)
        crossing, before, took = Crossing(), 0, []
        for step in range(args.steps + 1):
            began = time.monotonic()
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
            took.append(time.monotonic() - began)
            if step == 0:  # its groups are there, and so are their connections
                crossing.look()
                before = crossing.sent()
        sent = torch.tensor((crossing.sent() - before) / args.steps, dtype=torch.float64)
        mean = loss.detach().clone()
        dist.all_reduce(sent)
        dist.all_reduce(mean)
        crossed[way], losses[way] = sent.item(), mean.item() / world
        probe.value("between nodes, a step", [*crossed.values()], "B", [*crossed])
        if rank == 0:
            size, ms = crossed[way] / 1e6, 1000 * median(took[1:])
            told = f"{way:5s} {size:7.2f} MB between nodes and {ms:6.0f} ms a step"
            print(f"{told}, loss {losses[way]:.4f}", flush=True)
        del model, optimizer  # first: DDP, as the last to hold a group, can wait for ever for gloo's thread

    alike = max(losses.values()) - min(losses.values()) < 1e-3 * losses["ddp"]
    probe.result(**{f"{way}_crossing_bytes": round(size) for way, size in crossed.items()}, same_loss=alike)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

"""Hybrid sharding: shards within a group of near ranks, replicas across groups, on a mesh of two dimensions.

torchrun --nproc-per-node 4 hsdp.py --replicas 2

With W ranks and R replicas the mesh has R rows of W/R ranks. A row stores the model once, in W/R slices, and
does what FSDP does: all-gathers and reduce-scatters, among near ranks. What a rank then holds, the gradient
of its slice, is summed with the ranks of its column, which hold the same slice: only 1/(W/R) of the bytes go
the long way. In a cluster a row is a node; here all ranks are on one machine.

  rows, replicas of the model      0  1      all-gather and reduce-scatter in {0, 1} and {2, 3}
  columns, copies of a slice       2  3      all-reduce of slices in {0, 2} and {1, 3}
"""

import argparse

import torch
import torch.distributed as dist
from device import backend, device
from instruments import probe
from model import Sentences, TinyLM, next_token_loss
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


def arguments() -> argparse.Namespace:
    """Read the command line; `--replicas` has to divide the number of ranks."""
    parser = argparse.ArgumentParser(description="train a small transformer with hybrid sharding")
    parser.add_argument("--replicas", type=int, default=2, help="rows of the mesh: copies of the model")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--batch", type=int, default=1, help="sequences per rank and step")
    parser.add_argument("--seq", type=int, default=16, help="tokens per sequence")
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def main() -> None:
    """Train on the two-dimensional mesh; report which replica (row) and which slice (column) this rank is."""
    args = arguments()
    probe.boot("rendezvous")
    here = device()  # this rank's GPU, or the CPU
    dist.init_process_group(backend(here))
    rank, world = dist.get_rank(), dist.get_world_size()

    probe.boot("build")
    mesh = init_device_mesh(
        here.type, (args.replicas, world // args.replicas), mesh_dim_names=("replicate", "shard")
    )
    row, column = mesh.get_coordinate() or (-1, -1)
    probe.value("mesh", [row, column])  # which replica, which slice

    torch.manual_seed(args.seed)
    model = TinyLM(args.width, args.layers, args.seq).to(here)
    for block in model.blocks:
        fully_shard(block, mesh=mesh)  # two dimensions: the first replicates, the second shards
    fully_shard(model, mesh=mesh, reshard_after_forward=False)
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

    probe.result(loss=loss.item(), steps=args.steps, replica=row, slice=column)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

"""All-reduce by a ring: torchrun --nproc-per-node 4 ring_all_reduce.py"""
# told: deadlock: Nobody receives

import torch
import torch.distributed as dist


def all_reduce(tensor: torch.Tensor) -> torch.Tensor:
    """Return the sum over all ranks, on every rank; `tensor` has one dimension, a multiple of the world."""
    # --- yours: from here
    rank, world = dist.get_rank(), dist.get_world_size()
    right, left = (rank + 1) % world, (rank - 1) % world
    chunks = list(tensor.chunk(world))
    for step in range(2 * (world - 1)):
        send, take = (rank - step) % world, (rank - step - 1) % world
        dist.send(chunks[send], right)
        arrived = torch.empty_like(chunks[take])
        dist.recv(arrived, left)
        if step < world - 1:
            chunks[take] += arrived
        else:
            chunks[take].copy_(arrived)
    return tensor
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    print(dist.get_rank(), all_reduce(torch.full((8,), float(dist.get_rank()))))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

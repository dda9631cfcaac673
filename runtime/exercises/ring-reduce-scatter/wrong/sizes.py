"""Reduce-scatter by a ring: torchrun --nproc-per-node 4 ring.py"""
# told: mismatch: which receives

import torch
import torch.distributed as dist


def reduce_scatter(chunks: torch.Tensor) -> torch.Tensor:
    """Return chunk `rank` of the sum over all ranks.

    `chunks` has the shape (world, size): row c is this rank's part of chunk c.
    """
    # --- yours: from here
    rank, world = dist.get_rank(), dist.get_world_size()
    right, left = (rank + 1) % world, (rank - 1) % world
    for step in range(world - 1):
        send, take = (rank - 1 - step) % world, (rank - 2 - step) % world
        sending = dist.isend(chunks[send], right)
        arrived = torch.empty(chunks.shape[1] // 2)
        dist.recv(arrived, left)
        sending.wait()
        chunks[take, : len(arrived)] += arrived
    return chunks[rank]
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    world = dist.get_world_size()
    print(reduce_scatter(torch.full((world, 2), float(dist.get_rank()))))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

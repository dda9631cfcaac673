"""All-reduce by a ring: torchrun --nproc-per-node 4 ring_all_reduce.py"""
# told: wrong: the ring goes to the right

import torch
import torch.distributed as dist


def all_reduce(tensor: torch.Tensor) -> torch.Tensor:
    """Return the sum over all ranks, on every rank; `tensor` has one dimension, a multiple of the world."""
    # --- yours: from here
    rank, world = dist.get_rank(), dist.get_world_size()
    chunks = list(tensor.clone().chunk(world))
    left, right = (rank + 1) % world, (rank - 1) % world

    def swap(send, take):
        got = torch.empty_like(chunks[take])
        r = dist.isend(chunks[send], right)
        dist.recv(got, left)
        r.wait()
        return got

    rank = -rank
    for step in range(world - 1):
        send, take = (rank - step) % world, (rank - step - 1) % world
        chunks[take] += swap(send, take)
    for step in range(world - 1):
        send, take = (rank + 1 - step) % world, (rank - step) % world
        chunks[take] = swap(send, take)
    return torch.cat(chunks)
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    print(dist.get_rank(), all_reduce(torch.full((8,), float(dist.get_rank()))))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

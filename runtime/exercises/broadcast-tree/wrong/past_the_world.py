"""Broadcast by a tree: torchrun --nproc-per-node 4 broadcast_tree.py"""
# told: crash: a rank that does not exist

import torch
import torch.distributed as dist


def broadcast(tensor: torch.Tensor) -> torch.Tensor:
    """Return what rank 0 holds, on every rank; `tensor` may be written to."""
    # --- yours: from here
    rank, world = dist.get_rank(), dist.get_world_size()
    have = 1
    while have < world:
        if rank < have:
            dist.send(tensor, rank + have)
        elif rank < 2 * have:
            dist.recv(tensor, rank - have)
        have *= 2
    return tensor
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    print(dist.get_rank(), broadcast(torch.full((2,), float(dist.get_rank()))))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

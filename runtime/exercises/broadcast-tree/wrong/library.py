"""Broadcast by a tree: torchrun --nproc-per-node 4 broadcast_tree.py"""
# told: shortcut: calls broadcast

import torch
import torch.distributed as dist


def broadcast(tensor: torch.Tensor) -> torch.Tensor:
    """Return what rank 0 holds, on every rank; `tensor` may be written to."""
    # --- yours: from here
    dist.broadcast(tensor, 0)
    return tensor
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    print(dist.get_rank(), broadcast(torch.full((2,), float(dist.get_rank()))))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

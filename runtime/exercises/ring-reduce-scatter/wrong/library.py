"""Reduce-scatter by a ring: torchrun --nproc-per-node 4 ring.py"""
# told: shortcut: reduce-scatter

import torch
import torch.distributed as dist


def reduce_scatter(chunks: torch.Tensor) -> torch.Tensor:
    """Return chunk `rank` of the sum over all ranks.

    `chunks` has the shape (world, size): row c is this rank's part of chunk c.
    """
    # --- yours: from here
    mine = torch.empty_like(chunks[0])
    dist.reduce_scatter(mine, list(chunks))
    return mine
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    world = dist.get_world_size()
    print(reduce_scatter(torch.full((world, 2), float(dist.get_rank()))))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

"""A distributed sampler: torchrun --nproc-per-node 4 sampler.py"""
# told: wrong: is seen 3 times

import torch
import torch.distributed as dist


def indices(size: int, rank: int, world: int, epoch: int, seed: int) -> list[int]:
    """Return the samples of this rank in this epoch, out of `size`."""
    # --- yours: from here
    g = torch.Generator().manual_seed(seed + epoch)
    order = torch.randperm(size, generator=g).tolist()
    while len(order) % world:
        order.append(order[-1])
    return order[rank::world]
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    print(dist.get_rank(), indices(10, dist.get_rank(), dist.get_world_size(), 0, 1))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

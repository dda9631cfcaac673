"""A distributed sampler: torchrun --nproc-per-node 4 sampler.py"""
# told: wrong: sees the samples of epoch 0 again

import torch
import torch.distributed as dist


def indices(size: int, rank: int, world: int, epoch: int, seed: int) -> list[int]:
    """Return the samples of this rank in this epoch, out of `size`."""
    # --- yours: from here
    g = torch.Generator().manual_seed(seed + epoch + rank)
    mine = list(range(size))[rank::world]
    each = -(-size // world)
    if len(mine) < each:
        mine.append(rank - size % world)
    return [mine[i] for i in torch.randperm(each, generator=g).tolist()]
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    print(dist.get_rank(), indices(10, dist.get_rank(), dist.get_world_size(), 0, 1))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

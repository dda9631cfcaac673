"""The mean over all ranks: torchrun --nproc-per-node 4 mean_of_means.py"""
# told: wrong: the mean of the means

import torch
import torch.distributed as dist


def mean(values: torch.Tensor) -> torch.Tensor:
    """Return the mean of all numbers of all ranks; each has another count of them, maybe none."""
    # --- yours: from here
    mine = values.mean()
    dist.all_reduce(mine)
    return mine / dist.get_world_size()
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    print(dist.get_rank(), mean(torch.ones(dist.get_rank() + 1) * dist.get_rank()))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

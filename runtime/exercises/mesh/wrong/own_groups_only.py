"""A mesh of two by two: torchrun --nproc-per-node 4 mesh.py"""
# told: mismatch: ranks make different groups

import torch
import torch.distributed as dist


def groups() -> tuple[dist.ProcessGroup, dist.ProcessGroup]:
    """Return the group of this rank's row, and that of its column."""
    # --- yours: from here
    rank = dist.get_rank()
    r, c = rank // 2, rank % 2
    return dist.new_group([2 * r, 2 * r + 1]), dist.new_group([c, c + 2])
    # --- to here


def reduce(
    partial: torch.Tensor, gradient: torch.Tensor, row: dist.ProcessGroup, column: dist.ProcessGroup
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the sum of `partial` over the row, and the mean of `gradient` over the column."""
    # --- yours: from here
    a, b = partial.clone(), gradient.clone()
    dist.all_reduce(a, group=row)
    dist.all_reduce(b, group=column)
    return a, b / 2
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    mine = torch.tensor([float(dist.get_rank())])
    print(dist.get_rank(), *reduce(mine, mine, *groups()))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

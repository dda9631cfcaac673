"""A mesh of two by two: torchrun --nproc-per-node 4 mesh.py"""
# told: wrong: a column has two ranks

import torch
import torch.distributed as dist


def groups() -> tuple[dist.ProcessGroup, dist.ProcessGroup]:
    """Return the group of this rank's row, and that of its column."""
    # --- yours: from here
    rank = dist.get_rank()
    rows = [dist.new_group([0, 1]), dist.new_group([2, 3])]
    columns = [dist.new_group([0, 2]), dist.new_group([1, 3])]
    return rows[rank // 2], columns[rank % 2]
    # --- to here


def reduce(
    partial: torch.Tensor, gradient: torch.Tensor, row: dist.ProcessGroup, column: dist.ProcessGroup
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the sum of `partial` over the row, and the mean of `gradient` over the column."""
    # --- yours: from here
    partial, gradient = partial.clone(), gradient.clone()
    dist.all_reduce(partial, group=row)
    dist.all_reduce(gradient, group=column)
    return partial, gradient / dist.get_world_size()
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    mine = torch.tensor([float(dist.get_rank())])
    print(dist.get_rank(), *reduce(mine, mine, *groups()))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

"""One forward, one backward: torchrun --nproc-per-node 4 one_f_one_b.py"""
# told: wrong: the order of backwards

import torch.distributed as dist


def schedule(rank: int, world: int, count: int) -> list[str]:
    """Return the order of forwards and backwards of stage `rank`."""
    # --- yours: from here
    ahead = min(world - 1 - rank, count)
    order = [f"F{n}" for n in range(ahead)]
    for n in range(count - ahead):
        order += [f"F{n + ahead}", f"B{n}"]
    return order
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    print(dist.get_rank(), *schedule(dist.get_rank(), dist.get_world_size(), 6))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

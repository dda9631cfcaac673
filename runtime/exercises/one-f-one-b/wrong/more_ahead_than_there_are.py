"""One forward, one backward: torchrun --nproc-per-node 4 one_f_one_b.py"""
# told: wrong: no word like F0 or B0

import torch.distributed as dist


def schedule(rank: int, world: int, count: int) -> list[str]:
    """Return the order of forwards and backwards of stage `rank`."""
    # --- yours: from here
    ahead = world - rank - 1
    order = [f"F{n}" for n in range(ahead)]
    for n in range(ahead, count):
        order += [f"F{n}", f"B{n - ahead}"]
    order += [f"B{n}" for n in range(count - ahead, count)]
    return order
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    print(dist.get_rank(), *schedule(dist.get_rank(), dist.get_world_size(), 6))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

"""A bubble below a bound: torchrun --nproc-per-node 4 bubble.py"""
# told: wrong: round in whole numbers

import torch.distributed as dist


def bubble(stages: int, count: int) -> float:
    """Return the part of a step in which a stage waits."""
    # --- yours: from here
    return (stages - 1) / (count + stages - 1)
    # --- to here


def fewest(stages: int, percent: int) -> int:
    """Return the smallest number of micro-batches whose bubble is at most `percent` per cent."""
    # --- yours: from here
    p = percent / 100
    count = (stages - 1) / p - (stages - 1)
    return int(-(-count // 1))
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    stages = dist.get_world_size()
    print(dist.get_rank(), fewest(stages, 20), bubble(stages, fewest(stages, 20)))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

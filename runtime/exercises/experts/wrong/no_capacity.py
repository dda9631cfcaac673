"""Experts with a capacity: torchrun --nproc-per-node 4 experts.py"""
# told: wrong: the tensor of rows

from collections.abc import Callable

import torch
import torch.distributed as dist


def moe(
    tokens: torch.Tensor, chosen: torch.Tensor, expert: Callable[[torch.Tensor], torch.Tensor], capacity: int
) -> torch.Tensor:
    """Return what the chosen experts make of this rank's tokens; zeros for those that are dropped."""
    # --- yours: from here
    world, size = dist.get_world_size(), tokens.shape[1]
    sent = torch.zeros(world * capacity, size)
    filled, places = [0] * world, {}
    for token, number in enumerate(chosen.tolist()):
        if number * capacity + filled[number] < world * capacity:
            places[token] = number * capacity + filled[number]
            sent[places[token]] = tokens[token]
            filled[number] += 1
    arrived = torch.empty_like(sent)
    dist.all_to_all_single(arrived, sent)
    back = torch.empty_like(sent)
    dist.all_to_all_single(back, expert(arrived))
    made = torch.zeros_like(tokens)
    for token, place in places.items():
        made[token] = back[place]
    return made
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    print(rank, moe(torch.ones(3, 2), torch.tensor([0, 3, 3]), lambda x: x * (rank + 1), 1))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

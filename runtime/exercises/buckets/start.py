"""Buckets that travel during backward: torchrun --nproc-per-node 4 buckets.py"""

from collections.abc import Callable

import torch
import torch.distributed as dist


def bucketed(model: torch.nn.Module, most: int) -> Callable[[], None]:
    """Have backward send buckets of at most `most` numbers; returns what is called after it."""
    # --- yours: from here
    raise NotImplementedError
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 1))
    finish = bucketed(model, 10)
    model(torch.randn(2, 4) + dist.get_rank()).mean().backward()
    finish()
    print(dist.get_rank(), model[0].bias.grad)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

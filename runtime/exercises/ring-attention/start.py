"""Attention by a ring: torchrun --nproc-per-node 4 ring_attention.py"""

import torch
import torch.distributed as dist


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Return the attention of this rank's queries over the keys and values of all ranks."""
    # --- yours: from here
    raise NotImplementedError
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    torch.manual_seed(dist.get_rank())
    q, k, v = torch.randn(3, 2, 4)
    print(dist.get_rank(), attention(q, k, v))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

"""FSDP by hand: gather, compute, free: torchrun --nproc-per-node 4 fsdp.py"""
# told: wrong: sends half of what an all-reduce does

from typing import Any

import torch
import torch.distributed as dist


def gather(shard: torch.Tensor) -> torch.Tensor:
    """Return the whole weight, of which every rank holds as many rows."""
    whole = torch.empty(shard.shape[0] * dist.get_world_size(), shard.shape[1])
    dist.all_gather_into_tensor(whole, shard.detach().contiguous())
    return whole


class Sharded(torch.autograd.Function):
    """`x @ w`, where each rank holds some rows of `w`."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, shard: torch.Tensor) -> torch.Tensor:
        """Return `x @ w`."""
        # --- yours: from here
        ctx.save_for_backward(x, shard)
        return x @ gather(shard)
        # --- to here

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the gradients of `x` and of `shard`."""
        # --- yours: from here
        x, shard = ctx.saved_tensors
        w = gather(shard)
        gw = (x.T @ grad).contiguous()
        dist.all_reduce(gw)
        n = shard.shape[0]
        r = dist.get_rank()
        return grad @ w.T, gw[r * n : (r + 1) * n] / dist.get_world_size()
        # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    shard = torch.full((1, 2), float(dist.get_rank()), requires_grad=True)
    Sharded.apply(torch.ones(3, dist.get_world_size()), shard).sum().backward()
    print(dist.get_rank(), shard.grad)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

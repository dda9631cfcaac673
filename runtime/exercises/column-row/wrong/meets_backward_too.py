"""A column and a row linear: torchrun --nproc-per-node 4 column_row.py"""
# told: wrong: equal gradients were added up

from typing import Any

import torch
import torch.distributed as dist
import torch.nn.functional as F


class Part(torch.autograd.Function):
    """Forward: as it is. Backward: the sum over ranks."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        """Return `x`."""
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        """Return the sum of the ranks' gradients."""
        # --- yours: from here
        grad = grad.clone()
        dist.all_reduce(grad)
        return grad
        # --- to here


class Meet(torch.autograd.Function):
    """Forward: the sum over ranks. Backward: as it is."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        """Return the sum of the ranks' `x`."""
        # --- yours: from here
        x = x.clone()
        dist.all_reduce(x)
        return x
        # --- to here

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        """Return the gradient of `x`."""
        # --- yours: from here
        dist.all_reduce(grad := grad.clone())
        return grad
        # --- to here


class Half(Part):
    """Backward: the mean over ranks."""

    @staticmethod
    def backward(ctx, grad):
        """Return the mean."""
        return Part.backward(ctx, grad) / dist.get_world_size()


def mlp(x: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return the output of the whole MLP; `a` and `b` are this rank's columns and rows."""
    # --- yours: from here
    return Meet.apply(F.gelu(Half.apply(x) @ a) @ b)
    # --- to here


def main() -> None:
    """Try it by hand."""
    dist.init_process_group("gloo")
    x = torch.ones(2, 4, requires_grad=True)
    mlp(x, torch.ones(4, 3), torch.ones(3, 4)).sum().backward()
    print(dist.get_rank(), x.grad)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

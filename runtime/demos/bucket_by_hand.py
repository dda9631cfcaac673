"""Buckets of gradients by hand, the heart of `buckets.py`: what travels together, and when it leaves."""

import torch.distributed as dist
from torch import Tensor, nn


class Bucket:
    """Gradients that travel together; with `overlap` as soon as backward has made the last of them."""

    def __init__(self, parameters: list[nn.Parameter], overlap: bool) -> None:
        self.overlap, self.size, self.missing = overlap, len(parameters), len(parameters)
        self.gradients = parameters[0].new_zeros(sum(p.numel() for p in parameters))
        parts = self.gradients.split([p.numel() for p in parameters])
        for p, part in zip(parameters, parts, strict=True):
            p.grad = part.view_as(p)
            if overlap:
                p.register_post_accumulate_grad_hook(self.mark_ready)

    def mark_ready(self, _: Tensor) -> None:
        """Autograd calls this; the last one starts the all-reduce."""
        self.missing -= 1
        if self.missing == 0:
            self.sent = dist.all_reduce(self.gradients, async_op=True)

    def finish(self) -> None:
        """Wait for the sums of all ranks, or start them now without overlap, and turn them into means."""
        if self.overlap:
            self.sent.wait()
        else:
            dist.all_reduce(self.gradients)
        self.gradients /= dist.get_world_size()
        self.missing = self.size


def pack(model: nn.Module, full: float, overlap: bool) -> list[Bucket]:
    """From the last parameter to the first, about as backward comes to them; closed at `full` bytes."""
    groups: list[list[nn.Parameter]] = [[]]
    for parameter in reversed(list(model.parameters())):
        if groups[-1] and sum(4 * p.numel() for p in groups[-1]) >= full:
            groups.append([])
        groups[-1].append(parameter)
    return [Bucket(group, overlap) for group in groups]

"""A pipeline stage that sleeps before it computes.

Ranks that share a core stand in each other's way, and a picture of them shows the queue for the core instead
of the schedule. With a sleep that is long beside the computing, stages take the time they would have alone.
How long that is depends on the machine, so it is measured: what a step takes without.
"""

import time
from typing import Any

import torch
import torch.distributed as dist
from cores import cores
from instruments import probe
from torch.distributed.pipelining import PipelineStage

TIMES = 4.0  # a step of nothing but pads is so many times one without them


def pad_seconds(step_s: float, micro_batches: int) -> float:
    """The pad of a forward, the same on all ranks, by the slowest rank's step without pads.

    A backward is padded twice as long, so a step of 1F1B is 3 (m + n - 1) pads of the n ranks. None where
    each rank has a core: 0.
    """
    if cores() >= dist.get_world_size():
        return 0.0
    slowest = torch.tensor(step_s)
    dist.all_reduce(slowest, dist.ReduceOp.MAX)
    pad_s = TIMES * slowest.item() / (3 * (micro_batches + dist.get_world_size() - 1))
    probe.value("padded", 1000 * pad_s, "ms")
    return pad_s


class PaddedStage(PipelineStage):
    """A forward is padded by `pad_s`, a backward by twice that, half of a backward by half of it."""

    pad_s = 0.0

    def forward_one_chunk(self, *args: Any, **kwargs: Any) -> Any:
        """Sleep one pad, then compute the forward of a micro-batch; the schedule calls it."""
        time.sleep(self.pad_s)
        return super().forward_one_chunk(*args, **kwargs)

    def backward_one_chunk(self, *args: Any, **kwargs: Any) -> Any:
        """Sleep two pads before a full backward, one before the half that computes gradients of inputs."""
        time.sleep(2 * self.pad_s if kwargs.get("full_backward", True) else self.pad_s)
        return super().backward_one_chunk(*args, **kwargs)

    def backward_weight_one_chunk(self, *args: Any, **kwargs: Any) -> Any:
        """Sleep one pad before the other half of a backward: the gradients of weights."""
        time.sleep(self.pad_s)
        return super().backward_weight_one_chunk(*args, **kwargs)

    def _get_init_p2p_neighbors_ops(self) -> list[Any]:
        """Torch 2.11 opens each pair of neighbours with a message; gloo has none for a rank and itself."""
        return [op for op in super()._get_init_p2p_neighbors_ops() if op.group_peer != self.group_rank]

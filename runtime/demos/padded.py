"""A pipeline stage that sleeps before it computes.

Ranks that share a core stand in each other's way, and a picture of them shows the queue for the core instead
of the schedule. With a sleep that is long beside the computing, stages take the time they would have alone.
"""

import os
import time
from typing import Any

from torch.distributed.pipelining import PipelineStage


def pad_seconds(pad_ms: str, world: int) -> float:
    """Of a forward. `auto`: 10 ms where there are more ranks than cores, else none."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return (0.010 if cores < world else 0.0) if pad_ms == "auto" else float(pad_ms) / 1000


class PaddedStage(PipelineStage):
    """A forward is padded by `pad_s`, a backward by twice that, half of a backward by half of it."""

    pad_s = 0.0

    def forward_one_chunk(self, *args: Any, **kwargs: Any) -> Any:
        time.sleep(self.pad_s)
        return super().forward_one_chunk(*args, **kwargs)

    def backward_one_chunk(self, *args: Any, **kwargs: Any) -> Any:
        time.sleep(2 * self.pad_s if kwargs.get("full_backward", True) else self.pad_s)
        return super().backward_one_chunk(*args, **kwargs)

    def backward_weight_one_chunk(self, *args: Any, **kwargs: Any) -> Any:
        time.sleep(self.pad_s)
        return super().backward_weight_one_chunk(*args, **kwargs)

    def _get_init_p2p_neighbors_ops(self) -> list[Any]:
        """Torch 2.11 opens each pair of neighbours with a message; gloo has none for a rank and itself."""
        return [op for op in super()._get_init_p2p_neighbors_ops() if op.group_peer != self.group_rank]

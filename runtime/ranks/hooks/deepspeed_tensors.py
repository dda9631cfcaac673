"""Finds the tensors of DeepSpeed's ZeRO: gradients, and the parameters that its optimizer steps.

Their names are private. If one is gone, its figure is unknown (`None`), and nothing else is lost. Parameters
that ZeRO has partitioned (stage 3) carry their slice as `ds_tensor`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from torch import Tensor


class DeepSpeedTensors:
    """Reads the optimizer that `deepspeed.initialize` has wrapped around another."""

    def __init__(self, optimizer: Any) -> None:
        self._optimizer = optimizer

    @classmethod
    def found(cls, optimizer: Any) -> DeepSpeedTensors | None:
        """Return a reader if the optimizer is one of ZeRO's, else None."""
        return cls(optimizer) if type(optimizer).__module__.startswith("deepspeed.runtime.zero.") else None

    def gradients(self) -> list[Tensor] | None:
        """Return the averaged gradients this rank keeps, after backward."""
        averaged = getattr(self._optimizer, "averaged_gradients", None)
        if averaged is None:
            return None
        return [gradient for group in averaged.values() for gradient in group or ()]

    def stepped(self) -> list[Tensor] | None:
        """Return the copies of this rank's share of the parameters that the optimizer steps."""
        for name in ("single_partition_of_fp32_groups", "fp32_partitioned_groups_flat"):
            if hasattr(self._optimizer, name):
                return list(getattr(self._optimizer, name))
        return None


def gathered(parameters: Iterable[Tensor]) -> Iterator[Tensor]:
    """Return the partitioned parameters, each as it is now: whole if gathered, else without storage.

    A single rank has nothing to gather: its slice is the parameter.
    """
    cut = (p for p in parameters if hasattr(p, "ds_tensor"))
    return (p.data for p in cut if p.data_ptr() != p.ds_tensor.data_ptr())

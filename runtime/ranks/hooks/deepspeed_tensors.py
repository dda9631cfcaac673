"""What DeepSpeed's ZeRO keeps in tensors of its own: gradients, and the parameters its optimizer steps.

It has them under names that are nobody's promise. One that it no longer has costs its figure, which is then
unknown (`None`), and nothing else. Parameters that it has cut (stage 3) carry their slice as `ds_tensor`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from torch import Tensor


class DeepSpeedTensors:
    """Looks into the optimizer that `deepspeed.initialize` has put around another."""

    def __init__(self, optimizer: Any) -> None:
        self._optimizer = optimizer

    @classmethod
    def found(cls, optimizer: Any) -> DeepSpeedTensors | None:
        """Where it is one of ZeRO's. Without ZeRO the engine leaves the optimizer as it is."""
        return cls(optimizer) if type(optimizer).__module__.startswith("deepspeed.runtime.zero.") else None

    def gradients(self) -> list[Tensor] | None:
        """After backward: what this rank keeps of them, averaged."""
        averaged = getattr(self._optimizer, "averaged_gradients", None)
        if averaged is None:
            return None
        return [gradient for group in averaged.values() for gradient in group or ()]

    def stepped(self) -> list[Tensor] | None:
        """The copies of this rank's share of the parameters."""
        for name in ("single_partition_of_fp32_groups", "fp32_partitioned_groups_flat"):
            if hasattr(self._optimizer, name):
                return list(getattr(self._optimizer, name))
        return None


def gathered(parameters: Iterable[Tensor]) -> Iterator[Tensor]:
    """Those of the cut parameters, each as it is now: whole where it was gathered, else without storage.

    A rank alone has nothing to gather: its slice is the parameter.
    """
    cut = (p for p in parameters if hasattr(p, "ds_tensor"))
    return (p.data for p in cut if p.data_ptr() != p.ds_tensor.data_ptr())

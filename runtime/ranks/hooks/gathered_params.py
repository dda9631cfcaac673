"""Finds the weights gathered on this rank now: whole parameters, and FSDP's buffers for them.

Only the private state of `fully_shard` knows the buffers. If a torch keeps it under other names, the figure
is unknown (`None`), and nothing else is lost. Parameters that DeepSpeed has partitioned are marked by it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any

from torch import Tensor, nn

from runtime.ranks.hooks import deepspeed_tensors


class Gathered:
    """Reads one model, sharded by FSDP or by DeepSpeed, or not at all."""

    def __init__(self, model: nn.Module) -> None:
        self._parameters = list(model.parameters())
        self._engined = any(hasattr(p, "ds_tensor") for p in self._parameters)
        self._groups: list[Any] = []
        self._seen: tuple[Any, ...] | None = None
        self._storages: dict[int, int] | None = {}
        try:
            # Importing it for a script that shards nothing would cost that script half a second.
            fsdp: Any = sys.modules.get("torch.distributed.fsdp")
            for module in model.modules() if fsdp is not None else ():
                if isinstance(module, fsdp.FSDPModule):
                    self._groups += _parameter_groups(module._get_fsdp_state())
        except (AttributeError, TypeError):
            self._storages = None

    def now(self) -> dict[int, int] | None:
        """Return address -> bytes of the storages that hold gathered weights now; None: not known.

        FSDP sets up the state read here in the first forward; before that it is not known either.
        """
        if self._engined:
            return _storages(deepspeed_tensors.gathered(self._parameters))
        if self._storages is None or not self._groups:
            return self._storages
        try:
            # Asked at every tensor that autograd saves, and different only where FSDP did something between.
            state = tuple(self._state())
            if state != self._seen:
                self._seen = state
                self._storages = _storages(self._tensors())
        except (AttributeError, TypeError):
            self._storages = None
        return self._storages

    def _state(self) -> Iterator[Any]:
        for group in self._groups:
            yield group._sharded_state
            yield group._all_gather_result is None
            yield group.comm_ctx.all_gather_state is None

    def _tensors(self) -> Iterator[Tensor]:
        for group in self._groups:
            for parameter in group.fsdp_params:
                yield from parameter.all_gather_outputs
            # Where the transfer puts the weights, before they are copied out and, for a while, after it.
            arrived = [group._all_gather_result]
            if group.comm_ctx.all_gather_state is not None:
                arrived.append(group.comm_ctx.all_gather_state.all_gather_result)
            for result in arrived:
                if result is not None:
                    yield result.all_gather_output


def _parameter_groups(state: Any) -> list[Any]:
    """Return FSDP's groups of parameters gathered together; before torch 2.12 at most one a module."""
    if hasattr(state, "_fsdp_param_groups"):
        return list(state._fsdp_param_groups)
    return [] if state._fsdp_param_group is None else [state._fsdp_param_group]


def _storages(tensors: Iterable[Tensor]) -> dict[int, int]:
    storages = [tensor.untyped_storage() for tensor in tensors]
    return {s.data_ptr(): s.nbytes() for s in storages if s.nbytes()}

"""Finds what a script trains, by the modules it calls and the optimizers it steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel


def model_of(called: Iterable[nn.Module], optimizers: Sequence[Any]) -> nn.Module:
    """Return the modules of `called` with parameters of the optimizers, as one; only outermost ones count.

    Parameters that no module holds are added. Without an optimizer every module with parameters counts.
    """
    changed = {id(tensor): tensor for tensor in _changed(optimizers)}
    holding = [m for m in called if any(id(p) in changed or not optimizers for p in m.parameters())]
    inner = {id(part) for module in holding for part in module.modules() if part is not module}
    outer = [module for module in holding if id(module) not in inner]
    held = {id(p) for module in outer for p in module.parameters()}
    bare = [tensor for key, tensor in changed.items() if key not in held]
    return outer[0] if len(outer) == 1 and not bare else Together(outer, bare)


def optimizer_of(optimizers: Sequence[Any]) -> Any:
    """Return the optimizers as one object that has their state."""
    return optimizers[0] if len(optimizers) == 1 else _States(optimizers)


def is_replica(model: nn.Module) -> bool:
    """Whether every rank should hold the same parameters: with DDP over all ranks, compiled or not; for
    several models, if that holds for each and nothing else is trained."""
    if isinstance(model, Together):
        return model.all_replicas()
    model = getattr(model, "_orig_mod", model)
    return isinstance(model, DistributedDataParallel) and (
        model.process_group.size() == torch.distributed.get_world_size()
    )


def _changed(optimizers: Iterable[Any]) -> Iterator[Tensor]:
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            yield from group["params"]


class Together(nn.Module):
    """Reads like one module with several parts, and registers none of them."""

    def __init__(self, parts: Sequence[nn.Module], bare: Sequence[Tensor]) -> None:
        super().__init__()
        self._outer, self._bare = tuple(parts), tuple(bare)

    def all_replicas(self) -> bool:
        """Whether every part is a replica that all ranks hold alike."""
        return not self._bare and bool(self._outer) and all(is_replica(part) for part in self._outer)

    def modules(self, *args: Any, **kwargs: Any) -> Iterator[nn.Module]:
        """As those of a module: all of every part."""
        for part in self._outer:
            yield from part.modules()

    def parameters(self, recurse: bool = True) -> Iterator[nn.Parameter]:
        """As those of a module: each tensor once, those in no part included."""
        own = (tensor for part in self._outer for tensor in part.parameters())
        yield from {id(tensor): tensor for tensor in (*own, *self._bare)}.values()  # type: ignore[misc]

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """As those of a module: all of every part."""
        for part in self._outer:
            yield from part.buffers()


class _States:
    """The `state` of several optimizers; each has its own parameters."""

    def __init__(self, optimizers: Sequence[Any]) -> None:
        # ZeRO-1 wraps the optimizer that has this rank's share of the state.
        self._each = [getattr(optimizer, "optim", optimizer) for optimizer in optimizers]

    @property
    def state(self) -> dict[Any, Any]:
        return {key: value for optimizer in self._each for key, value in optimizer.state.items()}

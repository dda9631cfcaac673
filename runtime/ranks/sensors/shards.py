"""Finds which part of each parameter, and of the optimizer's state of it, is on this rank.

Torch itself says where a part lies of a tensor that it has cut (a DTensor: FSDP2, HSDP, tensor parallelism).
A tensor that it has not cut may be the whole or a part that a script has cut by hand: nobody can know that
here, and no place is told for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from torch import Tensor, nn

from runtime.protocol.events import MAX_SHARD_NAME, MAX_SHARDS
from runtime.ranks.fail_safe import harmless

_WRAPPERS = ("module", "_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module")
Told = tuple[str, list[int], list[int], list[int]]


class Shards(NamedTuple):
    """The fields of `events.Shards`."""

    tensors: list[Told]
    more: int


def shards(model: nn.Module, optimizer: Any = None) -> Shards:
    """Return them for the parameters of `model`; `optimizer` is the one that has the state."""
    found: list[Told] = []
    more = 0
    for name, parameter in model.named_parameters():
        # What DeepSpeed has cut is empty here, and where its slice lies only DeepSpeed knows.
        if len(found) >= MAX_SHARDS or hasattr(parameter, "ds_tensor"):
            more += 1
            continue
        with harmless("find where the parts of a tensor lie"):
            state = optimizer.state.get(parameter) if optimizer is not None else None
            found.append(
                (_named(name), list(parameter.shape), _part(parameter), _part_of_state(parameter, state))
            )
    return Shards(found, more)


def _named(name: str) -> str:
    """The name that the model gave it, without what it was wrapped in."""
    words = name.split(".")
    while len(words) > 1 and words[0] in _WRAPPERS:
        del words[0]
    return ".".join(word for word in words if word not in _WRAPPERS[1:])[:MAX_SHARD_NAME]


def _part(tensor: Tensor) -> list[int]:
    """Offsets, then sizes, of the part that this rank has of a tensor that torch has cut; [] of another."""
    placements: Any = getattr(tensor, "placements", None)
    mesh: Any = getattr(tensor, "device_mesh", None)
    if placements is None or mesh is None:
        return []
    from torch.distributed.tensor._utils import compute_local_shape_and_global_offset

    sizes, offsets = compute_local_shape_and_global_offset(tensor.shape, mesh, placements)
    return [*(int(at) for at in offsets), *(int(size) for size in sizes)]


def _part_of_state(parameter: Tensor, state: Any) -> list[int]:
    """Offsets and sizes of the state of a parameter, [] where this rank has none of its shape."""
    for tensor in _tensors(state):
        if tensor.shape == parameter.shape and tensor.dim():
            return _part(tensor) or [0] * tensor.dim() + list(tensor.shape)
    return []


def _tensors(state: Any) -> Iterator[Tensor]:
    if isinstance(state, dict):
        yield from (value for value in state.values() if isinstance(value, Tensor))

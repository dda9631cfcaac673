"""Computes the norm of the whole gradient from each rank's part, without any communication.

Squares add up: a rank reports the sum of its squares, each divided by the number of ranks with the same
element, and over all ranks these shares sum to the square of the norm. That number follows from how a model
is distributed: copies along the replicated dimensions of a mesh, in the group of DDP, between the groups of
hybrid FSDP.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel


class Norm(NamedTuple):
    """`local`: norm of this rank's part. `share`: its part of the whole's square, None if it has it all."""

    local: float | None
    share: float | None


UNKNOWN = Norm(None, None)


def norm(model: nn.Module, copies: bool, parts: bool = False, apart: Sequence[Tensor] = ()) -> Norm:
    """Return the norm of the gradients of `model` as they are now.

    `copies`: every rank promises the same parameters. `parts`: every rank has other ones, as in a pipeline.
    `apart`: slices that an engine keeps, of which no other rank has a copy. With none of these promised, and
    nothing sharded, nobody knows what the ranks have in common.
    """
    gradients = [(p, p.grad) for p in model.parameters() if p.grad is not None]
    if not gradients and not apart:
        return UNKNOWN
    world = _world()
    replicas = _replicas(model)
    flat = _flat(model)
    meshes = [mesh for p in model.parameters() if (mesh := getattr(p, "device_mesh", None)) is not None]
    # a plain parameter beside cut ones is on each of their ranks, as is what lies in one row of their mesh
    shared = max((mesh.size() for mesh in meshes), default=1)
    known = copies or parts or world == 1 or bool(meshes or flat or apart) or replicas > 1
    if not known:
        return UNKNOWN
    cut = parts or bool(meshes or flat or apart)
    squares = shares = 0.0
    for parameter, gradient in gradients:
        square = _square(gradient)
        if square is None:
            return UNKNOWN
        if hasattr(gradient, "placements"):
            same = replicas * _rows(gradient, shared) * (_copies(gradient) or 1)
        elif meshes:
            same = replicas * shared
        else:
            same = flat.get(id(parameter)) or (world if copies and replicas == 1 else replicas)
        squares += square
        shares += square / same
    own = math.fsum(_square(slice_) or 0.0 for slice_ in apart)
    local = math.sqrt(squares + own)
    return Norm(local, shares + own if cut and world > 1 else None)


def _square(gradient: Tensor) -> float | None:
    """Return the sum of squares on this rank; None if its numbers are only partial sums."""
    if _copies(gradient) is None:
        return None
    tensor = getattr(gradient, "_local_tensor", gradient).detach()
    with torch.no_grad():
        if tensor.layout is torch.sparse_coo:
            tensor = tensor.coalesce().values()
        return float(torch.linalg.vector_norm(tensor, dtype=_wide(tensor))) ** 2


def _wide(tensor: Tensor) -> torch.dtype:
    """Return a type wide enough for a sum of squares, in which half precision overflows."""
    return tensor.dtype if tensor.dtype in (torch.float32, torch.float64) else torch.float32


def _rows(tensor: Any, ranks: int) -> int:
    """Return how many meshes like that of `tensor` make up one of so many ranks."""
    return max(1, ranks // int(tensor.device_mesh.size()))


def _copies(tensor: Any) -> int | None:
    """Return how many ranks of its mesh have the same piece; None: they have partial sums."""
    same = 1
    for size, placement in zip(
        getattr(tensor, "device_mesh", torch.empty(0)).shape, getattr(tensor, "placements", ()), strict=False
    ):
        if placement.is_partial():
            return None
        same *= size if placement.is_replicate() else 1
    return same


def _replicas(model: nn.Module) -> int:
    """Return the number of ranks in the group of DDP, if it is around the model or in it."""
    found = (part for part in model.modules() if isinstance(part, DistributedDataParallel))
    return max((int(part.process_group.size()) for part in found), default=1)


def _flat(model: nn.Module) -> dict[int, int]:
    """Return, by id() of a parameter that FSDP1 has flattened, how many ranks have the same slice."""
    module = sys.modules.get("torch.distributed.fsdp.fully_sharded_data_parallel")
    if module is None:
        return {}
    found: dict[int, int] = {}
    for part in model.modules():
        handle = getattr(part, "_handle", None) if isinstance(part, module.FullyShardedDataParallel) else None
        if handle is None:
            continue
        between = getattr(part, "_inter_node_pg", None)
        same = int(between.size()) if between is not None else 1
        if not handle.uses_sharded_strategy:
            same = int(handle.process_group.size())
        found.update((id(p), same) for p in _of_handle(handle))
    return found


def _of_handle(handle: Any) -> Iterable[Tensor]:
    return (handle.flat_param, *(getattr(handle.flat_param, "_params", None) or ()))


def _world() -> int:
    group = torch.distributed
    return int(group.get_world_size()) if group.is_available() and group.is_initialized() else 1

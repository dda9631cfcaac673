"""The plain memory behind a tensor of any kind, found without computing and without waiting for anything.

A sharded tensor, one whose collective is still under way, a nested or a sparse one has no memory of its
own: it holds others that have. What has none at all (a tensor on `meta`, a compiler's fake one) has no
pieces. A script's own kind of tensor may not tell: `Unknown`.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.utils._python_dispatch import _disable_current_modes

_COMPRESSED = {
    torch.sparse_csr: ("crow_indices", "col_indices"),
    torch.sparse_bsr: ("crow_indices", "col_indices"),
    torch.sparse_csc: ("ccol_indices", "row_indices"),
    torch.sparse_bsc: ("ccol_indices", "row_indices"),
}


class Unknown(Exception):
    """Nobody knows where such a tensor has its memory."""


def pieces(tensor: Tensor) -> Iterator[Tensor]:
    """The plain tensors that hold the numbers of `tensor`. Raises `Unknown`.

    Nothing of the script's code is run for a tensor of its own class, but for what each must answer
    (`__tensor_flatten__`).
    """
    with torch._C.DisableTorchFunctionSubclass(), _disable_current_modes():
        yield from list(_found(tensor))


def address(piece: Tensor) -> int:
    """Where its memory is; 0: it has none."""
    return int(piece.untyped_storage().data_ptr())


def alone(tensor: Tensor) -> Tensor:
    """What to read a number from without asking other ranks for their terms of it. Raises `Unknown`."""
    placements = getattr(tensor, "placements", None)
    if placements is None:
        return tensor.detach()
    if not all(placement.is_replicate() for placement in placements):
        raise Unknown("a number of which each rank has a part")
    return getattr(tensor, "_local_tensor", tensor).detach()


def _found(tensor: Tensor) -> Iterator[Tensor]:
    cut = getattr(tensor, "ds_tensor", None)  # what DeepSpeed has cut carries its slice
    if isinstance(cut, Tensor):
        yield from _found(cut)
    elif type(tensor) not in (Tensor, torch.nn.Parameter) and hasattr(tensor, "__tensor_flatten__"):
        names, _ = tensor.__tensor_flatten__()
        for name in names:
            inner = getattr(tensor, name)
            if isinstance(inner, Tensor):
                yield from _found(inner)
    elif tensor.device.type == "meta":
        return
    elif tensor.layout is torch.sparse_coo:
        yield from (tensor._indices(), tensor._values())
    elif tensor.layout in _COMPRESSED:
        yield from (getattr(tensor, name)() for name in _COMPRESSED[tensor.layout])
        yield tensor.values()
    else:
        try:
            if address(tensor):
                yield tensor
        except (RuntimeError, NotImplementedError) as error:
            raise Unknown(f"a tensor of type {type(tensor).__name__}") from error

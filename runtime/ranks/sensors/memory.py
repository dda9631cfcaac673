"""Counts a rank's bytes: parameters, gradients, optimizer state, activations.

Tensors that share a storage (tied weights, gradients that are views into DDP's buckets) are counted once, a
sharded tensor (DTensor) by its local shard. Activations are the most that autograd held for backward at once
in a sampled step, weights excluded. Gathered is the most that FSDP had of other ranks' shards in its hands at
once in that forward and its backward, seen whenever autograd saves or needs a tensor. The rest, such as a
kernel's scratch space, is not known here: `None`.
"""

from __future__ import annotations

import ctypes
import zlib
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils._python_dispatch import _disable_current_modes

from runtime.ranks.fail_safe import Around, harmless
from runtime.ranks.hooks.deepspeed_tensors import DeepSpeedTensors
from runtime.ranks.hooks.gathered_params import Gathered
from runtime.ranks.hooks.saved_tensors import Held, SavedTensors
from runtime.ranks.sensors.gradient_norm import UNKNOWN, Norm, norm
from runtime.ranks.sensors.memory_within_step import Moment, Moments, gradient_bytes
from runtime.ranks.sensors.shards import Shards, shards
from runtime.ranks.sensors.tensor_storage import pieces


def local(tensor: Tensor) -> Tensor:
    """Return the part of a tensor that this rank stores: of a sharded one its slice."""
    return getattr(tensor, "_local_tensor", getattr(tensor, "ds_tensor", tensor))


def unique_storages(tensors: Iterable[Tensor]) -> dict[int, int]:
    """Return address -> bytes of the distinct storages behind `tensors`; unreadable ones are left out."""
    found = {}
    for tensor in tensors:
        with harmless("find the memory of a tensor"):
            for piece in pieces(tensor):
                storage = piece.untyped_storage()
                if storage.nbytes():
                    found[storage.data_ptr()] = storage.nbytes()
    return found


def storage_bytes(tensors: Iterable[Tensor]) -> int:
    """Return the bytes behind tensors on this rank, a shared storage counted once."""
    return sum(unique_storages(tensors).values())


class _Cut(NamedTuple):
    part: str
    copied: bool  # another rank has the same part


class Ledger:
    """Counts the bytes of one model and its optimizer; nothing is copied. `checksum` reads the parameters."""

    def __init__(self) -> None:
        self._model: nn.Module | None = None
        self._optimizer: Any = None
        self._engined: DeepSpeedTensors | None = None
        self._copies, self._parts = True, False
        self._gradients: int | None = None
        self._saved: SavedTensors | None = None  # None: no forward was looked at
        self._fsdp: Gathered | None = None
        self._gathered: int | None = None
        self._moments = Moments()

    def watch(
        self, model: nn.Module, optimizer: Any = None, copies: bool = True, parts: bool = False
    ) -> None:
        """Weigh these. `copies`: all ranks should have the same parameters; `parts`: each has its own."""
        self._model, self._optimizer, self._copies, self._parts = model, optimizer, copies, parts
        self._engined = DeepSpeedTensors.found(optimizer)
        self._fsdp = Gathered(model)

    @property
    def watching(self) -> bool:
        """Whether the script has shown its model."""
        return self._model is not None

    def activations(self) -> AbstractContextManager[None]:
        """Count what autograd saves inside the `with` block, as long as it holds it."""
        return Around("count what autograd saves", self._counting())

    @contextmanager
    def _counting(self) -> Iterator[None]:
        if self._model is None or self._fsdp is None:
            yield
            return
        weights = unique_storages(self._weights())
        parameters = list(self._model.parameters())
        moments = self._moments = Moments()
        saved = self._saved = self._saved or SavedTensors()
        fsdp, self._gathered = self._fsdp, 0

        def gathered() -> dict[int, int]:
            here = fsdp.now()
            if here is None or self._gathered is None:
                self._gathered = None
                return {}
            size = sum(here.values())
            self._gathered = max(self._gathered, size)
            moments.note(size, saved.now, lambda: gradient_bytes(parameters, local))
            return here

        def pack(tensor: Tensor) -> Tensor | Held:
            # It is autograd's own work that stands still for this: whatever goes wrong, it gets its tensor.
            with harmless("count what autograd saves"):
                known = weights.keys() | gathered().keys()
                held = {a: size for a, size in unique_storages((tensor,)).items() if a not in known}
                if held:
                    return saved.hold(tensor, held)
            return tensor

        def unpack(held: Tensor | Held) -> Tensor:
            with harmless("look at what is gathered"):
                gathered()
            return held.tensor if isinstance(held, Held) else held

        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            yield

    def weigh_gradients(self) -> Norm:
        """Weigh the gradients while they exist; returns their norm."""
        if self._model is None:
            return UNKNOWN
        gradients = [p.grad for p in self._model.parameters() if p.grad is not None]
        apart = self._engined.gradients() if self._engined is not None else []
        if apart is None:
            self._gradients = None
            return UNKNOWN
        self._gradients = storage_bytes([*gradients, *apart]) + self._reducer_buckets()
        if self._moments.seen:
            self._note_now(self._moments)
        with _disable_current_modes():  # a script may count what is computed, or compute with shapes only
            return norm(self._model, self._copies, self._parts, apart)

    def moments(self) -> list[Moment]:
        """Return what was held within the sampled step, from moment to moment; [] where that is not known."""
        moments, self._moments = self._moments, Moments()
        if self._saved is None or self._gathered is None or self._model is None or not moments.seen:
            return []
        self._note_now(moments)
        return moments.seen

    def _note_now(self, moments: Moments) -> None:
        """Keep what is held now, whatever has changed."""
        if self._model is None or self._saved is None or self._fsdp is None:
            return
        gathered = self._fsdp.now() or {}
        grads = gradient_bytes(self._model.parameters(), local)
        moments.end(sum(gathered.values()), self._saved.now, grads)

    def bytes_by_kind(self) -> dict[str, int | None]:
        """Return the fields of `events.Memory`, from the last weighing; None is not known."""
        assert self._model is not None
        weights = list(self._weights())
        parameters = unique_storages(self._model.parameters())
        device = weights[0].device if weights else torch.device("cpu")
        activations = self._saved.most if self._saved is not None else None
        if self._saved is not None:
            self._saved.begin()
        return {
            "params": sum(parameters.values()),
            "grads": self._gradients,
            "optimizer": self._optimizer_bytes(),
            "activations": activations,
            "gathered": self._gathered if self._sharded() else 0,  # what is not sharded is never gathered
            "temporary": None,
            **_allocator(device),
            "buffers": sum(unique_storages(weights).values()) - sum(parameters.values()),
        }

    def checksum(self) -> str | None:
        """Return the CRC-32 of the bytes of all parameters in order, as 8 hex digits.

        "" for a part of the model that no other rank has. None off the CPU, where no copies are promised, and
        where the parameters are not all cut in the same way.
        """
        assert self._model is not None
        if not self._copies:
            return None
        if self._sharded():
            cut = self._cut()
            if cut is None:
                return None
            if not cut.copied:
                return ""
        crc = 0
        for parameter in self._model.parameters():
            for piece in pieces(parameter.detach()):
                tensor = piece.contiguous()
                if tensor.device.type != "cpu":
                    return None
                size = tensor.numel() * tensor.element_size()
                crc = zlib.crc32((ctypes.c_char * size).from_address(tensor.data_ptr()), crc)
        return f"{crc:08x}"

    def part(self) -> str | None:
        """Return which part of the model this rank has: its coordinates among the shards; "" is all of it."""
        if not self._sharded():
            return ""
        cut = self._cut()
        return cut.part if cut is not None else None

    def _cut(self) -> _Cut | None:
        """How the parameters are cut, if all in the same way: along some dimensions of one mesh, with copies
        along the others."""
        assert self._model is not None
        found = set()
        for parameter in self._model.parameters():
            mesh, placements = getattr(parameter, "device_mesh", None), getattr(parameter, "placements", ())
            if mesh is None or mesh.get_coordinate() is None:
                return None
            if any(placement.is_partial() for placement in placements):
                return None
            # Sharded is what is not copied: one that was cut twice is a shard of another name.
            cut = [not placement.is_replicate() for placement in placements]
            part = ",".join(
                str(at) for at, sharded in zip(mesh.get_coordinate(), cut, strict=True) if sharded
            )
            copied = any(size > 1 for size, sharded in zip(mesh.shape, cut, strict=True) if not sharded)
            found.add(_Cut(part, copied))
        return found.pop() if len(found) == 1 else None

    def shards(self) -> Shards:
        """Return which part of each parameter and of its state this rank has, between two steps."""
        assert self._model is not None
        return shards(self._model, self._own_optimizer())

    def parts(self) -> Iterator[Tensor]:
        """The parameters it weighs, of a sharded one the part that this rank stores."""
        for parameter in self._model.parameters() if self._model is not None else ():
            yield local(parameter.detach())

    def _weights(self) -> Iterator[Tensor]:
        assert self._model is not None
        yield from self._model.parameters()
        yield from self._model.buffers()

    def _sharded(self) -> bool:
        return any(local(weight) is not weight for weight in self._weights())

    def _optimizer_bytes(self) -> int | None:
        if self._optimizer is None:
            return None
        stepped = self._engined.stepped() if self._engined is not None else []
        if stepped is None:
            return None
        per_parameter = self._own_optimizer().state.values()
        # A step count is a tensor of one number: bookkeeping, not state that grows with the model.
        state = (t for state in per_parameter for t in _tensors(state) if t.dim() > 0)
        return storage_bytes([*stepped, *state])

    def _own_optimizer(self) -> Any:
        """ZeRO, torch's stage 1 and DeepSpeed's, wraps the one that has this rank's share of the state."""
        wrapped = "optim" if self._engined is None else "optimizer"
        return getattr(self._optimizer, wrapped, self._optimizer)

    def _reducer_buckets(self) -> int:
        """Return DDP's buckets if gradients are copied into them instead of being views of them."""
        assert self._model is not None
        copied = (
            model
            for model in self._model.modules()
            if isinstance(model, DistributedDataParallel) and not model.gradient_as_bucket_view
        )
        return sum(
            p.numel() * p.element_size() for model in copied for p in model.parameters() if p.requires_grad
        )


def _tensors(state: Any) -> Iterator[Tensor]:
    """Those of an optimizer's state, in lists too: LBFGS keeps its history so."""
    if isinstance(state, Tensor):
        yield state
    elif isinstance(state, dict):
        for value in state.values():
            yield from _tensors(value)
    elif isinstance(state, list | tuple):
        for value in state:
            yield from _tensors(value)


def _allocator(device: torch.device) -> dict[str, int | None]:
    """Return peak, reserved and limit of the device's allocator, in bytes; the CPU's does not know them."""
    if device.type != "cuda":
        return {"peak": None, "reserved": None, "limit": None}
    peak = torch.cuda.max_memory_allocated(device)
    torch.cuda.reset_peak_memory_stats(device)
    limit = torch.cuda.get_device_properties(device).total_memory
    return {"peak": peak, "reserved": torch.cuda.memory_reserved(device), "limit": limit}

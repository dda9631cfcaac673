"""Runs a script written for GPUs on the CPU (`device=cpu`), and reports everything it changes for that.

The script is not changed; torch is changed underneath it. A tensor "on the GPU" is one on the CPU: moving it
there copies nothing. A `torch.device("cuda", 1)` stays a name until something is to be put there. torch
itself, asking whether there are GPUs, still gets the truth.

What is not listed here fails with torch's own error: CUDA graphs, custom kernels. No figure of speed means
anything for a GPU.
"""

from __future__ import annotations

import inspect
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from pathlib import Path
from typing import Any

from runtime.ranks.import_hooks import when_imported
from runtime.ranks.on_cpu import gpu_stand_ins
from runtime.ranks.on_cpu.cpu_attention import any_kernel, of_sharded

OURS = str(Path(__file__).parents[1])

# The kinds of change, as they are told.
GLOO = "nccl to gloo"
STAYS = "tensors and models kept on the CPU"
MADE = "tensors made on the CPU"
PINNED = "no pinned memory"
WHOLE = "no device_ids"
ANSWERED = "told that there are GPUs"
SKIPPED = "calls for a GPU left out"
CLOCK = "events of a GPU by the CPU's clock"
MIXED = "autocast and loss scaling for the CPU"
MESH = "mesh of CPUs"
LOADED = "checkpoint loaded onto the CPU"
STREAMS = "streams of a GPU in the script's own order"

_FACTORIES = ("tensor", "as_tensor", "asarray", "scalar_tensor", "zeros", "ones", "empty", "full", "eye",
              "rand", "randn", "randint", "randperm", "arange", "linspace", "logspace", "empty_strided",
              "tril_indices", "triu_indices", "zeros_like", "ones_like", "empty_like", "full_like",
              "rand_like", "randn_like", "randint_like")  # fmt: skip
_LEFT_OUT = ("set_device", "synchronize", "empty_cache", "reset_peak_memory_stats", "ipc_collect",
             "set_device_index", "set_device_idx", "init", "set_per_process_memory_fraction", "set_stream",
             "reset_max_memory_allocated", "reset_max_memory_cached", "reset_accumulated_memory_stats",
             "set_rng_state", "set_rng_state_all", "set_sync_debug_mode", "cudart")  # fmt: skip


class GpuOnCpu:
    """Stands in for the GPUs of one script. `told(what, times)` is called for every kind of change when it is
    first made, and again at the end if it was made more than once."""

    def __init__(self, told: Callable[[str, int], None]) -> None:
        self.times: dict[str, int] = {}
        self._told = told
        self._on = True

    def begin(self) -> None:
        """Begin as soon as the script has imported torch."""
        when_imported("torch", self._change_torch)
        when_imported("torch.distributed.fsdp.fully_sharded_data_parallel", self._change_fsdp)
        when_imported("torch.distributed.tensor", lambda: self._change_attention(of_sharded))
        os.register_at_fork(after_in_child=self._be_silent)  # a worker of a DataLoader is no rank

    def close(self) -> None:
        """Report, at the end of the script, how often each change was made."""
        if self.times:
            _say("changed for the CPU in all: " + ", ".join(f"{what} ×{n}" for what, n in self.times.items()))
        for what, times in self.times.items():
            if times > 1:
                self._told(what, times)

    def _be_silent(self) -> None:
        self._on = False

    def _note(self, what: str) -> None:
        if not self._on:
            return
        self.times[what] = self.times.get(what, 0) + 1
        if self.times[what] == 1:
            _say(f"changed for the CPU: {what}{_where()}")
            self._told(what, 1)

    # --- what is changed --------------------------------------------------------------------------------

    def _change_torch(self) -> None:
        import torch
        from torch.utils.data import DataLoader

        for owner in (torch.Tensor, torch.nn.Module):
            self._keep(owner)
        for name in _FACTORIES:
            self._make(torch, name)
        self._swap(torch.Tensor, "pin_memory", lambda plain: lambda tensor, *_: self._noted(PINNED, tensor))
        self._instead((DataLoader,), "__init__", PINNED, pin_memory=lambda pinned: False)
        self._swap(torch, "load", self._load)
        self._instead((torch.amp.GradScaler,), "__init__", MIXED, device=_to_cpu)
        self._change_autocast()
        self.change_answers()
        self.change_groups()
        try:
            from torch.utils._device import DeviceContext  # `with torch.device("cuda"):`
        except ImportError:
            return
        self._instead((DeviceContext,), "__init__", MADE, device=_to_cpu)

    def _keep(self, owner: Any) -> None:
        """`.to("cuda")` and `.cuda()` of tensors and of modules."""

        def make(plain: Any) -> Any:
            def to(it: Any, *args: Any, **kwargs: Any) -> Any:
                if args and _is_gpu(args[0]):
                    self._note(STAYS)
                    args = ("cpu", *args[1:])
                elif _is_gpu(kwargs.get("device")):
                    self._note(STAYS)
                    kwargs["device"] = "cpu"
                return plain(it, *args, **kwargs)

            return to

        self._swap(owner, "to", make)
        self._swap(owner, "cuda", lambda plain: lambda it, *_, **__: self._noted(STAYS, it))

    def _make(self, torch: Any, name: str) -> None:
        def make(plain: Any) -> Any:
            def factory(*args: Any, **kwargs: Any) -> Any:
                if kwargs.get("pin_memory"):
                    self._note(PINNED)
                    kwargs["pin_memory"] = False
                if _is_gpu(kwargs.get("device")):
                    self._note(MADE)
                    kwargs["device"] = "cpu"
                return plain(*args, **kwargs)

            return factory

        self._swap(torch, name, make)

    def _load(self, plain: Any) -> Any:
        """`torch.load`: what was saved on a GPU, or is wanted on one, comes onto the CPU."""

        def keep(storage: Any, location: str) -> Any:
            return self._noted(LOADED, storage) if _is_gpu(location) else None

        def load(f: Any, map_location: Any = None, *args: Any, **kwargs: Any) -> Any:
            if _is_gpu(map_location):
                self._note(LOADED)
                map_location = "cpu"
            elif map_location is None or isinstance(map_location, dict) or callable(map_location):
                map_location = keep  # a table or a function of the script's tells GPUs from each other
            return plain(f, map_location, *args, **kwargs)

        return load

    def _change_autocast(self) -> None:
        from torch.amp import autocast

        def make(plain: Any) -> Any:
            def init(cast: Any, device_type: str, *args: Any, **kwargs: Any) -> None:
                off = not (args[1] if len(args) > 1 else kwargs.get("enabled", True))
                if _is_gpu(device_type) and not off:  # torch asks for one that is off, where it recomputes
                    self._note(MIXED)
                    device_type = "cpu"
                plain(cast, device_type, *args, **kwargs)

            return init

        self._swap(autocast, "__init__", make)

    def change_answers(self) -> None:
        """Have the script told that there are GPUs, and leave out or stand in for what it asks of them."""
        import torch
        import torch.distributed

        for module in (torch.cuda, torch.accelerator):
            for name, answer in gpu_stand_ins.answers().items():
                self._answer(module, name, ANSWERED, answer)
            for name in _LEFT_OUT:
                self._answer(module, name, SKIPPED, None)
        self._answer(torch.distributed, "is_nccl_available", ANSWERED, True)
        self._answer(torch.cuda.nccl, "version", ANSWERED, gpu_stand_ins.NCCL)
        self._answer(torch.backends.cuda, "is_built", ANSWERED, True)
        for name in ("range_push", "range_pop", "range_start", "range_end", "mark"):
            self._answer(torch.cuda.nvtx, name, SKIPPED, None)
        for name in ("start", "stop"):
            self._answer(torch.cuda.profiler, name, SKIPPED, None)
        self._answer(torch.cuda.memory, "_record_memory_history", SKIPPED, None)
        self._answer(torch.cuda.memory, "_dump_snapshot", SKIPPED, None)
        vars(torch.version).pop("cuda", None)
        vars(torch.version)["__told__"] = lambda: self._note(ANSWERED)
        torch.version.__class__ = gpu_stand_ins.Versioned
        self._change_random(torch)
        self._change_streams(torch)
        self._change_attention(any_kernel)

        def placed(plain: Any) -> Any:
            def device(*_: Any) -> AbstractContextManager[None]:
                return self._noted(SKIPPED, nullcontext())

            return device

        self._swap(torch.cuda, "device", placed)
        self._swap(torch.accelerator, "device_index", placed)
        noted = self._note

        class Event(gpu_stand_ins.CpuEvent):
            def __init__(self, *_: Any, **__: Any) -> None:
                noted(CLOCK)

        torch.cuda.Event = Event  # type: ignore[misc, assignment]

    def _change_random(self, torch: Any) -> None:
        """The numbers of a GPU are those of the CPU."""
        numbers, plain = torch.Generator, torch.device
        self._swap(torch.cuda, "get_rng_state", lambda _: lambda *_: torch.get_rng_state())
        self._swap(torch.cuda, "get_rng_state_all", lambda _: lambda: [torch.get_rng_state()])
        self._swap(torch.cuda, "initial_seed", lambda _: torch.initial_seed)

        def generator(device: Any = "cpu") -> Any:
            if _is_gpu(device):
                self._note(MADE)
                device = "cpu"
            return numbers(device)

        def device(*args: Any, **kwargs: Any) -> Any:
            if len(args) == 1 and not kwargs and isinstance(args[0], int) and _is_gpu(args[0]):
                self._note(ANSWERED)  # a number alone is that of an accelerator, and there is said to be one
                args = ("cuda", args[0])
            return plain(*args, **kwargs)

        torch.Generator = gpu_stand_ins.instead_of(numbers, generator)
        torch.device = gpu_stand_ins.instead_of(plain, device)

    def _change_streams(self, torch: Any) -> None:
        noted = self._note

        class Stream(gpu_stand_ins.CpuStream):
            def __init__(self, *_: Any, **__: Any) -> None:
                noted(STREAMS)

        torch.cuda.Stream = torch.cuda.ExternalStream = Stream
        for module in (torch.cuda, torch.accelerator):
            for name in ("current_stream", "default_stream"):
                self._swap(module, name, lambda _: lambda *a, **k: Stream())
        self._swap(torch.cuda, "stream", lambda _: lambda stream: stream or nullcontext())
        self._swap(torch.Tensor, "record_stream", lambda _: lambda tensor, stream: noted(STREAMS))

    def _change_attention(self, make: Callable[[Any, Callable[[str], None]], Any]) -> None:
        import torch

        self._swap(torch.nn.functional, "scaled_dot_product_attention", lambda plain: make(plain, self._note))

    def change_groups(self) -> None:
        """Have gloo carry what NCCL would, on meshes of CPUs."""
        import torch.distributed
        from torch.distributed import device_mesh, distributed_c10d
        from torch.nn.parallel import DistributedDataParallel

        # Each of these modules has the names for itself.
        modules = (torch.distributed, distributed_c10d, device_mesh)
        self._instead(modules, "init_process_group", GLOO, backend=_to_gloo, device_id=_to_none)
        self._instead(modules, "new_group", GLOO, backend=_to_gloo, device_id=_to_none)
        self._instead(modules, "barrier", WHOLE, device_ids=_to_none)
        self._instead((device_mesh.DeviceMesh,), "__init__", MESH, device_type=_to_cpu)
        self._instead(
            (DistributedDataParallel,), "__init__", WHOLE, device_ids=_to_none, output_device=_to_none
        )

    def _change_fsdp(self) -> None:
        import torch
        from torch.distributed.fsdp import fully_sharded_data_parallel as fsdp

        cpu = torch.device("cpu")

        def make(plain: Any) -> Any:
            def init(sharded: Any, *args: Any, device_id: Any = None, **kwargs: Any) -> None:
                if device_id != cpu:
                    self._note(WHOLE)
                plain(sharded, *args, device_id=cpu, **kwargs)  # on the CPU it wants to be told

            return init

        self._swap(fsdp.FullyShardedDataParallel, "__init__", make)

    # --- how it is changed ------------------------------------------------------------------------------

    def _noted(self, what: str, it: Any) -> Any:
        self._note(what)
        return it

    def _swap(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        """Put `make(plain)` where `plain` is, if this torch has it."""
        plain = getattr(owner, name, None)
        if plain is not None:
            setattr(owner, name, wraps(plain)(make(plain)))

    def _answer(self, module: Any, name: str, what: str, answer: Any) -> None:
        def make(plain: Any) -> Any:
            def asked(*args: Any, **kwargs: Any) -> Any:
                if gpu_stand_ins.asked_by_torch():
                    return plain(*args, **kwargs)
                return self._noted(what, answer)

            return asked

        self._swap(module, name, make)

    def _instead(
        self, owners: tuple[Any, ...], name: str, what: str, **changes: Callable[[Any], Any]
    ) -> None:
        """Have the arguments named in `changes` pass through them; one that comes out as another is told."""

        def make(plain: Any) -> Any:
            signature = inspect.signature(plain)

            def call(*args: Any, **kwargs: Any) -> Any:
                try:
                    bound = signature.bind(*args, **kwargs)
                except TypeError:
                    return plain(*args, **kwargs)  # it will say so itself
                bound.apply_defaults()
                given = bound.arguments
                changed = {key: change(given[key]) for key, change in changes.items() if given.get(key)
                           is not None}  # fmt: skip
                changed = {key: value for key, value in changed.items() if value != given[key]}
                if not changed:
                    return plain(*args, **kwargs)
                self._note(what)
                given.update(changed)
                return plain(*bound.args, **bound.kwargs)

            return call

        plain = next(filter(None, (getattr(owner, name, None) for owner in owners)), None)
        if plain is not None:
            instead = wraps(plain)(make(plain))
            for owner in owners:
                if hasattr(owner, name):
                    setattr(owner, name, instead)


def _is_gpu(place: Any) -> bool:
    """Whether this names a GPU; so does a number where a device is expected."""
    if isinstance(place, int):
        return not isinstance(place, bool)
    return str(getattr(place, "type", place)).startswith("cuda")


def _to_cpu(place: Any) -> Any:
    return "cpu" if _is_gpu(place) else place


def _to_gloo(backend: Any) -> Any:
    return "gloo" if "nccl" in str(backend).lower() else backend


def _to_none(_: Any) -> None:
    return None


def _where() -> str:
    """Return the line of the script: ` (train.py:31)`."""
    for frame in reversed(traceback.extract_stack()):
        if not frame.filename.startswith((OURS, "<")) and "site-packages" not in frame.filename:
            return f" ({Path(frame.filename).name}:{frame.lineno})"
    return ""


def _say(text: str) -> None:
    print(f"teachrun: {text}", file=sys.stderr, flush=True)

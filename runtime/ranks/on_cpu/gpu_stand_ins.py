"""CPU stand-ins for what scripts ask of a GPU: events, streams, properties, and the names of classes.

Work on a stream is done when the call returns. Memory is this machine's. The capability is 8.0 because that
has bfloat16, which CPUs have; it means nothing else.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

CAPABILITY = (8, 0)
NCCL = (2, 20, 0)  # what scripts ask is whether it is newer than 2.10
CUDA = "12.0"
TORCH = ("torch", "runtime", "_teachrun")  # who hears the truth: torch and its observers


class CpuEvent:
    """Stands in for `torch.cuda.Event`; everything recorded before it is done already."""

    _t = 0.0

    def record(self, stream: Any = None) -> None:
        """Note the time; what was asked for before is done."""
        self._t = time.perf_counter()

    def query(self) -> bool:
        """Always True: the work is done."""
        return True

    def wait(self, stream: Any = None) -> None:
        """Return at once: no stream has work left."""

    def synchronize(self) -> None:
        """Return at once: the work is done."""

    def elapsed_time(self, end: CpuEvent) -> float:
        """Return the milliseconds to `end`."""
        return 1000 * (end._t - self._t)


class CpuStream:
    """Stands in for `torch.cuda.Stream`: everything runs in the script's own order."""

    cuda_stream = stream_id = 0

    def __enter__(self) -> CpuStream:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def query(self) -> bool:
        """Always True: the stream has no work left."""
        return True

    def record_event(self, event: Any = None) -> Any:
        """Record `event`, or a new one, and return it."""
        event = event or CpuEvent()
        event.record(self)
        return event

    def _nothing(self, *_: Any) -> None:
        pass

    synchronize = wait_event = wait_stream = _nothing


def properties() -> SimpleNamespace:
    """Return the device properties of the GPU that every rank is told it has."""
    return SimpleNamespace(
        name="CPU", major=CAPABILITY[0], minor=CAPABILITY[1], total_memory=memory()[1], warp_size=32,
        multi_processor_count=os.cpu_count() or 1, is_integrated=True, is_multi_gpu_board=False,
    )  # fmt: skip


def memory() -> tuple[int, int]:
    """Return (free, total) bytes of this machine's memory."""
    page = os.sysconf("SC_PAGE_SIZE")
    free = "SC_AVPHYS_PAGES" if "SC_AVPHYS_PAGES" in os.sysconf_names else "SC_PHYS_PAGES"
    return page * os.sysconf(free), page * os.sysconf("SC_PHYS_PAGES")


def answers() -> dict[str, Any]:
    """Return the stand-ins of `torch.cuda` and `torch.accelerator`, by the name of the function."""
    import torch

    here = int(os.environ.get("LOCAL_RANK", "0"))
    return {
        "is_available": True,
        "device_count": int(os.environ.get("LOCAL_WORLD_SIZE", "1")),
        "current_device": here,
        "current_device_index": here,
        "current_device_idx": here,
        "current_accelerator": torch.device("cuda"),
        "get_device_name": "CPU",
        "is_bf16_supported": True,
        "is_initialized": True,
        "get_device_capability": CAPABILITY,
        "get_device_properties": properties(),
        "get_arch_list": ["sm_80"],
        "can_device_access_peer": True,
        "is_current_stream_capturing": False,
        "mem_get_info": memory(),
        "get_memory_info": memory(),
        "memory_allocated": 0,
        "max_memory_allocated": 0,
        "memory_reserved": 0,
        "max_memory_reserved": 0,
        "memory_summary": "no memory of a GPU",
        "utilization": 0,
    }


def asked_by_torch(depth: int = 2) -> bool:
    """Whether torch is the caller and not the script; `depth` counts the frames between."""
    asking = str(sys._getframe(depth).f_globals.get("__name__", ""))
    return asking.split(".")[0] in TORCH


def instead_of(plain: Any, make: Callable[..., Any]) -> Any:
    """A class that passes for `plain` in isinstance and comparisons, and is made by `make`."""

    class Like(type):
        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            return make(*args, **kwargs)

        def __instancecheck__(cls, it: Any) -> bool:
            return isinstance(it, plain)

        def __subclasscheck__(cls, it: Any) -> bool:
            return issubclass(it, plain)

        def __eq__(cls, other: object) -> bool:
            return other is plain or other is cls

        def __hash__(cls) -> int:
            return hash(plain)

        def __getattr__(cls, name: str) -> Any:
            return getattr(plain, name)

    return Like(plain.__name__, (), {"__module__": plain.__module__, "__doc__": plain.__doc__})


class Versioned(ModuleType):
    """`torch.version` with a version of CUDA for the script; torch itself reads the true one."""

    @property
    def cuda(self) -> str | None:
        """The version of CUDA a script is shown; None where torch itself asks, which has none."""
        told: Callable[[], None] = vars(self)["__told__"]
        if asked_by_torch():
            return None
        told()
        return CUDA

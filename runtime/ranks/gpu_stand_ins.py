"""What is asked of a GPU, answered by the CPU: its events, streams and properties, and names that mean one.

Everything asked for on a stream is done when the call returns, so each is done already. Memory is this
machine's. A capability of 8.0 goes with bfloat16, which CPUs have; it means nothing else.
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
    """What is asked of a `torch.cuda.Event`; everything recorded before it is done already."""

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
        """Milliseconds to `end`."""
        return 1000 * (end._t - self._t)


class CpuStream:
    """What is asked of a `torch.cuda.Stream`: there is one order of things, the script's own."""

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
    """Of the one that every rank is told to have."""
    return SimpleNamespace(
        name="CPU", major=CAPABILITY[0], minor=CAPABILITY[1], total_memory=memory()[1], warp_size=32,
        multi_processor_count=os.cpu_count() or 1, is_integrated=True, is_multi_gpu_board=False,
    )  # fmt: skip


def memory() -> tuple[int, int]:
    """(free, total) bytes of this machine."""
    page = os.sysconf("SC_PAGE_SIZE")
    free = "SC_AVPHYS_PAGES" if "SC_AVPHYS_PAGES" in os.sysconf_names else "SC_PHYS_PAGES"
    return page * os.sysconf(free), page * os.sysconf("SC_PHYS_PAGES")


def answers() -> dict[str, Any]:
    """What `torch.cuda` and `torch.accelerator` answer to a script, by the name of the function."""
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
    """Is it torch that asks, and not the script? `depth`: of frames between."""
    asking = str(sys._getframe(depth).f_globals.get("__name__", ""))
    return asking.split(".")[0] in TORCH


def instead_of(plain: Any, make: Callable[..., Any]) -> Any:
    """A class like `plain`, which its instances and whoever compares it take for it, called by `make`."""

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
    """`torch.version` for a script that compares `torch.version.cuda`; torch itself reads what is true."""

    @property
    def cuda(self) -> str | None:
        """The version of CUDA a script is shown; None where torch itself asks, which has none."""
        told: Callable[[], None] = vars(self)["__told__"]
        if asked_by_torch():
            return None
        told()
        return CUDA

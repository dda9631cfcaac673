"""The GPUs of this machine, counted without torch, whose import takes seconds and whose CUDA forbids forks.

Its tests need no GPU; what it does on a machine that has one is unverified.
"""

from __future__ import annotations

import asyncio
import importlib
import shutil
import subprocess
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

TIMEOUT_S = 3.0
# The driver's own traces: on a machine with none of them nobody need be asked (the last is WSL's).
DRIVER = ("/dev/nvidiactl", "/proc/driver/nvidia", "/dev/dxg")
_NCCL_WHEELS = ("nvidia-nccl-cu13", "nvidia-nccl-cu12")
counted: int | None = None  # once for this process


async def count() -> int:
    """Count the GPUs a run may use: once, off the event loop; 0 after `TIMEOUT_S` without an answer."""
    global counted
    if counted is None:
        found = 0  # not yet `counted`: who asks meanwhile asks too
        if driver():
            with suppress(TimeoutError):
                found = await asyncio.wait_for(asyncio.to_thread(ask), TIMEOUT_S)
        counted = found
    return counted


def driver() -> bool:
    """Whether a GPU driver seems to be installed."""
    return any(Path(trace).exists() for trace in DRIVER)


def models() -> list[str]:
    """Return the models of the NVIDIA GPUs, as the driver has them. Its text runs on other machines, too."""
    found = []
    try:
        there = [*Path("/proc/driver/nvidia/gpus").iterdir()]
    except OSError:
        there = []
    for one in there:
        try:
            told = one.joinpath("information").read_text().splitlines()
        except OSError:
            told = []
        found += [line[6:].strip() for line in told if line.startswith("Model:")][:1] or ["GPU"]
    return sorted(found)


def ask() -> int:
    """Ask NVIDIA's management library if its Python binding is installed, else `nvidia-smi`."""
    try:
        nvml: Any = importlib.import_module("pynvml")
        nvml.nvmlInit()
    except Exception:  # not installed, or a driver that does not fit it
        return _by_nvidia_smi()
    try:
        return int(nvml.nvmlDeviceGetCount())
    finally:
        nvml.nvmlShutdown()


def _by_nvidia_smi() -> int:
    program = shutil.which("nvidia-smi")
    if program is None:
        return 0
    try:
        listed = subprocess.run(
            [program, "-L"], capture_output=True, text=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return 0
    return listed_gpus(listed.stdout) if listed.returncode == 0 else 0


def listed_gpus(text: str) -> int:
    """Count GPUs in the output of `nvidia-smi -L`, a line each: `GPU 0: NVIDIA H100 (UUID: GPU-…)`."""
    return sum(line.startswith("GPU ") for line in text.splitlines())


def nccl_version() -> tuple[int, ...]:
    """Return the version of the NCCL wheel that comes with torch; () where there is none."""
    for wheel in _NCCL_WHEELS:
        try:
            numbers = metadata.version(wheel).split(".")
        except metadata.PackageNotFoundError:
            continue
        return tuple(int(number) for number in numbers if number.isdigit())
    return ()

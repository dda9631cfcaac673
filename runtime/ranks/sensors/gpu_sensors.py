"""Reads the management library of a rank's GPU, once a second on the sender's thread.

Unverified on a GPU: written against NVIDIA's documentation of NVML and of its binding `nvidia-ml-py`, which
is optional. What the library does not know of a device is None, and without it nothing is read.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any

EVERY_S = 1.0


class GpuSensors:
    """Reads one GPU. Raises `OSError` without the library or the device."""

    def __init__(self, index: int) -> None:
        try:
            self._nvml: Any = importlib.import_module("pynvml")
            self._nvml.nvmlInit()
            self._device = self._nvml.nvmlDeviceGetHandleByIndex(index)
        except Exception as error:  # no binding, no driver, one that does not fit, a number of no device
            raise OSError(f"the GPU cannot be asked: {error}") from error
        self._next = 0.0

    def due(self) -> dict[str, float | int | None] | None:
        """Return the fields of `events.Gpu`, at most once in `EVERY_S` seconds; None before that."""
        now = time.monotonic()
        if now < self._next:
            return None
        self._next = now + EVERY_S
        nvml, device = self._nvml, self._device
        return {
            "util": self._read(lambda: nvml.nvmlDeviceGetUtilizationRates(device).gpu / 100),
            "watt": self._read(lambda: nvml.nvmlDeviceGetPowerUsage(device) / 1000),
            "celsius": self._read(
                lambda: float(nvml.nvmlDeviceGetTemperature(device, nvml.NVML_TEMPERATURE_GPU))
            ),
            "memory": self._read(lambda: int(nvml.nvmlDeviceGetMemoryInfo(device).used)),
        }

    def _read(self, ask: Callable[[], float | int]) -> float | int | None:
        try:
            return ask()
        except self._nvml.NVMLError:
            return None


def visible_index(local: int, visible: str | None) -> int:
    """Return NVML's index of device `local` of a process that sees `CUDA_VISIBLE_DEVICES`.

    NVML counts all devices of the machine. Raises `OSError` where the variable has names instead of numbers.
    """
    if not visible:
        return local
    try:
        return int(visible.split(",")[local])
    except (ValueError, IndexError) as error:
        raise OSError(f"CUDA_VISIBLE_DEVICES={visible!r} does not number its devices") from error

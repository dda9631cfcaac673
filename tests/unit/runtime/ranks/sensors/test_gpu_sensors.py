"""Gauges and clocks of a GPU, with stand-ins for the GPU: what is read, what is unknown, what is summed."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from runtime.metrics.store import RunStore
from runtime.protocol.events import Gpu
from runtime.protocol.figures import Device
from runtime.ranks.sensors import gpu_sensors


class NVMLError(Exception):
    pass


def nvml(**more: Any) -> SimpleNamespace:
    def unsupported(device: object) -> int:
        raise NVMLError("not supported")

    library = SimpleNamespace(
        NVMLError=NVMLError,
        NVML_TEMPERATURE_GPU=0,
        nvmlInit=lambda: None,
        nvmlDeviceGetHandleByIndex=lambda index: index,
        nvmlDeviceGetUtilizationRates=lambda device: SimpleNamespace(gpu=87),
        nvmlDeviceGetPowerUsage=unsupported,
        nvmlDeviceGetTemperature=lambda device, sensor: 61,
        nvmlDeviceGetMemoryInfo=lambda device: SimpleNamespace(used=5 << 30),
    )
    library.__dict__.update(more)
    return library


def test_what_the_library_knows_is_read_and_the_rest_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", nvml())  # type: ignore[arg-type]
    reader = gpu_sensors.GpuSensors(0)
    assert reader.due() == {"util": 0.87, "watt": None, "celsius": 61.0, "memory": 5 << 30}
    assert reader.due() is None  # not twice in a second
    monkeypatch.setattr(gpu_sensors, "EVERY_S", 0.0)
    reader = gpu_sensors.GpuSensors(0)
    assert reader.due() is not None and reader.due() is not None


def test_without_a_library_or_a_device_there_is_no_gauge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)  # type: ignore[arg-type]
    with pytest.raises(OSError, match="cannot be asked"):
        gpu_sensors.GpuSensors(0)

    def nobody(index: int) -> int:
        raise NVMLError("no such device")

    monkeypatch.setitem(sys.modules, "pynvml", nvml(nvmlDeviceGetHandleByIndex=nobody))  # type: ignore[arg-type]
    with pytest.raises(OSError, match="no such device"):
        gpu_sensors.GpuSensors(7)


def test_a_process_that_sees_some_devices_only_reads_the_right_one() -> None:
    assert gpu_sensors.visible_index(1, None) == 1
    assert gpu_sensors.visible_index(1, "4,6") == 6
    for named in ("GPU-5a1b", "3"):
        with pytest.raises(OSError, match="does not number"):
            gpu_sensors.visible_index(1 if named == "3" else 0, named)


def test_a_panel_gets_what_was_read() -> None:
    store = RunStore(2)
    store.ingest(Gpu("r", 1, 1, 2.0, 0.87, None, 61.0, 5 << 30))
    rows = store.rows()
    assert rows[0].gpu is None and rows[1].gpu == Device(0.87, None, 61.0, 5 << 30)


def test_phases_of_a_device_are_summed_after_it_has_caught_up() -> None:
    pytest.importorskip("torch")
    from runtime.ranks.sensors.gpu_timing import DeviceTime

    queue = iter((0.0, 10.0, 10.0, 40.0, 50.0, 55.0))
    waited: list[bool] = []

    class Event:
        def record(self) -> None:
            self.at = next(queue)

        def elapsed_time(self, later: Event) -> float:
            assert waited  # before that the device may not have come to it
            return later.at - self.at

    clock = DeviceTime(Event, lambda: waited.append(True))
    for phase in ("forward", "backward", "forward"):
        clock.end(phase, clock.begin())
    assert clock.settle() == pytest.approx({"forward": 0.015, "backward": 0.030})
    assert clock.settle() == {}

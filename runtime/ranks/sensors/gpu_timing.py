"""Times the phases of a step on a GPU, where the training thread only queues work.

An event is put into the device's queue at both ends of a phase; the time between them is that of the phase on
the device. It is read after the step, when the device has caught up: a step with the probe therefore ends
with the device, not with the thread. Verified only by `tests/e2e/launch/test_gpu.py`.
"""

from __future__ import annotations

from typing import Any

import torch


class DeviceTime:
    """Phases of the step in progress. `event` makes what has `record` and `elapsed_time` (milliseconds)."""

    def __init__(self, event: Any = None, wait: Any = None) -> None:
        self._event = event or (lambda: torch.cuda.Event(enable_timing=True))
        self._wait = wait or torch.cuda.synchronize
        self._phases: list[tuple[str, Any, Any]] = []

    def begin(self) -> Any:
        """Put a mark into the queue and return it, for `end`."""
        mark = self._event()
        mark.record()
        return mark

    def end(self, phase: str, begun: Any) -> None:
        """Put the second mark of `phase` into the queue; nothing is waited for."""
        self._phases.append((phase, begun, self.begin()))

    def settle(self) -> dict[str, float]:
        """Wait for the device; returns the seconds by phase since the last call."""
        self._wait()
        spent: dict[str, float] = {}
        for phase, begun, ended in self._phases:
            spent[phase] = spent.get(phase, 0.0) + begun.elapsed_time(ended) / 1000
        self._phases = []
        return spent

"""Where ranks compute, and what the panel says about it.

This version places every rank on the CPU, and says so: a GPU that the machine may have is not used.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from runtime.catalog import Launchable

PAD_S = 0.010  # of a forward that is padded so that ranks which share a core do not queue for it


class Placement(NamedTuple):
    """The badge of a run, the backend and device of its ranks, and what was bent, in words."""

    badge: str
    backend: str
    device: str
    bent: tuple[str, ...]


def cores() -> int:
    """CPU cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def place(demo: Launchable) -> Placement:
    """How `demo` will run here."""
    if demo.launcher == "simulated":
        return Placement("SIMULATED", "", "", ("no rank is real",))
    bent = [] if demo.builtin else ["your script"]
    if demo.ranks > cores():
        bent.append(f"{demo.ranks} ranks on {cores()} core{'s' if cores() > 1 else ''}")
    if demo.nodes > 1:
        bent.append(f"{demo.nodes} nodes on one machine")
    rank, slow_ms = demo.values.get("slow_rank"), demo.values.get("slow_ms")
    if isinstance(rank, int) and rank >= 0 and isinstance(slow_ms, int | float) and slow_ms > 0:
        bent.append(f"rank {rank} slowed {slow_ms:g} ms")
    pad_ms = demo.values.get("pad_ms", demo.values.get("pause_ms"))
    if pad_ms == "auto":  # as the script decides it (`demos.padded`)
        pad_ms = 1000 * PAD_S if demo.ranks > cores() else 0
    if isinstance(pad_ms, int | float) and pad_ms > 0:
        bent.append(f"padded {pad_ms:g} ms")
    return Placement("LIVE CPU", "gloo", "cpu", tuple(bent))

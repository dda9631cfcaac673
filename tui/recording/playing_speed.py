"""How fast a recording plays: faster while a demo is all that goes on."""

from __future__ import annotations

PATIENCE_S = 8.0  # with a demo at work and nobody doing anything: after that its viewers see it faster
SPEED = 8.0


def speed(demo_runs: bool, quiet_s: float) -> float:
    """Return the speed at which a viewer shall see what is recorded now; `quiet_s`: so long nobody did
    anything."""
    return SPEED if demo_runs and quiet_s >= PATIENCE_S else 1.0

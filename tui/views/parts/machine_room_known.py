"""Whether a run is known well enough to draw its room; apart, so that the table of views needs no picture."""

from __future__ import annotations

from runtime.protocol.snapshot import Snapshot

MOST_DEVICES = 16  # that can be told apart in the room


def room_known(snapshot: Snapshot) -> bool:
    """Whether some rank said what its memory holds, and there are few enough of them."""
    return 1 <= snapshot.world <= MOST_DEVICES and any(row.params for row in snapshot.rows)


ROOMS = ("room", "tensors")
"""The views of a run that show a moment of a step: by rank, and by tensor."""

"""A rank that was ordered to be slow: it sleeps inside each of its steps, so the others wait for it."""

from __future__ import annotations

import time


class SlowedRank:
    """How long a rank sleeps in a step; the order comes on the sender's thread, at any moment."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def drag(self) -> None:
        """Sleep as long as was ordered, inside the step; the badge says so."""
        if self.seconds > 0:
            time.sleep(self.seconds)

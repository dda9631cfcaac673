"""How fast the links between the nodes of a run can be made: the names people write, and bits a second."""

from __future__ import annotations

from typing import Literal

Speed = Literal["unlimited", "10gbit", "1gbit", "100mbit"]
UNLIMITED: Speed = "unlimited"
SIMULATED_LINK = "SIMULATED LINK"  # the badge of real ranks that sleep in place of a slow link
# From the fastest to the slowest.
SPEEDS: dict[Speed, int | None] = {
    UNLIMITED: None,
    "10gbit": 10_000_000_000,
    "1gbit": 1_000_000_000,
    "100mbit": 100_000_000,
}
_WORDS: dict[Speed, str] = {"10gbit": "10 Gbit/s", "1gbit": "1 Gbit/s", "100mbit": "100 Mbit/s"}


def in_words(speed: Speed) -> str:
    """Return a speed as it stands in a sentence: `100 Mbit/s`, `unlimited`."""
    return _WORDS.get(speed, speed)


def bytes_s(speed: Speed) -> int:
    """Return a speed in bytes a second; 0: as fast as they go."""
    return (SPEEDS[speed] or 0) // 8

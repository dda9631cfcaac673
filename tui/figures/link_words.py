"""How fast the links between the nodes of a run are, in words."""

from __future__ import annotations

from runtime.protocol.link_speeds import SIMULATED_LINK, SPEEDS, UNLIMITED, in_words
from runtime.protocol.messages import Snapshot


def held_to(snapshot: Snapshot) -> str:
    """`1 Gbit/s a connection`, or what else shares it; `unlimited`; "" where no link is between nodes."""
    if snapshot.link not in SPEEDS:
        return ""
    speed = in_words(snapshot.link)
    if snapshot.link == UNLIMITED:
        return speed
    if snapshot.badge == SIMULATED_LINK:
        return f"{speed}, simulated by delays"
    if snapshot.params.get("network") == "netns":
        return f"{speed} for all connections together"
    return f"{speed} a connection"

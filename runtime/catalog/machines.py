"""Machines that a run is spread over: reached by ssh, or coming by themselves with an invitation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Machines:
    """`names` are those of the nodes, for people; `meet` is the host at which their ranks meet (node 0's
    address; "": whoever starts the agents tells them), at `port`.

    With `ways`, names are what ssh knows machines by, and an agent is started on each, which finds us at that
    path there. Else agents are started by somebody else, who gives them the file `invitation`, and are
    listened for at `listen`.
    """

    names: tuple[str, ...]
    meet: str
    port: int
    ways: tuple[str, ...] = ()
    listen: tuple[str, int] | None = None
    invitation: str = ""

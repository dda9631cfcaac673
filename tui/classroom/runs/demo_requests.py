"""What a deck asks of a demo: parameters for the run, and what is the screen's own affair."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec.structs import replace

from runtime.protocol.messages import Launch, Snapshot
from slides.deck import Demo

KEEP_S = 60.0
OWN = ("keep", "until", "view")  # of the screen: no run is told of them
FOR_RUN = "run."  # before the name of a parameter that is called like one of these, and is the run's


def asked(demo: Demo) -> dict[str, str]:
    """The parameters of the run that the deck asks for; `run.view=wide` is the `view` of a script."""
    params = {}
    for key, value in demo.params.items():
        name = key.removeprefix(FOR_RUN)
        if key not in OWN:
            params[name if name in OWN else key] = value
    return params


def shown(demo: Demo, snapshot: Snapshot) -> Snapshot:
    """A run as the deck wants it looked at: by the view that it names, else by the demo's own."""
    view = demo.params.get("view", "")
    return replace(snapshot, view=view) if view else snapshot


def view(demo: Demo, chosen: str, snapshot: Snapshot) -> str:
    """The view that a run is looked at by: the one chosen by a key, the deck's, the demo's own."""
    return chosen or shown(demo, snapshot).view


def launch(demo: Demo, params: dict[str, str] | None, hosts: tuple[str, ...]) -> Launch:
    """Start it as the deck has it, or with other parameters; on `hosts` where it is for them."""
    return Launch(demo.id, demo.name, asked(demo) if params is None else params, hosts)


def keep_seconds(demo: Demo) -> float | None:
    """How long the run outlives its slide (seconds); None: until somebody stops it."""
    wish = demo.params.get("keep", "")
    if wish in ("yes", "forever"):
        return None
    if wish == "no":
        return 0.0
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(s|m|min)?", wish)
    return float(match[1]) * (60 if (match[2] or "s") != "s" else 1) if match else KEEP_S


def why_not(demo: Demo, params: dict[str, str], deck: Path) -> str:
    """Why a demo of the deck in that file cannot be started with these, with the mend; "" when it can."""
    from runtime.catalog.registry import Refusal
    from runtime.host.blocks.comparison import check

    checked = check(demo.name, params, deck.parent)
    return f"{checked.why}: {checked.mend}" if isinstance(checked, Refusal) else ""

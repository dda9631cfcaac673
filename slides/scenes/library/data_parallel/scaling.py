"""From one device to 16,384: the picture goes out by a factor each step, and says what an all-reduce needs.

A ring of n takes 2(n - 1) starts one after the other, a tree 2 log2 n; both send about 2 S a rank (Patarasuk
and Yuan 2009; Thakur, Rabenseifner and Gropp 2005). That is why a ring of thousands waits for latency.
"""

from __future__ import annotations

import math

from slides.scenes.scene import Param, Scene, Values
from slides.scenes.shapes import AnyShape, Box, Label, Number, State

LEVELS = (
    (1, "one device"),
    (8, "one node"),
    (64, "one rack of 8 nodes"),
    (512, "a row of 8 racks"),
    (4096, "8 rows"),
    (16384, "32 rows"),
)
_LEFT, _TOP, _WIDE, _HIGH = 6.0, 4.0, 96.0, 52.0
_GAP = 3.0  # between parts


def starts(devices: int) -> tuple[int, int]:
    """Return the starts one after the other of an all-reduce by a ring and by a tree."""
    return 2 * (devices - 1), 2 * math.ceil(math.log2(devices)) if devices > 1 else 0


def state(step: int, values: Values) -> State:
    """Return level `step`: its parts as boxes, the level before as one of them."""
    devices, name = LEVELS[step]
    before = LEVELS[step - 1][0] if step else 1
    parts = devices // before
    across = {1: 1, 8: 4, 4: 2}[parts]
    down = parts // across
    shapes: list[AnyShape] = [
        Box(
            id=f"level{step}",
            at=(_LEFT - 3, _TOP - 2.5),
            size=(_WIDE + 6, _HIGH + 5),
            ink="faint",
            hollow=True,
        )
    ]
    wide, high = _WIDE / across, _HIGH / down
    for n in range(parts):
        at = (_LEFT + n % across * wide + _GAP / 2, _TOP + n // across * high + _GAP / 2)
        ink = "params" if n == 0 else "compute"
        # What filled the picture becomes one of the parts of the next.
        source = f"part{step - 1}.0" if n == 0 and step else ""
        count = f"{before:,} devices" if before > 1 else f"device {n}" if devices > 1 else "one device"
        shapes.append(
            Box(
                id=f"part{step}.{n}",
                at=at,
                size=(wide - _GAP, high - _GAP),
                ink=ink,
                alpha=1.0 if n == 0 else 0.75,
                text=count,
                short=f"{before:,}",
                comes_from=source,
            )
        )
    ring, tree = starts(devices)
    seconds = float(values["latency_us"]) / 1e6
    shapes += [
        Label(id="name", at=(112, 5), text=name, anchor="left", bold=True, ink="heading"),
        Number(
            id="devices",
            at=(112, 11),
            value=devices,
            after=" devices" if devices > 1 else " device",
            anchor="left",
            bold=True,
            ink="accent",
        ),
        Label(id="ask", at=(112, 20), text="an all-reduce starts", anchor="left", ink="dim"),
        Number(id="ring", at=(112, 26), value=ring, after=" times by ring", anchor="left"),
        Number(id="tree", at=(112, 32), value=tree, after=" times by tree", anchor="left"),
        Label(id="wait", at=(112, 41), text=f"at {values['latency_us']:g} µs each", anchor="left", ink="dim"),
        Number(
            id="ring.ms",
            at=(112, 47),
            value=ring * seconds * 1e3,
            decimals=2,
            after=" ms, the ring",
            anchor="left",
        ),
        Number(
            id="tree.ms",
            at=(112, 53),
            value=tree * seconds * 1e3,
            decimals=2,
            after=" ms, the tree",
            anchor="left",
        ),
    ]
    lead, caption = _words(step, devices, name, values)
    return State(tuple(shapes), lead, caption)


def _words(step: int, devices: int, name: str, values: Values) -> tuple[str, str]:
    ring, tree = starts(devices)
    ms = ring * float(values["latency_us"]) / 1e3
    told = (
        "Nobody to talk to. Everything that follows is about what happens when there is.",
        f"Inside a node links are short and quick: {ring:,} starts of a ring are {ms:.2f} ms.",
        f"Between nodes the wires are slower, and the ring has {ring:,} starts one after the other.",
        f"{ring:,} starts: before all have everything the ring has waited {ms:.1f} ms. A tree has {tree}.",
        f"A rank sends about 2 S, as in the node. What has grown is the waiting: {ms:.0f} ms.",
        f"A ring of all would wait {ms:.0f} ms a bucket. So work is cut in several ways, in small groups.",
    )[step]
    return f"{devices:,} {'devices' if devices > 1 else 'device'}, {name}" if step else "One device", told


SCENE = Scene(
    "scaling",
    "from one device to 16,384",
    steps=lambda values: len(LEVELS),
    state=state,
    params=(Param("latency_us", 10.0, "microseconds that a message takes to start", 0.1, 1000.0),),
)

"""Buckets: gradients are averaged while backward still computes; what cannot be hidden is left at the end.

Backward goes from the last layer to the first and takes one unit of time a layer. A bucket is ready when the
gradients of all its layers are; its all-reduce begins when it is ready and the one before it is through (Li
et al. 2020, PyTorch Distributed, section 3.2). `link` is the time that the gradients of one layer need on the
wire.
"""

from __future__ import annotations

from typing import NamedTuple

from slides.scenes.scene import Param, Scene, Values
from slides.scenes.shapes import AnyShape, Axis, Box, Label, Number, Path, State

_LEFT, _RIGHT = 26.0, 156.0
_GAP = 2.0  # between pieces: a cell where there are 80 columns


class Bucket(NamedTuple):
    """Layers that are reduced together; units of time of backward at which it is ready, begins and ends."""

    layers: tuple[int, ...]
    ready: float
    start: float
    end: float


def buckets(layers: int, size: int, link: float) -> list[Bucket]:
    """Return the buckets of `size` layers in the order in which they are reduced."""
    order = list(reversed(range(layers)))
    found: list[Bucket] = []
    for first in range(0, layers, size):
        own = tuple(order[first : first + size])
        ready = float(first + len(own))
        start = max(ready, found[-1].end if found else 0.0)
        found.append(Bucket(own, ready, start, start + len(own) * link))
    return found


def exposed(layers: int, size: int, link: float) -> float:
    """Return the units of time for which nothing but communication goes on, after backward has ended."""
    return max(0.0, buckets(layers, size, link)[-1].end - layers)


def state(step: int, values: Values) -> State:
    """Return backward after `step` layers; the last step is when the last all-reduce is through."""
    layers, size, link = int(values["layers"]), int(values["bucket"]), float(values["link"])
    found = buckets(layers, size, link)
    end = max(found[-1].end, float(layers))
    now = float(step) if step <= layers else end
    unit = (_RIGHT - _LEFT) / end
    lane = (_RIGHT - _LEFT, 6.0)
    shapes: list[AnyShape] = [
        Box(id="lane.backward", at=(_LEFT, 32), size=lane, ink="panel", layer=-2, whole=True),
        Box(id="lane.wire", at=(_LEFT, 40), size=lane, ink="panel", layer=-2, whole=True),
    ]
    shapes += _model(layers, min(step, layers), found, now)
    for n in range(min(step, layers)):
        layer = layers - 1 - n
        shapes.append(
            Box(
                id=f"compute{layer}",
                at=(_LEFT + n * unit, 32),
                size=(_wide(unit), 6),
                ink="backward",
                text=f"layer {layer}",
                short=str(layer),
                glow=float(n == step - 1 and step <= layers),
            )
        )
    for n, bucket in enumerate(found):
        if bucket.start < now:
            shapes += _transfer(n, bucket, min(bucket.end, now), layers, unit)
    tail = exposed(layers, size, link)
    shapes += [
        Label(id="backward", at=(0, 35), text="backward", anchor="left", ink="dim"),
        Label(id="wire", at=(0, 43), text="all-reduce", anchor="left", ink="dim"),
        Path(id="now", points=((_LEFT + now * unit, 30), (_LEFT + now * unit, 48)), ink="accent", layer=1),
        Axis(
            id="time",
            start=(_LEFT, 50),
            end=(_RIGHT, 50),
            low=0.0,
            high=end,
            unit="layers of backward",
            ink="dim",
        ),
    ]
    if step > layers:
        share = tail / end
        shapes.append(
            Number(
                id="exposed",
                at=(_RIGHT, 57.5),
                value=100 * share,
                decimals=0,
                before="exposed: ",
                after=" % of the time",
                anchor="right",
                ink="exposed",
                bold=True,
            )
        )
    lead, caption = _words(step, layers, size, found, now, tail)
    legend = (
        ("backward", "backward"),
        ("grads", "gradients, not sent yet"),
        ("hidden", "hidden"),
        ("exposed", "exposed"),
    )
    return State(tuple(shapes), lead, caption, legend=legend, across=(_RIGHT - _LEFT) / layers)


def _model(layers: int, done: int, found: list[Bucket], now: float) -> list[AnyShape]:
    """The layers above, and the bucket that the gradients of each fall into."""
    wide = (_RIGHT - _LEFT) / layers
    shapes: list[AnyShape] = [
        Label(id="model", at=(0, 7), text="model", anchor="left", ink="dim"),
        Label(id="buckets", at=(0, 19), text="buckets", anchor="left", ink="dim"),
    ]
    for layer in range(layers):
        left = _LEFT + layer * wide
        busy = layer == layers - done and done > 0 and now <= layers
        shapes.append(
            Box(
                id=f"layer{layer}",
                at=(left, 4),
                size=(wide * 0.9, 6),
                ink="params",
                text=f"layer {layer}",
                short=str(layer),
                alpha=1.0 if layer >= layers - done else 0.45,
                glow=float(busy),
                layer=1,  # over gradients that come out of it: its name is read all the time
            )
        )
    for n, bucket in enumerate(found):
        left = _LEFT + min(bucket.layers) * wide
        right = _LEFT + (max(bucket.layers) + 1) * wide - wide * 0.1
        middle = (left + right) / 2
        shapes += [
            Box(id=f"bucket{n}", at=(left, 16), size=(right - left, 6), ink="panel", layer=-1, whole=True),
            Label(id=f"name{n}", at=(middle, 27), text=f"bucket {n}", short=str(n), ink="dim"),
        ]
        sent = bucket.start < now
        for layer in bucket.layers:
            if layer >= layers - done:
                ink = "grads" if not sent else "good" if bucket.end <= now else "hidden"
                at, size = (_LEFT + layer * wide, 16), (wide * 0.9, 6)
                shapes.append(
                    Box(id=f"grad{layer}", at=at, size=size, ink=ink, comes_from=f"layer{layer}", whole=True)
                )
    return shapes


def _transfer(n: int, bucket: Bucket, until: float, layers: int, unit: float) -> list[AnyShape]:
    """The all-reduce of a bucket: hidden behind backward, exposed after it."""
    shapes: list[AnyShape] = []
    hidden = min(until, float(layers)) - bucket.start
    if hidden > 0:
        shapes.append(
            Box(
                id=f"hidden{n}",
                at=(_LEFT + bucket.start * unit, 40),
                size=(_wide(hidden * unit), 6),
                ink="hidden",
                text=f"bucket {n}",
                short=str(n),
                comes_from=f"bucket{n}",
            )
        )
    first = max(bucket.start, float(layers))
    if until > first:
        shapes.append(
            Box(
                id=f"exposed{n}",
                at=(_LEFT + first * unit, 40),
                size=(_wide((until - first) * unit), 6),
                ink="exposed",
                text=f"bucket {n}",
                short=str(n),
            )
        )
    return shapes


def _wide(room: float) -> float:
    """The width of a piece that has `room`, with a gap behind it."""
    return max(room - _GAP, room / 2)


def _words(
    step: int, layers: int, size: int, found: list[Bucket], now: float, tail: float
) -> tuple[str, str]:
    if step == 0:
        each = "one layer" if size == 1 else f"{size} layers"
        many = f"{len(found)} buckets of {each} each" if len(found) > 1 else f"One bucket of {each}"
        return (
            "Before backward",
            f"{many}. A bucket is sent when the last of its gradients is there.",
        )
    if step > layers:
        if not tail:
            return (
                "Hidden",
                "The last all-reduce ended with backward: not one moment was spent on waiting for the wire.",
            )
        alone = f"{tail:.1f} layers' time"
        return (
            "Exposed",
            f"After backward the wire is still busy for {alone}: of the last bucket nothing can be hidden.",
        )
    layer = layers - step
    ready = [n for n, bucket in enumerate(found) if bucket.ready == step]
    busy = [n for n, bucket in enumerate(found) if bucket.start < now < bucket.end or bucket.start == now]
    told = f"Layer {layer} has its gradients."
    if ready and found[ready[0]].start == step:
        how = "while backward goes on below it" if step < layers else "with no backward left to hide behind"
        return f"Bucket {ready[0]} is full", f"{told} Its all-reduce goes out {how}."
    if ready:
        return f"Bucket {ready[0]} must wait", f"{told} The wire is still busy with the bucket before it."
    behind = f" Behind it bucket {busy[0]} is on the wire." if busy else " The wire has nothing to do."
    return f"Backward through layer {layer}", f"{told}{behind}"


def check(values: Values) -> str:
    """Return what is wrong with the values, or ""."""
    layers, size = int(values["layers"]), int(values["bucket"])
    return f"a bucket has at most all {layers} layers: write bucket={layers}" if size > layers else ""


SCENE = Scene(
    "buckets",
    "buckets fill behind backward, and their all-reduces hide behind it",
    steps=lambda values: int(values["layers"]) + 2,
    state=state,
    params=(
        Param("layers", 6, "layers of the model", 2, 16),
        Param("bucket", 2, "layers in a bucket", 1, 16),
        Param("link", 0.6, "time on the wire of a layer's gradients, in backward of a layer", 0.0, 20.0),
    ),
    check=check,
)

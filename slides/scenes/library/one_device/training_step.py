"""One training step on one device: forward, backward, update, and the memory of each moment under it.

Activations pile up until the last block and go as their gradients come; so the most is held where forward
turns into backward, or at the end where gradients are larger than activations.
"""

from __future__ import annotations

from slides.scenes.scene import Param, Scene, Values
from slides.scenes.shapes import AnyShape, Box, Label, Number, Path, State

_BLOCK, _ACT, _GRAD = (1.0, 8.0), (8.5, 11.5), (12.0, 15.0)  # y of a block and of what it makes
_FLOOR, _TOP = 56.0, 30.0  # y of the memory's columns: over the highest there is a row for a figure
_LEFT, _RIGHT = 19.0, 156.0
_UNITS = (1e6, "TB"), (1e3, "GB"), (1.0, "MB"), (1e-3, "kB")
_LEAST = 10.0  # of a unit, from which on figures are in it: they have room beside the columns

PARAMS, OPTIMIZER, ACTIVATIONS, GRADS = "params", "optimizer", "activations", "grads"


def moments(blocks: int) -> list[tuple[str, int]]:
    """Return (phase, block) of each step."""
    forward = [("forward", block) for block in range(blocks)]
    backward = [("backward", block) for block in reversed(range(blocks))]
    return [("rest", 0), *forward, *backward, ("update", 0), ("done", 0)]


def held(blocks: int, phase: str, block: int, activations: float) -> dict[str, float]:
    """Return what is held at this moment, in multiples of a block's parameters (Adam: 2 more of each)."""
    kept = {"forward": block + 1, "backward": block + 1}.get(phase, 0)
    grads = {"backward": blocks - block, "update": blocks}.get(phase, 0)
    return {
        PARAMS: float(blocks),
        OPTIMIZER: 2.0 * blocks,
        ACTIVATIONS: kept * activations,
        GRADS: float(grads),
    }


def state(step: int, values: Values) -> State:
    """Return the blocks with what is at work, and a column of memory for each moment until now."""
    blocks, ratio, size = int(values["blocks"]), float(values["activations"]), float(values["block_mb"])
    steps = moments(blocks)
    phase, now = steps[step]
    shapes: list[AnyShape] = []
    shapes += _blocks(blocks, phase, now)
    most = max(sum(held(blocks, *moment, ratio).values()) for moment in steps)
    scale = (_FLOOR - _TOP) / most
    wide = (_RIGHT - _LEFT) / len(steps)
    each, unit = next((unit for unit in _UNITS if most * size >= _LEAST * unit[0]), _UNITS[-1])
    totals = []
    for n, moment in enumerate(steps[: step + 1]):
        base = _FLOOR
        for kind, amount in held(blocks, *moment, ratio).items():
            high = amount * scale
            if high:
                at, box = (_LEFT + n * wide, base - high), (wide * 0.86, high)
                shapes.append(
                    Box(id=f"{kind}{n}", at=at, size=box, ink=kind, alpha=1.0 if n == step else 0.75)
                )
            base -= high
        totals.append((_FLOOR - base) / scale)
    peak = max(range(len(totals)), key=lambda n: totals[n])
    y = _FLOOR - totals[peak] * scale
    shapes += [
        Label(id="axis", at=(0, _FLOOR - 2), text="memory", anchor="left", ink="dim"),
        Path(id="floor", points=((_LEFT, _FLOOR + 1), (_RIGHT, _FLOOR + 1)), ink="line"),
        Number(
            id="peak",
            at=(_LEFT + (peak + 0.43) * wide, y),
            value=totals[peak] * size / each,
            before="most ",
            after=f" {unit}",
            ink="heading",
            bold=True,
            stands=True,
            layer=2,
        ),
        Number(id="now", at=(0, _FLOOR - 6), value=totals[-1] * size / each, after=f" {unit}", anchor="left",
               ink="text"),
    ]  # fmt: skip
    legend = (
        (PARAMS, "parameters"),
        (OPTIMIZER, "optimizer state"),
        (ACTIVATIONS, "activations"),
        (GRADS, "gradients"),
    )
    lead, caption = _words(phase, now, f"{totals[-1] * size / each:,.0f} {unit}")
    if (phase, now) == ("backward", blocks - 1) and sum(held(blocks, phase, now, ratio).values()) == most:
        caption += " No moment holds more: forward turns round here."
    return State(tuple(shapes), lead, caption, legend=legend, across=wide)


def _blocks(blocks: int, phase: str, now: int) -> list[AnyShape]:
    found: list[AnyShape] = []
    wide = (_RIGHT - _LEFT) / blocks
    for block in range(blocks):
        left = _LEFT + block * wide
        busy = phase == "update" or (phase in ("forward", "backward") and block == now)
        found.append(
            Box(
                id=f"block{block}",
                at=(left, _BLOCK[0]),
                size=(wide * 0.8, _BLOCK[1] - _BLOCK[0]),
                ink=PARAMS,
                glow=float(busy),
                text=f"block {block}",
                short=str(block),
                alpha=1.0 if busy or phase in ("rest", "done") else 0.6,
            )
        )
        kept = (phase == "forward" and block <= now) or (phase == "backward" and block <= now)
        if kept:
            found.append(
                Box(
                    id=f"act{block}",
                    at=(left, _ACT[0]),
                    size=(wide * 0.8, _ACT[1] - _ACT[0]),
                    ink=ACTIVATIONS,
                    whole=True,
                    comes_from=f"block{block}",
                    layer=-1,  # from behind it: its name is read all the time
                )
            )
        if (phase == "backward" and block >= now) or phase == "update":
            found.append(
                Box(
                    id=f"grad{block}",
                    at=(left, _GRAD[0]),
                    size=(wide * 0.8, _GRAD[1] - _GRAD[0]),
                    ink=GRADS,
                    whole=True,
                    comes_from=f"act{block}",
                    layer=-1,
                    goes_to=f"block{block}",
                )
            )
        if block + 1 < blocks:
            y = sum(_BLOCK) / 2
            ends = ((left + wide * 0.8, y), (left + wide, y))
            back = phase == "backward"
            at_work = (phase == "forward" and block == now - 1) or (back and block == now)
            found.append(
                Path(
                    id=f"arrow{block}",
                    points=ends[::-1] if back else ends,
                    ink="accent" if at_work else "faint",
                    head=True,
                )
            )
    return found


def _words(phase: str, block: int, now: str) -> tuple[str, str]:
    if phase == "rest":
        return (
            "What is there all the time",
            f"Parameters and Adam's two moments, before the step and after it: {now}.",
        )
    if phase == "forward":
        return (
            f"Forward through block {block}",
            "What it computed on the way is kept, because backward will need it.",
        )
    if phase == "backward":
        return f"Backward through block {block}", "Its gradients appear, its activations can go."
    if phase == "update":
        return (
            "Update",
            "All gradients are there, no activation is: the optimizer changes every parameter once.",
        )
    return (
        "After the step",
        f"The gradients are gone again. {now}, as before the step; only the numbers are others.",
    )


SCENE = Scene(
    "training-step",
    "forward, backward, update, and the memory under them",
    steps=lambda values: len(moments(int(values["blocks"]))),
    state=state,
    params=(
        Param("blocks", 4, "blocks of the model", 2, 12),
        Param("block_mb", 12.0, "MB of the parameters of a block", 0.001, 1e6),
        Param("activations", 3.0, "activations of a block, as a multiple of its parameters", 0.1, 100.0),
    ),
)

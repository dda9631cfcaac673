"""ZeRO 0 to 3: what a rank must hold, stage by stage.

With Psi parameters, mixed precision and Adam a rank holds 2 Psi bytes of parameters, 2 Psi of gradients and
K Psi = 12 Psi of optimizer state (fp32 parameters, momentum, variance). Over N ranks the stages divide, one
after the other, the last, the second and the first of these by N (Rajbhandari et al. 2020, ZeRO, section 3.1
and figure 1; Psi = 7.5e9 and N = 64 give its 120, 31.4, 16.6 and 1.9 GB). What is sent in a step is 2 Psi for
stages 0 to 2 and 3 Psi for stage 3 (section 7).
"""

from __future__ import annotations

from slides.scenes.scene import Param, Scene, Values
from slides.scenes.shapes import AnyShape, Axis, Box, Label, Number, Path, State

KINDS = (("params", "parameters", 2.0), ("grads", "gradients", 2.0), ("optimizer", "optimizer state", 12.0))
"""Ink, name and bytes a parameter, from the bottom of a bar up."""

NAMES = ("Every rank holds everything", "ZeRO-1", "ZeRO-2", "ZeRO-3")
_CUT_FROM = {"optimizer": 1, "grads": 2, "params": 3}
_FLOOR, _TOP = 52.0, 8.0  # y of nothing and of the largest
_SHOWN = 4  # bars: more ranks are all alike
_LONG = 1e5  # GB, from which on a figure is in TB: it would be broader than its bar's place


def gigabytes(stage: int, values: Values) -> dict[str, float]:
    """Return the GB of each kind that a rank holds with ZeRO of this stage."""
    psi, ranks = float(values["billions"]), int(values["ranks"])
    return {ink: psi * each / (ranks if stage >= _CUT_FROM[ink] else 1) for ink, _, each in KINDS}


def state(step: int, values: Values) -> State:
    """Return stage `step`: four ranks' bars on one scale, beside the memory of a device."""
    ranks, limit = int(values["ranks"]), float(values["device_gb"])
    held = gigabytes(step, values)
    total = sum(held.values())
    most = sum(gigabytes(0, values).values())
    scale = (_FLOOR - _TOP) / max(most, limit)
    each, unit = (1e3, "TB") if most >= _LONG else (1.0, "GB")  # one of them in all of the picture
    decimals = 3 if unit == "TB" and total < 10 * each else 1
    most, limit, total = most / each, limit / each, total / each
    axis = Axis(
        id="axis",
        start=(14, _FLOOR),
        end=(14, _TOP),
        low=0,
        high=max(most, limit),
        unit=unit,
        ink="dim",
    )
    shapes: list[AnyShape] = [axis]
    names = list(range(ranks)) if ranks <= _SHOWN else [0, 1, 2, ranks - 1]
    for n, rank in enumerate(names):
        left, base = 22.0 + 28.0 * n, _FLOOR
        for ink, _, _ in KINDS:
            high = held[ink] * scale
            shapes.append(
                Box(
                    id=f"{ink}@{rank}", at=(left, base - high), size=(18, high), ink=ink, glow=_new(ink, step)
                )
            )
            base -= high
        shapes += [
            Number(
                id=f"sum@{rank}",
                at=(left + 9, base),
                value=total,
                decimals=decimals,
                after=f" {unit}",
                ink="heading",
                bold=True,
                stands=True,
            ),
            Label(id=f"rank{rank}", at=(left + 9, _FLOOR + 5), text=f"rank {rank}", ink="dim"),
        ]
        if n == 2 and ranks > _SHOWN:
            shapes.append(Label(id="more", at=(left + 23, _FLOOR - 4), text="…", ink="dim"))
    y = _FLOOR - limit * each * scale
    shapes += [
        Path(id="limit", points=((16.5, y), (156, y)), ink="warning", dashed=True, layer=1),
        Label(
            id="limit.text",
            at=(159, y),
            text=f"{limit:g} {unit}"
            + ": one device" * (unit == "GB"),  # in TB it lies low, where the bars begin
            short=f"{limit:g} {unit}",
            anchor="right",
            ink="warning",
            stands=True,
            layer=1,
        ),
    ]
    legend = tuple((ink, name) for ink, name, _ in KINDS)
    fits = "fits" if total <= limit else "does not fit"
    caption = _caption(step, f"{total:.{decimals}f} {unit}", f"{limit:g} {unit}", fits, values)
    return State(tuple(shapes), NAMES[step], caption, legend=legend)


def _new(ink: str, step: int) -> float:
    return 1.0 if _CUT_FROM[ink] == step else 0.0


def _caption(step: int, total: str, limit: str, fits: str, values: Values) -> str:
    ranks, psi = int(values["ranks"]), float(values["billions"])
    of = f"{psi:g} billion parameters on {ranks} ranks"
    if step == 0:
        return f"{of}: {total} on each, and no activation yet. It {fits} in {limit}."
    what = {
        1: f"Each rank keeps 1/{ranks} of the optimizer state and updates only that; "
        "then it sends its new parameters to all.",
        2: f"Gradients are reduced to the rank that needs them: 1/{ranks} stays. "
        "It sends no more than before.",
        3: f"Parameters too are cut to 1/{ranks}, and gathered when needed: half as much again is sent.",
    }[step]
    return f"{what} {total}: {fits}."


SCENE = Scene(
    "zero",
    "ZeRO 0 to 3: what a rank holds",
    steps=lambda values: 4,
    state=state,
    params=(
        Param("billions", 7.5, "billions of parameters", 0.001, 100_000.0),
        Param("ranks", 64, "ranks that share", 2, 65_536),
        Param("device_gb", 80.0, "GB of one device's memory", 1.0, 1000.0),
    ),
)

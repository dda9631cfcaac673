"""Gradient accumulation: one large batch in several micro-batches, with the memory of one of them.

The loss is a mean over the batch, so each micro-batch's loss is divided by their number before its backward;
the gradients that add up are then those of the whole batch (exactly, where nothing mixes the samples of a
batch, as batch normalization does).
"""

from __future__ import annotations

from slides.scenes.scene import Param, Scene, Values
from slides.scenes.shapes import AnyShape, Box, Label, Path, State

_LEFT, _RIGHT = 30.0, 150.0


def state(step: int, values: Values) -> State:
    """Return the buffers after `step` micro-batches; the last step is the update."""
    count = int(values["micro_batches"])
    done, updated = min(step, count), step > count
    pitch = (_RIGHT - _LEFT) / count
    shapes: list[AnyShape] = [
        Label(id="batch", at=(0, 9.5), text="the batch", anchor="left", ink="heading"),
        Label(id="acts", at=(0, 23.5), text="activations", anchor="left", ink="heading"),
        Label(id="grads", at=(0, 37.5), text="gradients", anchor="left", ink="heading"),
        Label(id="params", at=(0, 51.5), text="parameters", anchor="left", ink="heading"),
        Box(id="acts.whole", at=(_LEFT, 20), size=(_RIGHT - _LEFT, 7), ink="panel", layer=-1, whole=True),
        Box(id="grads.place", at=(_LEFT, 34), size=(_RIGHT - _LEFT, 7), ink="panel", layer=-1, whole=True),
        Box(
            id="params.all",
            at=(_LEFT, 48),
            size=(_RIGHT - _LEFT, 7),
            ink="params",
            glow=float(updated),
            text="all parameters, one update" if updated else "all parameters",
            short="one update" if updated else "all",
        ),
    ]
    for n in range(count):
        left, now = _LEFT + n * pitch, n == done - 1 and not updated
        shapes.append(
            Box(
                id=f"micro{n}",
                at=(left, 6),
                size=(pitch * 0.92, 7),
                ink="accent",
                text=f"micro-batch {n}",
                short=str(n),
                alpha=1.0 if now else 0.45,
                glow=float(now),
            )
        )
        if now:
            at = (_LEFT, 20)
            shapes.append(
                Box(
                    id=f"acts{n}",
                    at=at,
                    size=(pitch, 7),
                    ink="activations",
                    comes_from=f"micro{n}",
                    whole=True,
                )
            )
        if n < done:
            shapes.append(
                Box(
                    id=f"grad{n}",
                    at=(left, 34),
                    size=(pitch, 7),
                    ink="grads",
                    text=f"1/{count}",
                    glow=float(now),
                    comes_from=f"micro{n}",
                    goes_to="params.all",
                    alpha=0.5 if updated else 1.0,
                )
            )
    if updated:
        x = (_LEFT + _RIGHT) / 2
        shapes.append(Path(id="update", points=((x, 41), (x, 48)), ink="accent", head=True))
    shapes.append(
        Label(
            id="outline",
            at=(_RIGHT, 20),
            text="the dark rest: what the whole batch would need",
            short="dark: the whole batch",
            anchor="right",
            ink="dim",
            stands=True,
        )
    )
    lead, caption = _words(step, count)
    return State(tuple(shapes), lead, caption, across=pitch)


def _words(step: int, count: int) -> tuple[str, str]:
    if step == 0:
        return (
            "A batch that does not fit",
            f"So it is cut into {count} micro-batches. The gradients are zero.",
        )
    if step > count:
        return (
            "Update",
            f"After {count} backwards the gradients are those of the whole batch; the optimizer steps once.",
        )
    share = f"{step} of {count} parts of the mean are there"
    if step == 1:
        return (
            "Micro-batch 0",
            f"1/{count} of the activations. The loss is divided by {count}: {share}.",
        )
    return (
        f"Micro-batch {step - 1}",
        f"The same memory, and no zero_grad: its gradients are added, {share}.",
    )


SCENE = Scene(
    "accumulation",
    "gradient accumulation: a large batch in the memory of a small one",
    steps=lambda values: int(values["micro_batches"]) + 2,
    state=state,
    params=(Param("micro_batches", 4, "micro-batches of a batch", 2, 12),),
)

"""A small scene for tests: a token that goes round, and words under it of other lengths a step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from slides.scenes import registry
from slides.scenes.scene import Param, Scene, Values
from slides.scenes.shapes import Box, Camera, Number, State


def steps(values: Values) -> int:
    return int(values["ranks"])


def state(step: int, values: Values) -> State:
    ranks = int(values["ranks"])
    if values["fails"] == step:
        raise RuntimeError("no such luck")
    wide = 150 / ranks
    boxes = tuple(
        Box(
            id=f"rank {n}",
            at=(4 + n * wide, 20.0),
            size=(wide - 4, 20.0),
            ink=f"rank{n % 8}",
            text=f"rank {n}",
        )
        for n in range(ranks)
    )
    token = Box(id="token", at=(4 + step * wide, 5.0), size=(10.0, 8.0), ink="accent")
    held = Number(id="held", at=(80.0, 52.0), value=10.0 * step, after=" MB")
    return State(
        (*boxes, token, held),
        lead=f"Rank {step} has it",
        caption="The mark stands over the rank that has the token. " * (1 + step % 3),
        legend=(("accent", "the token"),),
        camera=Camera() if values["space"] else None,
    )


SCENE = Scene(
    "token",
    "A token goes round",
    steps,
    state,
    (
        Param("ranks", 4, "how many there are", 2, 16),
        Param("fails", -1, "the step that cannot be drawn", -1, 99),
        Param("space", 0, "whether it is one in space", 0, 1),
    ),
)


@contextmanager
def known() -> Iterator[None]:
    """The scene is in the registry meanwhile."""
    found = registry.scene
    with pytest.MonkeyPatch.context() as patch:
        names = registry.names()
        patch.setattr(registry, "names", lambda: (*names, "token"))
        patch.setattr(registry, "scene", lambda name: SCENE if name == "token" else found(name))
        yield

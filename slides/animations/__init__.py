"""Animations by name. Each is a module of pure functions: the same step, size and parameters, the same lines.

To add one, write the module and name it in `ANIMATIONS`. `params` are the raw `key=value` of the deck; all
frames of one animation have the same height, so that a slide does not jump.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from slides.animations import ring
from slides.drawing.text import Line

Params = Mapping[str, str]


class Animation(Protocol):
    """What a module of an animation has: pure functions of the step, the size and the parameters."""

    def check(self, params: Params) -> str:
        """What is wrong with `params` and what to write instead, or ""."""

    def frames(self, params: Params) -> int:
        """How many frames, at least 1. `params` have passed `check`."""

    def frame(self, step: int, w: int, h: int, params: Params) -> list[Line]:
        """Frame `step` in at most `w` cells and `h` lines; h = 0 is as many lines as it takes."""


ANIMATIONS: dict[str, Animation] = {"ring": ring}


def frames(name: str, params: Params) -> int | str:
    """The number of frames, or why there are none."""
    animation = ANIMATIONS.get(name)
    if animation is None:
        return f"no animation called {name!r}: there is {', '.join(sorted(ANIMATIONS))}"
    return animation.check(params) or animation.frames(params)


def frame(name: str, params: Params, step: int, w: int) -> list[Line]:
    """Frame `step`, clamped to those there are, at width `w`. Raises ValueError where `frames` is a text."""
    count = frames(name, params)
    if isinstance(count, str):
        raise ValueError(count)
    return ANIMATIONS[name].frame(min(max(step, 0), count - 1), w, 0, params)

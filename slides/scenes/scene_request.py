"""The scene that a deck asks for, by its name and parameters as they are written."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache

from slides.problems import Mistake, did_you_mean, one_line, quoted
from slides.scenes import registry
from slides.scenes.scene import NotDrawn, Scene, Value
from slides.scenes.shapes import State

_SOME = 17  # steps of a scene that say how large its words can be


@dataclass(frozen=True, slots=True)
class Asked:
    """A scene with a value for each of its parameters; equal ones have equal pictures."""

    scene: Scene
    values: tuple[tuple[str, Value], ...]
    steps: int
    captions: tuple[tuple[str, int], ...] = ()
    """The tables of its words in another language, and when each was changed."""

    def state(self, step: int) -> State:
        """Return the state of `step`, clamped to those there are. Raises what the scene raises."""
        return _state(self, min(max(step, 0), self.steps - 1))

    def states(self) -> tuple[State, ...]:
        """Every state. Raises what the scene raises."""
        return tuple(self.state(step) for step in range(self.steps))

    def some_states(self) -> tuple[State, ...]:
        """Return states from the first to the last that can be drawn, so many as take no time."""
        apart = max(1, -(-(self.steps - 1) // (_SOME - 1)))
        found = []
        for step in sorted({*range(0, self.steps, apart), self.steps - 1}):
            with suppress(Exception):  # a scene may be somebody's own: that step says what is wrong
                found.append(self.state(step))
        return tuple(found)


@lru_cache(2048)
def _state(of: Asked, step: int) -> State:
    state = of.scene.state(step, dict(of.values))
    if of.captions:
        from slides.scenes import captions

        state = captions.said(state, [file for file, _ in of.captions])
    return replace(state, steps=of.some_states)


def asked(name: str, words: Mapping[str, str]) -> Asked:
    """Return the scene `name` with the parameters that `words` say.

    Raises:
        Mistake: There is no such scene, or it cannot be drawn so; with what to write instead.
    """
    found = registry.scene(name)
    if found is None:
        known = registry.names()
        near = did_you_mean(name, known)
        mend = f"Did you mean `::: scene {near}`?" if near else "`teachrun list scenes` names them all."
        raise Mistake(f"there is no scene {quoted(name)}", mend)
    return _read(found, tuple(words.items()))


@lru_cache(256)
def _read(found: Scene, given: tuple[tuple[str, str], ...]) -> Asked:
    """A scene that moves is asked for with every frame."""
    name, words = found.name, dict(given)
    for word in words:
        near = did_you_mean(word, [param.name for param in found.params])
        if near and near != word:
            raise Mistake(f"{name} does not know {quoted(word)}", f"Did you mean `{near}=`?")
    try:
        values = found.values(words)
        steps = found.steps(values)
    except NotDrawn as why:
        raise Mistake(
            f"this scene cannot be drawn: {one_line(str(why))}", f"`{example(found)}` can."
        ) from None
    except Exception as error:  # a scene may be somebody's own: its fault is a box on its slide
        raise Mistake(f"this scene cannot be drawn: {failure(error)}", f"`{example(found)}` can.") from None
    return Asked(found, tuple(values.items()), steps)


def of(scene: Scene) -> Asked:
    """Return a scene that takes no parameters."""
    return Asked(scene, (), scene.steps({}))


def steps(name: str, words: Mapping[str, str]) -> int:
    """Return how many steps that scene has, at least 1.

    Raises:
        Mistake: As `asked`.
    """
    return asked(name, words).steps


def example(scene: Scene) -> str:
    """Return a line of a deck that shows `scene` with its own values."""
    return " ".join((f"::: scene {scene.name}", *(f"{p.name}={p.default}" for p in scene.params)))


def failure(error: Exception) -> str:
    """Return an error of a scene in a line."""
    return one_line(f"{type(error).__name__}: {error}")[:160]

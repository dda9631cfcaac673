"""When a recording showed what: scenes from the class's journal, and the time of its viewers.

A stretch in which only a demo went on plays faster to them. So there are two clocks: `real` seconds as they
were recorded and as the journal has them, and `played` seconds.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from runtime.classroom import state as class_state
from runtime.classroom.actions import Entry
from runtime.classroom.state import ClassState
from tui.deck.contents import Contents

GLANCE_S = 2.0  # a slide that was left sooner was only passed: no chapter


class Scene(NamedTuple):
    """One step of one slide while it was shown, in played seconds. `again`: it had been shown before."""

    start: float
    end: float
    slide: str
    step: int
    again: bool


class Chapter(NamedTuple):
    """Part of a recording under one title, in seconds of the recording."""

    start: float
    end: float
    title: str


class Played:
    """From real to played time, as far as it has been told."""

    def __init__(self) -> None:
        self._corners = [(0.0, 0.0, 1.0)]  # real, played, speed from there on

    def turn(self, real: float, speed: float) -> None:
        """From `real` on it plays at `speed`; told in order."""
        self._corners.append((real, self(real), max(speed, 1e-3)))

    def __call__(self, real: float) -> float:
        at, played, speed = next(corner for corner in reversed(self._corners) if corner[0] <= max(real, 0.0))
        return played + (max(real, 0.0) - at) / speed

    @property
    def faster(self) -> list[tuple[float, float, float]]:
        """(start, end, speed) of every faster stretch in played seconds; the last end may be infinite."""
        ends = [*(corner[1] for corner in self._corners[1:]), float("inf")]
        return [
            (played, end, speed)
            for (_, played, speed), end in zip(self._corners, ends, strict=True)
            if speed > 1 and end > played
        ]


def places(entries: Iterable[Entry], began: float, length: float) -> list[tuple[float, str, int]]:
    """(real second, slide id, step) of each place in a recording that began at wall-clock `began`."""
    found: list[tuple[float, str, int]] = []
    state = ClassState()
    for entry in entries:
        at = entry.t - began
        if at > length:
            break
        state = class_state.apply(state, entry)
        here = (max(0.0, at), state.pos.slide, state.pos.step)
        if not state.pos.slide:
            continue
        if at <= 0.0:
            found = [(0.0, *here[1:])]
        elif not found or here[1:] != found[-1][1:]:
            found.append(here)
    return found


def scenes(found: list[tuple[float, str, int]], played: Played, length: float) -> list[Scene]:
    """The places as scenes, each until the next; `length` is that of the recording in real seconds."""
    ends = [real for real, _, _ in found][1:] + [length] * bool(found)
    made: list[Scene] = []
    seen: set[tuple[str, int]] = set()
    for (real, slide, step), end in zip(found, ends, strict=True):
        made.append(Scene(played(real), played(end), slide, step, (slide, step) in seen))
        seen.add((slide, step))
    return made


def label(contents: Contents, slide: str) -> str:
    """`12 · Buckets`: what chapters and markers say of a slide."""
    index = contents.find(slide)
    if index is None:
        return slide
    return f"{contents.label(index)} · {contents.heads[index].title}".rstrip(" ·")


def chapters(shown: list[Scene], contents: Contents) -> list[Chapter]:
    """A chapter a visit of a slide; slides that were only passed belong to the one before."""
    visits: list[tuple[float, float, str]] = []
    for scene in shown:
        if visits and visits[-1][2] == scene.slide:
            visits[-1] = (visits[-1][0], scene.end, scene.slide)
        else:
            visits.append((scene.start, scene.end, scene.slide))
    made: list[Chapter] = []
    for start, end, slide in visits:
        passed = end - start < GLANCE_S
        title = label(contents, slide)
        if made and (passed or title == made[-1].title):
            made[-1] = made[-1]._replace(end=end)
        else:
            made.append(Chapter(start, end, title))
    return made


def from_marks(marks: list[tuple[float, str]], end: float) -> list[Chapter]:
    """The same from the recording's own markers (played seconds), where there is no journal to ask."""
    ends = [start for start, _ in marks][1:] + [end] * bool(marks)
    return [Chapter(start, end, title) for (start, title), end in zip(marks, ends, strict=True)]

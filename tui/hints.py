"""Which keys are named under the slide: what they do right here first, then what they always do."""

from __future__ import annotations

from collections.abc import Iterator

from slides.deck import Demo
from tui import chrome
from tui.room import Room

Hint = tuple[str, str]


def hints(room: Room) -> Iterator[Hint]:
    session = room.session
    if session.looking:
        yield ("Esc", "back to the class")
    if not session.driving and session.role == "console":
        yield ("L", "take over")
    current, demo = room.answering.current(), room.demo()
    if current is not None and current[1].phase == "open":
        last = len(current[0].options)
        yield (f"1-{last}", "pick")
        yield ("Enter", "lock")
        yield ("e", "reveal")
    elif current is not None and current[1].phase == "locked":
        yield ("e", "reveal")
    if (code := room.outputs.chosen()) is not None:
        yield ("R", "stop" if room.alive(code.id) else "run")
        if len(room.outputs.runnable()) > 1:
            yield ("Tab", "next code")
    if demo is not None:
        alive = room.alive(demo.id)
        yield ("d", "stop" if alive else "start")
        yield from _demo_hints(room, demo, alive)
    for key, word in chrome.usual_hints(session.role):
        if key not in ("d", "D"):
            yield (key, word)


def _demo_hints(room: Room, demo: Demo, alive: bool) -> Iterator[Hint]:
    snapshot = room.snapshots.get(demo.id)
    if snapshot is None:
        yield ("e", "edit")
        yield ("s", "recorded")
        return
    yield ("1-9", "view")
    yield ("Enter", "back" if room.session.state.look.full else "full size")
    if snapshot.playback is not None:
        yield ("Space", "pause")
        yield ("P", "speed")
    elif alive and snapshot.state == "running":
        yield ("P", "pace")
        yield ("!", "break")
        yield ("x", "x-ray")
    yield ("e", "edit")
    yield ("r", "rank")
    if not alive and snapshot.playback is None:
        yield ("s", "recorded")

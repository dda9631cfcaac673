"""Which keys are named under the slide: what they do right here first, then what they always do."""

from __future__ import annotations

from collections.abc import Iterator

from slides.deck import Demo, Scene
from slides.reading_order import blocks as walk
from tui.classroom import turned_estimate
from tui.classroom.room import Room
from tui.deck.languages import words_of
from tui.keys.table import key_of
from tui.panes.edges import footer_lines
from tui.terminal.key_sequences import WAY_OUT

Hint = tuple[str, str]


def hints(room: Room, plan: bool = False, run_room: bool = False) -> Iterator[Hint]:
    """Yield the keys worth showing now, the most useful first, in the language of the deck. `plan`: there is
    nothing in space to turn; `run_room`: the room of the run is drawn."""
    say = words_of(room.session.contents.deck)
    for key, word in _hints(room, plan, run_room):
        yield key, say(word)


def _hints(room: Room, plan: bool, run_room: bool) -> Iterator[Hint]:
    session = room.session
    if room.outputs.typed_into():
        yield (WAY_OUT, "leave the terminal: until then it has every key")
        return
    if session.looking:
        yield (key_of("close"), "back to the class")
    if not session.driving and session.role == "console":
        yield (key_of("lead"), "take over")
    current, demo = room.answering.current(), room.demo()
    if current is not None and current[1].phase == "open":
        if room.answering.types:
            yield (key_of("answer"), "type")
        elif current[0].options:
            yield (f"1-{len(current[0].options)}", "pick")
        if session.role == "console":
            if not room.answering.unwritten:
                yield (key_of("panel"), "lock")
            yield (key_of("reveal"), "reveal")
            if room.answering.hands.countable() is not None:
                yield (key_of("hands"), "hands")
            if len(current[0].hints) > len(current[1].hints):
                yield (key_of("hint"), "hint")
    elif current is not None and current[1].phase == "locked" and session.role == "console":
        yield (key_of("reveal"), "reveal")
        if not current[1].before and not current[1].samples:
            yield (key_of("again"), "vote again")
    if (code := room.outputs.chosen()) is not None:
        yield (key_of("run_code"), "type" if code.terminal else "stop" if room.alive(code.id) else "run")
        if len(room.outputs.runnable()) > 1:
            yield (key_of("next_code"), "next code")
    if scenes := [block for block in walk(session.slide.blocks) if isinstance(block, Scene)]:
        from slides.scenes.on_slide import in_space

        if any(block.frames > 1 for block in scenes):
            yield (key_of("play"), "play")
            yield (f"{key_of('scrub_back')} {key_of('scrub_forward')}", "step")
            yield (f"{key_of('slower')} {key_of('faster')}", "pace")
        if not plan and in_space(session.slide.blocks, session.step) is not None:
            yield from _camera_hints()
    if session.driving and room.outputs.chosen() is None and turned_estimate.here(session) is not None:
        yield (f"{key_of('scrub_back')} {key_of('scrub_forward')}", "turn")
        yield (key_of("next_code"), "next slider")
        if (block := turned_estimate.here(session)) is not None and block.duel:
            yield (key_of("reveal"), "best known")
            yield (key_of("hands"), "hands")
    if room.measuring.pending:
        yield (key_of("demo"), "stop" if room.measuring.going else "lock, measure")
    elif demo is not None:
        alive = room.alive(demo.id)
        yield (key_of("demo"), "stop" if alive else "start")
        yield from _demo_hints(room, demo, alive, plan, run_room)
    for key, word in footer_lines.usual_hints(session.role):
        if key not in (key_of("demo"), key_of("restart_demo")):
            yield (key, word)


def _camera_hints() -> Iterator[Hint]:
    yield (f"{key_of('camera_left')} {key_of('camera_right')}", "turn")
    yield (f"{key_of('camera_up')} {key_of('camera_down')}", "tilt")
    yield (f"{key_of('camera_near')} {key_of('camera_far')}", "near, far")
    yield (key_of("camera_rank"), "to a rank")
    yield (key_of("camera_plan"), "plan")
    yield (key_of("camera_author"), "back")


def _demo_hints(room: Room, demo: Demo, alive: bool, plan: bool, run_room: bool) -> Iterator[Hint]:
    snapshot = room.snapshots.get(demo.id)
    if snapshot is None:
        yield from footer_lines.new_demo_hints()
        return
    yield ("1-9", "view")
    yield (key_of("panel"), "back" if room.session.state.look.full else "full size")
    if run_room:
        if snapshot.film is not None:
            yield (key_of("play"), "pause")
            yield (f"{key_of('scrub_back')} {key_of('scrub_forward')}", "in the step")
            yield (f"{key_of('slower')} {key_of('faster')}", "pace")
        if not plan:
            yield from _camera_hints()
    if snapshot.playback is not None:
        yield (key_of("play"), "pause")
        yield (key_of("steer"), "speed")
    elif alive and snapshot.state == "running":
        yield (key_of("steer"), "pace")
        if snapshot.link:
            yield (key_of("link"), "link")
        yield (key_of("faults"), "break")
        yield (key_of("x_ray"), "x-ray")
    yield (key_of("reveal"), "edit")
    yield (key_of("rank"), "rank")
    if not alive and snapshot.playback is None:
        yield (key_of("recall"), "recorded")

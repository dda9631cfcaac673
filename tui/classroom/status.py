"""How a class stands, as footer and top bar say it: place, times, and what is not as usual."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from tui.classroom import pace
from tui.classroom.clock_and_percent import shown
from tui.classroom.pace import Timing
from tui.classroom.position.place_in_talk import Badge, Place
from tui.classroom.room import Room
from tui.deck import header_and_footer_of_slide
from tui.figures.run_outcome import sign_of_life


def place(room: Room, barred: bool = False) -> Place:
    """`barred`: a console says in other places what the room sees, who drives and how the stage is.

    What of it the room does not see, `clock_and_percent` says.
    """
    session = room.session
    contents, timer = session.contents, session.state.timer
    return Place(
        title=contents.deck.title or Path(contents.deck.path).name,
        section=contents.section(session.index),
        number=session.number,
        total=len(contents.visible),
        percent=session.percent if shown("percent", room, barred) else None,
        step=session.step,
        steps=session.slide.steps,
        elapsed=session.elapsed if timer.counts and shown("clock", room, barred) else None,
        running=timer.running,
        badges=tuple(_badges(room, barred)),
        label=contents.label(session.index),
        backups=len(contents.backup) if shown("backups", room, barred) else 0,
        footer=header_and_footer_of_slide.footer(contents, session.index),
        numbered=header_and_footer_of_slide.of(contents).numbered,
    )


def refusal(room: Room) -> tuple[str, str]:
    """Why this screen has no class, and its ink; that a class is over is nothing that an audience mends."""
    if room.ended and room.session.role != "console":
        return room.session.say("End of class"), "dim"
    return room.session.say(room.refused), "dim" if room.ended else "bad"


def _badges(room: Room, barred: bool) -> Iterator[Badge]:
    """What the footer says besides the place."""
    state, driving = room.session.state, room.session.role == "console"
    if room.ended:
        yield Badge("class ended")
    elif room.refused:
        yield Badge("not connected", "bad")
    elif room.link_word == "lost":
        yield Badge(f"host lost, {'restarting' if driving else 'waiting for it'}", "bad")
    elif room.stage[0] == "lost":
        yield Badge("torch was lost, loading it again", "bad")
    elif room.stage[0] in ("warming", "absent") and room.demo() is not None and not barred:
        loading = room.stage[0] == "warming"
        yield Badge("torch is loading" if loading else "no torch", "dim" if loading else "warning")
    if room.name:
        yield Badge(f"as {room.name}", "warning")
    if room.unsaved:
        yield Badge(f"not saved: {room.unsaved}", "bad")
    if not driving:
        return
    if said := room_says(room):
        yield Badge(said, "warning")
    if room.rehearsal and not barred:
        yield Badge("rehearsal", "accent")
    if state.shown != "live" and not barred:
        yield Badge(f"room {state.shown}")
    if not room.session.driving and not barred:
        yield Badge(f"{room.driver} drives")
    here = {*(demo.id for demo in [room.demo()] if demo), *(code.id for code in room.outputs.runnable())}
    elsewhere = [block for block in room.living() if block not in here]
    if code := sum(block in room.outputs.of for block in elsewhere):
        yield Badge("code on another slide is running", "accent")
    if demos := len(elsewhere) - code:
        yield Badge("another demo is running" if demos == 1 else f"{demos} other demos run", "accent")


_REACTIONS = {"clap": "clap", "yes": "thumbs up", "no": "thumbs down", "laugh": "laugh"}


def room_says(room: Room) -> str:
    """What phones say of their own accord, in a few words; "" while they say nothing."""
    voices = room.phones.voices
    new = sum(not one.picked for one in voices.questions)
    parts = [f"{new} to ask" if new else "", f"{voices.fast} too fast" if voices.fast else ""]
    parts.append(f"{voices.lost} lost" if voices.lost else "")
    parts += [
        f"{voices.reactions[word]} {text}" for word, text in _REACTIONS.items() if word in voices.reactions
    ]
    return " · ".join(filter(None, parts))


def marks(room: Room) -> Iterator[Badge]:
    """What the console's first line must not let anybody forget."""
    session, state = room.session, room.session.state
    contents = session.contents
    if room.rehearsal:
        yield Badge("REHEARSAL", "accent")
    if state.shown in ("black", "white"):
        yield Badge(f"ROOM: {state.shown.upper()}")
    elif room.phones.covers:
        now = room.phones.now
        board = (
            {"words": "ROOM: ITS WORDS", "teams": "ROOM: THE TEAMS"}.get(now.board.kind) if now.board else ""
        )
        yield Badge(board or ("ROOM: A QUESTION" if now.question else "ROOM: HOW TO JOIN"))
    elif state.shown == "frozen":
        at = contents.find(state.shown_at.slide)
        yield Badge(f"ROOM: FROZEN at {contents.label(at)}" if at is not None else "ROOM: FROZEN")
    if session.looking:
        at = contents.find(state.pos.slide)
        yield Badge("LOOKING AROUND" + (f", class at {contents.label(at)}" if at is not None else ""))
    elif not session.driving:
        yield Badge(f"{room.driver} drives")
    elif state.lead:
        yield Badge("you drive alone", "accent")


def timing(room: Room) -> Timing:
    """Return the clock figures of the footer: time of day, elapsed, pause, end and pace."""
    session = room.session
    now, timer = session.now(), session.state.timer
    end = pace.until(session.contents.plan, session.state, now)
    return Timing(
        of_day=_of_day(now),
        elapsed=session.elapsed if timer.counts else None,
        paused_s=now - timer.paused if timer.paused and not session.state.ended else None,
        end=_of_day(end) if end is not None else "",
        pace=session.pace,
    )


def live(room: Room) -> Badge | None:
    """The badge of the demo that runs, of several the furthest one's and how many they are."""
    shown = [room.snapshots[block] for block in room.living() if block in room.snapshots]
    if not shown:
        return None
    furthest = next((one for one in shown if sign_of_life(one)[1] == "good"), shown[0])
    sign, ink = sign_of_life(furthest)
    more = f", {len(shown)} demos" if len(shown) > 1 else ""
    return Badge(f"{sign} {furthest.badge}{more}", ink)


def until_change(room: Room, barred: bool) -> float | None:
    """Seconds until a time that is shown is another one; None: none runs. `barred`: in the top bar, too."""
    current, wait = room.answering.current(), _until_clock(room, barred)
    closes = current[1].closes_at() if current is not None else None
    if closes is None or not (left := max(0.0, closes - room.session.now())):
        return wait
    second = left % 1.0 or 1.0  # an open question's time
    return second if wait is None else min(wait, second)


def _until_clock(room: Room, barred: bool) -> float | None:
    session = room.session
    timer, now = session.state.timer, session.now()
    if timer.running and shown("clock", room, barred):
        return until_next_second(session.elapsed)
    if not barred:
        return None
    # A pause counts up and what is left counts down by the second, the time of day by the minute.
    counting = timer.paused or session.pace.left_s
    return until_next_second(now) if counting else 60.0 - now % 60.0 + 0.01


def _of_day(at: float) -> str:
    return time.strftime("%H:%M", time.localtime(at))


def until_next_second(elapsed: float) -> float:
    """Seconds until a clock that shows whole seconds changes; never quite 0, so that it does not run hot."""
    return max(0.02, 1.0 - elapsed % 1.0 + 0.005)

"""A deck that plays by itself: when the next step comes, and what it waits for.

A slide takes the time the deck gives it, else what its notes take aloud or its text in silence. Steps of a
scene take what their own words take; the others share what is left of the slide's time by their words. A
demo is waited for: until its run is done, `until=` so many steps, or its budget of class time is spent (a
minute, where neither is said), not counting what its ranks take to start; a question until it is revealed;
narration until it has ended.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from runtime.protocol.events import BOOT_PHASES
from runtime.protocol.messages import Snapshot
from slides.deck import Demo, Scene, Slide
from slides.reading_order import blocks
from tui.classroom.position.place_in_talk import Badge
from tui.classroom.room import Room
from tui.classroom.runs.snippet_outputs import ALIVE
from tui.classroom.runs.start_on_slide import start_demo
from tui.deck.contents import Contents
from tui.figures.numbers import clock
from tui.playback import caption_cues

FRAME_S = 1.2  # a step of a scene, at least
LOOK_S = 2.0  # to find one's way about a new slide
SHORTEST_S = 2.0  # of any other step
WATCH_S = 60.0  # of a run that has neither budget nor time and goes on
STARTING = BOOT_PHASES[:-1]
START_S = 120.0  # so long ranks may take to start: on a busy machine more than the budget of a demo
PACES = (0.25, 0.5, 1.0, 2.0, 4.0)  # of the steps of scenes
ANNOUNCE_S = 5.0  # from saying that a demo will start to starting it
LINGER_S = 4.0  # with a demo's last figures, with an answer's explanation
TICK_S = 0.2

Waits = Literal["", "demo", "answer", "voice"]


def frames(slide: Slide) -> frozenset[int]:
    """The steps that the next frame of an animation ends."""
    return frozenset(
        step
        for block in blocks(slide.blocks)
        if isinstance(block, Scene)
        for step in range(block.at, block.at + block.frames - 1)
    )


def _scene_words(slide: Slide, step: int) -> str:
    """What the scenes of a slide say in a step."""
    from slides.drawing.screen_reader_lines import linear

    scenes = [block for block in blocks(slide.blocks) if isinstance(block, Scene)]
    return " ".join(linear(scenes, step - 1, step))


def words_a_minute(contents: Contents) -> float:
    """The pace of speech that the front matter asks for (`words: 150`), else the usual one."""
    text = contents.deck.meta.get("words", "")
    return float(text) if re.fullmatch(r"[1-9]\d{1,2}", text) else caption_cues.ALOUD_WPM


def seconds(contents: Contents, index: int) -> list[float]:
    """How long each step of a slide is shown, without what it waits for."""
    slide = contents.slide(index)
    aloud = words_a_minute(contents)
    silent = aloud * caption_cues.SILENT_WPM / caption_cues.ALOUD_WPM
    quick = frames(slide)
    natural = []
    for step in range(slide.steps):
        text = " ".join(caption_cues.text_at(contents, index, step))
        notes = " ".join(caption_cues.notes_at(contents, index, step))
        read = LOOK_S * (step == 0) + max(
            caption_cues.silent_s(text, silent), caption_cues.aloud_s(notes, aloud)
        )
        shown = caption_cues.silent_s(_scene_words(slide, step), silent) if step in quick else 0.0
        natural.append(max(FRAME_S, shown) if step in quick and not notes else max(SHORTEST_S, read))
    if slide.time_s is None:
        return natural
    fixed = sum(s for step, s in enumerate(natural) if step in quick)
    if fixed > slide.time_s:  # the talk goes on: all of it is a little quicker
        return [s * slide.time_s / sum(natural) for s in natural]
    shared = sum(natural) - fixed
    share = max(0.0, slide.time_s - fixed) / shared if shared else 0.0
    return [s if step in quick else s * share for step, s in enumerate(natural)]


class Autoplay:
    """Plays from the place shown on. `tick` is to be called every `TICK_S` while `on`."""

    def __init__(self, room: Room, move: Callable[[], bool], speaking: Callable[[], bool]) -> None:
        """`move()` goes to the next step, False at the end; `speaking()`: a narration has not ended."""
        self._room, self._session = room, room.session
        self._move, self._speaking = move, speaking
        self.on = False
        self.waits: Waits = ""
        self._place = (-1, -1)
        self._since = 0.0
        self._last = 0.0  # of the step shown, in seconds
        self._started: set[str] = set()  # demos that this began
        self._plan: tuple[str, int, list[float]] = ("", -1, [])
        self.pace = 1.0  # of the steps of scenes
        self.scene = False  # only that of this slide

    def start(self, scene: bool = False) -> None:
        """Play the deck from here; demos that it started before may be started again. `scene`: only the steps
        of the slide's animation, and no demo."""
        self.on, self.scene = True, scene
        self._started.clear()
        self._arrive()

    def faster(self, by: int) -> float:
        """Play the steps of scenes faster, or slower; returns how many times as fast."""
        before = self.pace
        self.pace = PACES[max(0, min(len(PACES) - 1, PACES.index(before) + by))]
        if self.on and self._session.step in frames(self._session.slide):  # the step shown has its part to go
            now = self._session.now()
            self._since = now - (now - self._since) * before / self.pace
            self._last *= before / self.pace
        return self.pace

    def stop(self) -> None:
        """Stay on this step until `start`."""
        self.on = False
        self.waits = ""

    @property
    def left_s(self) -> float:
        """Until the next step, where nothing else is waited for."""
        return max(0.0, self._since + self._last - self._session.now())

    def sign(self) -> Badge | None:
        """What the footer says of it."""
        if not self.on:
            return None
        waits = {"demo": "waits for the demo", "answer": "waits for the answer", "voice": "narrates"}
        return Badge(f"▸ {waits.get(self.waits) or f'plays {clock(self.left_s + 0.999)}'}", "accent")

    @property
    def starts(self) -> Demo | None:
        """The demo of the slide that this is going to start, in `ANNOUNCE_S` after its slide came."""
        demo, room = self._room.demo(), self._room
        if not self.on or self.waits != "demo" or demo is None or demo.id in self._started:
            return None
        return demo if room.run_state(demo.id) in ("", "lost") else None

    def banner(self) -> str:
        """What goes on by itself, in words: nothing a deck does alone comes unannounced."""
        if not self.on:
            return ""
        if (demo := self.starts) is not None:
            left = max(0.0, self._since + ANNOUNCE_S - self._session.now())
            return f"{demo.name} starts in {clock(left + 0.999)}"
        waits = {
            "demo": "goes on when the demo is done",
            "answer": "goes on when the question is revealed",
            "voice": "goes on when the notes are read",
        }
        what = "the animation, " if self.scene else ""
        return waits.get(self.waits) or f"{what}next step in {clock(self.left_s + 0.999)}"

    def tick(self) -> str:
        """Go on if it is time; why it stopped by itself, else ""."""
        if not self.on:
            return ""
        if (self._session.index, self._session.step) != self._place:
            self.stop()
            return "playing stopped: somebody else moved"
        before, self.waits = self.waits, self._waits()
        if self.waits:
            return ""
        if before in ("demo", "answer"):
            self._since, self._last = self._session.now(), LINGER_S
        if self.left_s > 0:
            return ""
        if self.scene and self._session.step not in frames(self._session.slide):
            self.stop()
            return ""
        if not self._move():
            self.stop()
            return "that was the last step"
        self._arrive()
        return ""

    def _arrive(self) -> None:
        session = self._session
        self._place = session.index, session.step
        self._since = session.now()
        contents, index = session.contents, session.index
        if self._plan[:2] != (contents.rev, index):
            self._plan = contents.rev, index, seconds(contents, index)
        self._last = self._plan[2][session.step]
        if session.step in frames(session.slide):
            self._last /= self.pace
        self.waits = self._waits()

    # --- what it waits for ------------------------------------------------------------------------------

    def _waits(self) -> Waits:
        step = self._session.step
        if self.scene:
            return "voice" if self._speaking() else ""
        current = self._room.answering.current()
        if current is not None and current[1].phase != "revealed":
            return "answer"
        demo = self._room.demo()
        if demo is not None and demo.at <= step and self._demo_goes_on(demo):
            return "demo"
        return "voice" if self._speaking() else ""

    def _demo_goes_on(self, demo: Demo) -> bool:
        """Whether the demo of the slide is yet to show what it is there for; one that stands is begun when
        its slide was read for a moment."""
        room, state = self._room, self._room.run_state(demo.id)
        if not room.class_id or room.refused or demo.id in room.refusals or room.trouble(demo):
            return False
        if state in ("", "lost") and demo.id not in self._started:
            if self._session.now() - self._since >= ANNOUNCE_S:
                self._started.add(demo.id)
                start_demo(room, demo)  # one that was begun on a slide before ends
            return True
        if not state:
            return demo.id in self._started  # asked for, not yet heard of
        snapshot = room.snapshots.get(demo.id)
        if state == "replay":
            playback = snapshot.playback if snapshot is not None else None
            return playback is not None and playback.at_s < playback.length_s
        return state in ALIVE and (snapshot is None or not self._enough(demo, snapshot))

    def _enough(self, demo: Demo, snapshot: Snapshot) -> bool:
        """Whether a run that goes on has been watched for long enough."""
        until = demo.params.get("until", "")
        if until.isdecimal():
            return min((row.step or 0 for row in snapshot.rows), default=0) >= int(until)
        limits = (snapshot.budget_s, self._session.slide.time_s, WATCH_S)
        limit = next(limit for limit in limits if limit is not None)
        if any(row.state in STARTING for row in snapshot.rows):
            limit += START_S
        return snapshot.ran_s - sum(seconds for _, seconds in snapshot.phases) >= limit

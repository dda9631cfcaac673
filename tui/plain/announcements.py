"""A class told in lines as it goes on: the place, what a step brings, runs, answers, and what goes wrong."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

from slides.deck import Demo, Estimate, Exercise, Quiz
from slides.drawing.cells import clean
from slides.drawing.screen_reader_lines import linear, many
from slides.reading_order import of_runs
from tui.classroom import turned_estimate
from tui.classroom.runs import demo_requests
from tui.classroom.runs.snippet_outputs import ALIVE
from tui.command_line.progress import progress_line
from tui.figures.numbers import known
from tui.plain.output import OutputAnnouncements
from tui.plain.pointing import PointedAt
from tui.plain.questions import QuestionAnnouncements

if TYPE_CHECKING:
    from runtime.protocol.messages import Snapshot
    from slides.deck import AnyBlock
    from tui.classroom.room import Change, Room

TELL_S = 5.0  # between two lines about a run that goes on


class Announcements:
    """Says each thing once, when it is new."""

    def __init__(self, room: Room, out: TextIO) -> None:
        self._room, self._session, self._out = room, room.session, out
        self._told: tuple[str, int, int] = ("", -1, -1)  # revision, slide and step
        self._runs: dict[str, tuple[str, float]] = {}  # block -> state and time of the last line about it
        self._refused: set[tuple[str, str]] = set()
        self._link_told = ""
        self._shown_told = "live"
        self._unsaved_told = ""
        self._turned: tuple[str, ...] = ()
        self._questions = QuestionAnnouncements(room)
        self._printed = OutputAnnouncements(self.say)
        self._pointed = PointedAt(room)

    def started(self, block: str) -> None:
        """A demo was started again: what is said of it is news."""
        self._refused = {known for known in self._refused if known[0] != block}
        self._runs.pop(block, None)

    # --- what is said ---------------------------------------------------------------------------------------

    def say(self, *lines: str) -> None:
        """Print each line that is not empty, cleaned of what a terminal would obey."""
        for line in lines:
            if line:
                print(clean(line), file=self._out, flush=True)

    def anew(self) -> None:
        """The deck is another one: what was told of it no longer counts."""
        self._told = ("", -1, -1)
        self.place()

    def questions(self) -> None:
        """What has become of the questions shown since it was last told."""
        self.say(*self._questions.news())

    def place(self, again: bool = False) -> None:
        """The place, if it was not told yet: of the same slide only what has come."""
        session = self._session
        rev, index, step = session.contents.rev, session.index, session.step
        if (rev, index, step) == self._told and not again:
            return
        if session.role == "audience" and session.state.shown in ("black", "white"):
            return  # what the room must not see is told when it may
        slide = session.slide
        onward = not again and self._told[:2] == (rev, index) and self._told[2] < step
        since = self._told[2] if onward else -1
        self._told = rev, index, step
        if not onward:
            of = f"{session.contents.label(index)} of {len(session.contents.visible)}"
            section = session.contents.section(index)
            parts = (f"slide {of}", section and f"section {section}", self.steps_of(slide.steps, step))
            self.say("", f"--- {', '.join(filter(None, parts))}: {slide.title or 'without a title'}")
        if of_runs(slide.blocks):
            from tui.classroom.runs import run_charts

            slide = run_charts.slide_with(session.contents, index, self._room.snapshots)
        lines = linear(slide.blocks, since, step, self._special)
        if lines and lines[0] == clean(slide.title) and not onward:
            del lines[0]
        if onward:
            self.say(f"step {step + 1} of {slide.steps}:")
        self.say(*lines)
        if session.role == "console" and any(note.at == step for note in slide.notes):
            self.say("(notes)")

    @staticmethod
    def steps_of(steps: int, step: int) -> str:
        """Say where in the steps of a slide one is, "" for a slide of one step."""
        return f"step {step + 1} of {steps}" if steps > 1 else ""

    def _special(self, block: AnyBlock) -> list[str] | None:

        if isinstance(block, Demo):
            trouble = self._room.trouble(block)
            params = " ".join(f"{key}={value}" for key, value in demo_requests.asked(block).items())
            how = f"cannot be started: {trouble}" if trouble else "type run to start it"
            return [
                f"demo {block.name} {params}".rstrip() + f"; {how if self.driving else 'runs in the class'}"
            ]
        if isinstance(block, Estimate):
            from tui.views.blocks.estimate import told

            return told(turned_estimate.as_turned(self._session, block)[0])
        if isinstance(block, Exercise):
            from tui.views.blocks import exercise

            return exercise.told(block)
        return list(self._questions.asked(block)) if isinstance(block, Quiz) else None

    def _tell_turned(self) -> None:
        """An estimate that was turned, as it is now."""
        words = self._session.state.look.estimate
        before, self._turned = self._turned, words
        block = turned_estimate.here(self._session)
        if words and words != before and block is not None:
            from tui.views.blocks.estimate import told

            self.say(*told(turned_estimate.as_turned(self._session, block)[0]))

    @property
    def driving(self) -> bool:
        """Whether this seat is a console, as against an audience's."""
        return self._session.role == "console"

    # --- what happens meanwhile -----------------------------------------------------------------------------

    def changed(self, what: Change) -> None:
        """Say what is new after a change of the room."""
        if what == "deck":
            self._told = ("", -1, -1)
        if what in ("place", "deck"):
            self._tell_shown()
            self.place()
            self.questions()
        elif what == "words":
            self.say(*self._questions.counts(), *self._pointed.news())
        if (word := self._room.link_word) != self._link_told:
            self._link_told = word
            if word not in ("", "connecting"):
                self.say(f"the class: {word}")
        if (why := self._room.unsaved) != self._unsaved_told:
            self._unsaved_told = why
            self.say(f"not saved: {why}" if why else "all of the class is saved again")
        if what == "called":
            self.say(self._room.called)
        self._tell_turned()
        for block, (why, mend) in self._room.refusals.items():
            if (block, why) not in self._refused:
                self._refused.add((block, why))
                self.say(f"refused: {why}. {mend[:1].upper()}{mend[1:]}")
        for block, snapshot in self._room.snapshots.items():
            self._tell_run(block, snapshot)
        for block, heard in self._room.outputs.of.items():
            self._printed.heard(block, heard)

    def _tell_shown(self) -> None:
        """What the room sees has changed; who did it here was told."""
        shown = self._session.state.shown
        if shown != self._shown_told:
            self._shown_told = shown
            words = {
                "black": "the screen is black",
                "white": "the screen is white",
                "live": "the slide is shown",
            }
            self.say("" if self.driving else words.get(shown, ""))

    def _tell_run(self, block: str, snapshot: Snapshot) -> None:
        state, at = self._runs.get(block, ("", 0.0))
        now, key = time.monotonic(), f"{snapshot.run} {snapshot.state}"
        if key == state and (snapshot.state not in ALIVE or now - at < TELL_S):
            return
        self._runs[block] = key, now
        if snapshot.state in ALIVE:
            if key != state and snapshot.state == "running":
                bent = f" ({', '.join(snapshot.bent)})" if snapshot.bent else ""
                ranks, played = many(snapshot.world, "rank"), snapshot.playback
                ran = f", made {played.made} on {played.machine}" if played is not None else ""
                verb = "runs on" if played is None else "recorded on"
                self.say(f"{snapshot.demo}  {verb} {ranks}, {snapshot.badge}{ran}{bent}")
                if played is not None and played.differs:
                    self.say(f"  recorded with {', '.join(played.differs)}")
            else:
                self.say(progress_line(snapshot, ""))
            return
        self.say(*_ended(snapshot))


def _ended(snapshot: Snapshot) -> Iterator[str]:
    """How a run ended, and a line for each rank."""
    why = f": {snapshot.why}" if snapshot.why and snapshot.why != snapshot.state else ""
    yield f"{snapshot.demo}  {snapshot.state} after {snapshot.ran_s:.1f} s{why}"
    if snapshot.unshown:
        yield f"  this run does not show it: {snapshot.unshown}"
    yield from (f"  {remark}" for remark in snapshot.remarks)
    for row in snapshot.rows:
        parts = [f"  rank {row.rank}: {row.state}"]
        if row.step is not None:
            parts.append(f"{row.step + 1} steps")
        if row.loss is not None:
            parts.append(f"loss {row.loss:.4f}")
        if row.step_s is not None:
            parts.append(f"{row.step_s * 1000:.0f} ms a step")
        if row.wait is not None:
            parts.append(f"waiting {known(row.wait, snapshot.within_s)} of it")
        yield ", ".join(parts)
    if snapshot.equal is not None:
        equal = "equal on all ranks" if snapshot.equal else "not equal on all ranks"
        yield f"  parameters {equal} after step {snapshot.equal_step}"

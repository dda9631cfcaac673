"""Moving through a class in lines, and saying where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slides.drawing.screen_reader_lines import linear

if TYPE_CHECKING:
    from tui.classroom.room import Room
    from tui.plain.announcements import Announcements


class Navigation:
    """A function a command of the group `Move`, and what tells of the class; each takes what was typed
    after its name."""

    def __init__(self, room: Room, telling: Announcements) -> None:
        from tui.classroom.position.jumps_and_bookmark import History

        self._room, self._session = room, room.session
        self._telling, self._say = telling, telling.say
        self._history = History(room.session)

    def _moved(self, moved: bool, otherwise: str = "") -> None:
        if moved:
            self._room.arrived()
            self._telling.place()
        else:
            self._say(otherwise)

    def next(self, rest: str) -> None:
        """Go to the next step or slide."""
        backups = len(self._session.contents.backup)
        more = f"; behind it {backups} backup slides, goto +1" if backups else ""
        self._moved(self._session.next(), f"the end of the talk{more}")

    def prev(self, rest: str) -> None:
        """Go to the step or slide before."""
        self._moved(self._session.previous(), "this is the first slide")

    def goto(self, rest: str) -> None:
        """Jump to the first slide that `rest` finds: a number, id or title."""
        found = self._session.contents.search(rest) if rest else []
        if not found:
            self._say(f"no slide {rest!r}" if rest else "goto which slide? A number or a title")
        else:
            self._moved(self._history.jump((found[0], 0)), "this slide is shown already")

    def back(self, rest: str) -> None:
        """Go back to where the last jump began."""
        self._moved(self._history.back(), "no jump to go back from")

    def here(self, rest: str) -> None:
        """Say the whole of the current step again."""
        self._telling.place(again=True)

    def notes(self, rest: str) -> None:
        """Say the notes up to this step."""
        from slides.reading.parse import parse_blocks

        shown = [note for note in self._session.slide.notes if note.at <= self._session.step]
        self._say(*(line for note in shown for line in linear(parse_blocks(note.markdown), -1, 99)))
        if not shown:
            self._say("no notes on this slide")

    def list(self, rest: str) -> None:
        """Say all slides by section, with the current one marked."""
        contents, section = self._session.contents, ""
        for head in contents.heads:
            if head.section != section:
                section = head.section
                self._say(f"section {section}")
            marks = [
                word
                for word, on in (("optional", head.optional), ("now", head.index == self._session.index))
                if on
            ]
            said = f" ({', '.join(marks)})" if marks else ""
            self._say(f"  {contents.label(head.index)}  {head.title or 'without a title'}{said}")

    def search(self, rest: str) -> None:
        """Say the lines of slides and notes that match, at most 40."""
        from tui.deck.search import Index

        index = Index(self._session.contents, self._room.answering.parsed)
        index.read(float("inf"))
        found = index.find(rest)
        for hit in found[:40]:
            note = "note: " if hit.note else ""
            self._say(f"  slide {self._session.contents.label(hit.slide)}: {note}{hit.text}")
        more = f", the first 40 of {len(found)} are above" if len(found) > 40 else ""
        self._say(f"{len(found)} lines{more}" if found else "no slide or note has these words")

    def status(self, rest: str) -> None:
        """Say place, clock, pace, and what runs."""
        from tui.classroom import status as classroom_status
        from tui.classroom.pace import in_words
        from tui.command_line.progress import progress_line
        from tui.figures.numbers import clock

        session, room = self._session, self._room
        label, total = session.contents.label(session.index), len(session.contents.visible)
        steps = self._telling.steps_of(session.slide.steps, session.step)
        place = f"slide {label} of {total}{f', {steps}' if steps else ''}"
        timer, timing = session.state.timer, classroom_status.timing(room)
        spent = f"{clock(session.elapsed)} of class time"
        self._say(f"{place}, {spent if timer.running or not timer.counts else f'{spent}, paused'}")
        pace = timing.pace
        times = [
            in_words(pace.behind_s)[0] if pace.behind_s is not None else "",
            f"ends at {timing.end}" if timing.end else "",
            _left(pace.slide_left_s) if pace.slide_left_s is not None else "",
        ]
        if session.role == "console":
            self._say(", ".join(filter(None, times)))
            self._say(", ".join(badge.text for badge in classroom_status.marks(room)))
        if (current := room.answering.current()) is not None:
            # Who follows is not told before the reveal how many have answered.
            known = session.role == "console" or current[1].phase == "revealed"
            count = f", answers in: {current[1].answered}" if known else ""
            self._say(f"question {current[1].phase}{count}")
        for block in room.living():
            if (snapshot := room.snapshots.get(block)) is not None:
                self._say(progress_line(snapshot, ""))
            elif (heard := room.outputs.of.get(block)) is not None:
                self._say(
                    f"{heard.output.lang} runs, {heard.output.ran_s:.0f} s of {heard.output.timeout_s:g}"
                )
        if room.link_word:
            self._say(room.link_word)
        else:
            consoles = f"{room.consoles} consoles, " if room.consoles > 1 else ""
            self._say(f"class {room.class_id}, {consoles}{room.audiences} in the audience")


def _left(seconds: float) -> str:
    from tui.figures.numbers import clock

    return (
        f"{clock(seconds)} left for this slide" if seconds >= 0 else f"this slide is {clock(-seconds)} over"
    )

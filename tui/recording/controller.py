"""The recording of one screen: 3, 2, 1, recorded, processed, done. What takes time is done elsewhere.

No step of it can stop the class: the disk has a thread, processing has a process, and what fails is said.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from runtime import paths
from runtime.classroom.actions import Record
from runtime.launch import processes
from slides.drawing.text import Line, Span, Style
from tui.classroom.position.place_in_talk import Badge
from tui.figures.numbers import clock
from tui.panes.class_screen import ClassProgram
from tui.recording import disk_limits, playing_speed, scenes_and_chapters
from tui.recording.cast import is_written
from tui.recording.recorder import Place, Recorder
from tui.rendering import textual_private

if TYPE_CHECKING:
    from textual.app import App

COUNT_S = 3.0
_INKS = ("panel", "bad", "good", "warning", "params", "optimizer", "hidden", "text")

Phase = Literal["idle", "counting", "recording"]


class AsBlocks(Protocol):
    """Makes cells of pictures by pixels, which a recording cannot keep."""

    def as_blocks(self, data: str) -> str:
        """What is written to the terminal, with half blocks in place of pixels."""


class RecordedProgram(ClassProgram, Protocol):
    """Class program whose pictures can be written as blocks of characters."""

    @property
    def graphics(self) -> AsBlocks:
        """Who draws pictures."""


class RecordingController:
    """Records what this screen shows; besides, processes one recording after the other."""

    def __init__(self, app: App[Any], program: RecordedProgram) -> None:
        """`app` has the terminal and runs what is done behind the class, `program` is the class on it."""
        self._app, self._program = app, program
        self._session, self._room = program.session, program.room
        self.phase: Phase = "idle"
        self.unfinished: list[Path] = []  # recorded, not yet processed
        self.done: list[Path] = []  # pages
        self.progress: float | None = None  # of the recording that is processed now
        self._began = 0.0
        self.recorder: Recorder | None = None
        self._name, self._part = "", 0  # of the file that is written now
        self._untap: Callable[[], None] = lambda: None
        self._armed = False
        self._rev, self._rev_at = -1, 0.0  # the newest action of the class, and when it was seen
        program.classroom.signs.append(self.badge)
        program.classroom.notice = self.notice

    # --- the key ----------------------------------------------------------------------------------------

    def press(self) -> None:
        """`v`: begin, or stop; a recording at another console is stopped from here as well."""
        if self.phase == "counting":
            self.cancel()
        elif self.phase == "recording":
            self.stop()
        elif self._session.state.recording:
            self._session.act(Record(False))
            self._program.say("the recording at the other console is stopped", "dim")
        elif not self._room.class_id:
            self._program.say("there is no class to record yet: its host is not there", "dim")
        else:
            self.phase, self._began = "counting", self._session.now()
            self._program.classroom.show()
            self._arm()

    def cancel(self) -> bool:
        """Esc while it counts down; False where there is nothing to cancel."""
        if self.phase != "counting":
            return False
        self.phase = "idle"
        self._program.say("nothing is recorded", "dim")
        self._program.classroom.show()
        return True

    def _arm(self) -> None:
        if not self._armed:
            self._armed = True
            self._program.classroom.later(self._until_next(), self._wake)

    def _until_next(self) -> float:
        """Seconds until the clock in the chrome changes."""
        passed = self._session.now() - self._began
        return max(0.02, 1.005 - passed % 1.0)

    def _wake(self) -> None:
        self._armed = False
        self.tick()

    def tick(self) -> None:
        """About once a second, while it counts or records."""
        if self.phase == "counting" and self._session.now() - self._began >= COUNT_S:
            self._begin()
        elif self.phase == "recording" and self.recorder is not None:
            if self.recorder.failed:
                self.stop()
            elif disk_limits.is_full(self.recorder.written):
                self._go_on()
            else:
                self._set_pace()
        if self.phase != "idle":
            self._program.classroom.frames.want()
            self._arm()

    # --- recording --------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self.phase, self._began = "recording", self._session.now()
        self._name, self._part = time.strftime("%Y%m%d-%H%M%S"), 0
        self._session.act(Record(True))
        self._program.classroom.show()  # the countdown is not in the picture
        self._record()
        self._rev, self._rev_at = self._session.state.rev, self._session.now()

    def _record(self) -> None:
        """From now on, into a new file."""
        app, graphics = self._app, self._program.graphics
        folder = paths.classes_dir() / self._room.class_id / "recordings"
        self._part += 1
        part = f"-{self._part}" if self._part > 1 else ""
        self.recorder = Recorder(
            folder / f"{self._name}{part}.cast",
            self._session.contents.deck.title,
            self._room.class_id,
            lambda: graphics.as_blocks(textual_private.picture(app)),
            self._place,
            self._colours(),
        )
        take = self.recorder.take
        self._untap = textual_private.tap(app, lambda data: take(graphics.as_blocks(data)))

    def _go_on(self) -> None:
        """In another file: this one is as large as a page may be."""
        assert self.recorder is not None
        self._untap()
        full = self.recorder
        self._record()
        self._set_pace()
        self._program.say(
            f"the recording goes on in a second file: each part holds {disk_limits.LARGEST >> 20} MB", "dim"
        )
        self._app.run_worker(self._finish(full), group="recording")

    def _place(self) -> Place:
        contents, id = self._session.contents, self._session.slide.id
        return Place(
            id, scenes_and_chapters.label(contents, id), (self._app.size.width, self._app.size.height)
        )

    def _colours(self) -> dict[str, str]:
        """The theme for what lies around the terminal, as asciicast has it; empty in mono."""
        colour = self._program.painter.colour
        if not colour("background"):
            return {}
        sixteen = ":".join([*map(colour, _INKS), *map(colour, ("dim", *_INKS[1:7], "heading"))])
        return {"fg": colour("text"), "bg": colour("background"), "palette": sixteen}

    def follow(self) -> None:
        """The class went on: somebody did something, at this console or another."""
        if self.phase != "recording" or self.recorder is None:
            return
        if not self._session.state.recording:
            self.stop()
        elif self.recorder.speed > 1:
            self._set_pace()

    def _set_pace(self) -> None:
        """Faster while a demo is all that goes on; as it was again at the first thing that anybody does."""
        assert self.recorder is not None
        now, rev = self._session.now(), self._session.state.rev
        if rev != self._rev:
            self._rev, self._rev_at = rev, now
        demo = self._room.demo()
        runs = demo is not None and self._room.alive(demo.id)
        speed = playing_speed.speed(runs, now - self._rev_at)
        if speed != self.recorder.speed:
            self.recorder.pace(speed)
            self._program.classroom.frames.want()

    def stop(self) -> None:
        """The recording ends here; what is left to do is done behind the class."""
        recorder, self.recorder = self.recorder, None
        self.phase = "idle"
        self._untap()
        if self._session.state.recording:
            self._session.act(Record(False))
        self._program.classroom.show()
        if recorder is None:
            return
        recorder.pace(1.0)  # the last picture of what played faster
        if recorder.failed:
            self._program.say(f"the recording stopped: {recorder.failed}; the class goes on", "bad")
        self._app.run_worker(self._finish(recorder), group="recording")

    async def _finish(self, recorder: Recorder) -> None:
        self.unfinished.append(recorder.path)
        await asyncio.to_thread(recorder.close)
        failed = recorder.failed
        if failed and not recorder.path.exists():
            self.unfinished.remove(recorder.path)
            self._program.say(f"nothing could be recorded: {failed}", "bad")
        else:
            await self._process_all()

    # --- processing -------------------------------------------------------------------------------------

    def pick_up(self) -> None:
        """This screen joins a class that is recorded, they say. Where the screen that did it is gone, its
        recording is over, and what there is of it is processed here."""
        if self._session.role != "console" or not self._session.state.recording:
            return
        folder = paths.classes_dir() / self._room.class_id / "recordings"
        left = [cast for cast in sorted(folder.glob("*.cast")) if not cast.with_suffix(".html").exists()]
        if any(is_written(cast) for cast in left):
            return
        self._session.act(Record(False))
        if left:
            self.unfinished += left
            self._program.say(
                "a recording was cut off with its screen; what there is of it is processed", "dim"
            )
            self._app.run_worker(self._process_all(), group="recording")

    def adopt(self, left: list[Path]) -> None:
        """Recordings of classes that are over: what there is of them is processed here."""
        self.unfinished += [cast for cast in left if cast not in self.unfinished]
        which = "a recording was" if len(left) == 1 else f"{len(left)} recordings were"
        self._program.say(f"{which} cut off with an earlier class; what there is of it is processed", "dim")
        self._app.run_worker(self._process_all(), group="recording")

    async def _process_all(self) -> None:
        if self.progress is not None:
            return  # the worker that is at it goes on with the next
        while self.unfinished:
            self.progress = 0.0
            try:
                await self._process(self.unfinished[0])
                self.unfinished.pop(0)
            finally:
                self.progress = None
                self._program.classroom.frames.want()

    async def _process(self, cast: Path) -> None:
        """In a process of its own, which is ended with the screen."""
        mark = {processes.CLASS_MARK: self._room.class_id, processes.PART_MARK: "recording"}
        try:
            child = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "tui.recording.finished_recording", str(cast)),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env={**os.environ, **mark},
                start_new_session=True,
            )
        except OSError as error:
            self._program.say(f"the recording stays unprocessed: {error.strerror}", "bad")
            return
        assert child.stdout is not None
        last = ""
        try:
            async for row in child.stdout:
                last = row.decode(errors="replace").strip()
                with contextlib.suppress(ValueError):
                    self.progress = float(last)
                    self._program.classroom.frames.want()
            code = await child.wait()
        except asyncio.CancelledError:
            with contextlib.suppress(ProcessLookupError):
                child.kill()
            raise
        if code:
            why = f"{last or 'it was ended'}: the recording stays as it was made, "
            self._program.say(why + short(cast, self._app.size.width - len(why) - 4), "bad")
        else:
            self.done.append(Path(last))
            self._program.say(f"recorded: {short(Path(last), self._app.size.width - 14)}", "good")

    # --- what the chrome says ---------------------------------------------------------------------------

    def badge(self) -> Badge | None:
        """Return the badge: recording here or at another console, or being processed; else None."""
        if self.phase == "recording":
            fast = (
                f" ▸▸ ×{playing_speed.SPEED:g}"
                if self.recorder is not None and self.recorder.speed > 1
                else ""
            )
            return Badge(f"● REC {clock_mmss(self._session.now() - self._began)}{fast}", "bad")
        if self._session.state.recording:  # at another console
            return Badge("● REC", "bad")
        if self.progress is not None:
            return Badge(f"recording processed {round(100 * self.progress)} %", "dim")
        return None

    def notice(self, width: int) -> Line:
        """The countdown, in the place of the hints."""
        if self.phase != "counting":
            return ()
        left = max(1, math.ceil(COUNT_S - (self._session.now() - self._began)))
        bold = Style("bad", bold=True)
        notes = ", notes and all" if self._program.classroom.console_layout else ""
        dots = "".join("●" if n < left else "○" for n in range(int(COUNT_S)))
        words = f"   this screen will be recorded{notes}   "
        return (
            Span(f"  {dots}  {left} ", bold),
            Span(words if width >= 70 else "   ", Style("text")),
            Span("Esc", Style("accent", bold=True)),
            Span(" cancels", Style("dim")),
        )

    # --- the end ----------------------------------------------------------------------------------------

    def farewell(self) -> None:
        """After the screen: finish what it left, in the terminal, and say where everything is."""
        if self.recorder is not None:
            self._untap()
            self.recorder.close()
            self.unfinished.append(self.recorder.path)
        for cast in self.unfinished:
            self._finish_here(cast)
        for page in self.done:
            print(f"recorded: {page}")

    def _finish_here(self, cast: Path) -> None:
        from tui.recording.cast import CastError
        from tui.recording.finished_recording import finish, journal_of

        def progress(part: float) -> None:
            print(f"\rprocessing the recording: {round(100 * part)} % ", end="", file=sys.stderr, flush=True)

        try:
            self.done.append(finish(cast, journal_of(cast), progress).page)
            print("\r" + " " * 40 + "\r", end="", file=sys.stderr)
        except (OSError, CastError) as error:
            print(f"\nteachrun: the recording is kept as it was made, {cast}: {error}", file=sys.stderr)
        except KeyboardInterrupt:
            print(f"\nthe recording is kept as it was made: {cast}", file=sys.stderr)


def clock_mmss(seconds: float) -> str:
    """mm:ss, as cameras have it; h:mm:ss from one hour on."""
    return clock(seconds).rjust(5, "0")


def short(path: Path, width: int) -> str:
    """A path in at most `width` cells: the home folder as `~`, and where that is too long its end."""
    shown = str(path)
    with contextlib.suppress(ValueError, RuntimeError):
        shown = f"~/{path.relative_to(Path.home())}"
    return shown if len(shown) <= width else f"…{shown[-max(1, width - 1) :]}"

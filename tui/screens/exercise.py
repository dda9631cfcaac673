"""The screen of `teachrun practice`: the task beside four real ranks, run again at every save of the file."""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import msgspec
from textual.events import Key

from runtime.practice.exercise import Exercise
from runtime.practice.outcome import Outcome
from runtime.practice.warm_runner import Practice
from slides.drawing.text import Line
from tui.files.watcher import Watcher
from tui.practice import student_copy, tries_and_hints
from tui.screens.page_program import PageProgram, action_of
from tui.terminal import editor
from tui.terminal.lending import lend
from tui.views.exercise_screen import Shown, furthest, screen, solution_word


class ExerciseScreen(PageProgram[None]):
    """Nothing of a class: exercises, the one shown, and the runs of its file."""

    def __init__(
        self,
        exercises: list[Exercise],
        at: int,
        theme: str,
        practice: Practice | None = None,
        theirs: Path | None = None,
    ) -> None:
        """`theirs` is somebody else's file, shown before one's own."""
        super().__init__(theme)
        self._first, self.theirs = theirs, False  # whether the file shown is somebody else's
        self.exercises, self.at = exercises, at
        self.practice = practice or Practice(self._stage)
        self.left = 0  # processes that could not be ended
        self._watcher: Watcher | None = None
        self._runs: set[asyncio.Task[None]] = set()
        self._text = ""  # of the file, as it was run last
        self._opened = 0.0
        self.solved_s: float | None = None  # from the opening of the one shown until all checks passed
        self.was_shown = False  # its solution, before that
        self.shown = Shown(exercises[at], tries_and_hints.Progress())

    def on_mount(self) -> None:
        self.practice.start()
        self._open(self.at)

    # --- what is shown ------------------------------------------------------------------------------------

    def _draw(self, width: int, height: int) -> list[Line]:
        return screen(self.shown, width, height)

    def _show(self, **changes: object) -> None:
        self.shown = replace(self.shown, **changes)  # type: ignore[arg-type]
        self.lines.redraw()

    def _show_word(self, word: str) -> None:
        self._show(word=word)

    def _stage(self, status: str, detail: str) -> None:
        if self.is_running:
            self._show(stage="" if status == "warm" else detail or status)

    # --- an exercise, and the runs of its file ------------------------------------------------------------

    def _open(self, at: int) -> None:
        """Show an exercise; its file is run, and again at every save."""
        exercise = self.exercises[at]
        theirs, self._first = self._first, None
        self._show_file(at, exercise, theirs)

    def _show_file(self, at: int, exercise: Exercise, theirs: Path | None) -> None:
        """Follow the own copy of an exercise, or a file of somebody else's."""
        if self._watcher is not None:
            self._watcher.stop()
        try:
            self.file = theirs or student_copy.of(exercise)
            known = tries_and_hints.load().get(exercise.name, tries_and_hints.Progress())
        except OSError as error:
            self.say(f"your copy cannot be made: {error.strerror or error}")
            return
        self.at, self._text = at, ""
        self._opened, self.solved_s, self.was_shown = time.monotonic(), None, False
        self.theirs = theirs is not None
        place = f"{at + 1} of {len(self.exercises)}"
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 0
        seen = replace(exercise, file=self.file.name) if self.theirs else exercise
        self.shown = Shown(
            seen,
            known,
            self._source(),
            place=place,
            cores=cores,
            stage=self.shown.stage,
            theirs=self.theirs,
            path=str(self.file),
        )
        self.lines.redraw()
        file = str(self.file)
        self._watcher = Watcher(lambda: (file,), lambda: self._saved(file))
        self._watcher.start()

    def _source(self) -> tuple[str, ...]:
        try:
            return tuple(self.file.read_text("utf-8", "replace").splitlines()[:5000])
        except OSError:
            return ()

    def _saved(self, file: str) -> None:
        """Called in the watcher's thread."""
        with suppress(RuntimeError):  # the screen is gone
            self.call_from_thread(self._run_if_new, file)

    def _run_if_new(self, file: str) -> None:
        source = self._source()
        if file == str(self.file) and "\n".join(source) != self._text:
            self._run(source)

    def _run(self, source: tuple[str, ...]) -> None:
        self._text = "\n".join(source)
        self._show(source=source, solution=(), asks_task=False, outcome=None, running=True)
        task = asyncio.get_running_loop().create_task(
            self._checked(self.exercises[self.at], self.file, self._text)
        )
        self._runs.add(task)
        task.add_done_callback(self._runs.discard)

    async def _checked(self, exercise: Exercise, file: Path, text: str) -> None:
        def known(outcome: Outcome) -> None:
            if self.exercises[self.at] is exercise and text == self._text:
                self._show(outcome=outcome, running=False)

        try:
            outcome = await self.practice.run(exercise, file, known)
        except OSError as error:
            self._show(running=False)
            self.say(f"it cannot be run: {error.strerror or error}")
            return
        self.left = max(self.left, outcome.left)
        if outcome.diagnosis is None and not outcome.solved:
            return  # a newer save has ended it
        if self.theirs or file != self.file:
            known(outcome)
            return
        began = outcome.solved or (outcome.diagnosis is not None and outcome.diagnosis.kind != "unfinished")
        began = began and text.split() != exercise.start.split()
        before = tries_and_hints.load().get(exercise.name, tries_and_hints.Progress())
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        self._keep(exercise, tries_and_hints.after(before, outcome.solved, began, digest, outcome.passed))
        if outcome.solved and self.solved_s is None and self.exercises[self.at] is exercise:
            self.solved_s = time.monotonic() - self._opened
        known(outcome)

    def _keep(self, exercise: Exercise, now: tries_and_hints.Progress) -> None:
        try:
            tries_and_hints.save(exercise.name, now)
        except OSError as error:
            self.say(f"your progress cannot be saved: {error.strerror or error}")
        if self.exercises[self.at] is exercise:
            self._show(progress=now)

    # --- keys ---------------------------------------------------------------------------------------------

    async def on_key(self, event: Key) -> None:
        event.stop()
        name = action_of("exercise", event)
        match name:
            case "leave_exercise":
                await self.leave()
            case "edit_exercise":
                await self._edit()
            case "run_exercise":
                self._run(self._source())
            case "exercise_hint" if not self.theirs:
                used = min(self.shown.progress.hints + 1, len(self.shown.exercise.hints))
                self._keep(self.exercises[self.at], msgspec.structs.replace(self.shown.progress, hints=used))
                self._show(asks_task=True)
                self._show(first=furthest(self.shown, *self.size))
            case "task":
                self._show(asks_task=not self.shown.asks_task, first=0)
            case "solution":
                self._solution()
            case "start_over":
                self._start_over()
            case "handed_in":
                self._next_handed_in()
            case "next_exercise" | "previous_exercise":
                self._open((self.at + (1 if name == "next_exercise" else -1)) % len(self.exercises))
            case "exercise_down" | "exercise_up":
                most = furthest(self.shown, *self.size)
                self._show(first=max(0, min(self.shown.first + (1 if name == "exercise_down" else -1), most)))
            case "theme":
                self.next_theme()

    def _solution(self) -> None:
        if self.shown.solution:
            self._show(solution=(), first=0)
        elif self.shown.progress.may_see_solution:
            self._show(solution=tuple(self.shown.exercise.solution.read_text("utf-8").splitlines()), first=0)
            self.was_shown = self.was_shown or self.solved_s is None
        else:
            self.say(solution_word(self.shown.progress))

    def _next_handed_in(self) -> None:
        """Show the next file that was handed in, and after the last one's own again."""
        exercise = self.exercises[self.at]
        try:
            every = student_copy.handed_in(exercise)
        except OSError as error:
            self.say(f"what was handed in cannot be read: {error.strerror or error}")
            return
        if not every and not self.theirs:
            place = student_copy.folder(exercise) / student_copy.HANDED_IN
            self.say(f"nothing was handed in: put files into {place}")
            return
        at = every.index(self.file) + 1 if self.file in every else 0
        self._show_file(self.at, exercise, every[at] if at < len(every) else None)
        if self.theirs:
            self.say(f"{self.file.name}, {at + 1} of {len(every)} handed in; o shows the next")

    def _start_over(self) -> None:
        if self.theirs:
            self.say("this file is somebody else's: it is left as it is")
            return
        try:
            kept = student_copy.start_over(self.shown.exercise)
        except OSError as error:
            self.say(f"left unchanged: {error.strerror or error}")
        else:
            self.say(f"back to the original; yours is kept as {kept.name}")

    async def _edit(self) -> None:
        found = self.shown.outcome.diagnosis if self.shown.outcome is not None else None
        hole = (n for n, line in enumerate(self.shown.source, 1) if "yours: from here" in line)
        line = (found.line if found is not None else 0) or next(hole, 0) + 1
        opened = editor.editor(str(self.file), line)
        if isinstance(opened, str):
            self.say(f"{opened}. Your file: {self.file}")
            return
        try:
            if opened.terminal:
                await self._edit_here(opened)
            else:
                nowhere = asyncio.subprocess.DEVNULL
                await asyncio.create_subprocess_exec(
                    *opened.command, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True
                )
        except OSError as error:
            self.say(f"{opened.command[0]} cannot be started: {error.strerror or error}")

    async def _edit_here(self, opened: editor.Editor) -> None:
        """Give the terminal away until the editor ends; saves are run meanwhile."""
        await lend(self, opened.command)
        self.refresh()
        self.lines.redraw()

    async def leave(self) -> None:
        """End all ranks, then the screen."""
        self.say("ending the ranks …")
        if self._watcher is not None:
            self._watcher.stop()
        self.hush()
        self.left += await self.practice.close()
        self.exit()

"""Runs students' files on real ranks, one at a time, on a fork server that stays warm between them.

Where forking is not right (macOS) torchrun starts the ranks.
"""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import Callable
from pathlib import Path

from runtime.diagnosis.evidence import Evidence
from runtime.launch.fork_server_client import ForkServerClient
from runtime.practice.exercise import Exercise
from runtime.practice.outcome import CheckState, Outcome
from runtime.practice.student_run import ExerciseRun
from runtime.protocol.diagnosis_message import Diagnosis
from runtime.protocol.messages import StageStatus
from runtime.protocol.stage_messages import AnyOrder, Exited, Forked


class Practice:
    """One fork server and one run at a time. `on_stage` hears how warm it is, in words."""

    def __init__(self, on_stage: Callable[[StageStatus, str], None] = lambda status, detail: None) -> None:
        self.class_id = f"practice-{os.getpid()}"
        self._stage = ForkServerClient(self.class_id, self._ordered, on_stage, self._stage_lost)
        self._numbers = itertools.count(1)
        self._one = asyncio.Lock()
        self._closed = asyncio.Event()
        self._run: ExerciseRun | None = None
        self._asked = 0  # runs that were asked for

    def start(self) -> None:
        """Begin to warm up; returns at once."""
        self._stage.start()

    async def warm(self) -> bool:
        """Wait until ranks can be started; False: they never can, `why` says why."""
        waits = asyncio.ensure_future(self._stage.settled()), asyncio.ensure_future(self._closed.wait())
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waits:
                one.cancel()
        return self._stage.ready is not None and not self._closed.is_set()

    @property
    def why(self) -> str:
        """What the fork server is doing, or why there is none."""
        return self._stage.detail

    async def run(
        self, exercise: Exercise, file: Path, on_change: Callable[[Outcome], None] = lambda outcome: None
    ) -> Outcome:
        """Run all checks, until one fails; a run that goes on is ended first. Raises `OSError`.

        Args:
            exercise: The exercise.
            file: The student's file, which is read once.
            on_change: Called whenever something new is known.
        """
        self._asked += 1
        asked = self._asked
        if self._run is not None:
            self._run.cancelled = True
            self._run.wake.set()
        async with self._one:
            outcome = Outcome(
                exercise, file, [CheckState(t) for t in exercise.checks], Evidence(exercise.ranks)
            )
            if not await self.warm():
                outcome.diagnosis = Diagnosis("crash", f"the ranks cannot be started: {self.why}")
                outcome.over = True
                return outcome
            if asked != self._asked:  # a newer file came while this one waited
                outcome.over = True
                return outcome
            self._run = ExerciseRun(
                f"run{next(self._numbers)}", self.class_id, self._stage, outcome, on_change
            )
            try:
                await self._run.play()
            finally:
                self._run = None
            return outcome

    async def close(self) -> int:
        """End everything; returns how many processes could not be ended. Nobody waits until it is warm."""
        self._closed.set()
        if self._run is not None:
            self._run.cancelled = True
            self._run.wake.set()
        async with self._one:
            return 0 if await self._stage.close() else 1

    def _ordered(self, order: AnyOrder) -> None:
        if self._run is not None and isinstance(order, Forked | Exited) and order.run == self._run.id:
            self._run.ordered(order)

    def _stage_lost(self, why: str) -> None:
        if self._run is not None:
            said = f"the process that starts the ranks has ended ({why})"
            self._run.lost(said, "if your file has ended its parent: the next run has a new one")

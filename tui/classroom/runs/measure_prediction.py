"""Runs the demos of a prediction, one after the other, and keeps what each gave: locked first, then measured.

What was measured is in the journal, so another console, or this one after a crash, goes on where it stood.
"""

from __future__ import annotations

from typing import Protocol

from runtime.classroom.actions import Measured
from runtime.classroom.question_state import QuestionState
from runtime.protocol.messages import Snapshot
from slides.deck import Demo
from tui.classroom.answering.prediction import Prediction, sample
from tui.classroom.answering.questions import Answering
from tui.classroom.runs import demo_requests
from tui.classroom.session import Session

_OVER = ("done", "failed", "stopped", "lost")


class RunsOfClass(Protocol):
    """The class, as far as its runs and its questions go."""

    session: Session
    answering: Answering
    snapshots: dict[str, Snapshot]

    def alive(self, block: str) -> bool:
        """Whether a run of this block goes on."""

    def launch(self, demo: Demo, params: dict[str, str] | None = None) -> None:
        """Start a demo, with `params` in place of the deck's."""

    def stop(self, block: str) -> None:
        """End the run of a block."""


class Measuring:
    """Of the slide shown. Only the screen that began it goes on by itself."""

    def __init__(self, room: RunsOfClass) -> None:
        self._room = room
        self._going = ""  # the question whose runs go on
        self._before: dict[str, str] = {}  # by block: its newest run before we asked for one

    def _found(self) -> tuple[Prediction, QuestionState] | None:
        return self._room.answering.prediction()

    @property
    def pending(self) -> bool:
        """Whether the slide has a prediction that was not measured to its end."""
        found = self._found()
        return found is not None and found[1].phase != "revealed" and found[0].next(found[1]) is not None

    @property
    def going(self) -> bool:
        """Whether the measurement on this slide is under way."""
        found = self._found()
        return found is not None and self._going == found[1].id

    @property
    def shown(self) -> bool:
        """Whether the slide shows what was measured, which needs its room more than the panel of a run."""
        found = self._found()
        if found is None or found[1].phase != "revealed" or not found[1].samples:
            return False
        return not any(self._room.alive(block.id) for block in found[0].blocks)

    def demo(self) -> Demo | None:
        """The demo whose panel stands on the slide of a prediction: the one that runs, or ran last."""
        found = self._found()
        if found is None or found[1].phase == "open" or self.shown:
            return None
        plan, room = found[0], self._room
        alive = next((block for block in plan.blocks if room.alive(block.id)), None)
        if alive is not None or not found[1].samples:
            return alive or (plan.next(found[1]) if self.going else None)
        return next((block for block in plan.blocks if block.id == found[1].samples[-1].block), None)

    def toggle(self) -> str:
        """Lock and measure, or stop. What was done, in one line."""
        found = self._found()
        if found is None:
            return ""
        room, (plan, state) = self._room, found
        alive = [block for block in plan.blocks if room.alive(block.id)]
        if self.going and alive:
            self._going = ""
            for block in alive:
                room.stop(block.id)
            return "stopped: d goes on measuring"
        said = "the runs go on"
        if state.phase == "open":
            room.answering.close()
            count = state.answered
            answers = "1 answer" if count == 1 else f"{count} answers"
            said = f"{answers} locked; now {'the run' if plan.of == 1 else f'{plan.of} runs'}"
        self._going = plan.question
        self._launch(plan)
        return said

    def _launch(self, plan: Prediction) -> None:
        found = self._found()
        block = plan.next(found[1]) if found is not None else None
        if block is None:
            self._going = ""
            return
        known = self._room.snapshots.get(block.id)
        self._before[block.id] = known.run if known is not None else ""
        self._room.launch(block, {**demo_requests.asked(block), **plan.params()})

    def heard(self, snapshot: Snapshot) -> None:
        """A run of the class told how it stands."""
        if not self._going or snapshot.state not in _OVER or snapshot.playback is not None:
            return
        found = self._found()
        if found is None or found[1].id != self._going or found[1].phase == "revealed":
            self._going = ""
            return
        plan, state = found
        ours = any(block.id == snapshot.block for block in plan.blocks)
        if not ours or snapshot.run == self._before.get(snapshot.block):
            return
        self._before[snapshot.block] = snapshot.run
        if snapshot.state != "done":
            self._going = ""  # the panel says why; d goes on
            return
        if all(one.run != snapshot.run for one in state.samples):
            self._room.session.act(Measured(state.id, sample(snapshot, plan.figure)))
        self._launch(plan)

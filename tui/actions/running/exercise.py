"""The exercise on a slide: its own screen has the terminal until it is left, the class goes on meanwhile."""

from __future__ import annotations

import sys

from slides.deck import Exercise
from slides.reading_order import blocks
from tui.actions.action_group import ActionGroup
from tui.actions.teaching.deck_editing import EditingContext
from tui.terminal.lending import lend


class ExerciseActions(ActionGroup):
    """Keys for an exercise."""

    _screen: EditingContext

    def __init__(self, screen: EditingContext) -> None:
        super().__init__(screen)

    def open_exercise(self) -> None:
        """Open the first exercise of the slide."""
        from tui.views.blocks.exercise import trouble

        here = (block for block in blocks(self._session.slide.blocks) if isinstance(block, Exercise))
        block = next(here, None)
        if block is None:
            self._screen.say("no exercise on this slide", "dim")
        elif (problem := trouble(block, "")) is not None:
            self._screen.say(problem.message, "warning")
        else:
            self._screen.run_worker(self._practise(block.name), group="exercise", exclusive=True)

    async def _practise(self, name: str) -> None:
        try:
            code = await lend(self._screen, (sys.executable, "-P", "-m", "tui.cli", "practice", name))
        except OSError as error:
            self._screen.say(f"the exercise cannot be opened: {error.strerror or error}", "bad")
            return
        self._classroom.show()  # how far it is now
        self._screen.refresh()
        if code:
            self._screen.say(f"the exercise ended with exit code {code}", "warning")

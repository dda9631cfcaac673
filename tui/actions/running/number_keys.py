"""What a number key does: it answers an open question, else it chooses how the demo is shown."""

from __future__ import annotations

from tui.actions.action_group import ActionGroup
from tui.actions.context import ScreenContext
from tui.actions.running.demo import DemoActions
from tui.actions.teaching.question_keys import QuestionActions
from tui.keys.table import key_of


class NumberActions(ActionGroup):
    """The keys 0 to 9."""

    def __init__(self, screen: ScreenContext, questions: QuestionActions, demo: DemoActions) -> None:
        """A question that can be answered here has them before the demo."""
        super().__init__(screen)
        self._questions, self._demo = questions, demo

    async def digit(self, number: int) -> None:
        """An open question's answer, else a view of the demo; 0 is the demo's own."""
        from tui.views.registry import DIGITS

        answering = self._room.answering
        if answering.taking:
            if answering.types:
                await self._questions.answer(str(number))
            elif number or answering.points:
                self._screen.say(answering.pick(number - 1))
                self._classroom.show()
        elif (name := DIGITS.get(number, "")) and not self._has(number):
            self._screen.say(f"this run has nothing to show in the {name} view", "dim")
        elif not self._demo.look(view=name) and self._room.demo() is not None:
            self._screen.say(f"{key_of('demo')} starts the demo; then digits choose how it is shown", "dim")

    def _has(self, number: int) -> bool:
        """Whether the run shown has anything to say in that view; while that is not known, yes."""
        from tui.views.registry import offered

        snapshot = self._room.snapshot()
        return snapshot is None or snapshot.comparison is not None or number in offered(snapshot)

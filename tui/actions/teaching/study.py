"""What somebody who studies alone does otherwise than a class."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Protocol

from tui.actions.all_groups import ActionContext, Actions
from tui.actions.moving.navigation import NavigationActions
from tui.actions.running.code import CodeActions
from tui.actions.teaching.deck_editing import DeckEditingActions
from tui.actions.teaching.leave import LeaveActions
from tui.actions.teaching.question_keys import QuestionActions
from tui.keys.table import key_of


class StudyContext(ActionContext, Protocol):
    """The screen of a sitting."""

    home_again: bool  # left for the home screen, not because the terminal went

    def end(self) -> Awaitable[None]:
        """Show the end card of the sitting."""


class StudyNavigation(NavigationActions):
    """Behind the last slide is the end of the sitting."""

    _screen: StudyContext

    def _say_end(self) -> None:
        if self._session.after() is None:
            self._screen.call_later(self._screen.end)


class StudyQuestions(QuestionActions):
    """Of a prediction there is nothing to see before it was measured."""

    _given_up = ""

    async def reveal(self) -> None:
        measuring, current = self._room.measuring, self._room.answering.current()
        demo = measuring.demo()
        lost = demo is not None and self._room.run_state(demo.id) == "lost"
        if measuring.pending and measuring.going and not lost:
            self._screen.say(f"it is being measured; {key_of('demo')} stops it", "dim")
        elif current is not None and measuring.pending and self._given_up != current[0].id:
            self._given_up = current[0].id
            self._screen.say(f"{key_of('demo')} measures it; {key_of('reveal')} again gives it up")
        else:
            await super().reveal()


class StudyLeave(LeaveActions):
    """`q` leads home, ctrl+c out of it all; whatever is pressed while the host ends its demos."""

    _screen: StudyContext
    _home = False

    def _stake(self) -> str:
        """A student may leave a question open: it comes back."""
        return "a demo runs" if self._room.living() else ""

    async def quit(self) -> None:
        self._home = True
        await super().quit()

    def interrupt(self) -> None:
        self._home = False
        super().interrupt()

    async def _go(self) -> None:
        self._screen.home_again = self._home
        await super()._go()


class LessonDeck(DeckEditingActions):
    """A deck that changes under a student would lose what came back: nobody looks whether it did."""

    def watch_deck(self) -> None:
        pass

    def unwatch_deck(self) -> None:
        pass


class StudyActions(Actions):
    """Those of a class, four groups of them in another way."""

    def __init__(self, screen: StudyContext) -> None:
        self._study = screen
        super().__init__(screen)

    def _navigation(self, code: CodeActions) -> NavigationActions:
        return StudyNavigation(self._study, code)

    def _questions(self) -> QuestionActions:
        return StudyQuestions(self._study)

    def _deck_editing(self) -> DeckEditingActions:
        return LessonDeck(self._study)

    def _leave(self) -> LeaveActions:
        return StudyLeave(self._study)

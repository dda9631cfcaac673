"""To the next question of the deck that is still open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from quiz.kinds.registry import SILENT
from tui.actions.action_group import ActionGroup

if TYPE_CHECKING:
    from slides.deck import Quiz


class NextQuestionActions(ActionGroup):
    """The key for the next open question."""

    def next_question(self) -> None:
        """To the next question that is not revealed yet, behind the last slide from the first one on."""
        session, current = self._session, self._room.answering.current()
        here = current[0].id if current is not None and current[1].phase != "revealed" else ""
        for index in self._onward():
            for quiz in session.contents.quizzes(index):
                if self._open(quiz) and (quiz.id != here or index != session.index):
                    self._screen.jumped((index, quiz.at))
                    return
        self._screen.say("this is the only open question" if here else "no question is open", "dim")

    def _onward(self) -> Iterator[int]:
        """Every slide that is shown, from this one on; this one again at last, for what stands further up."""
        contents = self._session.contents
        slides = (*contents.visible, *contents.backup)
        at = slides.index(self._session.index) if self._session.index in slides else 0
        yield from (*slides[at:], *slides[: at + 1])

    def _open(self, quiz: Quiz) -> bool:
        from quiz.question import Question

        read, state = self._room.answering.parsed(quiz), self._session.question(quiz.id)
        asks = isinstance(read, Question) and read.kind not in SILENT
        return asks and (state is None or state.phase != "revealed")

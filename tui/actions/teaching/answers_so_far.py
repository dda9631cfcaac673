"""What was answered so far: looked at on this screen alone, or what was typed shown to the room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.kinds.registry import TYPED
from runtime.classroom.question_state import QuestionState, said
from slides.drawing import cells
from tui.actions.action_group import ActionGroup
from tui.screens.overlay import Found, Pick

if TYPE_CHECKING:
    from quiz.question import Question
    from tui.actions.context import ScreenContext
    from tui.screens.run_menus import Item


class AnswersSoFarActions(ActionGroup):
    """The key that peeks at answers before they are revealed."""

    def __init__(self, screen: ScreenContext) -> None:
        super().__init__(screen)
        self._left_out: dict[str, set[str]] = {}  # by question: words that the room is not to read

    async def peek(self) -> None:
        """What was answered so far, on this screen alone; one that was typed can be read out to the room."""
        current = self._room.answering.current()
        if current is None or not current[1].answered:
            self._screen.say("nobody has answered a question of this slide", "dim")
            return
        question, state = current
        if question.kind in TYPED:
            await self._typed(question, state)
            return
        from tui.export.question_parts import words
        from tui.screens.notice import Told
        from tui.views.question.answers_so_far import votes_so_far

        lines = votes_so_far(question, state, words)
        await self._screen.cover(Told(self._screen.painter, "Answers so far", lambda: lines, len(lines)))

    async def _typed(self, question: Question, state: QuestionState) -> None:
        """What was typed: one to be read out or left out, or all of it as a board of words."""
        from tui.classroom.answering.word_cloud import folded, words
        from tui.export.question_parts import words as without_markup
        from tui.screens.run_menus import Item, Menu

        out = self._left_out.setdefault(question.id, set())
        given = [(each.count, "; ".join(each.text)) for each in said(state)]
        rows = [Found(text, f"{count}×", text) for count, text in given]
        every = Found("", "all", f"show the room every word{f' but {len(out)}' if out else ''}")

        def search(text: str) -> list[Found]:
            found = [row for row in rows if text.casefold() in row.text.casefold()]
            return [every, *found] if not text else found

        async def do(text: str) -> None:
            if not text:
                heading = without_markup(question.stem) or "The room wrote"
                board = words(heading, said(state), out)
                if not board.rows:
                    self._screen.say("no answer is short enough for a board: read one out", "dim")
                elif not self._room.phones.put_up(board):
                    self._screen.say(
                        "only whoever drives a class with a host can show words to the room", "dim"
                    )
                return
            await self._screen.cover(Menu(self._screen.painter, cells.clean(text), items(text), what))

        def items(text: str) -> list[Item]:
            known = folded(text) in out
            return [
                Item(("read", text), "read it out", "the room reads this one, and not whose it is"),
                Item(
                    ("out", text),
                    "put it back" if known else "leave it out",
                    "it is among the words again" if known else "it will not be among the words",
                ),
            ]

        async def what(chosen: tuple[str, str]) -> None:
            if chosen[0] == "read":
                self._room.phones.read_out(chosen[1])
            else:
                out.symmetric_difference_update({folded(chosen[1])})
                await self._typed(question, state)

        await self._screen.cover(Pick(self._screen.painter, "answers so far", search, do))

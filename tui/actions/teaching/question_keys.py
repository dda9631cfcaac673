"""The question on the slide shown."""

from __future__ import annotations

from msgspec.structs import replace

from quiz.kinds.kind import of
from quiz.kinds.registry import LINED
from tui.actions.action_group import ActionGroup
from tui.actions.running.estimate import EstimateActions
from tui.keys.table import key_of


class QuestionActions(ActionGroup):
    """Keys for answering, locking, revealing and counting hands."""

    async def reveal(self) -> None:
        """The answer with its explanations, again all of them; on a slide without an open question the demo's
        parameters."""
        current = self._room.answering.current()
        if current is None and EstimateActions(self._screen).reveal():
            return
        if (current is None or current[1].phase == "revealed") and self._room.demo() is not None:
            await self._screen.do("edit")
        elif current is not None and current[1].phase == "revealed":
            self._full_size()
        else:
            self._done(self._room.answering.reveal())

    def _full_size(self) -> None:
        """The panel, or the picture of an answer, as large as the screen, and back."""
        look = self._session.state.look
        self._session.act(replace(look, full=not look.full))
        self._classroom.show()

    def _done(self, trouble: str) -> None:
        self._screen.say(trouble)
        self._classroom.show()

    async def enter(self) -> None:
        """Enter: lock an open question, or write the answer that is to be written; without one the panel full
        size and back."""
        answering = self._room.answering
        if not answering.taking:
            looked_at = self._room.snapshot() is not None or self._room.outputs.open() is not None
            if looked_at and self._session.role == "console":
                self._full_size()
        elif answering.unwritten:
            await self.answer()
        elif self._session.may_answer and (first := answering.missing()):
            self._screen.say(first)
        elif self._session.may_answer:
            self._screen.say("your answer is in; it can be changed until the question is locked", "dim")
        else:
            self._done(answering.lock())

    async def answer(self, begun: str = "") -> None:
        """A line to type the answer on, with what was typed before or the digit that began it."""
        answering = self._room.answering
        current = answering.current()
        if current is None or not answering.types:
            self._screen.say("no question here is answered by typing", "dim")
            return
        from tui.screens.run_menus import Edit

        question = current[0]
        before = "; ".join(answering.typed(question.id))
        about = of(question.kind).typing(question)

        async def done(text: str) -> None:
            answering.type(text)
            self._classroom.show()

        await self._screen.cover(
            Edit(
                self._screen.painter,
                "answer",
                begun or before,
                answering.why_not,
                lambda _: about,
                None,
                done,
                "takes it",
            )
        )

    async def hands(self) -> None:
        """How many hands the teacher sees for each option, or each value of what a side of a duel turns."""
        answering = self._room.answering
        current = answering.hands.countable()
        if current is None:
            if not await EstimateActions(self._screen).hands():
                self._screen.say("no question or duel here to count hands for", "dim")
            return
        from tui.screens.run_menus import Edit

        def check(text: str) -> str:
            counts = answering.hands.read(text)
            return counts if isinstance(counts, str) else ""

        def about(word: str) -> str:
            if current[0].kind in LINED:
                return f"a line of 1 to {current[1].options} and its hands, as in 1:4; empty: none"
            return f"one count for each of 1 to {current[1].options}, with spaces between; empty: none"

        async def done(text: str) -> None:
            counts = answering.hands.read(text)
            if not isinstance(counts, str):
                answering.hands.send(counts)
                taken_back = f"{key_of('undo')} takes that back"
                self._screen.say(f"{sum(counts)} hands; {taken_back}" if counts else "no hands", "good")
            self._classroom.show()

        before = answering.hands.written()
        ask = Edit(self._screen.painter, "hands", before, check, about, None, done, "counts them")
        await self._screen.cover(ask)

    def hint(self) -> None:
        """Show the next hint of the open question."""
        self._done(self._room.answering.hint())

    def again(self) -> None:
        """A second vote, once the room has talked about the first."""
        trouble = self._room.answering.again()
        self._done(trouble)
        if not trouble:
            self._screen.say("vote again: both votes stay hidden until the reveal", "good")

    def undo(self) -> None:
        """Take back what this screen did last in the class."""
        if not self._session.undo():
            self._screen.say("nothing from this screen to take back", "dim")

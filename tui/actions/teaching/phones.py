"""Phones of the room: let in, shown how to join, kept out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from quiz.kinds.registry import TYPED
from runtime.classroom.question_state import QuestionState, said, team_of
from runtime.protocol.messages import OpenPhones
from slides.drawing import cells
from tui.actions.action_group import ActionGroup
from tui.keys.table import key_of
from tui.screens.overlay import Found, Pick

if TYPE_CHECKING:
    from quiz.question import Question
    from tui.actions.context import ScreenContext
    from tui.screens.run_menus import Item


def _against(who: str) -> list[Item]:
    from tui.screens.run_menus import Item

    name = cells.clean(who)
    return [
        Item("mute", f"mute {name}", "may answer and no longer ask; once more: may ask again"),
        Item("out", f"remove {name}", "this phone can no longer ask or answer"),
    ]


class PhoneActions(ActionGroup):
    """Keys for the phones of a class."""

    def __init__(self, screen: ScreenContext) -> None:
        super().__init__(screen)
        self._left_out: dict[str, set[str]] = {}  # by question: words that the room is not to read

    def phones(self) -> None:
        """Let phones in and show how they join; again: back to the slide, they stay."""
        room = self._room.phones
        if self.leave():
            return
        if room.on:
            room.change(card=True)
        else:
            from runtime.phones import interfaces

            room.ask(OpenPhones(interfaces.outward(), card=True))
            self._screen.say("phones: starting …", "dim")

    def leave(self) -> bool:
        """Take the card away; False where there is none."""
        left = self._room.phones.uncover()
        if left:
            self._classroom.show()
        return left

    async def asked(self) -> None:
        """What the room asks: one of it for everybody to read, or done with."""
        voices = self._room.phones.voices
        if not voices.questions:
            self._screen.say("nobody has asked anything", "dim")
            return
        rows = [
            Found(one.id, f"{one.votes}×" if one.picked else "new", f"{one.text}   ({one.who})")
            for one in sorted(voices.questions, key=lambda one: (-one.votes, one.id))
        ]

        def search(text: str) -> list[Found]:
            words = text.casefold().split()
            return [row for row in rows if all(word in row.text.casefold() for word in words)]

        await self._screen.cover(Pick(self._screen.painter, "the room asks", search, self._ask_what))

    async def _ask_what(self, id: int) -> None:
        found = next((one for one in self._room.phones.voices.questions if one.id == id), None)
        if found is None:
            return
        from tui.screens.run_menus import Item, Menu

        items = [
            Item("shown", "show it to the room", "phones too, which can ask for it as well"),
            Item("picked", "on phones only", "they can ask for it as well"),
            Item("done", "done with it", "it is gone from the list"),
            *_against(found.who),
        ]

        async def do(what: Literal["shown", "picked", "done", "out", "mute"]) -> None:
            if what == "out" or what == "mute":
                self._refuse(found.seat, found.who, what)
                what = "done"
            self._room.phones.pick(id, what)

        await self._screen.cover(Menu(self._screen.painter, cells.clean(found.text), items, do))

    async def people(self) -> None:
        """Everybody of whom something was heard: one can be muted, or put out."""
        people = self._room.phones.people()
        if not people:
            self._screen.say("nobody has asked or answered by phone", "dim")
            return
        from tui.screens.run_menus import Menu

        def search(text: str) -> list[Found]:
            found = [item for item in people.items() if text.casefold() in item[1].casefold()]
            return [Found(seat, team_of(seat), cells.clean(who)) for seat, who in found]

        async def chosen(seat: str) -> None:
            async def do(what: str) -> None:
                self._refuse(seat, people[seat], what)

            who = people[seat]
            await self._screen.cover(Menu(self._screen.painter, cells.clean(who), _against(who), do))

        await self._screen.cover(Pick(self._screen.painter, "phones of the room", search, chosen))

    def _refuse(self, seat: str, who: str, what: str) -> None:
        room = self._room.phones
        if not (room.change(out=seat) if what == "out" else room.change(mute=seat)):
            self._screen.say(f"phones are off, or another console drives; {key_of('lead')} takes over", "dim")
        elif what == "out":
            self._screen.say(f"{cells.clean(who)} was removed")

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

    def teams(self) -> None:
        """Show the room what its teams have earned so far; again: back to the slide."""
        from tui.reports.classes.team_totals import totals_of_class

        room = self._room.phones
        if self.leave():
            return
        if not room.now.teams:
            self._screen.say(
                "phones have no teams: start with present --phones-teams red,blue to let them choose", "dim"
            )
            return
        board = totals_of_class(self._session, self._room.answering, room.now.teams)
        if board is None:
            self._screen.say("no question with a right answer is revealed yet", "dim")
        elif not room.put_up(board):
            self._screen.say(f"only whoever drives can show the teams; {key_of('lead')} takes over", "dim")

    def door(self) -> None:
        """Let nobody new in by phone, or let them in again; who is in stays."""
        room = self._room.phones
        if not room.on:
            self._screen.say(f"phones are off; {key_of('phones')} turns them on", "dim")
            return
        opens = not room.now.open
        room.change(open=opens)
        self._screen.say(
            "phones may join again" if opens else "no new phone can join; those that are in stay"
        )

    def phones_off(self) -> None:
        """Serve no phone any more."""
        if not self._room.phones.on:
            self._screen.say("phones are off already", "dim")
            return
        self._room.phones.shut()
        self._screen.say("phones are off; their answers are kept")

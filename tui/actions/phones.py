"""Phones of the room: let in, shown how to join, kept out."""

from __future__ import annotations

from typing import Literal

from quiz.kinds.registry import TYPED
from runtime.classroom.question_state import said
from runtime.protocol.messages import OpenPhones
from slides.drawing import cells
from tui.actions.base import ActionGroup
from tui.keys.table import key_of
from tui.screens.menus import Item, Menu
from tui.screens.notice import Told
from tui.screens.overlay import Found, Pick
from tui.views.question.peek import votes_so_far


class PhoneActions(ActionGroup):
    """Keys for the phones of a class."""

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
            self._screen.say("nobody asks anything", "dim")
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
        items = [
            Item("shown", "show it to the room", "phones too, which can ask for it as well"),
            Item("picked", "on phones only", "they can ask for it as well"),
            Item("done", "done with it", "it is gone from the list"),
            Item("out", f"put {cells.clean(found.who)} out", "this seat says and answers nothing more"),
        ]

        async def do(what: Literal["shown", "picked", "done", "out"]) -> None:
            if what == "out":
                self._room.phones.change(out=found.seat)
            self._room.phones.pick(id, "done" if what == "out" else what)

        await self._screen.cover(Menu(self._screen.painter, cells.clean(found.text), items, do))

    async def peek(self) -> None:
        """What was answered so far, on this screen alone; one that was typed can be read out to the room."""
        current = self._room.answering.current()
        if current is None or not current[1].answered:
            self._screen.say("nobody has answered a question of this slide", "dim")
            return
        question, state = current
        if question.kind in TYPED:
            given = [(each.count, "; ".join(each.text)) for each in said(state)]
            rows = [Found(text, f"{count}×", text) for count, text in given]

            async def read_out(text: str) -> None:
                self._room.phones.read_out(text)

            def search(text: str) -> list[Found]:
                return [row for row in rows if text.casefold() in row.text.casefold()]

            await self._screen.cover(Pick(self._screen.painter, "answers so far", search, read_out))
            return
        lines = votes_so_far(question, state)
        await self._screen.cover(Told(self._screen.painter, "Answers so far", lambda: lines, len(lines)))

    def door(self) -> None:
        """Let nobody new in by phone, or let them in again; who is in stays."""
        room = self._room.phones
        if not room.on:
            self._screen.say(f"no phones are let in; {key_of('phones')} does", "dim")
            return
        opens = not room.now.open
        room.change(open=opens)
        self._screen.say("phones may join again" if opens else "nobody new joins by phone; who is in stays")

    def phones_off(self) -> None:
        """Serve no phone any more."""
        if not self._room.phones.on:
            self._screen.say("no phones are let in", "dim")
            return
        self._room.phones.shut()
        self._screen.say("phones are off; their answers are kept")

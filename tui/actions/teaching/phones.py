"""Phones of the room: let in, shown how to join, kept out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from runtime.classroom.question_state import team_of
from runtime.protocol.messages import OpenPhones
from slides.drawing import cells
from tui.actions.action_group import ActionGroup
from tui.keys.table import key_of
from tui.screens.overlay import Found, Pick

if TYPE_CHECKING:
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

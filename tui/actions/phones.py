"""Phones of the room: let in, shown how to join, kept out."""

from __future__ import annotations

from runtime.protocol.messages import OpenPhones
from tui.actions.base import ActionGroup
from tui.keys.table import key_of


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
        room = self._room.phones
        if not room.now.card:
            return False
        room.change(card=False)
        self._classroom.show()
        return True

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

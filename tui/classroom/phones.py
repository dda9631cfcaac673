"""Phones of the room, as one screen has them: how they reach the class, and what they are shown of it. Pure.

The console that drives makes the page of the phones: only it has the deck, and it leaves the keys out until
they are revealed. The host hands that page on, and gives answers their place in the class.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace

from runtime.classroom.question_state import PHONE
from runtime.protocol.class_messages.room_board import Board
from runtime.protocol.messages import (
    Message,
    OpenPhones,
    PhonePage,
    Phones,
    PickQuestion,
    RoomVoices,
    ShutPhones,
)
from tui.classroom.answering.questions import Answering
from tui.classroom.session import Session

if TYPE_CHECKING:
    from tui.export.phone_pictures import PhonePictures


class PhoneRoom:
    """The phones of a class. `send` is the way to the host."""

    def __init__(self, session: Session, answering: Answering, send: Callable[[Message], None]) -> None:
        self._session, self._answering, self._send = session, answering, send
        self._knows = False  # the host does
        self._wish: OpenPhones | None = None  # what this console asked for
        self._sent: Hashable = None
        self._pictures: PhonePictures | None = None
        self.now = Phones()
        self.voices = RoomVoices()  # what the room asks, as consoles are told

    @property
    def on(self) -> bool:
        """Whether phones can join, or will in a moment."""
        return self.now.state in ("starting", "on")

    @property
    def _says(self) -> bool:
        return self._knows and self._session.driving and self._session.role == "console"

    def ask(self, wish: OpenPhones) -> bool:
        """Let phones in, so and so; False where no host hears of it yet (it is asked once one is there)."""
        self._wish = wish
        if self._says:
            self._send(wish)
            self.tell()
        return self._says

    def people(self) -> dict[str, str]:
        """The seats of whom anything was heard, with the names of their people."""
        found = {one.seat: one.who for one in self.voices.questions}
        for question in self._session.state.questions.values():
            found |= {seat: who for seat, who in question.people.items() if seat.startswith(PHONE)}
        return dict(sorted(found.items(), key=lambda item: item[1].casefold()))

    def change(
        self, *, card: bool | None = None, open: bool | None = None, out: str = "", mute: str = ""
    ) -> bool:
        """Show the card or not, open the door or shut it, put a seat out, mute one or hear it again; False
        where phones are off."""
        wish = self._wish or self.now.asked
        if wish is None or not self.on:
            if card is False and self.now.card:
                self.now = replace(self.now, card=False)  # of phones that could not be served
            return False
        kept = self.now.card if card is None else card, self.now.open if open is None else open
        self._wish = replace(wish, card=kept[0], open=kept[1])
        if self._says:
            self._send(replace(self._wish, out=out, mute=mute))
        return self._says

    def pick(self, id: int, do: Literal["shown", "picked", "done"]) -> None:
        """Let the room read what somebody asked, only phones, or nobody."""
        if self._says:
            self._send(PickQuestion(id, do))

    def read_out(self, text: str) -> None:
        """Let the room read an answer that somebody typed."""
        if self._says:
            self._send(PickQuestion(0, "shown", text))

    def put_up(self, board: Board) -> bool:
        """Have everybody see a board; False where no host can show it."""
        if self._says:
            self._send(PickQuestion(0, "shown", board=board))
        return self._says

    @property
    def covers(self) -> bool:
        """Whether the card lies over the slide: how to join, what somebody asked, or a board."""
        return self.now.card or bool(self.now.question) or self.now.board is not None

    def uncover(self) -> bool:
        """Take the card away; False where there is none."""
        if not self.covers:
            return False
        shown = next((one.id for one in self.voices.questions if one.text == self.now.question), 0)
        if self.now.question or self.now.board is not None:
            self.pick(shown, "picked")
        if self.now.card:
            self.change(card=False)
        return True

    def shut(self) -> None:
        """Serve no phone any more."""
        self._wish, self._sent = None, None
        if self._says:
            self._send(ShutPhones())

    # --- what the host says -----------------------------------------------------------------------------

    def attached(self, knows: bool) -> None:
        """A host is there; one that came back anew is asked again."""
        self._knows, self._sent = knows, None
        if self.on:  # it says so itself, if they are
            self.now = replace(self.now, state="starting", here=0)
        wish = self._wish or self.now.asked  # another console's, if this one came later
        if wish is not None and self._says:
            self._send(wish)
            self.tell()

    def hear(self, phones: Phones | RoomVoices) -> None:
        """How phones stand now, or what they say."""
        if isinstance(phones, RoomVoices):
            self.voices = phones
            return
        begun = phones.state == "on" and self.now.state != "on"
        self.now = phones
        if begun:
            self._sent = None
        self.tell()

    # --- what phones are shown --------------------------------------------------------------------------

    def arrived(self) -> None:
        """The class went on: the card is not what it looks at any more."""
        if self._says:
            self.uncover()
        self.tell()

    def tell(self) -> None:
        """Have phones show what the room sees now, if that is something else; a frozen room keeps it."""
        state = self._session.state
        if not (self._says and self.on) or state.shown != "live" or state.stands:
            return
        look = self._look()
        if look != self._sent:
            from tui.export import phone_page, phone_pictures

            self._pictures = self._pictures or phone_pictures.PhonePictures(self._made)

            self._sent = look
            asked = [(q, self._session.question(q.id)) for q in self._answering.shown()]
            contents, session = self._session.contents, self._session
            pictures = self._pictures.of_page(Path(contents.deck.path).parent)
            body = phone_page.page(contents, session.index, session.step, asked, pictures.address)
            self._send(PhonePage(body, pictures.used))

    def _made(self) -> None:
        """A picture can be shown now that was only named."""
        self._sent = None
        self.tell()

    def _look(self) -> Hashable:
        """All that a page depends on."""
        session = self._session
        questions = session.contents.quizzes(session.index)
        states = [session.question(quiz.id) for quiz in questions]
        phases = tuple((s.id, s.phase, s.explain, s.general, s.hints) if s else None for s in states)
        return session.contents.rev, session.index, session.step, phases

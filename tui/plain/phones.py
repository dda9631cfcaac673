"""Phones of the room in a class in lines: said how they join, let in and kept out."""

from __future__ import annotations

from collections.abc import Callable

from quiz.kinds.registry import TYPED
from runtime.classroom.question_state import said
from runtime.protocol.class_messages.room_board import Board
from runtime.protocol.messages import OpenPhones
from slides.drawing.cells import clean
from tui.classroom.room import Room


class PhoneLines:
    """What is said of phones, and what is done to them."""

    def __init__(self, room: Room, say: Callable[[str], None]) -> None:
        self._room, self._say = room, say
        self._told, self._asked = "", ""

    def changed(self) -> None:
        """Say how phones join, once they can, and why they cannot."""
        now = self._room.phones.now
        told = ""
        if now.state == "on":
            told = f"phones join at {now.url} with the code {now.code}, or at {now.url}/#{now.code}"
        elif now.state == "failed":
            told = f"phones cannot join: {now.why}; {now.mend}"
        if told and told != self._told:
            self._say(told)
        self._told = told or self._told
        self._shown()

    def _shown(self) -> None:
        """Say what the room is shown of what it asked or wrote."""
        now = self._room.phones.now
        board = now.board
        shown = clean(now.question)
        if board is not None and board.kind == "words":
            rows = ", ".join(f"{clean(row.text)} ({row.n})" for row in board.rows)
            shown = f"{clean(board.heading)}: {rows}"
        elif board is not None:
            rows = ", ".join(f"{clean(row.text)} {row.n} % of {row.people}" for row in board.rows)
            shown = f"{board.heading}: {rows}"
        if shown and shown != self._asked:
            self._say(f"from the room: {shown}")
        self._asked = shown

    def phones(self, rest: str) -> None:
        """`phones`: let them in, or say how they join; `off`, `shut`, `open`; `words`, `teams` are shown."""
        room = self._room.phones
        word = rest.strip().lower()
        if word == "off":
            room.shut()
            self._say("phones are off; their answers are kept")
        elif word in ("shut", "open"):
            said = "phones may join" if word == "open" else "no new phone can join; those that are in stay"
            self._say(said if room.change(open=word == "open") else "phones are off; `phones` turns them on")
        elif word in ("words", "teams"):
            self._put_up(word)
        elif word.startswith(("mute ", "out ")):
            self._refuse(*rest.strip().split(None, 1))
        elif word:
            self._say(
                "write phones, phones shut, phones open, phones words, phones teams, phones mute NAME, "
                "phones out NAME or phones off"
            )
        elif room.on:
            self._told = ""
            self.changed()
            self._say(f"{room.now.here} in, {room.now.seats} seats given")
        else:
            from runtime.phones import interfaces

            room.ask(OpenPhones(interfaces.outward()))
            self._say("phones: starting …")

    def _refuse(self, what: str, name: str) -> None:
        """`mute NAME`, again to hear it once more, or `out NAME`."""
        room = self._room.phones
        seats = [seat for seat, who in room.people().items() if who.casefold() == name.casefold()]
        for seat in seats:
            if what.lower() == "out":
                room.change(out=seat)
            else:
                room.change(mute=seat)
        self._say(f"{clean(name)}: {what.lower()}" if seats else f"nobody here is called {clean(name)}")

    def _put_up(self, what: str) -> None:
        """Show the room what it wrote, or what its teams have earned."""
        from tui.classroom.answering.word_cloud import words
        from tui.export.question_parts import words as without_markup
        from tui.reports.classes.team_totals import totals_of_class

        room = self._room
        board: Board | None = None
        if what == "teams":
            teams = room.phones.now.teams
            board = totals_of_class(room.session, room.answering, teams) if teams else None
        elif (current := room.answering.current()) is not None and current[0].kind in TYPED:
            question, state = current
            board = words(without_markup(question.stem) or "The room wrote", said(state))
        if board is None or not board.rows:
            self._say(
                "nothing revealed yet, or no teams" if what == "teams" else "nobody has written a word here"
            )
        elif not room.phones.put_up(board):
            self._say("only whoever drives can show things to the room")

"""What the room asks the lecturer by phone, and for how many it is too fast, as the host of a class has it.

A queue for consoles only, until a teacher picks something from it. It lives as long as the host.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from msgspec.structs import replace

from runtime.protocol.messages import PickQuestion, RoomQuestion, RoomVoices
from runtime.protocol.phone_messages import FromRoom, Voices

MOST_TEXT = 400  # characters of an answer that is read out
MOST = 500  # questions of a class
FELT_S = 180.0  # so long does a word on how it goes count


class RoomQuestions:
    """The questions of a room, by id from 1 on."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._asked: dict[int, RoomQuestion] = {}
        self._by: dict[int, set[str]] = {}  # seats that ask it
        self._felt: dict[str, tuple[str, float]] = {}
        self._next = 1
        self._answer = ""
        self.shown = 0  # the one that everybody reads now, 0 for none

    def hear(self, voices: Voices) -> None:
        """Take what phones said."""
        for one in voices.asked:
            if len(self._asked) < MOST:
                self._asked[self._next] = RoomQuestion(self._next, one.seat, one.who, one.text)
                self._by[self._next] = {one.seat}
                self._next += 1
        for seat, id in voices.supported:
            if (found := self._asked.get(id)) is not None and found.picked:
                self._by[id].add(seat)
                self._asked[id] = replace(found, votes=len(self._by[id]))
        for seat, word in voices.felt:
            self._felt[seat] = word, self._now()

    def pick(self, wish: PickQuestion) -> None:
        """Do what a teacher wants with one of them, or with an answer."""
        self._answer = wish.text[:MOST_TEXT] if wish.do == "shown" and not wish.id else ""
        if not wish.id:
            self.shown = 0
        found = self._asked.get(wish.id)
        if found is None:
            return
        if wish.do == "done":
            del self._asked[wish.id]
            self.shown = 0 if self.shown == wish.id else self.shown
        else:
            self._asked[wish.id] = replace(found, picked=True)
            self.shown = wish.id if wish.do == "shown" else 0

    @property
    def text(self) -> str:
        """What everybody reads now."""
        found = self._asked.get(self.shown)
        return found.text if found is not None else self._answer

    def voices(self) -> RoomVoices:
        """All of it, as consoles are told."""
        since = self._now() - FELT_S
        words = [word for word, at in self._felt.values() if at > since]
        return RoomVoices(tuple(self._asked.values()), words.count("fast"), words.count("lost"))

    def for_phones(self) -> FromRoom:
        """What phones may read of it."""
        picked: Mapping[int, RoomQuestion] = {id: one for id, one in self._asked.items() if one.picked}
        return FromRoom({id: (one.text, one.votes) for id, one in picked.items()})

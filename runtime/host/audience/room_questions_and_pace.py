"""What the room asks the lecturer by phone, and for how many it is too fast, as the host of a class has it.

A queue for consoles only, until a teacher picks something from it. What is asked is kept beside the journal,
so a host that comes back has it; how it goes for the room is of the moment.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
from msgspec.structs import replace

from runtime.host import hanging_disk
from runtime.protocol.class_messages.phone_messages import AskedBy, FromRoom, Voices
from runtime.protocol.class_messages.room_board import Board, bounded
from runtime.protocol.messages import PickQuestion, RoomQuestion, RoomVoices

MOST_TEXT = 400  # characters of an answer that is read out
MOST = 500  # questions of a class
FELT_S = 180.0  # so long does a word on how it goes count
REACTED_S = 15.0  # and so long a reaction


class Kept(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of the file: what was asked, what of it by others too, what was picked and done with, by id."""

    asked: tuple[AskedBy, ...] = ()
    supported: tuple[tuple[str, int], ...] = ()
    picked: int = 0
    done: int = 0


class RoomQuestions:
    """The questions of a room, by id from 1 on, kept in the file `path`; None: nowhere."""

    def __init__(self, path: Path | None = None, now: Callable[[], float] = time.monotonic) -> None:
        self._path, self._now = path, now
        self._asked: dict[int, RoomQuestion] = {}
        self._by: dict[int, set[str]] = {}  # seats that ask it
        self._known: set[tuple[str, int]] = set()  # seat and its count: what comes twice is one
        self._felt: dict[str, tuple[str, float]] = {}
        self._reacted: dict[str, tuple[str, float]] = {}
        self._next = 1
        self._answer = ""
        self.board: Board | None = None  # that everybody sees now
        self.shown = 0  # the one that everybody reads now, 0 for none
        self._read()

    def _read(self) -> None:
        decoder = msgspec.json.Decoder(Kept)
        try:
            lines = self._path.read_bytes().split(b"\n") if self._path is not None else []
        except OSError:
            return  # there is none yet
        for line in lines:
            with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError):  # half of one, or empty
                self._take(decoder.decode(line))

    def _keep(self, kept: Kept) -> None:
        """Take it, and have it in the file; a disk that is full or hangs costs the class nothing."""
        self._take(kept)
        if (path := self._path) is not None and kept != Kept():
            hanging_disk.write(
                lambda: _append(path, b"\n" + msgspec.json.encode(kept))
            )  # after what may have been cut

    def _take(self, kept: Kept) -> None:
        for one in kept.asked:
            if len(self._asked) < MOST and (one.seat, one.n) not in self._known:
                self._known.add((one.seat, one.n))
                self._asked[self._next] = RoomQuestion(self._next, one.seat, one.who, one.text)
                self._by[self._next] = {one.seat}
                self._next += 1
        if (found := self._asked.get(kept.picked)) is not None:
            self._asked[kept.picked] = replace(found, picked=True)
        for seat, id in kept.supported:
            if (found := self._asked.get(id)) is not None and found.picked:
                self._by[id].add(seat)
                self._asked[id] = replace(found, votes=len(self._by[id]))
        self._asked.pop(kept.done, None)

    def hear(self, voices: Voices) -> None:
        """Take what phones said."""
        self._keep(Kept(voices.asked, voices.supported))
        for seat, word in voices.felt:
            self._felt[seat] = word, self._now()
        for seat, word in voices.reacted:
            self._reacted[seat] = word, self._now()

    def pick(self, wish: PickQuestion) -> None:
        """Do what a teacher wants with one of them, or with an answer or a board."""
        shows = wish.do == "shown" and not wish.id
        self._answer = wish.text[:MOST_TEXT] if shows else ""
        self.board = bounded(wish.board) if shows and wish.board is not None else None
        if not wish.id:
            self.shown = 0
        if wish.id not in self._asked:
            return
        if wish.do == "done":
            self._keep(Kept(done=wish.id))
            self.shown = 0 if self.shown == wish.id else self.shown
        else:
            self._keep(Kept(picked=wish.id))
            self.shown = wish.id if wish.do == "shown" else 0

    @property
    def text(self) -> str:
        """What everybody reads now."""
        found = self._asked.get(self.shown)
        return found.text if found is not None else self._answer

    def voices(self) -> RoomVoices:
        """All of it, as consoles are told."""
        now = self._now()
        words = [word for word, at in self._felt.values() if now - at < FELT_S]
        reacted = Counter(word for word, at in self._reacted.values() if now - at < REACTED_S)
        asked = tuple(self._asked.values())
        return RoomVoices(asked, words.count("fast"), words.count("lost"), dict(reacted))

    def for_phones(self) -> FromRoom:
        """What phones may read of it."""
        picked: Mapping[int, RoomQuestion] = {id: one for id, one in self._asked.items() if one.picked}
        return FromRoom({id: (one.text, one.votes) for id, one in picked.items()})


def _append(path: Path, data: bytes) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    with os.fdopen(fd, "ab") as file:
        file.write(data)

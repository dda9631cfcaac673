"""The seats of a class: who answers by phone, kept beside the journal.

A browser proves its seat with a token that only it has; the file keeps the token's hash. Each line is one
seat as it is from then on, so a gate that is killed loses none, and half a line is no seat.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from runtime.classroom.question_state import seat_name, team_of
from runtime.phones.browser_messages import cleaned
from runtime.phones.nicknames import nickname

MOST_SEATS = 6000
_LETTERS = "3479ACEFHJKLMNPRTUVWXY"  # none is taken for another, in letters made of blocks either
CODE_LENGTH = 5


class Seat(msgspec.Struct, frozen=True, omit_defaults=True):
    """A seat: its name in the journal, the hash of its token, its person's name; `out`: it may not answer,
    `mute`: it may answer and not ask."""

    id: str
    token: str
    name: str
    out: bool = False
    mute: bool = False


class Kept(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of the file: the code and port of the class, or a seat."""

    code: str = ""
    port: int = 0
    seat: Seat | None = None


def hashed(token: str) -> str:
    """Return what is kept of a token (SHA-256; it has 128 random bits, so no salt is needed)."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


class Seats:
    """All seats of a class, read from `path` and appended to it. Raises `OSError` where that cannot be."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._of: dict[str, Seat] = {}  # by the hash of its token
        self._by_id: dict[str, str] = {}
        self._names: set[str] = set()
        self.code, self.port = "", 0
        self._read()
        if not self.code:
            self.code = "".join(secrets.choice(_LETTERS) for _ in range(CODE_LENGTH))
            self._append(Kept(code=self.code))

    def __len__(self) -> int:
        return len(self._of)

    def _read(self) -> None:
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            return
        decoder = msgspec.json.Decoder(Kept)
        for line in data.split(b"\n"):
            try:
                kept = decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue  # half of one, or empty
            self.code, self.port = kept.code or self.code, kept.port or self.port
            if kept.seat is not None:
                self._take(kept.seat)

    def _take(self, seat: Seat) -> None:
        if (before := self._of.get(seat.token)) is not None:
            self._names.discard(before.name)
        self._of[seat.token] = seat
        self._by_id[seat.id] = seat.token
        self._names.add(seat.name)

    def _append(self, kept: Kept) -> None:
        fd = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        with os.fdopen(fd, "ab") as file:
            file.write(b"\n" + msgspec.json.encode(kept))  # after what may have been cut

    def listens(self, port: int) -> None:
        """Keep the port, so that phones find the class again behind the same address."""
        if port != self.port:
            self.port = port
            self._append(Kept(port=port))

    def right(self, code: str) -> bool:
        """Whether this is the code of the class, however it was typed."""
        return secrets.compare_digest(cleaned(code, 12).upper().encode(), self.code.encode())

    def find(self, token: str) -> Seat | None:
        """Return the seat of a token, None if there is none."""
        return self._of.get(hashed(token)) if token else None

    def named(self, id: str) -> Seat | None:
        """Return a seat by its name in the journal."""
        return self._of.get(self._by_id.get(id, ""))

    def take(self, name: str = "", team: str = "") -> tuple[Seat, str] | None:
        """Give somebody a seat, under the name they chose or another, in a team; returns it and its token.

        None once all seats are given. Raises `OSError`.
        """
        if len(self._of) >= MOST_SEATS:
            return None
        token = secrets.token_hex(16)
        seat = Seat(seat_name(secrets.token_hex(6), team), hashed(token), nickname(name, self._names))
        self._append(Kept(seat=seat))
        self._take(seat)
        return seat, token

    def smallest_first(self, teams: Iterable[str]) -> list[str]:
        """Return teams in the order of how many are in them."""
        sizes = Counter(team_of(id) for id in self._by_id)
        return sorted(teams, key=lambda team: sizes[team])

    def change(self, id: str, *, out: bool = False, mute: bool = False) -> Seat | None:
        """Put a seat `out`, or `mute` it, or hear it again; returns it.

        That holds where it cannot be written down, too, as long as this gate lives.
        """
        seat = self.named(id)
        if seat is not None:
            seat = msgspec.structs.replace(seat, out=seat.out or out, mute=seat.mute != mute)
            self._take(seat)
            with suppress(OSError):
                self._append(Kept(seat=seat))
        return seat

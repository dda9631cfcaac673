"""What a rank of an exercise tells the one who runs it: a line of JSON a message, over a unix socket.

The other way goes a word of `WORD` bytes before each check: the rank may begin it, and says the word again
with its verdict. So a line that the student's file writes to the socket is known from one of the checker's.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

MAX_LINE = 1 << 16  # bytes of a message
WORD = 16  # bytes
NOBODY = -2  # the peer of a transfer to or from a rank that there is not, or from any
LOST = 113  # exit code of a rank that has lost its line to the runner


class Message(Struct, frozen=True, tag_field="is"):
    """Base of what a rank tells; its kind is the tag in the field `is`."""

    rank: int


class Call(Message, frozen=True, tag="call"):
    """A collective or transfer was entered, from this line of the student's file (0: not from there).

    `peer` is the other end of a transfer, as a global rank, else -1; `number` counts those of its group from
    1, a transfer's those between its two ends in its direction. `about` is what else all ranks have to say
    alike, in words: `from rank 0` of a broadcast.
    """

    op: str
    number: int
    group: str
    members: tuple[int, ...]
    peer: int
    bytes: int
    line: int
    about: str = ""


class Stands(Message, frozen=True, tag="stands"):
    """Where the training thread is: in `call` if it waits there, and at which line since when.

    `since` is seconds of the machine's monotonic clock; `moved` is another number whenever a call was entered
    or done, or bytes have left; `idle`: the check is done and the rank waits for the next one.
    """

    call: Call | None
    line: int
    since: float
    moved: int
    idle: bool = False


class Trouble(Struct, frozen=True):
    """Why a check has failed on this rank, in the words of the check."""

    kind: str  # crash, unfinished, wrong, bytes, shortcut, changed
    text: str
    line: int = 0
    meaning: str = ""
    where: str = ""  # `element [2, 0]`
    expected: str = ""
    got: str = ""
    measured: float = 0.0
    bound: float = 0.0
    unit: str = ""


class Verdict(Message, frozen=True, tag="verdict"):
    """This rank has passed a check (counted from 0), or not; `word` is the one it was begun with."""

    check: int
    trouble: Trouble | None
    seconds: float
    word: str = ""


class Note(Message, frozen=True, tag="note"):
    """Something that is told beside the checks: a process that was forked, a file that was written."""

    text: str


AnyMessage = Call | Stands | Verdict | Note

_decoder: msgspec.json.Decoder[AnyMessage] = msgspec.json.Decoder(AnyMessage)
_encoder = msgspec.json.Encoder()


def encode(message: Message) -> bytes:
    """Return a message as one line of JSON, with its end."""
    return _encoder.encode(message) + b"\n"


def decode(line: bytes) -> AnyMessage:
    """Read one line. Raises `msgspec.DecodeError` on anything else."""
    return _decoder.decode(line)

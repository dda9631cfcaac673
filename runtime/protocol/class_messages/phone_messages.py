"""Messages between the host of a class and the gate that serves its phones, one a frame, as msgpack.

The gate is a process of its own at the other end of a socket pair. It is told what the room may know and
nothing else: questions as `question_without_votes_and_key.public` leaves them, a page that was made without
a key.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from runtime.classroom.question_state import QuestionState


class GateMessage(Struct, frozen=True, tag_field="is"):
    """Base of what goes over this socket, in both directions; its kind is the tag in the field `is`."""


class SeatAnswer(Struct, frozen=True):
    """What one seat answers in the `round` (0-based) of a question; `n` is the phone's own count.

    `seat` is its name in the journal, `who` that of the person, as `actions.Answer` has them.
    """

    seat: str
    n: int
    question: str
    round: int
    choice: tuple[int, ...]
    text: tuple[str, ...] = ()
    who: str = ""


class Taken(Struct, frozen=True):
    """Answer `n` of a seat is in the journal; or it does not count, and `why` says for what reason."""

    seat: str
    n: int
    why: str = ""


class Serve(GateMessage, frozen=True, tag="serve"):
    """To the gate, first: where to listen, and what keeps its seats.

    Attributes:
        seats: File of the seats, which only its owner may read.
        bind: Address of the one interface that is listened on.
        port: 0 for any that is free.
        hosts: Names by which a tunnel or a reverse proxy is asked for this class.
        names: The phones ask for a name; without it each seat gets one.
        cert: File of a certificate chain, "" for plain HTTP; `key` the file of its key.
        teams: Teams that phones choose from.
        reactions: Phones may clap and the like.
    """

    class_id: str
    seats: str
    bind: str
    port: int
    hosts: tuple[str, ...] = ()
    names: bool = False
    cert: str = ""
    key: str = ""
    teams: tuple[str, ...] = ()
    reactions: bool = False


class ShowPage(GateMessage, frozen=True, tag="page"):
    """To the gate: what phones show from now on, a JSON object that a screen made.

    `pictures` are WebP; the page names each as `/picture/NAME`.
    """

    body: bytes
    pictures: dict[str, bytes] = {}


class Questions(GateMessage, frozen=True, tag="questions"):
    """To the gate: questions that have changed, as the room may know them; `whole`: there are no others.
    `counts` are of a question how many have answered, and how many could by key. `now` is the host's clock,
    by which a limit of time is told in seconds that are left."""

    questions: tuple[QuestionState, ...]
    now: float
    whole: bool = False
    counts: dict[str, tuple[int, int]] = {}


class Given(GateMessage, frozen=True, tag="given"):
    """To the gate that has begun anew: what seats have answered in the present rounds."""

    answers: tuple[SeatAnswer, ...]


class Written(GateMessage, frozen=True, tag="written"):
    """To the gate: what became of answers."""

    taken: tuple[Taken, ...]


class Doors(GateMessage, frozen=True, tag="doors"):
    """To the gate: whether somebody new may come in, a seat to put out for good ("": none), and one to
    `mute`, or to hear again."""

    open: bool = True
    out: str = ""
    mute: str = ""


class FromRoom(GateMessage, frozen=True, tag="from-room"):
    """To the gate: what of the room's questions the teacher has picked, by id: text, and how many ask it."""

    questions: dict[int, tuple[str, int]]


class Ready(GateMessage, frozen=True, tag="ready"):
    """From the gate: it listens. `code` lets phones in."""

    url: str
    port: int
    code: str


class Failed(GateMessage, frozen=True, tag="failed"):
    """From the gate, its last word: why it cannot serve, and what to do instead."""

    why: str
    mend: str


class Answers(GateMessage, frozen=True, tag="answers"):
    """From the gate: answers that came in the last moments, the newest of each seat to each question."""

    answers: tuple[SeatAnswer, ...]


class AskedBy(Struct, frozen=True):
    """What a seat asks the lecturer; `n` is the phone's own count."""

    seat: str
    who: str
    n: int
    text: str


class Voices(GateMessage, frozen=True, tag="voices"):
    """From the gate: what phones ask, which questions they would ask too (seat, id), how it goes for them
    (seat, word), and how they react (seat, word)."""

    asked: tuple[AskedBy, ...] = ()
    supported: tuple[tuple[str, int], ...] = ()
    felt: tuple[tuple[str, str], ...] = ()
    reacted: tuple[tuple[str, str], ...] = ()


class People(GateMessage, frozen=True, tag="people"):
    """From the gate: how many phones are here, and how many seats were given in all."""

    here: int
    seats: int


ToGate = Serve | ShowPage | Questions | Given | Written | Doors | FromRoom
FromGate = Ready | Failed | Answers | Voices | People

_decoder_to: msgspec.msgpack.Decoder[ToGate] = msgspec.msgpack.Decoder(ToGate)
_decoder_from: msgspec.msgpack.Decoder[FromGate] = msgspec.msgpack.Decoder(FromGate)
_encoder = msgspec.msgpack.Encoder()


def encode(message: GateMessage) -> bytes:
    """Pack one message, as the content of one frame."""
    return _encoder.encode(message)


def decode_to_gate(payload: bytes) -> ToGate:
    """Unpack what the host says. Raises `msgspec.DecodeError`."""
    return _decoder_to.decode(payload)


def decode_from_gate(payload: bytes) -> FromGate:
    """Unpack what the gate says. Raises `msgspec.DecodeError`."""
    return _decoder_from.decode(payload)

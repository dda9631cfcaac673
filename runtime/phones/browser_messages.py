"""What a phone and the gate say to each other: one JSON object a frame, in both directions.

A frame of a phone has at most `MOST_FRAME` bytes. What is of the wrong shape is no message: the connection is
closed. Text of people is cut and cleaned here, whatever the page did with it.
"""

from __future__ import annotations

import unicodedata
from typing import Any, Literal

import msgspec
from msgspec import Struct

VERSION = 1
MOST_FRAME = 4096  # bytes
MOST_NAME = 24  # characters
MOST_TYPED = 400  # characters of one answer, as `question_state.MOST_TEXT`
MOST_CHOICES = 64


class Said(Struct, frozen=True, tag_field="t", forbid_unknown_fields=True):
    """Base of what a phone says; its kind is the tag in the field `t`."""


class Hello(Said, frozen=True, tag="hello"):
    """First: the code that is on the wall, and the token of a seat that this browser has already."""

    v: int
    code: str = ""
    token: str = ""
    name: str = ""
    team: str = ""


class Answer(Said, frozen=True, tag="answer"):
    """An answer to the `round` of question `q`; `n` counts within the seat; sent again, it keeps it."""

    n: int
    q: str
    round: int
    choice: tuple[int, ...] = ()
    text: tuple[str, ...] = ()


class Ask(Said, frozen=True, tag="ask"):
    """Something to ask the lecturer; `n` counts within the seat, as an answer's."""

    n: int
    text: str


class Support(Said, frozen=True, tag="support"):
    """What somebody else asked, and this phone would ask too; `id` as the gate told it."""

    id: int


class Feel(Said, frozen=True, tag="feel"):
    """How it goes for this phone, until it says otherwise: "fast", "lost", or "" for well."""

    word: Literal["", "fast", "lost"]


class React(Said, frozen=True, tag="react"):
    """A word for this moment."""

    word: Literal["clap", "yes", "no", "laugh"]


class Alive(Said, frozen=True, tag="alive"):
    """The phone is there, and wants to know whether the gate is."""


AnySaid = Hello | Answer | Ask | Support | Feel | React | Alive
_decoder: msgspec.json.Decoder[AnySaid] = msgspec.json.Decoder(AnySaid)
_posted: msgspec.json.Decoder[list[AnySaid]] = msgspec.json.Decoder(list[AnySaid])
_encoder = msgspec.json.Encoder()


def heard(data: bytes | str) -> AnySaid:
    """Read one frame. Raises `msgspec.DecodeError` for what is no message."""
    return _decoder.decode(data)


def posted(data: bytes) -> list[AnySaid]:
    """Read what came by POST: several messages in a list, as a phone without WebSocket sends them.

    Raises:
        msgspec.DecodeError: It is no such list.
    """
    return _posted.decode(data)


def told(kind: str, **fields: Any) -> bytes:
    """Return a message to a phone."""
    return _encoder.encode({"t": kind, **fields})


def cleaned(text: str, most: int) -> str:
    """Return one line of what somebody typed: without controls, marks of direction and what nobody sees."""
    kept = "".join(" " if c in "\n\r\t" else c for c in text[: 4 * most] if c in "\n\r\t" or _seen(c))
    return " ".join(kept.split())[:most].strip()


def _seen(c: str) -> bool:
    # Zero-width joiners are part of scripts and of emoji; everything else of this kind hides or reorders.
    return c in "\u200c\u200d" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")

"""Reads events as they are recorded: a line of JSON each, the array of the wire."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator
from functools import cached_property

import msgspec
from msgspec import Struct

from runtime.protocol.events import AnyEvent, Event

MAX_LINE_BYTES = 1 << 18
MOST_TEXT = 16 << 20  # bytes of the lines of one message
_decoder: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)


class NotEvents(Exception):
    """Lines that are not those of the ranks whose they should be."""


class _Head(Struct, frozen=True, array_like=True, gc=False):
    """What all events begin with; the rest of a line is looked at by who reads it."""

    tag: str
    run: str
    generation: int
    rank: int
    t: float


_heads = msgspec.json.Decoder(_Head)


class Lines:
    """Events as they are recorded, a line each, and the gzip member that another machine has made of them.
    They are decoded where somebody iterates over them."""

    def __init__(self, member: bytes, text: bytes, number: int) -> None:
        self.member, self.text, self.number = member, text, number

    @cached_property
    def _events(self) -> list[Event]:
        return [event for line in self.text.splitlines() if (event := read_line(line)) is not None]

    def __iter__(self) -> Iterator[Event]:
        return iter(self._events)


def read_member(member: bytes, run: str, generation: int, ranks: Iterable[int]) -> Lines:
    """Read a gzip member of whole lines that somebody else has made. Raises `NotEvents` where one of them is
    not of these ranks in this generation of the run, and nothing else."""
    unzip = zlib.decompressobj(wbits=31)
    try:
        text = unzip.decompress(member, MOST_TEXT)
        if not unzip.eof or unzip.unused_data or not text.endswith(b"\n"):
            raise NotEvents("it is cut, or more than it should be")
        heads = _heads.decode_lines(text)
    except (zlib.error, msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise NotEvents(f"a line is not an event: {error}") from error
    if len(heads) != text.count(b"\n") or max(map(len, text.split(b"\n"))) > MAX_LINE_BYTES:
        raise NotEvents("a line is empty or too long")
    if not {(head.run, head.generation, head.rank) for head in heads} <= {
        (run, generation, rank) for rank in ranks
    }:
        raise NotEvents("a line is another node's, or another run's")
    return Lines(member, text, len(heads))


def read_line(line: bytes) -> Event | None:
    """Return the event of a line, None where it is none."""
    try:
        return _decoder.decode(line)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return _with_nans(line)


def _with_nans(line: bytes) -> Event | None:
    """An event with figures that were no numbers: JSON has only null for them, where events want a float."""
    try:
        found = [
            [float("nan") if number is None else number for number in field]
            if isinstance(field, list)
            else field
            for field in json.loads(line)
        ]
        event: Event = msgspec.convert(found, AnyEvent)
        return event
    except (msgspec.MsgspecError, ValueError, TypeError, LookupError, RecursionError):
        return None

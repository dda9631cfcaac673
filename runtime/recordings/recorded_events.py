"""Reads events as they are recorded: a line of JSON each, the array of the wire."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache

import msgspec

from runtime.protocol.events import AnyEvent, Event

MAX_LINE_BYTES = 1 << 18
MOST_TEXT = 16 << 20  # bytes of the lines of one message
_MOST_HEAD = 1024  # bytes of what all events begin with
_CONTROLS = bytes((*range(32), 127))
_decoder: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)


class NotEvents(Exception):
    """Lines that are not those of the ranks whose they should be."""


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
    """Read a gzip member of whole lines that somebody else has made. Raises `NotEvents` where one does not
    begin as an event of these ranks in this generation of the run. What follows is looked at by who reads it:
    to decode all that is recorded would cost a host of many machines a tenth of its work."""
    unzip = zlib.decompressobj(wbits=31)
    try:
        text = unzip.decompress(member, MOST_TEXT)
    except zlib.error as error:
        raise NotEvents(f"it is not compressed as it should be: {error}") from error
    if not unzip.eof or unzip.unused_data or not text.endswith(b"\n"):
        raise NotEvents("it is cut, or more than it should be")
    number = text.count(b"\n")
    if len(text.translate(None, _CONTROLS)) + number != len(text):
        raise NotEvents("a line has control characters")
    if not _lines_of(run, generation, tuple(ranks)).fullmatch(text):
        raise NotEvents("a line is no event, too long, or another node's or run's")
    return Lines(member, text, number)


@lru_cache(maxsize=4096)
def _lines_of(run: str, generation: int, ranks: tuple[int, ...]) -> re.Pattern[bytes]:
    """Return what matches lines of these ranks, each an array that begins with what all events have."""
    whose = f'"{re.escape(run)}",{generation},(?:{"|".join(map(str, ranks))})'
    rest = rf"(?:,[^\n]{{0,{MAX_LINE_BYTES - _MOST_HEAD}}}+(?<=\])|\])"
    return re.compile(rf'(?:\["[a-z]{{1,16}}",{whose},-?[0-9][0-9.e+-]{{0,31}}{rest}\n)*+'.encode())


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

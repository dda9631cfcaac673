"""Reads events as they are recorded: a line of JSON each, the array of the wire."""

from __future__ import annotations

import json
from typing import NamedTuple

import msgspec

from runtime.protocol.events import AnyEvent, Event

MAX_LINE_BYTES = 1 << 18
_decoder: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)


class NotEvents(Exception):
    """Lines that nobody could read again."""


class Lines(NamedTuple):
    """Events as they are recorded, a line each, and what these say."""

    text: bytes
    events: list[Event]


def read_lines(text: bytes) -> Lines:
    """Read whole lines that somebody else has made. Raises `NotEvents` where one of them is none of an event,
    and nothing else."""
    *whole, rest = text.split(b"\n")
    if rest or not whole:
        raise NotEvents("a line is cut")
    if max(map(len, whole)) > MAX_LINE_BYTES:
        raise NotEvents("a line is too long")
    try:
        found: list[Event] = list(_decoder.decode_lines(text))
    except (
        msgspec.MsgspecError,
        ValueError,
        RecursionError,
    ):  # a figure that is no number, perhaps
        found = [event for line in whole if (event := read_line(line)) is not None]
    if len(found) != len(whole):
        raise NotEvents("a line is not an event")
    return Lines(text, found)


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

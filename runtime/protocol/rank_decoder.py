"""Decodes a rank's frames into events, whichever of the two codecs the rank could write.

A payload is one `Hello` (the first frame of a connection) or a list of events, as msgpack, or as JSON from an
interpreter without msgspec. The four cannot be mistaken for each other: JSON begins with `[` (0x5b), which in
msgpack is an integer, and inside the first array an event begins with a string, a list with an array.
"""

from __future__ import annotations

import json

import msgspec

from runtime.protocol.events import AnyEvent

_JSON_OPEN = 0x5B
_one: msgspec.msgpack.Decoder[AnyEvent] = msgspec.msgpack.Decoder(AnyEvent)
_many: msgspec.msgpack.Decoder[list[AnyEvent]] = msgspec.msgpack.Decoder(list[AnyEvent])


class BadFrame(Exception):
    """The payload is not events of this version. No honest rank sends one: close its connection."""


def decode(payload: bytes) -> list[AnyEvent]:
    """Return the events of one frame, in the order they were sent. Raises `BadFrame` and nothing else."""
    try:
        if payload[:1] == bytes((_JSON_OPEN,)):
            return _from_json(payload)
        return _many.decode(payload) if _holds_arrays(payload) else [_one.decode(payload)]
    except (ValueError, RecursionError, msgspec.MsgspecError) as error:
        raise BadFrame(f"a frame of {len(payload)} bytes is not events: {error}") from error


def _holds_arrays(payload: bytes) -> bool:
    """Whether the payload is an array of arrays (a list of events) or empty, not an event itself."""
    head = payload[:1]
    first = {b"\xdc": 3, b"\xdd": 5}.get(head, 1)  # array 16 and array 32 carry their length in 2 and 4 bytes
    if head == b"\x90":
        return True
    return len(payload) > first and (payload[first] in range(0x90, 0xA0) or payload[first] in (0xDC, 0xDD))


def _from_json(payload: bytes) -> list[AnyEvent]:
    # The standard library reads NaN, which a diverged loss may be and which msgspec's JSON refuses.
    found = json.loads(payload)
    if found and isinstance(found[0], str):
        return [msgspec.convert(found, AnyEvent)]
    return msgspec.convert(found, list[AnyEvent])

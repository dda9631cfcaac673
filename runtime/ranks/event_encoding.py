"""Events as bytes on their way to the host: msgpack, or JSON under an interpreter that has no msgspec."""

from __future__ import annotations

import json

from runtime.protocol.events import Event, as_array

try:
    import msgspec
except ImportError:
    CODEC = "json"

    def encode(events: Event | list[Event]) -> bytes:
        """Encode an event, or a batch of them."""
        plain = [as_array(e) for e in events] if isinstance(events, list) else as_array(events)
        return json.dumps(plain, separators=(",", ":")).encode()
else:
    CODEC = "msgpack"
    _encoder = msgspec.msgpack.Encoder()

    def encode(events: Event | list[Event]) -> bytes:
        """Encode an event, or a batch of them."""
        return _encoder.encode(events)

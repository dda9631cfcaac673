"""Messages between screens and host, one a frame (`runtime.protocol.framing`), as msgpack.

`class_messages/` has them by direction, `snapshot.py` has what a panel shows of a run; all can be imported
from here. Blobs are opaque to the host: it hands the console's to consoles and the audience's to everybody
else.
"""

from __future__ import annotations

import msgspec

from runtime.protocol.class_messages.host_messages import (
    Answered,
    Blob,
    Called,
    FromHost,
    Grid,
    Ordered,
    Output,
    Phones,
    Process,
    Refused,
    Report,
    RoomQuestion,
    RoomVoices,
    Run,
    Screens,
    Seat,
    Stage,
    StageStatus,
    Unsaved,
    Welcome,
    Yours,
)
from runtime.protocol.class_messages.message import Message
from runtime.protocol.class_messages.pointing import Place, Point
from runtime.protocol.class_messages.room_look import RoomLook
from runtime.protocol.class_messages.screen_messages import (
    Act,
    Attach,
    Break,
    FromScreen,
    Harm,
    Keep,
    Keys,
    Launch,
    OpenPhones,
    PhonePage,
    PickQuestion,
    Publish,
    Recall,
    Reply,
    RunSnippet,
    Seek,
    SetLink,
    Shutdown,
    ShutPhones,
    Status,
    Steer,
    StopRun,
    TakeXRay,
    Warm,
)
from runtime.protocol.snapshot import Snapshot

VERSION = 3

AnyMessage = FromScreen | FromHost | Snapshot

_decoder: msgspec.msgpack.Decoder[AnyMessage] = msgspec.msgpack.Decoder(AnyMessage)
_encoder = msgspec.msgpack.Encoder()


def encode(message: Message) -> bytes:
    """Pack one message, as the content of one frame."""
    return _encoder.encode(message)


def decode(payload: bytes) -> AnyMessage:
    """Unpack the content of one frame.

    Raises:
        msgspec.DecodeError: It is no message.
    """
    return _decoder.decode(payload)

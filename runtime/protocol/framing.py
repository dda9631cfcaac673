"""Frames on a local socket: a 4-byte little-endian length, then one encoded object.

A rank sends one frame with its `Hello`, then frames that each hold a list of events. Screens and the host
exchange one message a frame (`runtime.protocol.messages`), the host and its helper processes one order
(`runtime.protocol.stage_messages`). A frame longer than `MAX_FRAME` closes the connection.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable, Iterator
from typing import cast

MAX_FRAME = 64 << 20
_LENGTH = struct.Struct("<I")


class FrameError(Exception):
    """The peer does not speak this protocol."""


def frame(payload: bytes) -> bytes:
    """Return a payload with its length in front. Raises `FrameError` above `MAX_FRAME`."""
    if len(payload) > MAX_FRAME:
        raise FrameError(f"a frame of {len(payload)} bytes is over the limit of {MAX_FRAME}")
    return _LENGTH.pack(len(payload)) + payload


class Splitter:
    """Cuts a byte stream into payloads of at most `most` bytes; keeps the unfinished tail."""

    def __init__(self, most: int = MAX_FRAME) -> None:
        self.most = most
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the payloads that `data` completes. Raises `FrameError` for one above `most` bytes."""
        buffer = self._buffer
        buffer += data
        start = 0
        while len(buffer) - start >= 4:
            (length,) = _LENGTH.unpack_from(buffer, start)
            if length > self.most:
                raise FrameError(f"the peer announces a frame of {length} bytes")
            if len(buffer) - start - 4 < length:
                break
            yield bytes(buffer[start + 4 : start + 4 + length])
            start += 4 + length
        if start:
            del buffer[:start]


class FrameProtocol(asyncio.Protocol):
    """Both ends of a framed connection on asyncio. Callbacks run on the loop and must not block."""

    def __init__(
        self,
        on_frame: Callable[[FrameProtocol, bytes], None],
        on_lost: Callable[[FrameProtocol], None] | None = None,
        on_made: Callable[[FrameProtocol], None] | None = None,
        most: int = MAX_FRAME,
    ) -> None:
        """`most` are the bytes of a frame that is accepted, until `take` says another number."""
        self._on_frame, self._on_lost, self._on_made = on_frame, on_lost, on_made
        self._splitter = Splitter(most)
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport and call `on_made`; called by asyncio."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if self._on_made:
            self._on_made(self)

    def data_received(self, data: bytes) -> None:
        """Call `on_frame` with each whole payload; a frame that is too long closes the connection."""
        try:
            for payload in self._splitter.feed(data):
                self._on_frame(self, payload)
                if self._transport is not None and self._transport.is_closing():
                    return  # who was hung up on is not listened to further
        except FrameError:
            self.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the transport and call `on_lost`; called by asyncio."""
        self._transport = None
        if self._on_lost:
            self._on_lost(self)

    def send(self, payload: bytes) -> None:
        """Queue one frame; silently dropped when the connection is gone."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(frame(payload))

    def take(self, most: int) -> None:
        """Accept frames of at most so many bytes from now on; a frame half received is kept."""
        self._splitter.most = most

    @property
    def backlog(self) -> int:
        """Bytes queued but not yet taken by the kernel; senders skip or hang up when there are too many."""
        return self._transport.get_write_buffer_size() if self._transport is not None else 0

    def hold(self, held: bool) -> None:
        """Stop reading, or go on: what the peer sends meanwhile waits in the kernel, then at the peer."""
        if self._transport is None or self._transport.is_closing():
            return
        if held:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    @property
    def peer_socket(self) -> socket.socket | None:
        """The socket, to ask the kernel who is at the other end; None when the connection is gone."""
        found = self._transport.get_extra_info("socket") if self._transport is not None else None
        return cast("socket.socket | None", found)

    @property
    def connected(self) -> bool:
        """Whether frames can be sent."""
        return self._transport is not None and not self._transport.is_closing()

    def close(self) -> None:
        """Hang up once what was queued is sent."""
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """Close without waiting for the peer to take what was sent, which it may never do."""
        if self._transport is not None:
            self._transport.abort()

"""Where agents come to, with two nodes expected, and somebody who knocks."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from runtime.catalog.machines import Machines
from runtime.catalog.params import Refusal
from runtime.cluster.link import certificate, handshake, link_messages
from runtime.cluster.link.certificate import Made
from runtime.cluster.link.invitation import invite
from runtime.cluster.link.link_messages import Here, Message, Ping, Pong, encode
from runtime.protocol.events import AnyEvent, Event
from runtime.recordings.recorded_events import Lines
from runtime.supervision.agents.agent_socket import AgentSocket
from runtime.supervision.agents.node import Node
from runtime.supervision.agents.nodes import Nodes


def frame(payload: bytes) -> bytes:
    return struct.pack("<I", len(payload)) + payload


class Door:
    """Two nodes of two ranks are expected, at a socket and by TLS."""

    def __init__(self, made: Made, folder: Path) -> None:
        self.made, self.path = made, folder / "agents"
        self.events: list[Event] = []
        self.recorded = b""
        self.ended: list[Node] = []
        self.invitation = invite("/", made.certificate)
        machines = Machines(("a", "b"), "a", 1)
        self.nodes = Nodes(machines, 2, self.invitation, self.take, self.ended.append)
        self.expected = 0
        self.socket = AgentSocket(self.of, lambda nodes, events: None, expected=lambda: self.expected)
        self.port = 0

    def take(self, events: Sequence[AnyEvent], recorded: Lines) -> None:
        self.events += events
        self.recorded += recorded.text

    def of(self, number: bytes) -> Nodes | None:
        return self.nodes if number.hex() == self.invitation.number else None

    async def open(self, folder: Path) -> None:
        await self.socket.listen_at(self.path)
        self.port = await self.socket.listen("127.0.0.1", 0, certificate.server(self.made, folder))


@pytest.fixture(scope="module")
def made() -> Made:
    found = certificate.make()
    assert not isinstance(found, Refusal)
    return found


@pytest.fixture
async def door(made: Made, tmp_path: Path) -> AsyncIterator[Door]:
    found = Door(made, tmp_path)
    await found.open(tmp_path)
    yield found
    found.socket.close()


class Caller:
    """Somebody at the socket; frames in and out."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def hear(self) -> bytes:
        """The next frame, b"" once hung up on."""
        with suppress(asyncio.IncompleteReadError, ConnectionResetError):
            async with asyncio.timeout(15):
                (length,) = struct.unpack("<I", await self.reader.readexactly(4))
                return await self.reader.readexactly(length)
        return b""

    async def ask(self, *payloads: bytes) -> bytes:
        with suppress(ConnectionError):
            for payload in payloads:
                self.writer.write(frame(payload))
            await self.writer.drain()
        return await self.hear()

    async def told(self, kind: type[Message]) -> Message:
        """The next message of a kind."""
        while heard := await self.hear():
            message = link_messages.from_host(heard)
            if isinstance(message, kind):
                return message
        raise AssertionError("hung up on")


async def calls(door: Door) -> Caller:
    return Caller(*await asyncio.open_unix_connection(str(door.path)))


async def comes_in(door: Door, node: int = 0, session: str = "session") -> Caller:
    """An agent as it should be."""
    caller = await calls(door)
    answer, proof = said(door, node, await caller.hear())
    assert await caller.ask(answer) == proof
    caller.writer.write(frame(encode(Here(session, 1, "a machine", 2, 2))))
    return caller


def said(door: Door, node: int, challenged: bytes, token: bytes | None = None) -> tuple[bytes, bytes]:
    number = bytes.fromhex(door.invitation.number)
    return handshake.answer(token or door.nodes.token, number, node, challenged)


async def goes_on(door: Door) -> None:
    """An agent comes in as if nothing had been."""
    caller = await comes_in(door, 1, "another")
    caller.writer.write(frame(encode(Ping(1.5))))
    pong = await caller.told(Pong)
    assert isinstance(pong, Pong) and pong.sent == 1.5

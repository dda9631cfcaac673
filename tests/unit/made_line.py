"""Screens of a host that is in this process: connections that keep what they are sent."""

from __future__ import annotations

import os
from typing import Any

from runtime.classroom.actions import AnyAction
from runtime.host.server import Host
from runtime.protocol import messages
from runtime.protocol.class_messages.room_look import RoomLook
from runtime.protocol.framing import FrameProtocol
from runtime.protocol.messages import Act, Attach, Message, Point


class Line(FrameProtocol):
    """A connection that keeps what it is sent."""

    def __init__(self) -> None:
        super().__init__(lambda line, payload: None)
        self.got: list[Message] = []
        self.closed = False

    def send(self, payload: bytes) -> None:
        self.got.append(messages.decode(payload))

    def close(self) -> None:
        self.closed = True

    @property
    def points(self) -> list[Point]:
        return [message for message in self.got if isinstance(message, Point)]

    @property
    def looks(self) -> list[RoomLook]:
        return [message for message in self.got if isinstance(message, RoomLook)]


class Class:
    """A host with the console that drives it, and whatever else is attached."""

    def __init__(self, class_id: str) -> None:
        self.host, self.n = Host(class_id), 0
        self.console = self.attach("console", "desk", points=True, looks=True)

    def attach(self, role: Any, name: str, **can: bool) -> Line:
        line = Line()
        self.say(line, Attach(messages.VERSION, role, name, os.getpid(), **can))
        return line

    def say(self, line: Line, message: Message) -> None:
        self.host.receive(line, messages.encode(message))

    def act(self, action: AnyAction, line: Line | None = None) -> None:
        self.n += 1
        self.say(line or self.console, Act(self.n, action))

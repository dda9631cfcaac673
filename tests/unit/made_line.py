"""Screens of a host that is in this process: connections that keep what they are sent."""

from __future__ import annotations

import os
from typing import Any

from runtime.classroom.actions import AnyAction
from runtime.host.server import Host
from runtime.protocol import messages
from runtime.protocol.class_messages.room_look import RoomLook
from runtime.protocol.framing import FrameProtocol
from runtime.protocol.messages import Act, AnyMessage, Attach, Message, Point


class Line(FrameProtocol):
    """A connection that keeps what it is sent."""

    def __init__(self) -> None:
        super().__init__(lambda line, payload: None)
        self.sent: list[bytes] = []
        self.got: list[AnyMessage] = []
        self.closed = False

    def send(self, payload: bytes) -> None:
        self.sent.append(payload)
        self.got.append(messages.decode(payload))

    def close(self) -> None:
        self.closed = True

    def last(self, kind: type[Message]) -> Message | None:
        return next((one for one in reversed(self.got) if isinstance(one, kind)), None)

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
        self.console = self.attach("console", "desk")

    def attach(self, role: Any, screen: str, **more: Any) -> Line:
        """A screen that knows what it may be told, unless `more` says otherwise."""
        line = Line()
        more = {"points": True, "looks": True, **more}
        self.say(line, Attach(messages.VERSION, role, screen, os.getpid(), **more))
        return line

    def say(self, line: Line, message: Message) -> None:
        self.host.receive(line, messages.encode(message))

    def act(self, action: AnyAction, line: Line | None = None) -> None:
        self.n += 1
        self.say(line or self.console, Act(self.n, action))

"""A gate with a server on loopback, in this process, and phones that talk to it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from runtime.classroom import question_without_votes_and_key
from runtime.classroom.question_state import QuestionState
from runtime.phones.connection import Connection
from runtime.phones.gate import Gate
from runtime.phones.seats import Seats
from runtime.protocol.class_messages.phone_messages import (
    Answers,
    GateMessage,
    Questions,
    SeatAnswer,
    Serve,
    ShowPage,
    Taken,
    Written,
)

PAGE = json.dumps({"questions": [{"id": "q", "kind": "single", "stem": "?", "options": ["a", "b"]}]}).encode()


class Phone:
    """A browser's end of a WebSocket."""

    def __init__(self, line: ClientConnection) -> None:
        self.line = line
        self.heard: list[dict[str, Any]] = []

    async def say(self, **message: Any) -> None:
        await self.line.send(json.dumps(message))

    async def hear(self, kind: str) -> dict[str, Any]:
        """The next message of this kind."""
        async with asyncio.timeout(10):
            while True:
                message = json.loads(await self.line.recv())
                self.heard.append(message)
                if message["t"] == kind:
                    return message

    async def join(self, code: str = "", token: str = "", name: str = "") -> dict[str, Any]:
        await self.say(t="hello", v=1, code=code, token=token, name=name)
        return await self.hear("seat")

    async def closed(self) -> int | None:
        """Wait until the gate has hung up; the code it gave."""
        async with asyncio.timeout(10):
            await self.line.wait_closed()
        return self.line.close_code


class Served:
    """The gate, what it said to the host, and where phones find it."""

    def __init__(self, folder: Path, **asked: Any) -> None:
        self.file = folder / "phones.jsonl"
        serve = Serve("class", str(self.file), "127.0.0.1", 0, ("class.example",), **asked)
        self.seats = Seats(self.file)
        self.said: list[GateMessage] = []
        self.writes = True  # the host takes what comes
        self.gate = Gate(serve, self.seats, self._heard)
        self.port = 0

    @property
    def code(self) -> str:
        return self.seats.code

    @property
    def answers(self) -> list[SeatAnswer]:
        return [one for message in self.said if isinstance(message, Answers) for one in message.answers]

    def _heard(self, message: GateMessage) -> None:
        self.said.append(message)
        if self.writes and isinstance(message, Answers):
            self.write(message.answers)

    def write(self, answers: tuple[SeatAnswer, ...], why: str = "") -> None:
        self.gate.obey(Written(tuple(Taken(one.seat, one.n, why) for one in answers)))

    def ask(self, question: QuestionState, page: bytes = PAGE) -> None:
        self.gate.obey(Questions((question_without_votes_and_key.public(question),), time.time()))
        self.gate.obey(ShowPage(page))

    @asynccontextmanager
    async def phone(self, host: str = "", **more: Any) -> AsyncIterator[Phone]:
        async with connect(f"ws://{host or '127.0.0.1'}:{self.port}/phone", close_timeout=1, **more) as line:
            yield Phone(line)


@asynccontextmanager
async def served(folder: Path, **asked: Any) -> AsyncIterator[Served]:
    found = Served(folder, **asked)
    server = await asyncio.get_running_loop().create_server(lambda: Connection(found.gate), "127.0.0.1", 0)
    found.port = server.sockets[0].getsockname()[1]
    try:
        found.ask(QuestionState("q", "single", 2))
        yield found
    finally:
        found.gate.close()
        server.close()

"""A class with phones: a real host and its gate, a console without a screen, and the network to them."""

from __future__ import annotations

import asyncio
import contextlib
import json
from pathlib import Path
from typing import Any

from PIL import Image
from waiting import until
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from runtime import paths
from runtime.launch.processes import Own, marked
from runtime.protocol.messages import OpenPhones
from tui.classroom import host_link
from tui.classroom.room import Room
from tui.classroom.session import Session
from tui.deck.contents import Contents, open_deck

DECK = """# One

::: quiz {#one}
Which collective gives **every** rank the sum?

- [ ] `broadcast`
- [x] `all_reduce`
  > Reduce, then everybody has it.
:::
"""


class Class:
    """A console without a screen, its deck, and the phones that it lets in."""

    def __init__(self, folder: Path, text: str = DECK) -> None:
        deck = folder / "deck.md"
        deck.write_text(text)
        Image.new("RGB", (1500, 500), "navy").save(folder / "pic.png")
        self.id = paths.new_class_id()
        self.session = Session(Contents(open_deck(deck)))
        self.room = Room(self.session, lambda what: None)

    async def begin(self, port: int = 0) -> None:
        await self.room.open(host_link.to_host(self.id, "console", self.session.screen, ""))
        self.room.phones.ask(OpenPhones("127.0.0.1", port, card=True))
        await until(lambda: self.now.state == "on")

    async def end(self) -> None:
        await self.room.shutdown()
        await self.room.close()
        await until(lambda: not self.gates())  # it ends with its host

    @property
    def now(self) -> Any:
        return self.room.phones.now

    @property
    def port(self) -> int:
        return int(self.now.url.rpartition(":")[2])

    def go(self, slide: int) -> None:
        self.session.go((slide, 0))
        self.room.arrived()

    def gates(self) -> list[Own]:
        return [one.own for one in marked(self.id) if one.part == "phones"]

    def gate(self) -> Own:
        (found,) = self.gates()
        return found

    def given(self, question: str) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """What the only phone has answered, as the class has it."""
        state = self.session.question(question)
        assert state is not None
        ((seat, _),) = state.people.items()
        return state.answers.get(seat, ()), state.texts.get(seat, ())


class Network:
    """What lies between phones and their gate: a relay on loopback that can be gone, and one that lets no
    WebSocket through, as some proxies do. `async with Network(port) as network`."""

    def __init__(self, to_port: int, filtered: bool = False) -> None:
        self.port = 0
        self.refused = 0
        self._to, self.filtered = to_port, filtered
        self._there = True
        self._server: asyncio.Server | None = None
        self._lines: set[asyncio.StreamWriter] = set()

    async def __aenter__(self) -> Network:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self.away()
        self._server.close()

    def away(self) -> None:
        """It is gone, and nobody is told."""
        self._there = False
        for line in self._lines:
            line.transport.abort()

    def back(self) -> None:
        """It is there again."""
        self._there = True

    async def _serve(self, phone: asyncio.StreamReader, to_phone: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            first = await phone.readuntil(b"\r\n\r\n")
            if not self._there:
                to_phone.transport.abort()
                return
            if self.filtered and b"upgrade: websocket" in first.lower():
                self.refused += 1
                to_phone.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                to_phone.close()
                return
            gate, to_gate = await asyncio.open_connection("127.0.0.1", self._to)
            to_gate.write(first)
            self._lines |= {to_phone, to_gate}
            await asyncio.gather(_carried(phone, to_gate), _carried(gate, to_phone))


async def _carried(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
    writer.close()


class Phone:
    """A browser's end, without a browser: joins, answers until it is told that the class has it."""

    def __init__(self, url: str, code: str) -> None:
        self.url, self.code, self.token, self.name, self.n = url, code, "", "", 0
        self.told: dict[str, Any] = {}

    async def answer(self, question: str, choice: list[int]) -> None:
        """Whatever becomes of the network: sent again with the same number until it is in."""
        self.n += 1
        while True:
            try:
                async with connect(self.url.replace("http", "ws") + "/phone", close_timeout=1) as line:
                    await line.send(
                        json.dumps({"t": "hello", "v": 1, "code": self.code, "token": self.token})
                    )
                    await self._until(line, "state")
                    said = {"t": "answer", "n": self.n, "q": question, "round": 0, "choice": choice}
                    await line.send(json.dumps(said))
                    await self._until(line, "in")
                    return
            except (OSError, WebSocketException, TimeoutError):
                await asyncio.sleep(0.1)

    async def comes_back(self) -> list[int] | None:
        """The choice that a page is shown as its own after a reload."""
        async with connect(self.url.replace("http", "ws") + "/phone", close_timeout=1) as line:
            self.told.pop("mine", None)
            await line.send(json.dumps({"t": "hello", "v": 1, "code": self.code, "token": self.token}))
            await self._until(line, "state")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.5):
                    await self._until(line, "mine")
        return self.told.get("mine", {}).get("choice")

    async def _until(self, line: Any, kind: str) -> None:
        async with asyncio.timeout(3):
            while True:
                message = json.loads(await line.recv())
                self.told[message["t"]] = message
                if message["t"] == "seat":
                    self.token, self.name = message["token"], message["name"]
                if message["t"] == kind:
                    return

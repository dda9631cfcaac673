"""A hall of phones in one process: each a socket of its own that speaks WebSocket, none of it our code.

`python tests/bench/phone_crowd.py URL CODE PHONES LOSS PORT` takes orders as JSON lines and answers each with
one. A share LOSS of what a phone sends and of what it is sent never arrives; like the page it then sends
again. The way there leads through PORT of loopback; 0: straight.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import struct
import sys
import time
from typing import Any
from urllib.parse import urlparse

AGAIN_S = 3.0  # as the page


class Phone(asyncio.Protocol):
    """One phone: joins, answers, sends again until it is told that the answer is in."""

    def __init__(self, crowd: Crowd, n: int) -> None:
        self.crowd, self.n = crowd, n
        self.token, self.count = "", 0
        self.pending: dict[str, Any] | None = None
        self.sent_at = self.asked_at = 0.0
        self.acked: dict[str, tuple[int, int]] = {}  # by question: the count and the choice that are in
        self.seen: dict[str, str] = {}
        self.transport: asyncio.Transport | None = None
        self.buffer = b""
        self.up = False

    async def connect(self) -> None:
        """Connect until it works."""
        loop = asyncio.get_running_loop()
        wait = 0.1
        while True:
            try:
                await loop.create_connection(lambda: self, self.crowd.host, self.crowd.way)
                return
            except OSError:
                await asyncio.sleep(wait * (0.75 + 0.5 * random.random()))
                wait = min(2.0, wait * 1.7)

    def connection_made(self, transport: Any) -> None:
        self.transport, self.buffer, self.up = transport, b"", False
        key = "dGhlIHNhbXBsZSBub25jZQ=="
        head = f"GET /phone HTTP/1.1\r\nHost: {self.crowd.host}:{self.crowd.port}\r\nUpgrade: websocket\r\n"
        head += f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
        transport.write(head.encode())

    def connection_lost(self, exc: Exception | None) -> None:
        self.transport, self.up = None, False
        if self in self.crowd.joined:
            self.crowd.joined.discard(self)
        if not self.crowd.away(self):
            self.crowd.job(self.connect())

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        if not self.up:
            if b"\r\n\r\n" not in self.buffer:
                return
            _, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
            self.up = True
            self.say({"t": "hello", "v": 1, "code": self.crowd.code, "token": self.token}, lossless=True)
        while len(self.buffer) >= 2:
            size, at = self.buffer[1] & 127, 2
            if size == 126:
                size, at = struct.unpack(">H", self.buffer[2:4])[0], 4
            elif size == 127:
                size, at = struct.unpack(">Q", self.buffer[2:10])[0], 10
            if len(self.buffer) < at + size:
                return
            payload, self.buffer = self.buffer[at : at + size], self.buffer[at + size :]
            if payload[:1] == b"{":
                self.crowd.bytes += at + size
                self.hear(json.loads(payload))

    def say(self, message: dict[str, Any], lossless: bool = False) -> None:
        if self.transport is None or not self.up:
            return
        if not lossless and random.random() < self.crowd.loss:
            return
        data = json.dumps(message).encode()
        mask = os.urandom(4)
        masked = bytes(b ^ mask[i % 4] for i, b in enumerate(data))
        head = (
            bytes([0x81, 0x80 | len(data)]) if len(data) < 126 else b"\x81\xfe" + struct.pack(">H", len(data))
        )
        self.transport.write(head + mask + masked)

    def hear(self, message: dict[str, Any]) -> None:
        kind = message["t"]
        if kind == "seat":
            self.token = message["token"]
            self.crowd.joined.add(self)
            if self.pending:
                self.say(self.pending)
        elif kind == "state":
            now = time.monotonic()
            for id, question in message["q"].items():
                if self.seen.get(id) != question["p"]:
                    self.seen[id] = question["p"]
                    self.crowd.saw(id, question["p"], now)
        elif kind in ("in", "late") and self.pending and self.pending["n"] == message["n"]:
            if kind == "in" and random.random() >= self.crowd.loss:
                self.acked[self.pending["q"]] = self.pending["n"], self.pending["choice"][0]
                self.crowd.acks.append(time.monotonic() - self.asked_at)
                self.pending = None
            elif kind == "late":
                self.pending, self.crowd.late = None, self.crowd.late + 1

    def answer(self, question: str, choice: int) -> None:
        self.count += 1
        self.pending = {"t": "answer", "n": self.count, "q": question, "round": 0, "choice": [choice]}
        self.asked_at = time.monotonic()
        self.say(self.pending)


class Crowd:
    """All phones, and what they have seen."""

    def __init__(self, url: str, code: str, phones: int, loss: float, way: int) -> None:
        place = urlparse(url)
        self.host, self.port, self.code, self.loss = str(place.hostname), int(place.port or 80), code, loss
        self.way = way or self.port
        self.phones = [Phone(self, n) for n in range(phones)]
        self.joined: set[Phone] = set()
        self.acks: list[float] = []
        self.late = self.bytes = 0
        self.first: dict[tuple[str, str], list[float]] = {}
        self.gone = 0.0  # share of the phones without a network
        self.jobs: set[asyncio.Task[None]] = set()

    def job(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self.jobs.add(task)
        task.add_done_callback(self.jobs.discard)

    def away(self, phone: Phone) -> bool:
        return phone.n < self.gone * len(self.phones)

    def saw(self, id: str, phase: str, now: float) -> None:
        self.first.setdefault((id, phase), []).append(now)

    async def run(self) -> None:
        """Take orders until stdin ends."""
        loop = asyncio.get_running_loop()
        self.job(self._again())
        reader = asyncio.StreamReader()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        while line := await reader.readline():
            order = json.loads(line)
            found = await getattr(self, order.pop("do"))(**order)
            print(json.dumps(found or {}), flush=True)

    async def _again(self) -> None:
        while True:
            await asyncio.sleep(0.25)
            now = time.monotonic()
            for phone in self.phones:
                if phone.pending and now - max(phone.asked_at, phone.sent_at) > AGAIN_S * (
                    0.75 + 0.5 * random.random()
                ):
                    phone.sent_at = now
                    phone.say(phone.pending)

    async def join(self) -> dict[str, Any]:
        began = time.monotonic()
        await asyncio.gather(*(phone.connect() for phone in self.phones))
        while len(self.joined) < len(self.phones):
            await asyncio.sleep(0.02)
        return {"s": time.monotonic() - began}

    async def wait_for(self, question: str, phase: str) -> dict[str, Any]:
        """When the last phone knew it, by this machine's clock."""
        here = len(self.phones)
        while len(self.first.get((question, phase), ())) < here:
            await asyncio.sleep(0.01)
        times = sorted(self.first[question, phase])
        return {"first": times[0], "last": times[-1]}

    async def answer(self, question: str, over_s: float) -> dict[str, Any]:
        """Everybody answers within so many seconds; how long each waited for the word that it is in."""
        self.acks.clear()
        for phone in self.phones:
            asyncio.get_running_loop().call_later(
                over_s * random.random(), phone.answer, question, random.randrange(3)
            )
        while len(self.acks) + self.late < len(self.phones):
            await asyncio.sleep(0.02)
        waits = sorted(self.acks)
        return {
            "p50": waits[len(waits) // 2],
            "p99": waits[int(0.99 * len(waits))],
            "max": waits[-1],
            "late": self.late,
        }

    async def drop(self, share: float, seconds: float) -> dict[str, Any]:
        """A share of the phones has no network for so long; how long until all are back."""
        self.gone = share
        for phone in self.phones:
            if self.away(phone) and phone.transport is not None:
                phone.transport.abort()
        await asyncio.sleep(seconds)
        gone, self.gone = self.gone, 0.0
        began = time.monotonic()
        for phone in self.phones:
            if phone.n < gone * len(self.phones):
                self.job(phone.connect())
        while len(self.joined) < len(self.phones):
            await asyncio.sleep(0.02)
        return {"s": time.monotonic() - began}

    async def tell(self) -> dict[str, Any]:
        """What every phone was told is in."""
        return {"acked": [phone.acked for phone in self.phones], "bytes": self.bytes}


if __name__ == "__main__":
    import resource

    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    asyncio.run(Crowd(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5])).run())

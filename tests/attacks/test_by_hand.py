"""The wire by hand, as somebody in the room who can write to the socket: no order is obeyed, no note and no
key is told, and the class goes on: a console's key has its place while all that goes on."""

from __future__ import annotations

import asyncio
import os
import random
import secrets
import struct
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from folders import own_folders
from waiting import until

from runtime import paths
from runtime.classroom import actions, state
from runtime.host.client import Client, ask
from runtime.host.server import MOST_SAID
from runtime.protocol import messages
from runtime.protocol.framing import MAX_FRAME, frame
from runtime.protocol.messages import (
    Act,
    AnyMessage,
    Attach,
    Break,
    Keep,
    Keys,
    Launch,
    Message,
    Ordered,
    Publish,
    Recall,
    Reply,
    RunSnippet,
    Seek,
    SetLink,
    Shutdown,
    Status,
    Steer,
    StopRun,
    TakeXRay,
    Warm,
    Welcome,
)

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]
SECRETS = (b"NOTEOFTHETEACHER", b"KEYOFTHEQUESTION", b"ANSWEROFSOMEBODY", b"placeofthedeck")
NOTE, KEY, ANSWER, PLACE = (word.decode() for word in SECRETS)
CONNECTIONS = 200


@dataclass
class Class:
    """One that goes on: a deck with notes, a question with an answer nobody was told."""

    id: str
    console: Client
    got: list[AnyMessage]
    n: int = 0

    async def act(self, action: actions.AnyAction) -> None:
        """As a key does, until the host has ordered it."""
        self.n += 1
        n = self.n
        self.console.send(Act(n, action))
        await until(lambda: any(isinstance(m, Ordered) and m.n == n for m in self.got), f"order {n}")

    async def goes_on(self) -> None:
        """A key has its place, and nobody else had one."""
        await self.act(actions.Move(f"s{self.n}", 0))
        report = await ask(self.id, Status(), 60.0)
        assert report is not None and report.state.pos.slide == f"s{self.n - 1}"
        assert report.state.shown == "live" and not report.state.ended and not report.state.runs

    def orders(self) -> int:
        return sum(isinstance(m, Ordered) for m in self.got)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def room() -> AsyncIterator[Class]:
    with own_folders():
        got: list[AnyMessage] = []
        found = Class(f"c{secrets.token_hex(3)}", None, got)  # type: ignore[arg-type]
        found.console = Client(found.id, "console", "teacher", got.append, lambda word: None)
        await found.console.start()
        await until(lambda: any(isinstance(m, Welcome) for m in got))
        notes, words = f"{NOTE} {KEY}".encode() * 2000, b"words of a slide"
        found.console.send(Publish("1", "title", f"/{PLACE}/deck.md", notes, words))
        await found.act(actions.Move("a", 0))
        await found.act(actions.Open("q", "text", 0))
        await found.act(actions.Answer("q", (), (ANSWER,), NOTE))
        yield found
        await found.console.close()
        await ask(found.id, Shutdown("end of test"), 30.0)


class Hand:
    """A connection, and all that was ever said on it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def at(cls, class_id: str, *, inside: bool = True) -> Hand:
        hand = cls(*await asyncio.open_unix_connection(str(paths.screen_socket(class_id))))
        if inside:
            hand.say(Attach(messages.VERSION, "audience", secrets.token_hex(4), os.getpid(), answers=True))
        return hand

    def say(self, *said: Message) -> None:
        self.raw(b"".join(frame(messages.encode(one)) for one in said))

    def raw(self, data: bytes) -> None:
        self.writer.write(data)

    async def heard(self) -> bytes:
        """All of it, until the host hangs up."""
        try:
            async with asyncio.timeout(60.0):
                return await self.reader.read(-1)
        except ConnectionError:
            return b""

    def close(self) -> None:
        self.writer.transport.abort()


def keeps_its_secrets(heard: bytes) -> bool:
    return not any(word in heard for word in SECRETS)


LOCK = actions.Lock("q", (), 1.0, 1.0)
ORDERS: dict[str, Message] = {
    "move": Act(1, actions.Move("z", 0)),
    "black": Act(1, actions.Show("black")),
    "lock": Act(1, LOCK),
    "reveal": Act(1, actions.Reveal("q", ())),
    "end": Act(1, actions.End("x")),
    "undo": Act(1, actions.Undo(1)),
    "lead": Act(1, actions.Lead("me")),
    "answer for another": Act(1, actions.Answer("q", (), ("x",), NOTE)),
    "publish": Publish("2", "mine", "/etc/passwd", b"", b"mine"),
    "launch": Launch("b", "ddp", {"ranks": "2"}),
    "run": RunSnippet("b", "bash", "touch x", 5.0, False),
    "keys": Keys("b", "x"),
    "stop": StopRun("b"),
    "steer": Steer("b", 0),
    "link": SetLink("b", "100mbit"),
    "break": Break("b", 0, "kill"),
    "x-ray": TakeXRay("b"),
    "recall": Recall("b", "ddp", {}),
    "seek": Seek("b", 0.0),
    "keep": Keep("b", 0.0),
    "warm": Warm(),
    "shut down": Shutdown("x"),
    "status": Status(),
    "be a console": Attach(messages.VERSION, "console", "teacher", 1),
    "what a host says": Ordered(actions.Entry(1, 0.0, "", "all", LOCK), 0, None),
}


@pytest.mark.parametrize("name", ORDERS)
async def test_an_order_of_a_teacher_is_hung_up_on(name: str, room: Class) -> None:
    hand = await Hand.at(room.id)
    before = room.orders()
    hand.say(ORDERS[name], ORDERS["be a console"], ORDERS["move"], ORDERS["black"])
    heard = await hand.heard()
    assert keeps_its_secrets(heard)
    await room.goes_on()
    assert room.orders() == before + 1
    hand.close()


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xff\xff\xff",
        struct.pack("<I", MAX_FRAME) + b"x" * 1000,
        struct.pack("<I", MOST_SAID + 1),
        frame(b""),
        frame(b"\xc1" * 100),
        frame(b"\x91" * 100_000),
        frame(b"\xdf\xff\xff\xff\xff"),
        frame(b"\xdd\xff\xff\xff\xff"),
        frame(b"\x81\xa2is\xa6nobody"),
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        random.Random(45).randbytes(4004),
    ],
    ids=lambda data: data[:12].hex(),
)
async def test_garbage_is_hung_up_on(data: bytes, room: Class) -> None:
    for inside in (False, True):
        hand = await Hand.at(room.id, inside=inside)
        hand.raw(data)
        if data[3:4] == b"\x00":  # it could become a frame yet: somebody who says nothing more
            hand.writer.write_eof()
        assert keeps_its_secrets(await hand.heard())
        hand.close()
    await room.goes_on()


def memory(room: Class) -> int:
    """Of the host, in bytes."""
    [welcome] = [m for m in room.got if isinstance(m, Welcome)][-1:]
    pages = Path(f"/proc/{welcome.pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="memory of another process is read in /proc"
)
async def test_two_hundred_halves_of_frames_cost_little_and_the_class_goes_on(room: Class) -> None:
    before = memory(room)
    hands = [await Hand.at(room.id, inside=n % 2 == 0) for n in range(CONNECTIONS)]
    for hand in hands:
        hand.raw(struct.pack("<I", MOST_SAID) + b"x" * (MOST_SAID // 2))
    await room.goes_on()
    for hand in hands:
        with suppress(OSError):  # hung up on meanwhile, or not: it is to cost little either way
            await hand.writer.drain()
    await room.goes_on()
    assert memory(room) - before < CONNECTIONS * MOST_SAID * 2
    for hand in hands:
        hand.close()
    await room.goes_on()


async def test_who_asks_without_end_and_reads_nothing_is_hung_up_on(room: Class) -> None:
    """As the room, and as one who has not said who it is."""
    me = Attach(messages.VERSION, "audience", "slow", 1)
    for inside, said in ((False, Status()), (True, me)):
        hand = await Hand.at(room.id, inside=inside)
        asked = frame(messages.encode(said)) * 2000
        for _ in range(40):
            hand.raw(asked)
            try:
                async with asyncio.timeout(0.2):
                    await hand.writer.drain()
            except (TimeoutError, ConnectionError):
                pass
            if hand.writer.transport.is_closing():
                break
        await room.goes_on()
        assert inside is False or keeps_its_secrets(await hand.heard())
        hand.close()


async def test_answers_said_again_are_one_answer_and_none_of_another(room: Class) -> None:
    hand = await Hand.at(room.id)
    hand.say(*[Reply("q", 0, (), ("mine",))] * 3000, Reply("q", 7, (), ("x",)), Reply("gone", 0, (1,)))
    hand.writer.write_eof()
    assert keeps_its_secrets(await hand.heard())
    await room.goes_on()
    report = await ask(room.id, Status(), 60.0)
    assert report is not None
    question = report.state.questions["q"]
    assert list(question.texts.values()) == [(ANSWER,), ("mine",)]
    assert isinstance(report.state, state.ClassState)

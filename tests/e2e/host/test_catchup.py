"""Screens behind a line that is slow and breaks: after each break they are exactly where the class is."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from folders import own_folders
from msgspec.structs import replace
from waiting import until

from runtime import paths
from runtime.classroom import state as class_state
from runtime.classroom import state_for_the_room
from runtime.classroom.actions import Answer, AnyAction, Lead, Move, Open, Role, Show, Timer
from runtime.classroom.state import ClassState
from runtime.host import server as hosting
from runtime.host.client import Client
from runtime.host.server import Host
from runtime.protocol.messages import Act, Blob, Ordered, Publish, Welcome

CLASS = "catchup"
SLICE = 40  # bytes that the line takes at a time: less than any message


class BadLine:
    """A socket before the host's, whose bytes drip. `cuts`: after so many bytes each, every connection breaks
    in the middle of whatever is under way."""

    def __init__(self, path: Path, target: Path) -> None:
        self.path, self._target = path, target
        self.cuts: list[int] = []
        self._open: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None
        self._passed = 0  # bytes since the last cut

    async def start(self) -> None:
        self._server = await asyncio.start_unix_server(self._accept, str(self.path))

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()

    def cut(self) -> None:
        for writer in self._open:
            writer.transport.abort()
        self._open.clear()
        self._passed = 0

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_unix_connection(str(self._target))
        self._open |= {writer, far_writer}
        await asyncio.gather(self._drip(reader, far_writer), self._drip(far_reader, writer))

    async def _drip(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(SLICE):
                writer.write(data)
                await writer.drain()
                self._passed += len(data)
                if self.cuts and self._passed >= self.cuts[0]:
                    del self.cuts[0]
                    self.cut()
                await asyncio.sleep(0)
        except OSError:
            pass
        finally:
            writer.close()


class Follower:
    """A screen as `tui` has one: its state is what it was told, nothing else."""

    def __init__(self, role: Role) -> None:
        self.state = ClassState()
        self.blob = b""
        self.welcomes = 0
        self.client = Client(CLASS, role, f"{role}-{id(self):x}", self._heard, lambda link: None)
        self._n = 0

    def act(self, action: AnyAction) -> None:
        self._n += 1
        self.client.send(Act(self._n, action))

    def _heard(self, message: Any) -> None:
        match message:
            case Welcome(state=state, blob=blob):
                self.state, self.blob = state, blob
                self.welcomes += 1
            case Ordered(entry=entry, state=state):
                self.state = state or class_state.apply(self.state, entry)
            case Blob(blob=blob):
                self.blob = blob


@pytest.fixture
async def host() -> AsyncIterator[Host]:
    with own_folders():
        host = Host(CLASS)
        await host.start()
        yield host
        await host.close()


@pytest.fixture
async def line(host: Host, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[BadLine]:
    """Every screen of the test reaches the host through it."""
    near = paths.run_dir() / "bad.sock"
    line = BadLine(near, paths.screen_socket(CLASS))
    await line.start()
    monkeypatch.setattr("runtime.host.client.paths.screen_socket", lambda class_id: near)
    yield line
    await line.stop()


def told(state: ClassState) -> ClassState:
    """What every screen must agree on; entries nobody of a role sees still count `rev` up at the host."""
    return replace(state, rev=0)


async def test_after_every_break_all_screens_are_where_the_class_is(host: Host, line: BadLine) -> None:
    dice = random.Random(7)
    teacher, other, room = Follower("console"), Follower("console"), Follower("audience")
    screens = (teacher, other, room)
    for screen in screens:
        await screen.client.start()
    deck = Publish("r1", "T", "deck.md", b"console" * 400, b"audience" * 400)
    teacher.client.send(deck)
    await until(lambda: all(screen.welcomes for screen in screens))
    line.cuts = [dice.randrange(1500, 9000) for _ in range(8)]
    moves = [Move(dice.choice("abcd"), dice.randrange(5)) for _ in range(60)]
    asides = [Open("q", "single", 3), Answer("q", (1,)), Show("frozen"), Timer("start"), Show("live")]
    for n, move in enumerate(moves):
        teacher.act(move)
        if n % 12 == 5:
            teacher.act(asides[n // 12])
        if n % 3 == 0:
            await asyncio.sleep(0.002)

    ordered = lambda: [entry.action for entry in host.journal.entries if isinstance(entry.action, Move)]  # noqa: E731
    await until(lambda: len(ordered()) >= len(moves))
    while line.cuts:  # whatever is said now goes to screens that come and go
        teacher.act(Show("black"))
        teacher.act(Show("live"))
        await asyncio.sleep(0.01)
    assert ordered() == moves  # nothing lost, nothing twice, in order
    seen = state_for_the_room.visible_to(host.state, "audience")
    await until(lambda: told(room.state) == told(seen))
    await until(lambda: told(teacher.state) == told(other.state) == told(host.state))
    await until(
        lambda: (teacher.blob or deck.console, other.blob, room.blob) == (deck.console, *deck_of(deck))
    )
    assert room.welcomes > 1 and room.state.questions["q"].answers == {}
    for screen in screens:
        await screen.client.close()


def deck_of(deck: Publish) -> tuple[bytes, bytes]:
    return deck.console, deck.audience


async def test_a_lost_driver_gives_the_class_free_and_one_that_returns_does_not(
    host: Host, line: BadLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosting, "LEAD_LOST_S", 0.5)
    ann, bob = Follower("console"), Follower("console")
    for screen in (ann, bob):
        await screen.client.start()
    ann.act(Lead(ann.client.screen))
    await until(lambda: bob.state.lead == ann.client.screen)
    line.cut()  # both are back at once
    await until(lambda: ann.welcomes == bob.welcomes == 2)
    bob.act(Move("b", 0))
    ann.act(Move("a", 0))
    await until(lambda: host.state.pos.slide == "a")
    assert host.state.lead == ann.client.screen
    await ann.client.close()
    await until(lambda: bob.state.lead == "")
    bob.act(Move("c", 0))
    await until(lambda: host.state.pos.slide == "c")
    await bob.client.close()

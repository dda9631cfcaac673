"""The connection of an agent to its host: what breaks it, what arrives all the same, and by whose clock."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from runtime.agent import host_connection as link
from runtime.agent.host_connection import HostConnection
from runtime.catalog.machines import Machines
from runtime.cluster.link import certificate, link_messages
from runtime.cluster.link.invitation import Invitation, invite
from runtime.cluster.link.link_messages import (
    Begin,
    Events,
    FromAgent,
    FromHost,
    Kill,
    Order,
    Over,
    Ping,
    Signal,
)
from runtime.protocol.events import AnyEvent, Beat, Value
from runtime.protocol.framing import FrameProtocol
from runtime.recordings.recorded_events import Lines
from runtime.supervision.agents import nodes
from runtime.supervision.agents.agent_socket import AgentSocket
from runtime.supervision.agents.node import Node
from runtime.supervision.agents.nodes import Nodes


class Pair:
    """A host that expects one node of two ranks, and that node's connection to it."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.folder = folder
        self.heard: list[AnyEvent] = []
        self.recorded = b""
        self.ended: list[Node] = []
        self.told: list[FromHost] = []
        self.gone: list[str] = []
        self.full = False
        self.invitation = invite(str(folder / "way"))
        machines = Machines(("a",), "a", 1)
        self.nodes = Nodes(machines, 2, self.invitation, self.take, self.ended.append)
        self.socket = AgentSocket(lambda number: self.nodes, lambda nodes, events: None, lambda: self.full)
        self.uplink = HostConnection(self.invitation, 0, (1, 2), self.told.append, self.gone.append, clock)
        self.task: asyncio.Task[None] | None = None

    def take(self, events: Sequence[AnyEvent], recorded: Lines) -> None:
        self.heard += events
        self.recorded += recorded.text

    async def start(self, *, at: Path | None = None) -> None:
        await self.socket.listen_at(at or Path(self.invitation.address))
        self.nodes.begin("run", 1)
        self.task = asyncio.create_task(self.uplink.run())
        await until(lambda: bool(self.told))

    async def close(self) -> None:
        self.socket.close()
        if self.task is not None:
            self.task.cancel()
            with suppress(asyncio.CancelledError):
                await self.task


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "RETRY_S", 0.01)
    monkeypatch.setattr(link, "GATHER_S", 0.005)
    monkeypatch.setattr(nodes, "ACKNOWLEDGE_S", 0.05)


@pytest.fixture
async def pair(tmp_path: Path) -> AsyncIterator[Pair]:
    found = Pair(tmp_path)
    yield found
    await found.close()


async def until(true: Callable[[], bool], within_s: float = 20.0) -> None:
    async with asyncio.timeout(within_s):
        while not true():
            await asyncio.sleep(0.005)


def value(n: int) -> Value:
    return Value("run", 1, n % 2, float(n), "n", "", n, [float(n)])


async def test_orders_arrive_and_events_come_once_and_in_order(pair: Pair) -> None:
    await pair.start()
    assert pair.told == [Begin("run", 1, "a", 1)]
    pair.nodes.tell({"do": "steer"}, 1)
    pair.nodes.signal(0, "kill")
    pair.nodes.over()
    await until(lambda: len(pair.told) == 4)
    assert pair.told[1:] == [Order(1, {"do": "steer"}), Signal(0, "kill"), Over()]
    for n in range(5000):
        pair.uplink.put(1, [value(n)])
    pair.nodes.begin("run", 1)
    assert await pair.uplink.flushed(20)
    assert [event.step for event in pair.heard] == list(range(5000))  # type: ignore[union-attr]


async def test_all_is_recorded_and_of_signs_of_life_the_newest_is_drawn(pair: Pair) -> None:
    await pair.start()
    said = [Beat("run", 1, n % 2, float(n), "train", n, n, n, 0) for n in range(10)]
    pair.uplink.put(1, [said[0], value(0), *said[1:]])
    assert await pair.uplink.flushed(20)
    assert pair.heard == [value(0), *said[-2:]]
    written = [json.loads(line) for line in pair.recorded.splitlines()]
    assert [(tag, t) for tag, _, _, _, t, *_ in written] == [
        ("beat", 0.0), ("value", 0.0), *(("beat", float(n)) for n in range(1, 10)),
    ]  # fmt: skip


def test_many_agents_gather_for_longer_so_that_their_host_hears_as_much() -> None:
    def messages(nodes: int) -> float:
        invitation = invite("/way")
        return nodes / HostConnection(invitation, 0, (nodes, 8), print, print).gather_s

    assert messages(1) == pytest.approx(1 / link.GATHER_S)
    assert messages(128) == messages(512) == pytest.approx(link.MESSAGES_S)


class Proxy:
    """Between the two: carries bytes, and cuts at random in the middle of them, each cut another way."""

    def __init__(self, way: Path, to: Path, chance: random.Random, cuts: int) -> None:
        self.way, self.to, self.chance, self.cuts = way, to, chance, cuts
        self.server: asyncio.Server | None = None

    async def start(self) -> None:
        self.server = await asyncio.start_unix_server(self._carry, str(self.way))

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_unix_connection(str(self.to))
        left = self.chance.randrange(100, 4000) if self.cuts > 0 else 1 << 40
        self.cuts -= 1

        async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
            nonlocal left
            while left > 0 and (data := await source.read(256)):
                left -= len(data)
                sink.write(data[: max(0, left)])
                with suppress(ConnectionError):
                    await sink.drain()
            sink.close()
            writer.close()
            back.close()

        await asyncio.gather(pump(reader, back), pump(there, writer), return_exceptions=True)


@pytest.mark.parametrize("seed", range(4))
async def test_a_line_that_breaks_again_and_again_loses_nothing_and_tells_nothing_twice(
    pair: Pair, seed: int
) -> None:
    behind = pair.folder / "behind"
    proxy = Proxy(Path(pair.invitation.address), behind, random.Random(seed), cuts=12)
    await proxy.start()
    starting = asyncio.create_task(pair.start(at=behind))
    for n in range(400):
        pair.uplink.put(1, [value(n)])
        await asyncio.sleep(0.001)
    pair.uplink.end(1, "done", "", None, victim=False, left=0)
    await starting
    assert await pair.uplink.flushed(30)
    assert proxy.cuts < 10  # it has broken more than once
    steps = [event.step for event in pair.heard]  # type: ignore[union-attr]
    assert steps == list(range(400))
    assert [node.number for node in pair.ended] == [0]
    assert sum(isinstance(one, Begin) for one in pair.told) >= 1


async def test_events_wait_with_who_made_them_while_the_host_takes_none(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "FULL_BYTES", 10_000)
    await pair.start()
    pair.full = True
    for n in range(2000):
        pair.uplink.put(1, [value(n)])
    await until(lambda: pair.uplink.full)
    assert pair.heard == []
    pair.full = False
    assert await pair.uplink.flushed(20)
    assert not pair.uplink.full
    assert len(pair.heard) == 2000


@pytest.mark.parametrize("ahead", [0.0, 5.0, -3600.0])
async def test_the_difference_of_two_clocks_is_found_within_what_is_said(
    tmp_path: Path, ahead: float
) -> None:
    """The agent's clock is ours less `ahead`; what it then knows is held against that."""
    pair = Pair(tmp_path, lambda: time.monotonic() - ahead)
    await pair.start()
    await until(lambda: pair.nodes.all[0].clock is not None)
    known = pair.uplink.clock.difference
    assert known is not None
    assert abs(known.ahead - ahead) <= known.within
    told = pair.nodes.all[0].clock
    assert told is not None and abs(told.ahead - ahead) <= told.within
    await pair.close()


async def test_without_a_host_it_gives_up_and_says_why(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "GONE_S", 0.2)
    task = asyncio.create_task(pair.uplink.run())
    await asyncio.wait_for(task, 20)
    assert len(pair.gone) == 1
    assert pair.gone[0].startswith("no host at ")


async def test_a_host_with_another_token_is_told_nothing_and_the_agent_says_so_at_once(
    tmp_path: Path,
) -> None:
    other = Pair(tmp_path)
    stranger = Invitation(other.invitation.address, other.invitation.number, "ab" * 32)
    uplink = HostConnection(stranger, 0, (1, 2), other.told.append, other.gone.append)
    uplink.put(1, [value(1)])
    await other.socket.listen_at(Path(other.invitation.address))
    other.nodes.begin("run", 1)
    began = time.monotonic()
    await asyncio.wait_for(uplink.run(), 20)
    assert other.told == [] and other.heard == []
    assert time.monotonic() - began < link.GONE_S / 4  # and not after the minute of one that does not answer
    (why,) = other.gone
    assert why.startswith(f"the host at {stranger.address} does not let this machine in: ")
    assert why.endswith("it does not take this invitation: copy the one of the run that waits now")
    await other.close()


async def test_another_host_at_the_same_address_is_told_at_once(tmp_path: Path) -> None:
    other = Pair(tmp_path)
    shown, invited = certificate.make(), certificate.make()
    assert isinstance(shown, certificate.Made) and isinstance(invited, certificate.Made)
    port = await other.socket.listen("127.0.0.1", 0, certificate.server(shown, tmp_path))
    invitation = invite(f"127.0.0.1:{port}", invited.certificate)
    uplink = HostConnection(invitation, 0, (1, 2), other.told.append, other.gone.append)
    await asyncio.wait_for(uplink.run(), link.GONE_S / 4)
    (why,) = other.gone
    assert "it shows another certificate than this invitation has: copy the one" in why
    await other.close()


async def test_a_clock_that_is_a_year_off_is_told_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Pair(tmp_path)
    monkeypatch.setattr(certificate, "DAYS", -0.5)  # over by now, as for a machine that is a week ahead
    made = certificate.make()
    assert isinstance(made, certificate.Made)
    port = await other.socket.listen("127.0.0.1", 0, certificate.server(made, tmp_path))
    invitation = invite(f"127.0.0.1:{port}", made.certificate)
    uplink = HostConnection(invitation, 0, (1, 2), other.told.append, other.gone.append)
    await asyncio.wait_for(uplink.run(), link.GONE_S / 4)
    (why,) = other.gone
    assert why.endswith(
        "by the clock of this machine the host's certificate is over: set the clocks of both machines"
    )
    await other.close()


async def test_who_was_taken_once_is_not_sent_away_by_another_host(
    pair: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await pair.start()
    pair.socket.close()
    other = Pair(tmp_path)
    address = Path(pair.invitation.address)
    refusing = AgentSocket(lambda number: None, lambda nodes, events: None)
    await refusing.listen_at(address)
    await asyncio.sleep(0.3)  # it is refused many times
    assert pair.gone == []
    refusing.close()
    await other.close()
    pair.socket = AgentSocket(lambda number: pair.nodes, lambda nodes, events: None)
    await pair.socket.listen_at(address)
    await until(lambda: pair.nodes.all[0].line is not None)


async def test_looking_whether_ranks_are_at_work_is_no_part_of_a_round_trip(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes so much longer where a node has many processes, and half of it would be off the clock."""
    looked: list[float] = []
    asked: list[float] = []

    def looks() -> bool:
        looked.append(time.monotonic())
        return False

    def encoded(message: object) -> bytes:
        if isinstance(message, Ping):
            asked.append(message.sent)
        return encode(message)  # type: ignore[arg-type]

    encode = link_messages.encode
    monkeypatch.setattr(link_messages, "encode", encoded)
    pair.uplink = HostConnection(
        pair.invitation, 0, (1, 2), pair.told.append, pair.gone.append, at_work=looks
    )
    await pair.start()
    await until(lambda: len(asked) >= link.FIRST_TRIPS)
    assert all(before <= sent for before, sent in zip(looked, asked, strict=False))


async def test_a_node_that_was_started_again_has_lost_its_ranks(pair: Pair) -> None:
    await pair.start()
    assert pair.task is not None
    pair.task.cancel()
    await until(lambda: pair.nodes.all[0].line is None)
    again = HostConnection(pair.invitation, 0, (1, 2), pair.told.append, pair.gone.append)
    task = asyncio.create_task(again.run())
    await until(lambda: bool(pair.ended))
    assert pair.nodes.all[0].lost == "a was started again, and the ranks that it had are gone"
    pair.nodes.begin("run", 2)
    await until(lambda: Begin("run", 2, "a", 1) in pair.told)
    task.cancel()


async def test_a_node_that_was_away_when_a_generation_began_begins_it_when_it_is_started_again(
    pair: Pair,
) -> None:
    await pair.start()
    assert pair.task is not None
    pair.task.cancel()
    await until(lambda: pair.nodes.all[0].line is None)
    pair.nodes.begin("run", 2)  # the others had failed without it
    again = HostConnection(pair.invitation, 0, (1, 2), pair.told.append, pair.gone.append)
    task = asyncio.create_task(again.run())
    await until(lambda: Begin("run", 2, "a", 1) in pair.told)
    assert pair.ended == [] and pair.nodes.all[0].lost == ""
    task.cancel()


async def test_ranks_of_the_generation_that_is_meant_are_ended(pair: Pair) -> None:
    await pair.start()
    await pair.nodes.kill(7)
    ending = asyncio.create_task(pair.nodes.kill(1))
    await until(lambda: Kill(1) in pair.told)
    assert Kill(7) not in pair.told
    pair.uplink.end(1, "stopped", "", None, victim=False, left=0)
    await ending
    assert pair.nodes.left == 0


async def test_a_late_host_gets_nothing_twice_however_often_it_is_taken_for_dead(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or the agents of a host that is late send it all that they keep, over and over, and it stays late."""
    proxy = Proxy(Path(pair.invitation.address), behind := pair.folder / "behind", random.Random(0), cuts=0)
    await proxy.start()
    await pair.start(at=behind)
    node, heard, again = pair.nodes.all[0], pair.nodes.heard, list[int]()

    def count(number: int, line: FrameProtocol, message: FromAgent) -> list[AnyEvent]:
        if line is node.line and isinstance(message, Events) and message.number <= node.taken:
            again.append(message.number)
        return heard(number, line, message)

    monkeypatch.setattr(pair.nodes, "heard", count)
    pair.full = True
    monkeypatch.setattr(link, "DEAD_S", 0.05)
    for n in range(3 * 2000):  # three messages
        pair.uplink.put(1, [value(n)])
    await until(lambda: proxy.cuts <= -5)  # connections
    monkeypatch.setattr(link, "DEAD_S", 20.0)
    pair.full = False
    assert await pair.uplink.flushed(20)
    assert [event.step for event in pair.heard] == list(range(6000))  # type: ignore[union-attr]
    assert again == []

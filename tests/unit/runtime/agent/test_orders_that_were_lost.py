"""What the host says while a connection is dead, unnoticed by both sides, is said again on the next one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from runtime.agent import host_connection as link
from runtime.agent.host_connection import HostConnection
from runtime.catalog.machines import Machines
from runtime.cluster.link.invitation import invite
from runtime.cluster.link.link_messages import Begin, FromHost, Kill, Message, Order, encode
from runtime.supervision.agents.agent_socket import AgentSocket
from runtime.supervision.agents.node import Node
from runtime.supervision.agents.nodes import Nodes


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not true():
            await asyncio.sleep(0.005)


class Way:
    """A host and the connection of its one node, and between them what carries bytes, and can lose them."""

    def __init__(self, folder: Path) -> None:
        self.told: list[FromHost] = []
        self.ended: list[Node] = []
        invitation = invite(str(folder / "way"))
        self.nodes = Nodes(Machines(("a",), "a", 1), 2, invitation, lambda e, r: None, self.ended.append)
        self.node = self.nodes.all[0]
        self._socket = AgentSocket(lambda number: self.nodes, lambda nodes, events: None)
        self.uplink = HostConnection(invitation, 0, (1, 2), self.told.append, print)
        self._behind, self._front = folder / "behind", Path(invitation.address)
        self.open = asyncio.Event()  # new connections are carried
        self.lossy, self.lost = False, b""  # what the host says goes nowhere
        self._agents_ends: list[asyncio.StreamWriter] = []
        self._hosts_ends: list[asyncio.StreamWriter] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        self.open.set()
        await self._socket.listen_at(self._behind)
        self._server = await asyncio.start_unix_server(self._carry, str(self._front))
        self.nodes.begin("run", 1)
        self._tasks.append(asyncio.create_task(self.uplink.run()))
        await until(lambda: self.told == [Begin("run", 1, "a", 1)])

    def close(self) -> None:
        self._server.close()
        self._socket.close()
        for task in self._tasks:
            task.cancel()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self.open.wait()
        there, back = await asyncio.open_unix_connection(str(self._behind))
        self._agents_ends.append(writer)
        self._hosts_ends.append(back)

        async def down() -> None:
            while data := await there.read(1 << 16):
                if self.lossy:
                    self.lost += data
                else:
                    writer.write(data)

        async def up() -> None:
            while data := await reader.read(1 << 16):
                back.write(data)

        self._tasks += [asyncio.create_task(down()), asyncio.create_task(up())]

    async def has_lost(self, message: Message) -> None:
        await until(lambda: encode(message) in self.lost)

    def cut(self, *ends: list[asyncio.StreamWriter]) -> None:
        for end in ends:
            while end:
                end.pop().transport.abort()

    async def comes_back(self) -> None:
        """The agent connects again, and hears all that it is told then."""
        old, self.lossy = self.node.line, False
        self.cut(self._agents_ends)
        self.open.set()
        await until(lambda: self.node.line is not None and self.node.line is not old)
        assert self.nodes.tell({"do": "steer"})
        await until(lambda: Order(None, {"do": "steer"}) in self.told)

    async def is_away(self) -> None:
        """The connection has ended, as the host knows, and there is no other yet."""
        self.open.clear()
        self.cut(self._agents_ends, self._hosts_ends)
        await until(lambda: self.node.line is None)


@pytest.fixture
async def way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Way]:
    monkeypatch.setattr(link, "RETRY_S", 0.01)
    found = Way(tmp_path)
    await found.start()
    yield found
    found.close()


async def test_a_generation_that_began_on_a_dead_connection_begins_on_the_next(way: Way) -> None:
    way.lossy = True
    second = Begin("run", 2, "a", 1)
    way.nodes.begin("run", 2)
    await way.has_lost(second)
    await way.comes_back()
    assert second in way.told
    assert way.ended == []


@pytest.mark.parametrize("half_open", [True, False], ids=("half open", "away"))
async def test_ranks_end_where_they_were_to_end_while_their_agent_was_connecting(
    way: Way, half_open: bool
) -> None:
    way.lossy = half_open
    if not half_open:
        await way.is_away()
    ending = asyncio.create_task(way.nodes.kill(1))
    await asyncio.sleep(0)  # it has said it to whom it can
    if half_open:
        await way.has_lost(Kill(1))
    await way.comes_back()
    assert way.told[-2:] == [Kill(1), Order(None, {"do": "steer"})]
    way.uplink.end(1, "stopped", "", None, victim=False, left=0)
    await ending
    assert way.ended == [way.node] and way.nodes.left == 0


async def test_a_later_generation_is_not_ended_with_the_one_before(way: Way) -> None:
    ending = asyncio.create_task(way.nodes.kill(1))
    await until(lambda: Kill(1) in way.told)
    way.uplink.end(1, "stopped", "", None, victim=False, left=0)
    await ending
    way.told.clear()
    way.nodes.begin("run", 2)
    await way.comes_back()
    assert not any(isinstance(one, Kill) for one in way.told)

"""A host that is only late is waited for: what its agents take for a refusal, or for its end, is neither."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from runtime.agent import host_connection as link
from runtime.agent.host_connection import HostConnection
from runtime.catalog.machines import Machines
from runtime.cluster.link import certificate, handshake
from runtime.cluster.link.invitation import Invitation, invite
from runtime.cluster.link.link_messages import Begin, FromHost
from runtime.protocol.events import AnyEvent, Value
from runtime.protocol.framing import frame
from runtime.recordings.recorded_events import Lines
from runtime.supervision import frame_queue
from runtime.supervision.agents import nodes as nodes_of_a_run
from runtime.supervision.agents.agent_socket import AgentSocket
from runtime.supervision.agents.nodes import Nodes


class Agent:
    """The connection of node `number`, and what it has heard."""

    def __init__(self, invitation: Invitation, number: int = 0) -> None:
        self.told: list[FromHost] = []
        self.gone: list[str] = []
        self.uplink = HostConnection(invitation, number, (2, 2), self.told.append, self.gone.append)
        self.task = asyncio.create_task(self.uplink.run())

    async def close(self) -> None:
        self.task.cancel()
        with suppress(asyncio.CancelledError):
            await self.task


class Host:
    """Two nodes of two ranks are expected; `full`: it can take nothing in for the moment."""

    def __init__(self, folder: Path) -> None:
        self.invitation = invite(str(folder / "way"))
        self.full, self.connections = False, 0
        self.heard: list[AnyEvent] = []
        self.nodes = Nodes(Machines(("a", "b"), "a", 1), 2, self.invitation, self.take, lambda node: None)
        self.socket = AgentSocket(self.of, lambda nodes, events: None, lambda: self.full)
        self.nodes.begin("run", 1)

    def of(self, number: bytes) -> Nodes:
        self.connections += 1
        return self.nodes

    def take(self, events: Sequence[AnyEvent], recorded: Lines) -> None:
        self.heard += events

    async def holds(self, agent: Agent) -> None:
        """Let it come to where nothing more is read."""
        self.full = True
        for n in range(2000):
            agent.uplink.put(1, [Value("run", 1, 0, float(n), "n", "", n, [float(n)])])
        await until(lambda: self.socket.late)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "RETRY_S", 0.01)
    monkeypatch.setattr(link, "GATHER_S", 0.005)
    monkeypatch.setattr(frame_queue, "LATE_BYTES", 10_000)
    monkeypatch.setattr(frame_queue, "MOST_BYTES", 10_000)


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[Host]:
    found = Host(tmp_path)
    await found.socket.listen_at(Path(found.invitation.address))
    yield found
    found.socket.close()


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not true():
            await asyncio.sleep(0.005)


async def answers_none(folder: Path, after_s: float | None) -> tuple[Invitation, list[float]]:
    """Stand in for a host that asks who comes, and hangs up `after_s` (None: never); returns when it did."""
    invitation, came = invite(str(folder / "late")), list[float]()

    async def late(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        came.append(time.monotonic())
        writer.write(frame(handshake.challenge()))
        if after_s is not None:
            await reader.readexactly(4 + handshake.ANSWER)
            await asyncio.sleep(after_s)
        else:
            await reader.read()
        writer.close()

    await asyncio.start_unix_server(late, invitation.address)
    return invitation, came


async def test_a_host_that_hangs_up_late_is_there_and_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handshake, "WITHIN_S", 0.05)
    monkeypatch.setattr(link, "GONE_S", 0.01)
    invitation, came = await answers_none(tmp_path, after_s=0.1)
    agent = Agent(invitation)
    await until(lambda: len(came) > 3 * link.REFUSALS or bool(agent.gone))
    assert agent.gone == []
    await agent.close()


async def test_who_hangs_up_itself_was_not_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "DEAD_S", 0.05)
    monkeypatch.setattr(link, "GONE_S", 2.0)
    invitation, came = await answers_none(tmp_path, after_s=None)
    agent = Agent(invitation)
    await until(lambda: bool(agent.gone))
    assert len(came) > link.REFUSALS
    assert agent.gone == [f"no host at {invitation.address} for 2 s: it does not answer"]


async def test_a_host_that_takes_connections_and_does_not_speak_is_told_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as one that is stopped: its kernel takes them."""
    monkeypatch.setattr(handshake, "WITHIN_S", 0.05)
    monkeypatch.setattr(link, "GONE_S", 0.2)
    made = certificate.make()
    assert isinstance(made, certificate.Made)

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    agent = Agent(invite(address, made.certificate))
    await until(lambda: bool(agent.gone))
    assert agent.gone == [f"no host at {address} for 0 s: it does not answer"]
    server.close()


async def test_a_host_that_can_take_in_no_more_lets_agents_in_all_the_same(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They would be hung up on as strangers, again and again, until they gave up."""
    monkeypatch.setattr(handshake, "WITHIN_S", 0.3)
    first = Agent(host.invitation)
    await until(lambda: bool(first.told))
    await host.holds(first)
    second = Agent(host.invitation, 1)
    await until(lambda: second.uplink.admitted or bool(second.gone))
    assert second.gone == [] and second.told == []
    host.full = False
    await until(lambda: second.told == [Begin("run", 1, "a", 1)])
    await first.close()
    await second.close()


async def test_agents_of_a_host_that_can_take_in_no_more_hear_that_it_is_there(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or all of them come again, which makes it later still."""
    monkeypatch.setattr(link, "DEAD_S", 1.0)
    monkeypatch.setattr(link, "OURS_S", 0.05)  # one turn that this machine took from us is no dead host
    monkeypatch.setattr(nodes_of_a_run, "STALE_S", 0.02)
    agent = Agent(host.invitation)
    await until(lambda: bool(agent.told))
    await host.holds(agent)
    held_since = time.monotonic()

    def longer_than_a_dead_host() -> bool:
        host.nodes.say_taken(time.monotonic())
        return time.monotonic() - held_since > 3 * link.DEAD_S

    await until(longer_than_a_dead_host)
    assert host.connections == 1
    line = host.nodes.all[0].line
    assert line is not None and host.socket.holds_of(line)
    host.full = False
    assert await agent.uplink.flushed(20)
    assert not host.socket.holds_of(line)
    assert len(host.heard) == 2000
    await agent.close()


async def test_an_agent_that_had_no_turn_itself_does_not_take_its_host_for_dead(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "DEAD_S", 1.0)
    monkeypatch.setattr(link, "OURS_S", 0.1)
    agent = Agent(host.invitation)
    await until(lambda: bool(agent.told))
    time.sleep(1.5)  # the loop of both stands still, as where a machine has no time for it
    host.nodes.tell({"do": "steer"})
    await until(lambda: len(agent.told) > 1)
    assert host.connections == 1
    await agent.close()

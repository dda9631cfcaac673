"""An agent that is told to begin and to end at once: no rank plays, also where GPUs have to be counted."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from folders import in_folders, own_folders

from runtime.agent.agent import Agent
from runtime.catalog import registry
from runtime.catalog.machines import Machines
from runtime.catalog.one_node import read as one_node
from runtime.catalog.params import Refusal
from runtime.cluster.link.invitation import invite
from runtime.launch import device_choice, gpus
from runtime.supervision.agents.agent_socket import AgentSocket
from runtime.supervision.agents.node import Node
from runtime.supervision.agents.nodes import Nodes


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A machine with a driver that is asked on another thread and has no GPU, and was not asked yet."""
    monkeypatch.setattr(gpus, "counted", None)
    monkeypatch.setattr(gpus, "driver", lambda: True)
    monkeypatch.setattr(gpus, "ask", lambda: 0)
    with own_folders() as found:
        in_folders(found, monkeypatch)
        yield found


@pytest.mark.parametrize("word", ["kill", "over"])
async def test_no_rank_plays_after_a_word_that_comes_right_behind_the_begin(home: Path, word: str) -> None:
    demo = registry.check("ddp", {"ranks": "1", "nodes": "1"}, here=False)
    node = one_node("0", "127.0.0.1:29999", 1, 1)
    assert isinstance(demo, registry.Launchable) and not isinstance(node, Refusal)
    demo = replace(demo, node=node)
    assert device_choice.may_use_gpu(demo)
    invitation = invite(str(home / "way"))
    ended: list[Node] = []
    nodes = Nodes(Machines(("a",), "", 0), 1, invitation, lambda e, r: None, ended.append)
    socket = AgentSocket(lambda number: nodes, lambda nodes, events: None)
    await socket.listen_at(Path(invitation.address))
    agent = Agent(demo, invitation, print)
    running = asyncio.create_task(agent.run())
    try:
        async with asyncio.timeout(60):
            while nodes.all[0].line is None:
                assert not running.done()
                await asyncio.sleep(0.005)
            nodes.begin("run", 1)
            if word == "kill":
                await nodes.kill(1)
                assert nodes.all[0].ended is not None and nodes.all[0].ended.state == "stopped"
            nodes.over()
            assert await running == 0
        assert agent.failed  # its run was stopped, and not played to its end
    finally:
        agent.leave("the test is over")
        await asyncio.gather(running, return_exceptions=True)
        socket.close()

"""How an agent learns that it is over: by its host's word, or because nobody holds its input any more."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from folders import in_folders, own_folders

from runtime.agent import agent as module
from runtime.agent.agent import Agent
from runtime.catalog import registry
from runtime.catalog.one_node import read as one_node
from runtime.catalog.params import Refusal
from runtime.cluster.link.invitation import invite


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(module, "WORD_S", 0.2)
    with own_folders() as found:
        in_folders(found, monkeypatch)
        yield found


@pytest.mark.parametrize("host_speaks", [True, False])
async def test_checkpoints_stay_only_where_the_host_has_not_said_that_it_is_over(
    home: Path, host_speaks: bool
) -> None:
    """The end of the input comes first: of a host that is done the word follows, of one that is gone none."""
    demo = registry.check("failover", {"ranks": "1", "nodes": "2"}, here=False)
    node = one_node("0", "127.0.0.1:29999", 2, 1)
    assert isinstance(demo, registry.Launchable) and not isinstance(node, Refusal)
    said: list[str] = []
    agent = Agent(replace(demo, node=node), invite(str(home / "nobody")), said.append)
    scratch = home / "scratch"
    scratch.mkdir()
    agent.scratch = scratch
    running = asyncio.create_task(agent.run())
    await asyncio.sleep(0)
    agent.hung_up("whoever started it has hung up")
    if host_speaks:
        agent.leave()
    assert await asyncio.wait_for(running, 30) == 0
    assert scratch.exists() is not host_speaks
    assert said == ([] if host_speaks else ["whoever started it has hung up"])
    assert agent.failed is not host_speaks

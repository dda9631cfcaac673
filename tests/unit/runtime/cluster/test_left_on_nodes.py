"""How many processes a run has left behind, by what its nodes say: to the end, where it is told."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from runtime import paths
from runtime.agent.host_connection import HostConnection
from runtime.catalog import registry
from runtime.catalog.machines import Machines
from runtime.cluster.link.invitation import Invitation, read_file
from runtime.cluster.link.link_messages import Begin, FromHost
from runtime.supervision.supervisor import Supervisor

pytest.importorskip("cryptography")


async def test_what_a_node_could_not_end_is_told_at_the_end_of_the_run(tmp_path: Path) -> None:
    demo = registry.check("ddp", {"ranks": "2"}, here=False)
    assert isinstance(demo, registry.Launchable), demo
    file = tmp_path / "join"
    machines = Machines(("a", "b"), "", 0, listen=("127.0.0.1", 0), invitation=str(file))
    supervisor = Supervisor("left", paths.rank_socket("left"))
    await supervisor.start()
    begun: set[int] = set()

    def told(node: int, message: FromHost) -> None:
        if isinstance(message, Begin):
            begun.add(node)

    try:
        run = await supervisor.launch("b", replace(demo, machines=machines))
        async with asyncio.timeout(30):
            while not file.exists():
                assert not run.over.is_set(), run.why
                await asyncio.sleep(0.01)
            found = read_file(str(file))
            assert isinstance(found, Invitation), found
            agents = [HostConnection(found, n, (2, 1), partial(told, n), lambda why: None) for n in (0, 1)]
            tasks = [asyncio.create_task(agent.run()) for agent in agents]
            while len(begun) < 2:
                await asyncio.sleep(0.01)
            for agent, left in zip(agents, (2, 3), strict=True):
                agent.end(1, "failed", "its rank was lost", None, victim=False, left=left)
            await run.over.wait()
        for task in tasks:
            task.cancel()
        assert (run.state, run.left) == ("failed", 5)
    finally:
        assert await supervisor.close() == 5

"""Ranks that stand when the worst happens: held, stopped and broken runs of a class leave nothing behind."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from classroom import BLOCK, Classroom, classroom

from runtime.protocol.messages import Break, Refused, Snapshot, Steer, StopRun, Welcome

pytestmark = pytest.mark.slow


async def host_dies(room: Classroom, ranks: set[int]) -> None:
    host, heard = await room.pid_of("host"), len(room.heard)
    os.kill(host, signal.SIGKILL)
    await room.gone(ranks)
    await room.until(lambda m: isinstance(m, Welcome), "a new host", since=heard)


async def test_a_held_and_a_stopped_rank_die_with_their_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with classroom(tmp_path, monkeypatch) as room:
        before = await room.train()
        room.client.send(Steer(BLOCK, 0))
        await room.until(
            lambda m: isinstance(m, Snapshot) and {row.state for row in m.rows} == {"held"},
            "a run that stands",
        )
        room.client.send(Break(BLOCK, 2, "stop"))
        await room.until(lambda m: isinstance(m, Snapshot) and m.rows[2].harm == "stopped", "a stopped rank")
        await host_dies(room, {row.pid for row in before.rows})


async def test_a_console_breaks_a_rank_and_hears_what_cannot_be_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with classroom(tmp_path, monkeypatch) as room:
        room.client.send(Break(BLOCK, 0, "kill"))
        refused = await room.until(lambda m: isinstance(m, Refused), "why not")
        assert isinstance(refused, Refused)
        assert (refused.block, refused.why) == (BLOCK, "nothing runs here")
        before = await room.train()
        room.client.send(Break(BLOCK, 3, "stop"))
        await room.until(lambda m: isinstance(m, Snapshot) and "stopped" in m.rows[3].harm, "its harm")
        room.client.send(StopRun(BLOCK))
        await room.gone({row.pid for row in before.rows})
        before = await room.train()
        room.client.send(Break(BLOCK, 1, "kill"))
        after = await room.until(lambda m: isinstance(m, Snapshot) and m.state == "failed", "a failed run")
        assert isinstance(after, Snapshot)
        assert after.why.startswith("rank 1 was killed on purpose (SIGKILL)")
        last = [m for m in room.heard if isinstance(m, Snapshot)][-1]
        assert [row.state for row in last.rows].count("dead") == 1
        await room.gone({row.pid for row in before.rows})

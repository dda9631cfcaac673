"""kill -9 of everything: the class goes on, no rank survives, and what died comes back by itself."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from classroom import Classroom, classroom

from runtime.launch.parent_death import descendants
from runtime.protocol.messages import AnyMessage, Snapshot, Stage, Warm, Welcome

pytestmark = pytest.mark.slow
SOAK = 25
PROMISED_S = 3.0  # for ranks to be gone


def is_warm(message: AnyMessage) -> bool:
    return isinstance(message, Stage) and message.status == "warm"


async def kill_host(room: Classroom) -> float:
    before = await room.train()
    host = await room.pid_of("host")
    ranks = {row.pid for row in before.rows} | {await room.pid_of("stage")}
    heard = len(room.heard)
    os.kill(host, signal.SIGKILL)
    seconds = await room.gone(ranks)
    back = await room.until(lambda m: isinstance(m, Welcome), "a new host", since=heard)
    assert isinstance(back, Welcome)
    assert back.pid != host
    assert back.state.runs["slide/1"].state == "lost"
    assert "lost" in room.links
    room.client.send(Warm())
    await room.until(is_warm, "a warm stage again", since=heard)
    return seconds


async def kill_stage(room: Classroom) -> float:
    before = await room.train()
    stage, heard = await room.pid_of("stage"), len(room.heard)
    os.kill(stage, signal.SIGKILL)
    seconds = await room.gone({row.pid for row in before.rows})
    await room.until(lambda m: isinstance(m, Snapshot) and m.state == "lost", "a badge", since=heard)
    await room.until(is_warm, "the stage by itself", since=heard)
    return seconds


async def kill_guardian(room: Classroom) -> float:
    before = await room.train(launcher="torchrun", ranks=2)
    guardian, heard = await room.pid_of("guardian"), len(room.heard)
    tree = set(descendants(guardian))  # torchrun, its ranks and what they have forked
    assert tree > {row.pid for row in before.rows}
    os.kill(guardian, signal.SIGKILL)
    seconds = await room.gone(tree)
    after = await room.until(lambda m: isinstance(m, Snapshot) and m.state == "lost", "a badge", since=heard)
    assert isinstance(after, Snapshot)
    assert after.why == "the guardian died and its ranks with it"
    return seconds


async def kill_rank(room: Classroom) -> float:
    before = await room.train()
    victim, heard = before.rows[2].pid, len(room.heard)
    os.kill(victim, signal.SIGKILL)
    seconds = await room.gone({row.pid for row in before.rows})
    after = await room.until(
        lambda m: isinstance(m, Snapshot) and m.state == "failed", "a failed run", since=heard
    )
    assert isinstance(after, Snapshot)
    assert after.why.startswith("rank 2 was killed by SIGKILL")
    return seconds


KILLS = {"rank": kill_rank, "guardian": kill_guardian, "stage": kill_stage, "host": kill_host}


async def test_no_kill_leaves_a_rank_and_one_class_goes_on_after_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with classroom(tmp_path, monkeypatch) as room:
        for kill in KILLS.values():
            await kill(room)
        await room.train()


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("victim", KILLS)
async def test_many_kills(
    victim: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with classroom(tmp_path, monkeypatch) as room:
        seconds = sorted([await KILLS[victim](room) for _ in range(SOAK)])
    assert seconds[-1] < PROMISED_S
    with capsys.disabled():
        print(
            f"\n{victim}: {SOAK} kills, ranks gone after median {seconds[SOAK // 2] * 1e3:.0f} ms, "
            f"worst {seconds[-1] * 1e3:.0f} ms"
        )

"""A real host with screens, a stage and ranks: how runs begin and end, and what ends with them."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import signal
import time

import pytest
from host_room import Room, pids, training
from waiting import until

from runtime import paths
from runtime.classroom import state as class_state
from runtime.classroom.actions import Move
from runtime.host.client import ask
from runtime.launch.device_choice import cores
from runtime.launch.processes import Own, gone
from runtime.protocol.messages import (
    Keep,
    Launch,
    Publish,
    Refused,
    Shutdown,
    Snapshot,
    Stage,
    StopRun,
    Warm,
    Welcome,
)

pytestmark = pytest.mark.slow


async def test_a_run_streams_ends_when_stopped_and_is_recorded(warm_room: Room) -> None:
    console, audience = await warm_room.enter("console"), await warm_room.enter("audience")
    console.client.send(Warm())
    await until(lambda: any(s.status == "warm" for s in console.all(Stage)))
    snapshot = await training(console)
    assert (snapshot.badge, snapshot.world, snapshot.backend) == ("LIVE CPU", 2, "gloo")
    await until(lambda: console.all(Snapshot)[-1].rows[0].wait is not None)
    await until(lambda: audience.all(Snapshot))
    ranks = pids(await warm_room.report(), "rank")
    assert len(ranks) == 2
    console.client.send(StopRun("b"))
    await until(lambda: console.run_state() == "stopped")
    assert await gone(ranks, 3.0) == []
    folder = paths.runs_dir() / snapshot.run
    await until(lambda: json.loads((folder / "run.json").read_text()).get("state") == "stopped")
    lines = gzip.decompress((folder / "events.jsonl.gz").read_bytes()).splitlines()
    kinds = {json.loads(line)[0] for line in lines}
    assert kinds >= {"hello", "boot", "step", "collective", "beat", "memory"}


async def test_two_demos_at_once_say_so_and_the_one_left_that_it_was_not_alone(warm_room: Room) -> None:
    console = await warm_room.enter("console")
    await training(console)
    console.client.send(Launch("c", "ddp", {"ranks": "3", "steps": "100000"}))

    def said(block: str) -> tuple[str, ...]:
        return next((s.bent for s in reversed(console.all(Snapshot)) if s.block == block), ())

    await until(lambda: all(any("2 demos" in word for word in said(block)) for block in "bc"))
    if cores() < 5:
        assert f"5 ranks on {cores()} cores, 2 demos".replace("1 cores", "1 core") in said("b")
    console.client.send(StopRun("c"))
    await until(lambda: "another demo ran beside it for a while" in said("b"))
    console.client.send(StopRun("b"))
    await until(lambda: console.run_state() == "stopped")


async def test_a_finished_run_is_done(warm_room: Room) -> None:
    console = await warm_room.enter("console")
    await training(console, {"ranks": "2", "steps": "5"})
    await until(lambda: console.run_state() == "done")
    await until(lambda: console.all(Snapshot)[-1].state == "done")
    final = console.all(Snapshot)[-1]
    assert [row.state for row in final.rows] == ["done", "done"]
    assert [row.step for row in final.rows] == [4, 4]
    assert final.equal is True


async def test_one_rank_killed_ends_its_generation_and_is_named(warm_room: Room) -> None:
    console = await warm_room.enter("console")
    await training(console)
    ranks = pids(await warm_room.report(), "rank")
    ranks[1].kill()
    await until(lambda: console.run_state() == "failed")
    assert console.state.runs["b"].why.startswith("rank 1 was killed by SIGKILL (after step")
    assert await gone(ranks, 3.0) == []
    await until(lambda: console.all(Snapshot)[-1].fault.startswith("rank 1 was killed"))


async def test_leaving_the_slide_ends_the_run_and_coming_back_keeps_it(warm_room: Room) -> None:
    console = await warm_room.enter("console")
    await training(console)
    console.client.send(Keep("b", 0.3))
    console.client.send(Keep("b", None))
    await asyncio.sleep(0.6)
    assert console.run_state() == "running"
    console.client.send(Keep("b", 0.1))
    await until(lambda: console.run_state() == "stopped")
    assert console.state.runs["b"].why == "its slide was left"


async def test_starting_again_ends_the_older_run(warm_room: Room) -> None:
    console = await warm_room.enter("console")
    first = await training(console)
    old = pids(await warm_room.report(), "rank")
    second = await training(console)
    assert first.run != second.run
    assert await gone(old, 3.0) == []


async def test_kill_9_of_the_host_ends_every_rank_and_a_console_brings_a_new_one(warm_room: Room) -> None:
    console = await warm_room.enter("console")
    console.client.send(Publish("r1", "Title", "/deck.md", b"notes", b"none"))
    console.act(Move("s", 3))
    await training(console)
    before = await warm_room.report()
    everything = [*pids(before, "rank"), *pids(before, "stage"), *pids(before, "host")]
    assert len(everything) == 4
    os.kill(before.pid, signal.SIGKILL)
    console.act(Move("s", 4))
    assert await gone(everything, 10.0) == []
    await until(lambda: console.links.count("up") == 2)
    assert console.links[-2:] == ["lost", "up"]
    await until(lambda: console.state.pos == class_state.Position("s", 4))
    assert console.state.runs["b"].state == "lost"
    assert console.state.runs["b"].why == "the host was restarted"
    audience = await warm_room.enter("audience")
    assert audience.all(Welcome)[0].blob == b"none"


async def test_an_ended_class_is_not_brought_back_by_its_screens(room: Room) -> None:
    console = await room.enter("console")
    await training(console)
    before = await room.report()
    everything = [own for p in before.processes if (own := Own.of(p.pid))]
    answer = await ask(room.class_id, Shutdown("over"), 10.0)
    assert answer is not None and answer.left == 0 and answer.state.ended
    assert await gone(everything, 10.0) == []
    await until(lambda: console.links[-1].startswith("refused: the class was ended"))
    assert room.class_id not in paths.live_classes()
    again = await room.enter("console")
    assert not again.state.ended


async def test_sigterm_is_a_clean_end_and_hangup_is_none(room: Room) -> None:
    console = await room.enter("console")
    await training(console)
    before = await room.report()
    everything = [*pids(before, "rank"), *pids(before, "stage")]
    os.kill(before.pid, signal.SIGHUP)
    assert (await room.report()).pid == before.pid
    await console.client.close()
    os.kill(before.pid, signal.SIGTERM)
    host = Own.of(before.pid)
    assert await gone([*everything, *([host] if host else [])], 10.0) == []
    assert not paths.screen_socket(room.class_id).exists()


async def test_a_run_nobody_watches_ends_at_its_budget(warm_room: Room) -> None:
    console = await warm_room.enter("console")
    await training(console, {"ranks": "2", "steps": "100000", "budget": "1s"})
    assert console.run_state() == "running"  # watched: the budget kills nothing
    await console.client.close()
    until_at = time.monotonic() + 20
    while (await warm_room.report()).state.runs["b"].state != "stopped":
        assert time.monotonic() < until_at
        await asyncio.sleep(0.1)
    assert (await warm_room.report()).state.runs["b"].why == "its 1 s were over, and no screen was open"


async def test_strategies_run_in_turn_in_one_block(warm_room: Room) -> None:
    console = await warm_room.enter("console")
    console.client.send(Launch("c", "compare", {"strategies": "ddp"}))
    await until(lambda: console.all(Refused))
    assert "two strategies" in console.all(Refused)[0].why
    params = {"strategies": "ddp; zero stage=1", "ranks": "2", "steps": "4", "runs": "2"}
    console.client.send(Launch("c", "compare", params))

    def tables() -> list[tuple[int, ...]]:
        found = [snapshot.comparison for snapshot in console.all(Snapshot)]
        return [tuple(row.runs for row in table.rows) for table in found if table is not None]

    await until(lambda: tables() and tables()[-1] == (2, 2))
    assert list(dict.fromkeys(tables())) == [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2)]
    table = console.all(Snapshot)[-1].comparison
    assert table is not None and [row.same for row in table.rows] == [True, True]
    await until(lambda: console.all(Snapshot)[-1].state == "done")

    console.client.send(Launch("c", "compare", params | {"steps": "100000"}))
    await until(lambda: console.all(Snapshot)[-1].state == "running")
    console.client.send(StopRun("c"))
    await until(lambda: console.all(Snapshot)[-1].state == "stopped")
    report = await warm_room.report()
    assert pids(report, "rank") == []

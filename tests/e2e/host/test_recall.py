"""A recorded run in a class: a real host, real screens, real ranks that give way to it."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from folders import own_folders
from host_room import Room, end
from waiting import until

from runtime import paths
from runtime.launch.processes import Own, gone
from runtime.protocol.messages import Launch, Recall, Refused, Seek, Snapshot, StopRun, Welcome
from runtime.recordings import run_choice

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]
ASKED = {"ranks": "2", "steps": "40", "lr": "0.002"}


@pytest.fixture(scope="module", autouse=True)
def home() -> Iterator[Path]:
    with own_folders() as home:
        yield home


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def room(home: Path) -> AsyncIterator[Room]:
    """A class in which a run of `ASKED` has ended well in block `b`."""
    room = Room(f"c{secrets.token_hex(3)}")
    first = await room.enter("console")
    first.client.send(Launch("b", "ddp", ASKED))
    await until(lambda: first.run_state() == "done" and first.shown()[-1].state == "done")
    await until(lambda: list(run_choice.done("ddp")))  # written by a patient thread, a moment after
    yield room
    await room.leave()
    await end(room.class_id)


def figures(snapshot: Snapshot) -> list[tuple[object, ...]]:
    return [(r.rank, r.state, r.step, r.loss, r.step_s, r.wait, r.params, r.checksum) for r in snapshot.rows]


async def test_the_run_just_made_is_shown_again_as_it_was(room: Room) -> None:
    console, audience = await room.enter("console"), await room.enter("audience")
    await until(lambda: console.shown())
    live = console.shown()[-1]
    asked_at = time.monotonic()
    console.client.send(Recall("b", "ddp", ASKED))
    await until(lambda: console.shown()[-1].playback is not None)
    took = time.monotonic() - asked_at
    first = console.shown()[-1]
    assert (first.badge, first.run, first.state, first.params) == ("REPLAY", live.run, "running", ASKED)
    assert first.playback is not None and first.playback.speed == 1.0 and first.playback.at_s < took + 1.0
    assert "torch" in first.playback.machine and first.playback.made.startswith("20")
    assert console.run_state() == "replay"
    assert console.state.runs["b"].why == f"recorded {first.playback.made}"

    console.client.send(Seek("b", None, 0.0))
    await until(lambda: console.shown()[-1].playback.speed == 0.0)  # type: ignore[union-attr]
    stands = console.shown()[-1].playback
    await asyncio.sleep(0.3)
    assert console.shown()[-1].playback == stands

    length = first.playback.length_s
    console.client.send(Seek("b", length / 2, 0.0))
    await until(lambda: console.shown()[-1].playback.at_s == length / 2)  # type: ignore[union-attr]
    middle = console.shown()[-1]
    assert middle.state == "running" and all(0 < (row.step or 0) < 39 for row in middle.rows)

    console.client.send(Seek("b", length, 1.0))
    await until(lambda: console.shown()[-1].state == "done")
    assert figures(console.shown()[-1]) == figures(live)
    assert console.shown()[-1].curves == live.curves
    await until(lambda: audience.shown() and audience.shown()[-1].state == "done")
    assert audience.shown()[-1].badge == "REPLAY" and audience.run_state() == "replay"

    late = await room.enter("console")  # a screen that comes now sees the same
    await until(lambda: late.shown())
    assert late.shown()[-1].badge == "REPLAY" and late.run_state() == "replay"


async def test_a_live_run_gives_way_and_comes_back(room: Room) -> None:
    console = await room.enter("console")
    console.client.send(Launch("b", "ddp", {"ranks": "2", "steps": "100000"}))
    await until(lambda: console.run_state() == "running" and console.shown()[-1].rows[0].step)
    assert [e.label for e in console.shown()[-1].earlier][:1] == ["steps=40 lr=0.002"]
    assert console.shown()[-1].earlier[0].curve.steps[-1] == 39
    ranks = [own for p in (await room.report()).processes if p.what == "rank" and (own := Own.of(p.pid))]
    assert len(ranks) == 2
    console.client.send(Recall("b", "ddp", ASKED))
    await until(lambda: console.run_state() == "replay")
    assert await gone(ranks, 3.0) == []
    await asyncio.sleep(0.3)
    assert console.run_state() == "replay"  # the end of the live one is not news for the block
    assert console.shown()[-1].badge == "REPLAY"
    console.client.send(Launch("b", "ddp", {"ranks": "2", "steps": "100000"}))
    await until(lambda: console.run_state() == "running" and console.shown()[-1].rows[0].step)
    assert console.shown()[-1].badge == "LIVE CPU" and console.shown()[-1].playback is None
    console.client.send(Seek("b", 1.0, 1.0))  # of nothing
    console.client.send(StopRun("b"))
    await until(lambda: console.run_state() == "stopped")


async def test_other_parameters_fall_back_on_a_recording_that_says_what_differs(room: Room) -> None:
    console = await room.enter("console")
    for demo in ("ddp", "allreduce", "accumulate", "buckets"):
        console.client.send(Recall(demo, demo, {"ranks": "3"}))
        await until(lambda demo=demo: console.shown(demo))  # type: ignore[misc]
        shown = console.shown(demo)[-1]
        assert (shown.badge, shown.world, shown.demo) == ("REPLAY of another run", 4, demo)
        assert shown.playback is not None and "ranks=4 (asked 3)" in shown.playback.differs
        assert shown.params["ranks"] == "4"  # it says what it is, not what was asked for
        console.client.send(StopRun(demo))
        await until(lambda demo=demo: console.shown(demo)[-1].playback.speed == 0.0)  # type: ignore[misc]


async def test_by_its_id_and_what_there_is_not(room: Room) -> None:
    console = await room.enter("console")
    run = next(folder.name for folder in paths.runs_dir().iterdir())
    console.client.send(Recall("by-id", "ddp", {}, run))
    await until(lambda: console.shown("by-id"))
    assert console.shown("by-id")[-1].run == run
    for recall, why, mend in (
        (
            Recall("none", "of tomorrow", {}),
            "no recorded run of of tomorrow yet",
            "start it live once",
        ),
        (Recall("none", "ddp", {}, "../../../etc"), "no recorded run has this id", "teachrun runs list"),
    ):
        before = len(console.all(Refused))
        console.client.send(recall)
        await until(lambda before=before: len(console.all(Refused)) > before)  # type: ignore[misc]
        assert why in console.all(Refused)[-1].why and mend in console.all(Refused)[-1].mend
    assert console.run_state("none") == ""


async def test_a_restarted_host_shows_the_recording_again(room: Room) -> None:
    console = await room.enter("console")
    console.client.send(Recall("b", "ddp", ASKED))
    await until(lambda: console.run_state() == "replay" and console.shown()[-1].playback)
    before = await room.report()
    os.kill(before.pid, signal.SIGKILL)
    # What the ended host had sent may still be read: only what follows a new welcome is the new host's.
    await until(lambda: sum(isinstance(m, Welcome) for m in console.got) == 2)
    again = max(i for i, m in enumerate(console.got) if isinstance(m, Welcome))
    told = lambda: [m for m in console.got[again:] if isinstance(m, Snapshot) and m.block == "b"]  # noqa: E731
    await until(told)
    assert (told()[0].badge, console.run_state()) == ("REPLAY", "replay")
    assert (await room.report()).pid != before.pid

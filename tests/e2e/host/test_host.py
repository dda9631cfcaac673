"""A real host with real screens, stage and ranks, in directories of its own."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import secrets
import signal
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from folders import own_folders
from waiting import until

from runtime import paths
from runtime.classroom import actions
from runtime.classroom import state as class_state
from runtime.classroom.actions import Again, Answer, Lock, Measured, Move, Open, Reveal, Role, Show, Undo
from runtime.classroom.question_state import Sample
from runtime.host import consent
from runtime.host.client import Client, ask, start_host
from runtime.launch.device import cores
from runtime.launch.processes import Own, gone
from runtime.protocol import messages
from runtime.protocol.framing import FrameProtocol
from runtime.protocol.messages import (
    Act,
    Answered,
    AnyMessage,
    Attach,
    Blob,
    Keep,
    Launch,
    Ordered,
    Output,
    Publish,
    Refused,
    Report,
    RunSnippet,
    Shutdown,
    Snapshot,
    Stage,
    Status,
    StopRun,
    Warm,
    Welcome,
)

pytestmark = pytest.mark.slow
M = TypeVar("M", bound=AnyMessage)


@pytest.fixture(scope="module", autouse=True)
def home() -> Iterator[Path]:
    with own_folders() as home:
        yield home
        asyncio.run(end("warm"))


class Screen:
    def __init__(self, class_id: str, role: Role) -> None:
        self.got: list[AnyMessage] = []
        self.links: list[str] = []
        self.client = Client(class_id, role, secrets.token_hex(4), self.got.append, self.links.append)
        self._n = 0

    def act(self, action: actions.AnyAction) -> None:
        self._n += 1
        self.client.send(Act(self._n, action))

    def all(self, kind: type[M]) -> list[M]:
        return [message for message in self.got if isinstance(message, kind)]

    @property
    def state(self) -> class_state.ClassState:
        """The state as this screen has been told it."""
        state = class_state.ClassState()
        for message in self.got:
            if isinstance(message, Welcome):
                state = message.state
            elif isinstance(message, Ordered):
                state = message.state or class_state.apply(state, message.entry)
        return state

    def run_state(self, block: str = "b") -> str:
        info = self.state.runs.get(block)
        return info.state if info else ""


class Room:
    """A class and the screens a test has put into it."""

    def __init__(self, class_id: str) -> None:
        self.class_id = class_id
        self.screens: list[Screen] = []

    async def enter(self, role: Role) -> Screen:
        screen = Screen(self.class_id, role)
        self.screens.append(screen)
        await screen.client.start()
        await until(lambda: "up" in screen.links)
        return screen

    async def leave(self) -> None:
        for screen in self.screens:
            await screen.client.close()

    async def report(self) -> Report:
        found = await ask(self.class_id, Status(), 5.0)
        assert found is not None
        return found


async def end(class_id: str) -> None:
    """Shut a class down if it runs, and see to it that nothing is left."""
    if class_id in paths.live_classes():
        report = await ask(class_id, Shutdown("end of test"), 10.0)
        assert report is not None and report.left == 0
        assert await gone(pids(report, "host"), 5.0) == []


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    """A class of its own."""
    room = Room(f"c{secrets.token_hex(3)}")
    yield room
    await room.leave()
    await end(room.class_id)


@pytest.fixture
async def warm_room() -> AsyncIterator[Room]:
    """The one class of this file whose stage stays warm from test to test."""
    room = Room("warm")
    yield room
    for screen in room.screens:
        screen.client.send(StopRun("b"))
    await room.leave()


def pids(of: Report, what: str) -> list[Own]:
    found = [Own.of(process.pid) for process in of.processes if process.what == what]
    return [own for own in found if own is not None]


async def training(screen: Screen, params: dict[str, str] | None = None) -> Snapshot:
    """Launch ddp and wait for a step of every rank."""
    older = {snapshot.run for snapshot in screen.all(Snapshot)}
    older |= {info.run for info in screen.state.runs.values()}  # whose last one may still be on its way
    screen.client.send(Launch("b", "ddp", params or {"ranks": "2", "steps": "100000"}))

    def stepped() -> bool:
        news = [snapshot for snapshot in screen.all(Snapshot) if snapshot.run not in older]
        return bool(news) and all(row.step is not None for row in news[-1].rows)

    await until(stepped)
    return screen.all(Snapshot)[-1]


async def test_screens_see_one_state_and_an_audience_no_answers(room: Room) -> None:
    console = await room.enter("console")
    console.client.send(Publish("r1", "Title", "/secret/deck.md", b"with notes", b"without"))
    console.act(Move("s", 0))
    audience = await room.enter("audience")
    console.act(Move("t", 2))
    console.act(Open("q", "single", 3))
    console.act(Answer("q", (1,)))
    console.act(Lock("q", (1,), 1.0, 1.0))
    await until(lambda: "q" in audience.state.questions and audience.state.questions["q"].phase == "locked")

    assert audience.all(Welcome)[0].blob == b"without"
    assert audience.state.pos == class_state.Position("t", 2)
    raw = messages.encode(list(audience.got))
    assert b"/secret" not in raw and b"with notes" not in raw
    question = audience.state.questions["q"]
    assert (question.answers, question.points, question.counts) == ({}, None, ())
    for ordered in audience.all(Ordered):
        assert not isinstance(ordered.entry.action, Answer)
        if isinstance(ordered.entry.action, Lock):
            assert (ordered.entry.action.choice, ordered.entry.action.points) == ((), None)
    assert console.state.questions["q"].points == 1.0

    console.act(Reveal("q", (1,), ("", "because", "")))
    await until(lambda: audience.state.questions["q"].phase == "revealed")
    assert audience.state.questions["q"].counts == (0, 1, 0)

    console.client.send(Publish("r2", "Title", "/secret/deck.md", b"new notes", b"new"))
    await until(lambda: audience.all(Blob))
    assert audience.all(Blob)[0].blob == b"new"


async def test_the_rooms_screen_is_told_how_many_have_answered_and_not_what(room: Room) -> None:
    console, audience = await room.enter("console"), await room.enter("audience")
    console.act(Open("q", "single", 3))
    console.act(Answer("q", (1,)))
    await until(lambda: audience.all(Answered))
    assert audience.all(Answered)[-1] == Answered("q", 1, 0) and not console.all(Answered)
    assert audience.state.questions["q"].answered == 0 and audience.state.questions["q"].counts == ()
    late = await room.enter("audience")
    await until(lambda: late.all(Answered))
    console.act(Again("q"))
    await until(lambda: audience.all(Answered)[-1].answered == 0)


async def test_the_room_is_told_that_a_run_is_over_and_not_what_it_gave(room: Room) -> None:
    console, audience = await room.enter("console"), await room.enter("audience")
    console.act(Open("q", "single", 3))
    console.act(Lock("q", (), None, 0.0))
    console.act(Measured("q", Sample("more", "run-1", 123.456)))
    await until(lambda: "q" in audience.state.questions and audience.state.questions["q"].samples)
    assert audience.state.questions["q"].samples == (Sample("more", "run-1", None),)
    told = [o.entry.action for o in audience.all(Ordered) if isinstance(o.entry.action, Measured)]
    assert [one.sample.value for one in told] == [None]
    console.act(Reveal("q", (1,), ()))
    await until(lambda: audience.state.questions["q"].phase == "revealed")
    assert audience.state.questions["q"].samples == (Sample("more", "run-1", 123.456),)


async def test_a_frozen_room_stays_behind_and_undo_folds_again(room: Room) -> None:
    console, audience = await room.enter("console"), await room.enter("audience")
    console.act(Move("s", 0))
    console.act(Show("frozen"))
    console.act(Move("t", 0))
    console.act(Open("q", "single", 2))
    console.act(Answer("q", (0,)))
    await until(lambda: "q" in console.state.questions and console.state.questions["q"].answers)
    answer = next(o.entry for o in console.all(Ordered) if isinstance(o.entry.action, Answer))
    console.act(Undo(answer.seq))
    await until(lambda: console.state.questions["q"].answers == {})
    await until(lambda: "q" in audience.state.questions)
    assert audience.state.pos == class_state.Position("s", 0)
    moves = [o.entry.action for o in audience.all(Ordered) if isinstance(o.entry.action, Move)]
    assert [move.slide for move in moves if move.slide == "t"] == []


async def test_an_audience_cannot_act(room: Room) -> None:
    await room.enter("console")
    audience = await room.enter("audience")
    audience.act(Move("elsewhere", 0))
    await until(lambda: audience.links.count("up") >= 2)
    assert (await room.report()).state.pos.slide == ""


async def test_a_refused_demo_says_what_to_write(room: Room) -> None:
    console = await room.enter("console")
    console.client.send(Launch("b", "ddp", {"ranks": "0"}))
    await until(lambda: console.all(Refused))
    assert console.all(Refused)[0].mend == "write ranks= with a whole number from 1 to 64"


async def test_code_runs_after_consent_outlives_its_screen_and_late_ones_hear_all_of_it(
    room: Room, tmp_path: Path
) -> None:
    deck = tmp_path / "deck.md"
    deck.touch()
    source = "import time\nfor n in range(2000):\n    print(n)\nprint('up', flush=True)\ntime.sleep(1000)"
    console = await room.enter("console")
    console.client.send(Publish("r1", "Title", str(deck), b"", b""))
    console.client.send(RunSnippet("s/1", "python", source, 600.0))
    await until(lambda: console.all(Refused))
    assert "nobody has agreed" in console.all(Refused)[0].why and not console.all(Output)

    consent.agree(deck, [consent.snippet("python", source)])
    console.client.send(RunSnippet("s/1", "python", source, 600.0))
    await until(lambda: any("up" in output.lines for output in console.all(Output)))
    assert console.run_state("s/1") == "running"
    await console.client.close()

    late = await room.enter("audience")
    await until(lambda: any("up" in output.lines for output in late.all(Output)))
    heard = [line for output in late.all(Output) for line in output.lines]
    assert heard == [*map(str, range(2000)), "up"]
    other = await room.enter("console")
    [guardian] = pids(await room.report(), "guardian")
    other.client.send(StopRun("s/1"))
    await until(lambda: late.run_state("s/1") == "stopped")
    assert await gone([guardian], 10.0) == []
    other.client.send(RunSnippet("s/1", "python", source, 600.0))
    await until(lambda: late.run_state("s/1") == "running")


async def test_a_picture_that_code_made_reaches_everybody_once_and_late_ones_too(
    room: Room, tmp_path: Path
) -> None:
    deck = tmp_path / "deck.md"
    deck.touch()
    source = "import os\nopen(os.environ['TEACHRUN_IMAGE'], 'wb').write(b'P' * 700_000)\n" + (
        "for n in range(4000): print('x' * 100)"  # more than goes into one message
    )
    wish = RunSnippet("s/1", "python", source, 60.0, picture=True)
    console, audience = await room.enter("console"), await room.enter("audience")
    console.client.send(Publish("r1", "Title", str(deck), b"", b""))
    console.client.send(wish)
    await until(lambda: console.all(Refused))
    consent.agree(deck, [consent.snippet("python", source)])
    console.client.send(wish)
    late: Screen | None = None
    for screen in (console, audience, late):
        screen = screen or await room.enter("audience")
        await until(lambda screen=screen: sum(len(o.lines) for o in screen.all(Output)) == 4000)
        pictures = [output.picture for output in screen.all(Output) if output.picture]
        assert pictures == [b"P" * 700_000]
        assert screen.run_state("s/1") == "done"


async def test_another_version_and_nonsense_are_turned_away(room: Room) -> None:
    await room.enter("console")
    got: list[AnyMessage] = []
    lost = asyncio.Event()
    loop = asyncio.get_running_loop()

    async def line() -> FrameProtocol:
        lost.clear()
        protocol = FrameProtocol(
            lambda _, payload: got.append(messages.decode(payload)), lambda _: lost.set()
        )
        await loop.create_unix_connection(lambda: protocol, str(paths.screen_socket(room.class_id)))
        return protocol

    (await line()).send(messages.encode(Attach(999, "console", "old", 1)))
    await asyncio.wait_for(lost.wait(), 5)
    refused = got[-1]
    assert isinstance(refused, Refused)
    assert "999" in refused.why and f"teachrun stop --class {room.class_id}" in refused.mend

    for nonsense in (b"", b"\xc1", b"\x81\xa2is\xa6nobody", messages.encode(Warm())):
        (await line()).send(nonsense)
        await asyncio.wait_for(lost.wait(), 5)
    raw = await line()
    raw._transport.write(b"\xff\xff\xff\xff")  # type: ignore[union-attr]  # a frame of 4 GB is announced
    await asyncio.wait_for(lost.wait(), 5)
    assert (await room.report()).class_id == room.class_id


async def test_only_one_host_per_class(room: Room) -> None:
    await room.enter("console")
    second = start_host(room.class_id)
    assert await asyncio.to_thread(second.wait, 10) == 0
    assert "has a host already" in (paths.log_dir() / f"host-{room.class_id}.log").read_text()


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


async def test_kill_9_of_the_stage_loses_the_run_and_warms_a_new_one(warm_room: Room) -> None:
    console = await warm_room.enter("console")
    await training(console)
    before = await warm_room.report()
    (stage,), ranks = pids(before, "stage"), pids(before, "rank")
    stage.kill()
    assert await gone([stage, *ranks], 10.0) == []
    await until(lambda: console.run_state() == "lost")
    await until(lambda: [s.status for s in console.all(Stage)][-1:] == ["warm"])
    await training(console)


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
    assert (await warm_room.report()).state.runs["b"].why == "nobody was watching"


async def test_a_host_that_nobody_can_find_any_more_ends_itself(room: Room) -> None:
    """Its folder was removed: no screen can attach and no `stop` can reach it."""
    screen = await room.enter("console")
    await until(lambda: screen.all(Welcome))
    host = pids(await room.report(), "host")
    paths.screen_socket(room.class_id).unlink()
    await room.leave()
    assert await gone(host, 15.0) == []


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

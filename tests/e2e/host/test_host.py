"""A real host with real screens, in directories of its own: what each is told, and who may do what."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from host_room import Room, Screen, pids
from waiting import until

from runtime import paths
from runtime.classroom import state as class_state
from runtime.classroom.actions import Again, Answer, Lock, Measured, Move, Open, Reveal, Show, Undo
from runtime.classroom.question_state import Sample
from runtime.host import consent
from runtime.host.client import start_host
from runtime.launch.processes import gone
from runtime.protocol import messages
from runtime.protocol.framing import FrameProtocol
from runtime.protocol.messages import (
    Answered,
    AnyMessage,
    Attach,
    Blob,
    Launch,
    Ordered,
    Output,
    Publish,
    Refused,
    RunSnippet,
    StopRun,
    Warm,
    Welcome,
)

pytestmark = pytest.mark.slow


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
    assert "not yet approved" in console.all(Refused)[0].why and not console.all(Output)

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
    reader, writer = await asyncio.open_unix_connection(paths.screen_socket(room.class_id))
    writer.write(b"\xff\xff\xff\xff")  # a frame of 4 GB is announced
    assert await asyncio.wait_for(reader.read(), 5) == b""
    writer.close()
    assert (await room.report()).class_id == room.class_id


async def test_only_one_host_per_class(room: Room) -> None:
    await room.enter("console")
    second = start_host(room.class_id)
    assert await asyncio.to_thread(second.wait, 10) == 0
    assert "has a host already" in (paths.log_dir() / f"host-{room.class_id}.log").read_text()


async def test_a_host_that_nobody_can_find_any_more_ends_itself(room: Room) -> None:
    """Its folder was removed: no screen can attach and no `stop` can reach it."""
    screen = await room.enter("console")
    await until(lambda: screen.all(Welcome))
    host = pids(await room.report(), "host")
    paths.screen_socket(room.class_id).unlink()
    await room.leave()
    assert await gone(host, 15.0) == []

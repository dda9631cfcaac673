"""The camera that the console moves is that of the room's screens, on a scene and in the room of a run."""

from __future__ import annotations

from made_screen import Screenful, attached, settle, snapshot
from msgspec.structs import replace

from runtime.classroom.actions import Look
from runtime.protocol.class_messages.pointing import Point
from runtime.protocol.figures import Film, Moment, Playback, RankStep, Transfer
from runtime.protocol.messages import Seek

DECK = """\
# Round {#round}

::: scene room

---

# Live {#live}

::: demo fsdp ranks=4
"""


async def test_what_the_console_turns_turns_in_the_room_and_goes_back_with_it() -> None:
    desk, room = Screenful(DECK), Screenful(DECK, role="audience")
    async with desk.app.run_test(size=(100, 30)) as pilot:
        await attached(desk)
        await pilot.press("right_parenthesis", "equals_sign", "Y")
        await settle(pilot)
        sent = desk.link.of(Point)
        assert len(sent) == 3 and sent[1].seen is not None and not sent[1].seen.of_run
        assert sent[2].seen is None
    async with room.app.run_test(size=(100, 30)) as pilot:
        await attached(room)
        before = room.text()
        room.link.receive(sent[1])
        await settle(pilot)
        camera = room.app.classroom.drawing.scenes.camera_on(0)
        assert camera is not None and (camera.yaw, camera.distance) == (
            sent[1].seen.yaw,
            sent[1].seen.distance,
        )
        assert room.text() != before
        room.link.receive(sent[2])
        await settle(pilot)
        assert room.app.classroom.drawing.scenes.camera_on(0) is None and room.text() == before
        await pilot.press("right_parenthesis")
        assert room.link.of(Point) == [], "who does not drive looks around alone"


async def test_a_camera_of_another_slide_moves_nothing() -> None:
    room = Screenful(DECK, role="audience")
    async with room.app.run_test(size=(100, 30)) as pilot:
        await attached(room)
        desk = Screenful(DECK)
        async with desk.app.run_test(size=(100, 30)) as other:
            await attached(desk)
            await other.press("right_parenthesis")
            [sent] = desk.link.of(Point)
        room.link.receive(replace(sent, slide="live"))
        await settle(pilot)
        assert room.app.classroom.drawing.scenes.camera_on(0) is None


async def test_keys_turn_the_room_of_a_run_and_go_through_its_step() -> None:
    desk = Screenful(DECK)
    async with desk.app.run_test(size=(120, 40)) as pilot:
        await attached(desk)
        await pilot.press("right_square_bracket")
        block = desk.session.contents.demos(1)[0].id
        shown = snapshot(block, demo="fsdp")
        rows = tuple(
            replace(row, params=8_000_000, gathered=4_000_000, grads=1, links={}) for row in shown.rows
        )
        gather = Transfer("all-gather", 0.02, 0.18, 3_000_000, (0, 1, 2, 3))
        film = Film(20, 0.2, (RankStep((Moment(0.1, 4_000_000, 0, 0),), (gather,)),) * 4)
        desk.link.receive(replace(shown, rows=rows, film=film))
        desk.link.order(Look(view="room", full=True))
        await settle(pilot)
        assert "the most of each kind in a step" in desk.text(), "over SSH and without motion it stands"
        await pilot.press("right_curly_bracket")
        await settle(pilot)
        assert "step 20" in desk.text() and "5.0 ms of 200 ms, slowed 30x, paused" in desk.text()
        for _ in range(10):
            await pilot.press("right_curly_bracket")
        await settle(pilot)
        assert "55 ms of 200 ms" in desk.text() and "all-gather 3.0 MB" in desk.text()
        before = desk.text()
        await pilot.press("right_parenthesis")
        await settle(pilot)
        assert desk.text() != before
        assert desk.link.of(Point)[-1].seen is not None and desk.link.of(Point)[-1].seen.of_run
        await pilot.press("Y")
        await settle(pilot)
        assert desk.text() == before and desk.link.of(Point)[-1].seen is None


async def test_of_a_recorded_run_keys_go_on_beyond_the_step() -> None:
    desk = Screenful(DECK)
    async with desk.app.run_test(size=(120, 40)) as pilot:
        await attached(desk)
        await pilot.press("right_square_bracket")
        block = desk.session.contents.demos(1)[0].id
        shown = snapshot(block, demo="fsdp", playback=Playback("", "", 10.0, 40.0, 0.0))
        rows = tuple(replace(row, params=8_000_000, links={}) for row in shown.rows)
        desk.link.receive(replace(shown, rows=rows, film=Film(20, 0.2, (RankStep(),) * 4)))
        desk.link.order(Look(view="room", full=True))
        await settle(pilot)
        await pilot.press("right_curly_bracket")
        assert desk.link.of(Seek) == [], "first within the step"
        await pilot.press(*["left_curly_bracket"] * 3)
        await settle(pilot)
        assert desk.link.of(Seek)[0].at_s == 8.0

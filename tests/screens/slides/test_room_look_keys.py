"""`T`, `a`, pictures and motion at the console: screens of the room follow, and the console says so."""

from __future__ import annotations

import asyncio

from made_screen import Screenful, press

from runtime.protocol.class_messages.room_look import RoomLook
from runtime.protocol.messages import Screens
from tui.rendering.themed_strips import following


async def attached(on: Screenful) -> None:
    while not on.app.room.class_id:
        await asyncio.sleep(0.01)
    on.app.room.looks.attached(True)  # the host in these tests is made of a list


async def test_what_the_console_chooses_is_sent_and_said_there():
    on = Screenful()
    async with on.app.run_test(size=(160, 45)) as pilot:
        await attached(on)
        await pilot.press("T", "a")
        await on.app.do("motion")
        await on.app.do("pictures")
        await pilot.pause()
        sent = on.link.of(RoomLook)
        assert sent[-1].theme == on.app.look != sent[0].text
        assert (sent[-1].text, sent[-1].pictures) == ("big", "blocks")
        assert sent[-1].motion == ("on" if on.app.classroom.slide.moves else "off")
        assert on.app.room.looks.said[:2] == (on.app.look, "big text")


async def test_beside_a_projector_the_next_theme_is_the_room_s_and_the_console_keeps_its_own():
    on = Screenful()
    async with on.app.run_test(size=(160, 45)) as pilot:
        await attached(on)
        on.link.receive(Screens(consoles=1, audiences=1))
        while not on.app.room.audiences:
            await pilot.pause()
        before = on.app.look
        await press(pilot, "T", "T")
        assert on.app.look == before
        first, second = (look.theme for look in on.link.of(RoomLook))
        assert (first, second) == (following(before), following(following(before)))
        assert on.app.room.looks.said == (second,)


async def test_a_screen_of_the_room_follows():
    room = Screenful(role="audience")
    async with room.app.run_test(size=(100, 30)) as pilot:
        await attached(room)
        room.link.receive(RoomLook(theme="projector", text="big", pictures="blocks", motion="off"))
        while room.app.look != "projector":
            await pilot.pause()
        assert room.app.classroom.drawing.mode.name == "big" and room.app.pictures == "blocks"
        assert not room.app.classroom.slide.moves
        room.link.receive(RoomLook(theme="no such theme"))
        room.link.receive(RoomLook(text="normal"))
        while room.app.classroom.drawing.mode.name != "normal":
            await pilot.pause()
        assert room.app.look == "projector"


async def test_a_screen_of_the_room_chooses_for_itself_alone():
    room = Screenful(role="audience")
    async with room.app.run_test(size=(100, 30)) as pilot:
        await attached(room)
        before = room.app.look
        await pilot.press("T")
        assert room.app.look != before and room.link.of(RoomLook) == []

"""Two consoles of one class: who drives, who looks around, where the room is scrolled."""

from __future__ import annotations

import pytest
from made_console import DECK, acts, attach, linked, rows_of
from made_screen import Screenful, press

from runtime.classroom.actions import Entry, Lead, Move, Show
from runtime.classroom.state import ClassState, apply
from runtime.protocol.messages import Act, Launch

pytestmark = pytest.mark.usefixtures("every_part_was_drawn")


async def test_another_console_takes_over_and_this_one_only_looks_around() -> None:
    full = Screenful(DECK, console=True)
    async with full.app.run_test(size=(100, 30)) as pilot:
        await attach(full, pilot)
        await pilot.press("right")
        full.link.order(Lead("bob"), "bob")
        await pilot.pause()
        assert "drives now; L takes over" in full.text() and "\x1b" not in full.text()
        await press(pilot, "right", "right")
        text = full.text()
        assert full.session.state.pos.slide == "steps" and "not needed" in text
        assert "LOOKING AROUND" in rows_of(full)[0] and acts(full.link, Move)[-1].slide == "steps"
        await pilot.press("b")
        assert acts(full.link, Show) == [] and "L takes over" in full.text()
        await press(pilot, "escape")
        assert "LOOKING" not in full.text() and "first words" in full.text()


async def test_taking_over_drives_and_giving_back_lets_everybody() -> None:
    full = Screenful(DECK, console=True)
    async with full.app.run_test(size=(100, 30)) as pilot:
        await attach(full, pilot)
        full.link.order(Lead("bob"), "bob")
        await pilot.press("L")
        assert acts(full.link, Lead) == [Lead("me")] and full.session.driving
        await pilot.pause()
        assert "you drive alone" in rows_of(full)[0]
        await pilot.press("right")
        assert full.session.state.pos.slide == "steps"
        await pilot.press("L")
        assert acts(full.link, Lead)[-1] == Lead("") and full.session.state.lead == ""


async def test_who_does_not_drive_starts_no_demo() -> None:
    full = Screenful(DECK, console=True)
    async with full.app.run_test(size=(100, 30)) as pilot:
        await linked(full, pilot)
        full.link.order(Lead("bob"), "bob")
        await pilot.press("g", *"live", "enter", "d")
        assert full.link.of(Launch) == [] and "L takes over" in full.text()


LONG = "# Long {#long}\n\n" + "\n\n".join(f"row {n}" for n in range(60)) + "\n\n---\n\n# Short {#short}\n"


async def test_the_room_scrolls_along_and_is_scrolled_at_its_own_keys() -> None:
    teacher, room = Screenful(LONG), Screenful(LONG, role="audience")
    async with teacher.app.run_test(size=(80, 24)) as pilot:
        await linked(teacher, pilot)
        await pilot.press("down")
        (*_, moved) = acts(teacher.link, Move)
        assert (moved.slide, moved.step) == ("long", 0) and 0 < moved.down < 1
        while teacher.app.classroom.slide.scroll_rows(9):
            pass
        await pilot.press("up")
        assert acts(teacher.link, Move)[-1].down > 0.9
        assert teacher.session.state.timer.started is False  # nobody left the first slide
    async with room.app.run_test(size=(100, 30)) as pilot:
        await linked(room, pilot)
        room.link.order(Move("long", 0, 1.0))
        await pilot.pause()
        assert "row 59" in room.text()
        room.link.order(Move("long", 0, 0.0))
        await pilot.pause()
        assert "row 0" in room.text()
        await pilot.press("j", "j")
        assert room.app.classroom.slide.top > 0 and room.link.of(Act) == []
        room.link.order(Move("short", 0))
        await pilot.pause()
        assert "2/2" in room.text()
        await pilot.press("j")
        assert room.link.of(Act) == []


async def test_a_screen_that_comes_late_is_scrolled_as_the_class_is() -> None:
    late = Screenful(LONG, role="audience")
    async with late.app.run_test(size=(100, 30)) as pilot:
        await linked(late, pilot)
        late.link.state = apply(ClassState(), Entry(1, 0.0, "", "all", Move("long", 0, 1.0)))
        await late.link.start()
        await pilot.pause()
        assert "row 59" in late.text()


async def test_who_is_attached_is_told_by_name() -> None:
    full = Screenful(DECK, console=True)
    async with full.app.run_test(size=(100, 30)) as pilot:
        await attach(full, pilot)
        await press(pilot, "W")
        text = full.text()
        assert "this screen" in text and "pts/2" in text and "audience" in text and "\x1b" not in text

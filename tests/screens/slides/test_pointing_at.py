"""Spotlight and pen by keys: what is lit and marked, who is told, and when it is gone."""

from __future__ import annotations

from made_screen import DECK, Screenful, attached, press

from runtime.protocol.messages import Place, Point
from slides.drawing.large import read_letters
from tui.rendering.compositor import RowCompositor

PAGE = """# A table {#table}

| rank | bytes | time |
|---|---|---|
| 0 | 96 MB | 12 ms |
| 1 | 96 MB | 15 ms |

under it

---

# Another {#another}

words
"""


def lit(on: Screenful) -> str:
    """The row that the light's mark stands before."""
    return " / ".join(row.split("►")[1].strip() for row in on.text().split("\n") if "►" in row)


def points(on: Screenful) -> list[Point]:
    return on.link.of(Point)


async def test_the_light_goes_by_rows_and_cells_and_is_gone_with_the_slide():
    on = Screenful(PAGE)
    async with on.app.run_test(size=(90, 30)) as pilot:
        await attached(on)
        before = on.text()
        await press(pilot, "A")
        assert lit(on).startswith("rank") and "spotlight" in on.text()
        await press(pilot, "down", "j")
        assert lit(on).startswith("1") and "15 ms" in lit(on)
        await press(pilot, "greater_than_sign", "greater_than_sign")
        place = points(on)[-1].light
        assert place is not None and place.last - place.first == len("96 MB")
        await press(pilot, "up", "A")
        assert "►" not in on.text() and points(on)[-1].light is None
        await press(pilot, "A", "right")
        assert on.session.index == 1 and "►" not in on.text() and on.app.room.pointing.now is None
        await press(pilot, "left")
        assert "►" not in on.text() and on.text().split("\n")[:6] == before.split("\n")[:6]


async def test_keys_that_go_on_do_so_under_the_light_and_escape_takes_it_away():
    on = Screenful()
    async with on.app.run_test(size=(100, 30)) as pilot:
        await attached(on)
        await press(pilot, "right", "A", "asterisk", "right")
        assert on.session.step == 1 and "►" in on.text(), "a step of the slide keeps it"
        await press(pilot, "escape")
        assert "►" not in on.text() and len(points(on)[-1].pen) == 1
        await press(pilot, "escape")
        assert points(on)[-1].pen == ()


async def test_below_the_last_row_the_light_stays_and_says_what_goes_on():
    on = Screenful(PAGE)
    async with on.app.run_test(size=(90, 30)) as pilot:
        await attached(on)
        await press(pilot, "A", "down", "down", "down", "down", "down")
        assert lit(on) == "under it" and on.session.index == 0
        assert "the last row; → goes on" in on.text()
        await pilot.press("up", "up", "up", "up", "up", "up")
        assert on.session.index == 0
        await pilot.press("right")
        assert on.session.index == 1


async def test_the_room_sees_it_at_its_own_size():
    console, room = Screenful(PAGE), Screenful(PAGE, role="audience")
    async with console.app.run_test(size=(70, 20)) as pilot:
        await attached(console)
        await pilot.press("A", "down", "down", "greater_than_sign", "greater_than_sign", "greater_than_sign")
        sent = points(console)[-1]
    async with room.app.run_test(size=(160, 45)) as pilot:
        await attached(room)
        room.link.receive(sent)
        while "►" not in room.text():
            await pilot.pause()
        slide, select = room.app.classroom.slide, room.app.painter.colour("select")
        rows = [n for n, row in enumerate(room.text().split("\n")) if "►" in row]
        strips = [slide.render_line(y) for y in rows]
        told = [
            "".join(s.text for s in strip if s.style and s.style.bgcolor and s.style.bgcolor.name == select)
            for strip in strips
        ]
        assert len(rows) == 3 and read_letters.words(told) == "15 ms", "a cell in letters"
        room.link.receive(Point("table"))
        while "►" in room.text():
            await pilot.pause()


async def test_on_another_slide_it_is_not_shown_and_nonsense_breaks_nothing():
    on = Screenful(DECK, role="audience")
    async with on.app.run_test(size=(80, 24)) as pilot:
        await attached(on)
        await pilot.pause()
        before = on.text()
        on.link.receive(Point("steps", light=Place(3)))
        await pilot.pause(0.2)
        assert on.text() == before
        on.link.receive(Point("start", -5, 1 << 40, -7, "huge", Place(-1, 1 << 40, 9, 3), (Place(1 << 40),)))
        await pilot.pause(0.2)
        assert "Traceback" not in on.text()


async def test_a_host_that_knows_it_not_is_told_nothing():
    on = Screenful(PAGE)
    async with on.app.run_test(size=(80, 24)) as pilot:
        while not on.app.room.class_id:
            await pilot.pause()
        await press(pilot, "A", "down", "asterisk")
        assert "►" in on.text() and points(on) == []
        on.app.room.pointing.attached(True)
        assert points(on)[-1].light is not None, "one that knows it is told when it comes"


async def test_while_nobody_points_a_key_paints_no_row_more(monkeypatch):
    on = Screenful(PAGE)
    async with on.app.run_test(size=(90, 30)) as pilot:
        await press(pilot, "A", "down")
        painted: list[int] = []
        render = RowCompositor.render_partial_update

        def counted(self):
            update = render(self)
            painted.extend(piece.y for piece in update.pieces if update is not None)
            return update

        monkeypatch.setattr(RowCompositor, "render_partial_update", counted)
        await press(pilot, "down")
        assert 0 < len(set(painted)) <= 3, "the row that was lit, the one that is, and no other"
        await pilot.press("A")
        await pilot.pause(0.1)
        painted.clear()
        on.app.classroom.show()
        await pilot.pause(0.1)
        assert painted == []


async def test_who_follows_has_no_spotlight():
    on = Screenful(PAGE, role="audience")
    async with on.app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "A", "asterisk")
        assert "►" not in on.text() and points(on) == []

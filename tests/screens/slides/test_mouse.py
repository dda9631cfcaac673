"""The mouse: what a click and the wheel do to what is under them, and what they never do."""

from __future__ import annotations

import asyncio
from pathlib import Path

from made_screen import DECK, Screenful, press, snapshot
from textual.events import MouseDown, MouseEvent, MouseMove, MouseScrollDown, MouseScrollUp, MouseUp

from runtime.classroom.actions import Answer, Look, Move
from runtime.protocol.figures import Curve, Mark
from runtime.protocol.messages import Launch, Point
from slides.drawing.text import plain
from tui.rendering import textual_private
from tui.terminal import mouse_reports

LINKS = """# One {#one}

See [the second slide](#two) or

- nothing here

---

# Two {#two}

words
"""


def event(kind: type[MouseEvent], x: int, y: int, button: int = 1, **held: bool) -> MouseEvent:
    keys = {"shift": False, "meta": False, "ctrl": False, **held}
    return kind(None, x, y, 0, 0, button, screen_x=x, screen_y=y, **keys)


def place(on: Screenful, words: str) -> tuple[int, int]:
    """Where words stand on the terminal."""
    rows = on.text().split("\n")
    y = next(n for n, row in enumerate(rows) if words in row)
    return rows[y].index(words), y


async def click(on: Screenful, words: str, **held: bool) -> None:
    x, y = place(on, words)
    await on.app.on_event(event(MouseDown, x, y, **held))
    await on.app.on_event(event(MouseUp, x, y, **held))


async def wheel(on: Screenful, x: int, y: int, by: int = 1) -> None:
    await on.app.on_event(event(MouseScrollDown if by > 0 else MouseScrollUp, x, y, 0))


async def linked(on: Screenful) -> None:
    while not on.app.room.class_id:
        await asyncio.sleep(0.01)


async def test_a_link_leads_to_its_slide_and_words_beside_it_do_not():
    on = Screenful(LINKS)
    async with on.app.run_test(size=(90, 30)) as pilot:
        await click(on, "nothing here")
        await click(on, "See")
        await click(on, "second slide", ctrl=True)
        assert on.session.index == 0
        await click(on, "second slide")
        await pilot.pause()
        assert on.session.index == 1
        await pilot.press("H")
        assert on.session.index == 0, "a jump, which the way back knows"


async def test_who_draws_the_mouse_away_has_clicked_nothing():
    on = Screenful(LINKS)
    async with on.app.run_test(size=(90, 30)):
        x, y = place(on, "second slide")
        await on.app.on_event(event(MouseDown, x, y))
        await on.app.on_event(event(MouseUp, x + 30, y))
        await on.app.on_event(event(MouseDown, x, y, 3))
        await on.app.on_event(event(MouseUp, x, y, 3))
        assert on.session.index == 0


async def test_an_option_is_picked_and_picked_again_given_back():
    for size in ((80, 24), (160, 45)):
        on = Screenful(DECK)
        async with on.app.run_test(size=size) as pilot:
            await linked(on)
            on.session.go((3, 0))
            on.app.moved(True)
            await pilot.pause()
            lines = on.app.classroom.slide.lines
            from tui.panes import click_target

            rows = {click_target.option(lines, n): n for n in range(len(lines))}
            assert {1, 2, 3} <= set(rows) and 4 not in rows, size
            top = next(n for n in range(len(lines)) if on.app.classroom.slide.line_at(n) == 0)
            y = rows[2] + top
            await on.app.on_event(event(MouseDown, 40, y))
            await on.app.on_event(event(MouseUp, 40, y))
            await pilot.pause()
            assert on.app.room.answering.picked("ring") == (1,), size
            assert on.link.of(Launch) == []


async def test_ranks_and_views_of_the_panel():
    on = Screenful()
    async with on.app.run_test(size=(120, 40)) as pilot:
        await linked(on)
        on.session.go((2, 0))
        on.app.moved(True)
        curves = (Curve(0, [0, 1, 2], [3.0, 2.5, 2.0]),)
        on.link.receive(snapshot(on.app.room.demo().id, curves=curves))
        await pilot.pause(0.2)
        for wanted in (2, None):
            await _click_rank(on, 2)
            assert on.session.state.look.rank == wanted
        await pilot.press("enter", "1")
        await pilot.pause(0.2)
        tabbed = next(row for row in on.text().split("\n") if " 0 back" in row)
        other = next(d for d in "23456789" if f"{d} " in tabbed)
        await click(on, f"{other} ")
        await pilot.pause(0.2)
        before = on.session.state.look.view
        assert before and before != "table"
        await click(on, "0 back")
        assert on.session.state.look.view == ""


async def _click_rank(on: Screenful, rank: int) -> int:
    """Click the row of a rank in the panel; which one that is."""
    from tui.views.parts.ranks.rank_of_row import rank_of

    panel = on.app.classroom.panel
    row = next(n for n, line in enumerate(panel.lines) if rank_of(line, 4) == rank)
    await on.app.on_event(event(MouseDown, 3, panel.region.y + row))
    await on.app.on_event(event(MouseUp, 3, panel.region.y + row))
    return row


async def test_a_rank_that_is_clicked_is_marked_in_every_view_that_has_a_row_of_it():
    on = Screenful()
    async with on.app.run_test(size=(120, 40)) as pilot:
        await linked(on)
        on.session.go((2, 0))
        on.app.moved(True)
        marks = [[Mark("forward", 0.0, 0.01), Mark("backward", 0.01, 0.03)]] * 4
        on.link.receive(snapshot(on.app.room.demo().id, timeline=marks, timeline_s=0.03))
        await pilot.pause(0.2)
        await pilot.press("enter")
        for view in ("timeline", "table"):
            on.app.actions.demo.look(view=view)
            await pilot.pause(0.2)
            row = await _click_rank(on, 1)
            await pilot.pause(0.2)
            shown = [plain(line) for line in on.app.classroom.panel.lines]
            assert next(line[:3] for line in shown if "▸" in line) == shown[row][:3] != "   ", view
            await _click_rank(on, 1)
            await pilot.pause(0.2)
            assert not any("▸" in plain(line) for line in on.app.classroom.panel.lines), view


async def test_the_wheel_scrolls_a_long_slide_tells_the_others_once_and_never_goes_on():
    on = Screenful()
    async with on.app.run_test(size=(100, 30)) as pilot:
        await linked(on)
        on.session.go((4, 0))
        on.app.moved(True)
        await pilot.pause()
        sent = len(on.link.sent)
        for _ in range(5):
            await wheel(on, 30, 10)
        assert on.app.classroom.slide.top == 15
        while len(on.link.sent) == sent:
            await pilot.pause()
        (told,) = [m.action for m in on.link.sent[sent:]]
        assert isinstance(told, Move) and told.down > 0
        for _ in range(100):
            await wheel(on, 30, 10)
        assert on.session.index == 4
        for _ in range(100):
            await wheel(on, 30, 10, -1)
        assert on.app.classroom.slide.top == 0 and on.session.index == 4


async def test_the_wheel_over_the_notes_moves_only_them():
    notes = "\n".join(f"note {n}\n" for n in range(80))
    on = Screenful(f"# One\n\nwords\n\n<!-- notes:\n{notes}\n-->\n", console=True)
    async with on.app.run_test(size=(120, 30)) as pilot:
        await pilot.pause()
        x, y = place(on, "note 3")
        await wheel(on, x, y)
        await pilot.pause()
        assert "note 0 " not in on.text() + " " and on.app.classroom.slide.top == 0


async def test_a_thumbnail_of_the_overview_is_gone_to_and_the_wheel_moves_there():
    on = Screenful(DECK)
    async with on.app.run_test(size=(100, 30)) as pilot:
        await pilot.press("o")
        await pilot.pause(0.2)
        await wheel(on, 10, 10)
        grid = on.app.screen.grid
        spot = 2 + (3 % grid.columns) * (grid.width + 2), 2 + (3 // grid.columns) * (grid.height + 1)
        await on.app.on_event(event(MouseDown, *spot))
        await on.app.on_event(event(MouseUp, *spot))
        await pilot.pause()
        assert on.session.index == 3 and on.app.screen is on.app.classroom


async def test_the_help_is_turned_and_a_list_is_chosen_from_and_nothing_else_is_closed():
    on = Screenful(DECK)
    async with on.app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "question_mark")
        for _ in range(20):
            await wheel(on, 10, 10)
        await click(on, "All keys")
        await pilot.pause()
        assert "All keys" in on.text()
        await pilot.press("x")
        await press(pilot, "g")
        await click(on, "Question")
        await pilot.pause()
        assert on.session.index == 3


async def test_with_the_spotlight_on_the_mouse_moves_it_and_marks(monkeypatch):
    written: list[str] = []
    on = Screenful(LINKS)
    async with on.app.run_test(size=(90, 30)) as pilot:
        monkeypatch.setattr(textual_private, "write", lambda app, text: written.append(text))
        on.app.clicks = True
        await pilot.press("A")
        assert written == [mouse_reports.MOVES_ON]
        x, y = place(on, "nothing here")
        await on.app.on_event(event(MouseMove, x, y, 0))
        light = on.app.room.pointing.light
        assert light is not None and on.app.classroom.slide.line_at(y) == light.row and light.last == 0
        await click(on, "nothing here")
        now = on.app.room.pointing.now
        assert now is not None and len(now.pen) == 1 and now.pen[0].last - now.pen[0].first == len("nothing")
        await on.app.on_event(event(MouseDown, x, y))
        await on.app.on_event(event(MouseMove, x + 9, y, 1))
        light = on.app.room.pointing.light
        assert light is not None and light.last - light.first == len("here"), "drawn along the cells"
        await on.app.on_event(event(MouseUp, x + 9, y))
        now = on.app.room.pointing.now
        assert now is not None and len(now.pen) == 2
        slide = on.app.classroom.slide
        empty = next(n for n, line in enumerate(slide.lines) if not plain(line).strip())
        for kind in (MouseDown, MouseUp):
            await on.app.on_event(event(kind, x, y + empty - slide.line_at(y)))
        assert on.app.room.pointing.now == now, "where nothing stands nothing is marked, not what is lit"
        await pilot.press("right")
        await on.app.on_event(event(MouseMove, x, y, 0))
        assert written == [mouse_reports.MOVES_ON, mouse_reports.MOVES_OFF], "it went with the slide"


async def test_who_follows_only_scrolls():
    on = Screenful(LINKS, role="audience")
    async with on.app.run_test(size=(80, 24)) as pilot:
        await linked(on)
        await click(on, "second slide")
        await pilot.pause()
        assert on.session.index == 0
        assert on.link.of(Point) == [] and [m for m in on.link.sent if isinstance(m, Answer | Look)] == []


def test_the_driver_asks_for_clicks_and_takes_it_back(tmp_path: Path):
    from tui.rendering.driver import WholeFrames

    asked: list[str] = []

    class Bare(WholeFrames):
        def __init__(self) -> None:
            self._shows = type("Shown", (), {"clicks": True, "return_code": None})()

        def write(self, data: str) -> None:
            asked.append(data)

    from textual.drivers.linux_driver import LinuxDriver

    driver = Bare()
    stop = LinuxDriver.stop_application_mode
    try:
        LinuxDriver.stop_application_mode = lambda self: None  # type: ignore[method-assign]
        driver.stop_application_mode()
    finally:
        LinuxDriver.stop_application_mode = stop  # type: ignore[method-assign]
    assert asked == [mouse_reports.OFF] and "1003" not in mouse_reports.ON

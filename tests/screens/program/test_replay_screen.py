"""The screen of a class that is walked again: its keys, and the bar of its time."""

from __future__ import annotations

from pathlib import Path

from runtime import paths
from runtime.classroom import actions
from runtime.classroom.actions import Entry
from slides.drawing import cells
from slides.drawing.text import plain
from tui.panes.edges import scrub_bar
from tui.replay.moment_drawing import Walk
from tui.screens.replay import ReplayScreen


def walk(folder: Path) -> Walk:
    deck = folder / "deck.md"
    deck.write_text("# One {#one}\n\n- a\n\n<!-- pause -->\n\n- b\n\n---\n\n# Two {#two}\n\nend\n")
    done = (
        (0.0, actions.Deck("rev", "A class", str(deck))),
        (1.0, actions.Move("one", 0)),
        (31.0, actions.Move("one", 1)),
        (61.0, actions.Move("two", 0)),
        (91.0, actions.End()),
    )
    return Walk(
        paths.new_class_id(), [Entry(n, t, "c", "all", action) for n, (t, action) in enumerate(done, 1)]
    )


async def test_the_arrow_keys_walk_and_the_others_jump(tmp_path: Path) -> None:
    app = ReplayScreen(walk(tmp_path), "dark")
    async with app.run_test(size=(80, 24)) as pilot:
        seen = []
        for key in ("right", "right", "right", "left", "home", "pagedown", "pageup", "end"):
            await pilot.press(key)
            seen.append(app.number)
        assert seen == [1, 2, 2, 1, 0, 2, 0, 2]
        text = "\n".join(plain(line) for line in app.lines.lines)
        assert "2 · Two" in text and "1:31" in text and "Space play" in text
        await pilot.press("space")
        assert app.speed == 1.0
        await pilot.press("percent_sign", "percent_sign")
        assert app.speed == 4.0
        await pilot.press("space", "q")
    assert app.return_value is None and not app.is_running


def test_the_bar_has_a_mark_for_each_slide_at_any_width() -> None:
    place = scrub_bar.Place(45.0, 90.0, (0.0, 60.0), "1 · One", "step 2", "a note", 2.0)
    for width in (20, 40, 80, 160):
        lines = scrub_bar.lines(place, (("→", "next"), ("q", "quit")), width)
        assert len(lines) == scrub_bar.ROWS and all(cells.line_width(line) <= width for line in lines)
    bar = plain(scrub_bar.lines(place, (), 80)[0])
    assert bar.count("┃") == 2 and bar.count("●") == 1 and bar.startswith("  0:45") and "1:30" in bar

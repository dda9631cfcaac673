"""The test card on a screen: it fills it, `T` changes its theme, a key closes it."""

from __future__ import annotations

from slides.drawing.text import plain
from tui.screens.test_card import TestCard


def shown(app: TestCard) -> list[str]:
    return [plain(line) for line in app.lines.lines]


async def test_it_fills_the_screen_at_any_size_and_in_every_theme() -> None:
    app = TestCard("")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert len(shown(app)) == 24 and "theme dark   80 x 24 cells" in shown(app)[2]
        await pilot.press("T")
        assert "theme light" in shown(app)[2]
        await pilot.resize_terminal(100, 30)
        await pilot.pause()
        assert "100 x 30 cells" in shown(app)[2]
        await pilot.press("q")
    assert app.return_code == 0

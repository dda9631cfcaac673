"""Header, footer and logo on the screen of a class: in their rows, with nothing of a slide under them."""

from __future__ import annotations

import pytest
from made_screen import Screenful, press

from slides.screen_size import Size
from tui.deck.contents import Contents
from tui.rendering.pages.offscreen import Offscreen

DECK = """---
title: Four ranks
header: "HEADER | {section} | {slide} of {slides}"
footer: FOOTER
logo: ACME
---
# One

words

---

<!-- slide: {section: Rings} -->
# Two

""" + "\n\n".join(f"row {n}" for n in range(60))


@pytest.mark.parametrize(("width", "height"), [(160, 45), (100, 30), (80, 24)])
@pytest.mark.parametrize("role", ["console", "audience"])
async def test_they_stand_over_and_under_every_slide(width: int, height: int, role: str):
    on = Screenful(DECK, role=role)
    async with on.app.run_test(size=(width, height)) as pilot:
        await pilot.pause()
        rows = on.text().split("\n")
        over = next(n for n, row in enumerate(rows) if "HEADER" in row)
        assert over <= 1 and "1 of 2" in rows[over] and rows[over].rstrip().endswith("ACME")
        assert (
            rows[-1].strip().startswith("FOOTER") and "Four ranks" not in rows[-1] and "slide 1/2" in rows[-1]
        )
        on.session.go((1, 0)) if role == "console" else None
        on.app.moved(role == "console")
        await pilot.pause()
        if role == "console":
            await press(pilot, "down", "down")
            rows = on.text().split("\n")
            assert "HEADER" in rows[over] and "Rings" in rows[over] and "row" not in rows[over]
            assert "↑" in rows[on.app.classroom.slide.region.y]


async def test_a_small_screen_has_the_slide_alone_and_the_console_keeps_its_notes():
    on = Screenful(DECK, console=True)
    async with on.app.run_test(size=(50, 14)) as pilot:
        await pilot.pause()
        assert "HEADER" not in on.text() and "words" in on.text()
    on = Screenful(DECK, console=True)
    async with on.app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert "HEADER" in on.text() and on.app.classroom.aside.display


async def test_what_is_exported_is_what_the_room_sees():
    size = Size(100, 30)
    on = Screenful(DECK, role="audience")
    async with on.app.run_test(size=size) as pilot:
        await pilot.pause()
        from slides.drawing.text import plain
        from slides.reading.split import split

        drawn = Offscreen(Contents(split(DECK, "deck.md")), role="audience").screen(0, size)
        shown = [row.rstrip() for row in on.text().split("\n")]
        # The clock's percent is the teacher's; an export has it.
        assert [plain(line).rstrip() for line in drawn][:-1] == shown[:-1]

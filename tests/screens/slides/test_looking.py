"""The size of the text, the slide alone, themes, marks of a search, slides longer than any screen."""

from __future__ import annotations

from typing import Any

import pytest
from made_screen import DECK, Screenful, painted, press
from textual.strip import Strip

from runtime.protocol.messages import Blob, Screens
from slides.drawing.text import Line, plain
from slides.reading.split import split
from tui.deck import deck_upload
from tui.rendering.themed_strips import Painter
from tui.widgets.slide import FIRST

LONG = "# Log {#log}\n\n```\n" + "\n".join(f"entry {n}" for n in range(10_000)) + "\n```\n\n---\n\n# After\n"


def rows(full: Screenful) -> list[Strip]:
    return painted(full.app.screen)


async def warm(pilot: Any, full: Screenful) -> None:
    while not full.app.classroom.warm:
        await pilot.pause(0.02)


async def test_the_text_is_big_compact_and_normal_again() -> None:
    full = Screenful()
    async with full.app.run_test(size=(96, 30)) as pilot:
        await pilot.press("g", "2", "enter", "right")
        normal = full.text()
        await pilot.press("a")
        assert "big text" in full.text() and "▀" in full.text()  # the heading in letters
        assert "first words" in normal and "first words" not in full.text()  # and the words, too
        await pilot.press("a")
        assert "compact text" in full.text() and "first words\n\n  second words" in full.text()
        await pilot.press("a", "escape")
        assert full.text() == normal


async def test_full_screen_is_the_slide_alone() -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "c", "f")
        text = full.text()
        assert "The title slide." in text
        assert "slide 1/5" not in text and "next" not in text and "SECRET-NOTE" not in text
        await pilot.press("d")  # what has to be said is said all the same
        assert "no demo on this slide" in full.text()
        await press(pilot, "escape")
        assert "slide 1/5" in full.text() and "SECRET-NOTE" in full.text()


async def test_an_audience_has_its_own_look() -> None:
    full = Screenful(role="audience")
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.press("a", "f", "T")
        assert full.app.classroom.bare and full.app.look == "light"
        assert full.app.classroom.drawing.mode.name == "big"


async def test_the_deck_says_its_theme_until_somebody_chooses() -> None:
    full = Screenful("---\ntheme: projector\n---\n# One\n\nwords\n")
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert full.app.look == "projector" and full.app.classroom.painter.theme == "projector"
        other = split("---\ntheme: light\n---\n# One\n\nwords\n", "deck.md")
        full.link.receive(Blob(other.rev, deck_upload.for_console(other)))
        assert full.app.look == "light"
        await pilot.press("T")
        assert full.app.look == "projector"
        full.link.receive(
            Blob("x", deck_upload.for_console(split("---\ntheme: mono\n---\n# Two\n", "deck.md")))
        )
        assert full.app.look == "projector"
    assert Screenful("---\ntheme: light\n---\n# One\n", theme="dark").app.look == "dark"


async def test_hits_are_marked_on_the_slide_until_it_is_left() -> None:
    full = Screenful()

    def marked() -> str:
        return "".join(
            segment.text
            for row in rows(full)[:20]
            for segment in row
            if segment.style is not None and segment.style.underline
        )

    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.press("slash", *"Second")
        await pilot.pause(0.1)
        await pilot.press("enter")
        assert full.session.slide.id == "steps" and marked() == "second"
        await pilot.press("escape")
        assert marked() == ""
        await pilot.press("c", "slash", *"secret-note for")  # notes are marked as well
        await pilot.pause(0.1)
        await pilot.press("enter")
        assert "SECRET-NOTE for" in marked()
        await pilot.press("c", "c", "c", "slash", *"row 50")
        await pilot.pause(0.1)
        await pilot.press("enter")
        assert "row 50" in full.text() and marked() == "row 50"  # far down: it was scrolled to
        await pilot.press("home", "end")
        assert "row 0" in full.text() and marked() == ""


async def test_a_key_at_the_end_of_the_talk_says_what_is_behind_it() -> None:
    full = Screenful(DECK + "\n\n<!-- end -->\n\n---\n\n# Spare {#spare}\n\n---\n\n# More {#more}\n")
    async with full.app.run_test(size=(80, 24)) as pilot:
        full.link.receive(Screens(consoles=1, audiences=1))
        await pilot.press("end", "right")
        assert full.session.slide.id == "long" and "after it 2 backup slides: g +1, o, or /" in full.text()
        assert "slide 5/5 (+2 backup)" in full.text()
        await pilot.press("g", "plus", "2", "enter")
        assert full.session.slide.id == "more" and "backup +2/2" in full.text()
        await pilot.press("right")
        assert "the last backup slide" in full.text()
        await pilot.press("H")
        assert full.session.slide.id == "long"


async def test_a_slide_of_ten_thousand_lines_is_laid_out_as_it_is_scrolled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    strip, drawn = Painter.strip, set()

    def noted(painter: Painter, line: Line, *args: Any, **options: Any) -> Strip:
        drawn.add(plain(line))
        return strip(painter, line, *args, **options)

    monkeypatch.setattr(Painter, "strip", noted)
    full = Screenful(LONG)
    async with full.app.run_test(size=(80, 24)) as pilot:
        await warm(pilot, full)
        slide = full.app.classroom.slide
        assert len(slide.lines) < FIRST + 10 and "↓ more" in full.text()
        assert 10 < sum("entry" in line for line in drawn) <= 24  # strips are made of what is in sight
        slide.scroll_rows(FIRST - 5)
        await pilot.press("j")
        assert FIRST < len(slide.lines) < 5 * FIRST and f"entry {FIRST}" in full.text()
        slide.scroll_rows(1 << 20)
        await pilot.pause()
        assert "entry 9999" in full.text() and "↓" not in full.text().split("\n")[21]
        await pilot.press("right", "left")
        assert full.session.slide.id == "log"


@pytest.mark.parametrize("size", [(60, 16), (59, 16), (60, 15), (30, 8), (8, 3)])
async def test_every_look_fits_every_terminal(size: tuple[int, int]) -> None:
    full = Screenful()
    async with full.app.run_test(size=size) as pilot:
        for _ in range(3):
            await pilot.press("a", "o", "escape", "f", "right", "left", "f")
        await pilot.pause()
        needs = size[0] < 60 or size[1] < 16
        assert ("needs 60x16" in full.text()) == (needs and size[0] > 12)


async def test_a_smaller_terminal_keeps_the_beginning_in_sight() -> None:
    """Lines that only wrap elsewhere are no news to be scrolled to."""
    full = Screenful("# Long\n\n" + "- these are words that wrap where a line is narrower than that\n" * 8)
    async with full.app.run_test(size=(100, 30)) as pilot:
        await pilot.resize_terminal(60, 16)
        await pilot.pause()
        slide = full.app.classroom.slide
        assert slide.size.width == 60 and slide.overflow and slide.top == 0

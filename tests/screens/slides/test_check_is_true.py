"""What `teachrun check` says of a slide is what a screen does with it: it scrolls, or it does not."""

from __future__ import annotations

import pytest
from made_screen import Screenful, snapshot

from slides.overflow import needs, overflow
from slides.reading.split import split
from slides.screen_size import Size
from tui.deck.contents import Contents
from tui.rendering.pages.offscreen import Offscreen

ROWS = "\n\n".join(f"row {n}" for n in range(40))
DECK = "\n\n---\n\n".join(
    [
        *("\n\n".join(f"row {n}" for n in range(count)) for count in (6, 9, 10, 12, 13, 14, 18)),
        *(
            "\n\n".join(f"row {n}" for n in range(count)) + f"\n\n::: demo ddp ranks=4 {{#d{count}}}"
            for count in (2, 5, 7, 8, 9)
        ),
        "# Columns\n\n::: columns 1,1\n" + "- word word word word word word\n" * 12 + "\n+++\n\nright\n:::",
        "# 16 {#big}\n\n<!-- slide: {layout: big number} -->\n\nbytes",
    ]
)


@pytest.mark.parametrize("size", [Size(80, 24), Size(100, 30), Size(160, 45)])
async def test_a_screen_scrolls_where_check_says_so(size: Size) -> None:
    contents = Contents(split(DECK, "deck.md"))
    screenful = Screenful(DECK)
    async with screenful.app.run_test(size=size) as pilot:
        await pilot.pause()
        for index in range(len(contents)):
            slide = contents.slide(index)
            pages = list(Offscreen(contents).pages(index, size))
            screenful.session.go((index, slide.steps - 1))
            screenful.app.classroom.show()
            demo = next(iter(contents.demos(index)), None)
            for running in (False, True) if demo else (False,):
                if running and demo is not None:
                    screenful.link.receive(snapshot(demo.id))
                    screenful.app.classroom.show()
                await pilot.pause()
                measured = [
                    page for page in pages if page.step == slide.steps - 1 and bool(page.when) == running
                ]
                said = overflow(contents.deck, slide, measured, size)
                view = screenful.app.classroom.slide
                shown = needs(view.rows(view.page, view.size.width).lines) - view.size.height
                assert (said is not None) == (shown > 0), (size, index, running, said, shown)

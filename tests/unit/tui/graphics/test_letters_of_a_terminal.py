"""Large letters are made of quarters of cells: where a terminal has none, words keep their size."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from slides.drawing.large import letters
from slides.drawing.text import plain
from slides.screen_size import Size
from tui.deck.contents import Contents, open_deck
from tui.graphics import terminal_glyphs
from tui.rendering.pages.offscreen import Offscreen

_QUARTERS = set("▘▝▖▌▞▛▗▚▐▜▙▟")
DECK = """# Four ranks

- Every rank has the whole model

---

::: quiz {#q kind=single}
How many bytes?

- [ ] S
- [x] 2 S
:::
"""


@pytest.fixture(params=["linux", "vt220"])
def console(request: pytest.FixtureRequest) -> Iterator[None]:
    terminal_glyphs.settle_letters({"TERM": request.param})
    yield
    terminal_glyphs.settle_letters({"TERM": "xterm-256color"})


def test_the_console_of_linux_has_words_and_no_glyphs_that_its_font_lacks(
    console: None, tmp_path: Path
) -> None:
    (tmp_path / "talk.md").write_text(DECK)
    contents = Contents(open_deck(tmp_path / "talk.md"))
    for index, words in enumerate(("Every rank has the whole model", "How many bytes?")):
        shown = "\n".join(map(plain, Offscreen(contents).screen(index, Size(160, 45))))
        assert words in shown and not _QUARTERS & set(shown), shown


def test_other_terminals_have_letters() -> None:
    terminal_glyphs.settle_letters({"TERM": "xterm-256color"})
    assert letters.letters("Four", 40, ("bold",), 1)


def test_who_knows_his_terminal_over_ssh_has_letters_of_two_rows_by_a_wish() -> None:
    try:
        terminal_glyphs.settle_letters({"TERM": "xterm-256color"}, "sextants")
        assert letters.letters("Four", 40, ("short",), 1)
    finally:
        terminal_glyphs.settle_letters({"TERM": "xterm-256color"})
    assert letters.letters("Four", 40, ("short",), 1) is None

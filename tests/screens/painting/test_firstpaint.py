"""The first slide before there is a screen is the one that the screen then shows."""

from __future__ import annotations

import io
import re

import pytest
from made_screen import Screenful, settle

from slides.palette import THEMES
from slides.reading.split import split
from tui.deck.contents import Contents
from tui.rendering import first_paint
from tui.rendering.row_strip import SYSTEMS, look
from tui.rendering.themed_strips import Painter

WORDS = """\
---
title: Words
---
# First slide {#first}

- one
- **two** and $n^2$

> said by *somebody*

---

# Second

more
"""
TITLE = WORDS.replace("# First slide", "<!-- slide: {layout: title} -->\n# First slide")


def rows(deck: str, width: int, height: int) -> list[str] | None:
    lines = first_paint.slide_rows(Contents(split(deck, "deck.md")), width, height)
    return lines and ["".join(text for text, _ in line).rstrip() for line in lines]


CODE = """\
# Code

words

```python {2}
def loss(x):
    return x * 2
```

```console
$ torchrun
```
"""
DEMO = """\
# Demo

::: columns
- one
+++
```text
two
```
:::

::: demo ddp ranks=4 steps=30

words
"""


@pytest.mark.parametrize("deck", [WORDS, TITLE, CODE, DEMO], ids=["words", "title", "code", "demo"])
@pytest.mark.parametrize("size", [(80, 24), (100, 30), (160, 45)])
async def test_it_is_what_the_screen_shows_then(deck: str, size: tuple[int, int]) -> None:
    early = rows(deck, *size)
    full = Screenful(deck)
    async with full.app.run_test(size=size) as pilot:
        await settle(pilot)
        shown = [line.rstrip() for line in full.text().split("\n")]
    assert early is not None and len(early) == size[1]
    # The footer may have come to know of a class since.
    assert early[: size[1] - 1] == shown[: size[1] - 1]
    assert "slide 1/" in early[-1] and " %" not in early[-1], "the room may be looking"


def test_a_slide_that_needs_a_class_is_left_to_the_screen() -> None:
    assert rows("# Demo\n\n::: demo ddp ranks=0\n", 80, 24) is None
    assert rows("# Demo\n\n::: demo ./train.py\n", 80, 24) is None
    assert rows("# Code\n\n```python run\n1\n```\n", 80, 24) is None
    assert rows("# Picture\n\n![a](b.png)\n", 80, 24) is None
    assert rows("# Long\n\n" + "word\n\n" * 80, 80, 24) is None


def test_nothing_is_painted_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr("sys.stdout", out)
    first_paint.paint(Contents(split(WORDS, "deck.md")), "dark")
    assert out.getvalue() == "" and not first_paint.painted()


def test_who_takes_nothing_over_gives_the_terminal_back(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

        def fileno(self) -> int:
            return 1

    out = Terminal()
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setattr("os.get_terminal_size", lambda fd: __import__("os").terminal_size((80, 24)))
    monkeypatch.setenv("TERM", "xterm-256color")
    first_paint.paint(Contents(split(WORDS, "deck.md")), "dark")
    assert out.getvalue().startswith(first_paint.ALTERNATE)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", out.getvalue())
    assert "one" in text and "\x1b" not in text
    first_paint.undo()
    assert out.getvalue().endswith(first_paint.BACK)
    first_paint.undo()
    assert out.getvalue().count(first_paint.BACK) == 1


@pytest.mark.parametrize("theme", sorted(THEMES))
@pytest.mark.parametrize("terminal", ["truecolor", "256", "standard"])
def test_its_colours_are_those_of_the_screen(theme: str, terminal: str) -> None:
    """By the codes that reach the terminal: marks, ink and ground of every style of the slide."""
    system, painter = SYSTEMS[terminal], Painter(theme)
    found = first_paint.slide_rows(Contents(split(WORDS, "deck.md")), 80, 24)
    assert found is not None
    for style in {style for line in found for _, style in line}:
        seen = look(painter.style(style, "background"), system)
        ours = first_paint.sgr(style, painter.palette, system)[2:-1].split(";")
        theirs = [code for code in (*seen.marks, *f"{seen.ink};{seen.ground}".split(";")) if code]
        assert ours[0] == "0" and sorted(ours[1:]) == sorted(theirs), style

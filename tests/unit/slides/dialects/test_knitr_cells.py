"""Cells of R Markdown and Quarto, which nothing runs here: what they hide is hidden, a picture is shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from slides import deck
from slides.dialects import translate
from slides.dialects.knitr_cells import of_all
from slides.reading.parse import parse_slide
from slides.reading.split import split
from slides.reading_order import blocks


def shown(written: str, name: str) -> list[str]:
    """Code of the first slide, and the files of its pictures."""
    native = translate(f"# A\n\n{written}\n", name, Path("deck.md")).text
    found = blocks(parse_slide(split(native, "deck.md"), 0).blocks)
    code = [block.source for block in found if isinstance(block, deck.Code)]
    return code + re.findall(r"!\[\]\(([^()]+)\)", native)


@pytest.mark.parametrize("name", ["remark", "pandoc"])
@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("```{r setup, include=FALSE}\nlibrary(x)\n```", []),
        ("```{r, echo = F}\nplot(x)\n```", []),
        ("```{r}\n#| include: false\nlibrary(x)\n```", []),
        ('```{r, out.width="80%"}\n# a picture\nknitr::include_graphics("img/a.png")\n```', ["img/a.png"]),
        ("```{r, echo=FALSE}\ninclude_graphics('a.png', dpi = 90)\n```", ["a.png"]),
        ("```{r}\nx <- 1\n```", ["x <- 1"]),
        ("```r\ninclude_graphics('a.png')\n```", ["include_graphics('a.png')"]),  # words, and no cell
    ],
)
def test_options_of_a_cell(name: str, written: str, seen: list[str]) -> None:
    assert shown(written, name) == seen


def test_all_cells_may_be_silent_but_for_those_that_say_so() -> None:
    hide = (
        "```{r setup, include=FALSE}\nknitr::opts_chunk$set(\n  fig.align = 'left',\n  echo = FALSE\n)\n```"
    )
    assert of_all(hide) == "hidden" and of_all(hide.replace("FALSE\n)", "TRUE\n)")) == "shown"
    assert shown(f"{hide}\n\n```{{r}}\nx\n```\n\n```{{r, echo=TRUE}}\ny\n```", "remark") == ["y"]


@pytest.mark.parametrize("name", ["remark", "pandoc"])
def test_values_that_would_be_computed_within_a_line_are_no_words(name: str) -> None:
    written = "# A\n\nMean `r round(mean(x), 2)` of `x`, ``r y``.\n\n```{r}\nx\n```\n"
    found = translate(written, name, Path("deck.md"))
    assert "Mean  of `x`, ``r y``." in found.text and any("value" in p.message for p in found.problems)
    assert "`r x`" in translate("# A\n\n???\n\nn\n\n---\n\nkey `r x`\n", "remark", Path("deck.md")).text


def test_what_a_slide_is_may_stand_behind_a_cell_of_which_nothing_is_seen() -> None:
    written = "```{r, include=FALSE}\nlibrary(x)\n```\n\nlayout: true\n\nfoot\n\n---\n\n# A\n\n???\n\nn\n"
    found = translate(written, "remark", Path("deck.md")).text
    assert "layout: true" not in found and "foot" in found and "library(x)" in found

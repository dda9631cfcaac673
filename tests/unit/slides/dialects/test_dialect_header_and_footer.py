"""What other programs have over and under their slides comes along; what does not is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from slides.dialects import translate
from slides.dialects.unsupported import lost
from slides.reading.split import split

MARP = """---
marp: true
header: '**Acme** ![w:40](logo.png)'
footer: "[home](https://example.org) — *2026*"
---
# One

<!-- footer: another -->
"""
PRESENTERM = """---
title: Talk
author: Me
date: May
theme:
  override:
    footer:
      style: template
      left: "by {author}, {date}"
      center:
        image: logo.png
      right: "{current_slide} / {total_slides}"
---
One
===
"""
QUARTO = """---
title: Talk
format:
  revealjs:
    logo: img/logo.png
    footer: "Acme"
---

## One
"""


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("marp", MARP, {"header": "Acme", "footer": "home — 2026", "logo": "logo.png"}),
        (
            "presenterm",
            PRESENTERM,
            {"footer": "by {author}, {date} |  | {slide} / {slides}", "logo": "logo.png", "date": "May"},
        ),
        ("pandoc", QUARTO, {"footer": "Acme", "logo": "img/logo.png"}),
    ],
)
def test_it_comes_along(name: str, text: str, wanted: dict[str, str]) -> None:
    meta = split(translate(text, name, Path("deck.md")).text, "deck.md").meta
    assert {key: meta.get(key) for key in wanted} == wanted


def test_what_a_single_slide_changes_is_told_and_what_came_along_is_not() -> None:
    told = [(problem.line, problem.message) for problem in lost(MARP, "marp", "deck.md")]
    assert told == [(8, "`footer:` is not taken over")]
    assert list(lost(QUARTO, "pandoc", "deck.md")) == []
    assert "footer" not in " ".join(problem.message for problem in lost(PRESENTERM, "presenterm", "deck.md"))


@pytest.mark.parametrize(
    "footer", ["x", "[]", "{style: template, left: [1, 2], center: {image: 3}}", "{style: {}}"]
)
def test_a_footer_of_another_shape_breaks_nothing(footer: str) -> None:
    text = f"---\ntitle: T\ntheme:\n  override:\n    footer: {footer}\n---\nOne\n===\n"
    assert "footer" not in split(translate(text, "presenterm", Path("deck.md")).text, "deck.md").meta

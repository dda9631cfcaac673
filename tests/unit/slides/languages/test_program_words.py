"""What documents say of their own stands in the language of their deck, and nothing else changes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import slides
from runtime.catalog import registry
from slides.deck import AnyBlock, Demo, Paragraph, Quiz
from slides.export import html, markdown
from slides.export.block_outcomes import Asked, Choice, Figure, Grid, Part
from slides.languages.program_words import say_in
from slides.reading.parse import parse_blocks, parse_slide
from slides.reading.split import split

DECK = """---
title: Ek
lang: {}
---
# Ek {{#a}}

::: demo ddp {{#run}}

::: quiz {{#q}}
Kya?

- [x] haan
:::
"""
SHIPPED = Path(slides.__file__).parent


def came_to_be(block: AnyBlock) -> Part | None:
    if isinstance(block, Demo):
        words = ("done after 3.2 s · 28,361 tokens/s in total", "Of nobody's table.")
        return Figure("ddp", "LIVE CPU", words, (Grid("The ranks at its end", ("rank",), (("0",),)),))
    if isinstance(block, Quiz):
        stem = parse_blocks("Kya?")
        assert isinstance(stem[0], Paragraph)
        return Asked(stem, (Choice(stem, True),), told=False, result="Nobody answered.")
    return None


@pytest.mark.parametrize("lang", ["en", "hi-Latn", "../hi-Latn"])
def test_a_page_and_markdown_say_the_same_in_the_language_of_the_deck(lang: str) -> None:
    deck = split(DECK.format(lang), "deck.md")
    sections = [html.Section(parse_slide(deck, 0), "1")]
    for text in (html.page(deck, sections, came_to_be), markdown.page(deck, sections, came_to_be)):
        assert ("kul 28,361 tokens/s" in text) == ("Jawab" in text) == (lang == "hi-Latn")
        assert ("3.2 s mein poora" in text) == ("Run ke end mein ranks" in text) == (lang == "hi-Latn")
        assert ("Kisi ne jawab nahin diya." in text) != ("Nobody answered." in text)
        assert "Of nobody" in text and "LIVE CPU" in text


def test_what_to_look_for_in_each_demo_of_the_course_is_said_in_its_translation() -> None:
    say = say_in("hi-Latn")
    course = SHIPPED / "courses" / "distributed"
    lessons = "\n".join(file.read_text("utf-8") for file in course.glob("*.md"))
    names = set(re.findall(r"^::: demo ([\w-]+)", lessons, re.MULTILINE))
    watched = {name: spec.watch for name in names if (spec := registry.find(name)) and spec.watch}
    assert len(watched) > 15
    assert [name for name, watch in watched.items() if say(watch) == watch] == []

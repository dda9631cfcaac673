"""Pandoc's title block: `%` lines at the top are a title slide, as pandoc itself makes of them."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from slides.deck import List
from slides.dialects import detect, translate
from slides.reading.from_disk.source import normalise
from slides.reading.parse import parse_slide
from slides.reading.split import load, split
from slides.reading_order import blocks, inlines

BLOCKS = [
    "% My Talk\n% Jane Doe; Me\n% 2026\n",
    "% A title\n  that goes on\n%\n% 22 November\n",
    "% Only a title\n",
]


def pandoc(text: str) -> list[str]:
    """Title, authors and date as pandoc reads them."""
    read = subprocess.run(["pandoc", "-t", "json"], input=text, capture_output=True, text=True, check=True)
    meta = json.loads(read.stdout)["meta"]

    def words(node: object) -> str:
        if isinstance(node, dict):
            kind = node.get("t")
            return " " if kind in ("Space", "SoftBreak") else words(node.get("c", ""))
        if isinstance(node, list):
            return "".join(map(words, node))
        return str(node)

    authors = [words(one) for one in meta.get("author", {}).get("c", [])]
    said = [words(meta.get("title", "")), ", ".join(authors), words(meta.get("date", ""))]
    return [one.replace("MetaInlines", "") for one in said]


@pytest.mark.skipif(shutil.which("pandoc") is None, reason="pandoc is the oracle")
@pytest.mark.parametrize("block", BLOCKS)
def test_the_title_block_is_what_pandoc_reads(block: str, tmp_path: Path) -> None:
    path = tmp_path / "deck.md"
    path.write_text(f"{block}\n# One\n\n- a\n\n# Two\n\ntext\n", encoding="utf-8")
    deck = load(path, "pandoc")
    assert [deck.meta.get(key, "") for key in ("title", "author", "date")] == pandoc(block)
    assert [slide.title for slide in deck.slides][1:] == ["One", "Two"]
    assert not any("%" in slide.title for slide in deck.slides)


FURTHER = """% T
% Jane

# One

text

---
author: Ada
nocite: |
  @all
---

more

# Two

words
"""


def shown(text: str, program: str) -> str:
    deck = split(translate(normalise(text), program, Path("deck.md")).text, "deck.md")
    slides = [parse_slide(deck, head.index) for head in deck.slides]
    return "\n".join(
        "".join(part.text for part in inlines(block)) for slide in slides for block in blocks(slide.blocks)
    )


@pytest.mark.parametrize(("program", "author"), [("pandoc", "Ada"), ("patat", "Jane")])
def test_settings_in_the_middle_are_no_slide(program: str, author: str, tmp_path: Path) -> None:
    """Pandoc takes a YAML block anywhere, and of two with the same key the later; patat reads by it."""
    words = shown(FURTHER, program)
    assert "nocite" not in words and "% T" not in words and "more" in words and "words" in words
    path = tmp_path / "deck.md"
    path.write_text(FURTHER, encoding="utf-8")
    assert load(path, program).meta["author"] == author


@pytest.mark.skipif(shutil.which("pandoc") is None, reason="pandoc is the oracle")
def test_pandoc_takes_the_later_author() -> None:
    assert pandoc(FURTHER)[:2] == ["T", "Ada"]


@pytest.mark.parametrize("between", ["## Two\n\nwords\n", "just words\n", "not: [a mapping\n"])
def test_what_is_not_a_mapping_between_rules_stays(between: str) -> None:
    words = shown(f"# One\n\na\n\n---\n{between}\n---\n\n## Three\n\nb\n", "pandoc")
    assert between.strip("# \n").split("\n")[0] in words and "Three" in words


@pytest.mark.parametrize("program", ["pandoc", "patat"])
def test_a_list_that_counts_by_itself(program: str) -> None:
    text = "# One\n\n#. a\n#. b\n\n```\n#. code\n```\n"
    translated = translate(normalise(text), program, Path("deck.md")).text
    slide = parse_slide(split(translated, "deck.md"), 0)
    assert [block.ordered for block in slide.blocks if isinstance(block, List)] == [True]
    assert "#. code" in translated


def test_a_title_block_with_boxes_is_pandocs() -> None:
    assert detect("% T\n% A\n\n# One\n\n::: incremental\n- a\n:::\n") == "pandoc"
    assert detect("% T\n% A\n\n# One\n\n- a\n") == "patat"


def test_latex_alone_on_its_line_is_no_word() -> None:
    text = "# One\n\na\n\n\\newpage\n\n\\small\n\nb\n\n\\pause\n\nc\n\n```\n\\newpage\n```\n"
    translated = translate(normalise(text), "pandoc", Path("deck.md")).text
    slide = parse_slide(split(translated, "deck.md"), 0)
    assert slide.steps == 2 and translated.count("newpage") == 1 and "small" not in translated

"""Pandoc's title block: `%` lines at the top are a title slide, as pandoc itself makes of them."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from slides.reading.split import load

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

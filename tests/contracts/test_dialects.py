"""Decks of other programs, each written after that program's documentation, and what becomes of them.

After a wanted change: `python tests/contracts/test_dialects.py` writes the golden text anew; read the
difference. The number of slides is what the program itself shows; `COUNTS` was taken from the programs where
they could be run, else from the rules in their sources.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from test_deck import blocks

from slides.audience_deck import audience_deck
from slides.deck import NATIVE, Box, Deck
from slides.dialects import NAMES, detect
from slides.reading.parse import parse_slide
from slides.reading.split import load, split
from slides.reading_order import blocks as walk

HERE = Path(__file__).parent
FOLDER, GOLDEN = HERE / "dialects", HERE / "dialects.golden.txt"
COUNTS = {
    "presenterm.md": 8,
    "presenterm-options.md": 5,
    "slides.md": 6,
    "marp.md": 8,
    "slidev.md": 8,
    "revealmd.md": 7,
    "patat.md": 3,
    "patat-headings.md": 6,
    "lookatme.md": 5,
    "lookatme-headings.md": 3,
    "remark.md": 4,
    "pandoc.md": 6,
    "obsidian.md": 4,
    "mdp.md": 2,
    "notebook.ipynb": 2,
    "deckset.md": 6,
    "revealhtml.html": 7,
    "present.slide": 3,
}


def deck(name: str) -> Deck:
    return load(FOLDER / name)


def dump(name: str) -> Iterator[str]:
    """A deck as it is read: slides with steps, blocks and notes, all with the lines of the deck's file."""
    read = deck(name)
    yield f"##### {name}: {read.format} {read.title!r} {len(read.slides)} slides {read.meta}"
    yield from (f"   ! {problem}".replace(f"{FOLDER}/", "") for problem in read.problems)
    for head in read.slides:
        slide = parse_slide(read, head.index)
        layout = f" layout={slide.layout}" if slide.layout else ""
        yield f"=== {slide.id} {slide.title!r} line {slide.line} steps={slide.steps}{layout}"
        yield from (line.replace(f"{FOLDER}/", "") for line in blocks(slide.blocks, 0))
        yield from (f"{note.line:>4} {note.at:<4} NOTE {note.markdown!r}" for note in slide.notes)
        yield from (f"   ! {problem}".replace(f"{FOLDER}/", "") for problem in slide.problems)
    yield ""


def test_every_deck_is_read_as_the_golden_text_says() -> None:
    assert "\n".join(line for name in COUNTS for line in dump(name)) == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", COUNTS)
def test_a_deck_is_recognised_and_has_as_many_slides_as_its_program_shows(name: str) -> None:
    read = deck(name)
    assert read.format == name.split(".")[0].split("-")[0]
    assert len(read.slides) == COUNTS[name]


@pytest.mark.parametrize("name", COUNTS)
def test_every_line_said_is_one_of_the_decks_own_file(name: str) -> None:
    read = deck(name)
    lines = (FOLDER / name).read_text().split("\n")
    for head in read.slides:
        slide = parse_slide(read, head.index)
        assert 1 <= head.line <= len(lines)
        for block in walk(slide.blocks):
            assert 1 <= block.line <= len(lines)
            if isinstance(block, Box):
                assert (block.problem.file, block.problem.line) == (str(FOLDER / name), block.line)
        if head.title and head.line > 1 and lines[head.line - 1].strip().startswith("#"):
            assert head.title.split()[0] in lines[head.line - 1]


@pytest.mark.parametrize("name", COUNTS)
def test_what_is_converted_is_a_deck_of_ours_with_the_same_slides(name: str) -> None:
    read = deck(name)
    assert detect(read.source) == NATIVE
    again = split(read.source, read.path)
    assert again.format == NATIVE and [h.id for h in again.slides] == [h.id for h in read.slides]
    for head in read.slides:
        one, two = parse_slide(read, head.index), parse_slide(again, head.index)
        assert (one.title, one.steps, [n.markdown for n in one.notes]) == (
            two.title,
            two.steps,
            [n.markdown for n in two.notes],
        )


@pytest.mark.parametrize("name", COUNTS)
def test_an_audience_gets_the_same_slides_without_notes(name: str) -> None:
    read = deck(name)
    theirs = audience_deck(read)
    assert [head.id for head in theirs.slides] == [head.id for head in read.slides]
    for head in theirs.slides:
        seen = parse_slide(theirs, head.index, trusted=False)
        assert seen.notes == () and seen.steps == parse_slide(read, head.index).steps
        assert "kept:" not in head.raw


def test_every_dialect_has_a_deck() -> None:
    assert {name.split(".")[0].split("-")[0] for name in COUNTS} == set(NAMES) - {NATIVE}


if __name__ == "__main__":
    GOLDEN.write_text("\n".join(line for name in COUNTS for line in dump(name)), encoding="utf-8")

"""A deck that comes from the host is the one its file holds, with its format and its lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from slides.deck import Scene
from slides.reading.split import load
from slides.scenes import captions, on_slide
from tui.deck import deck_upload, reloading
from tui.deck.contents import Contents, open_deck

MARP = """---
marp: true
headingDivider: 2
---
# One
<!-- speak slowly -->

## Two

```run
"""
PLAIN = "# One\n\n----\n\n# Two\n"


@pytest.mark.parametrize(("text", "format"), [(MARP, ""), (PLAIN, "revealmd"), (PLAIN, "teachrun")])
def test_a_console_that_attaches_reads_the_file_as_the_first_one_did(
    tmp_path: Path, text: str, format: str
) -> None:
    file = tmp_path / "deck.md"
    file.write_text(text)
    first = Contents(load(file, format))
    second = deck_upload.contents(deck_upload.for_console(first.deck), "console")
    assert second.rev == first.rev and second.deck.format == first.deck.format
    assert [head.line for head in second.heads] == [head.line for head in first.heads]
    for contents in (first, second):
        file.write_text(text)
        assert reloading.read(contents) is None
        file.write_text(text + "\nmore\n")
        fresh = reloading.read(contents)
        assert fresh is not None and fresh.contents is not None
        assert fresh.contents.deck.format == first.deck.format
        assert len(fresh.contents) == len(first)


def test_the_words_of_its_scenes_travel_to_the_screens_of_the_room(tmp_path: Path) -> None:
    file, table = tmp_path / "deck.md", tmp_path / "de" / captions.NAME
    file.write_text("---\nlang: de\n---\n# One\n\n::: scene ring\n")
    table.parent.mkdir()
    sent = []
    for words in ("Schritt {1} von {2}", "Der {1}. von {2}"):
        table.write_text(f'"Reduce-scatter, step {{1}} of {{2}}" = "{words}"\n')
        blob = deck_upload.for_audience(Contents(open_deck(file)))
        table.unlink()  # no screen of the room has it
        sent.append(deck_upload.contents(blob, "audience"))
        if len(sent) > 1:
            sent[-1].keep(sent[-2])
        told = [on_slide.of(block).state(1).lead for block in scenes(sent[-1])]
        assert told == [words.format(None, 1, 3)] and sent[-1].slide(0).files == ()


@pytest.mark.parametrize("text", [b"", b"\xff", b"= =", b'"a" = "' + b"x" * (1 << 20) + b'"'])
def test_a_table_that_is_none_leaves_the_words_as_they_are(tmp_path: Path, text: bytes) -> None:
    file = tmp_path / "deck.md"
    file.write_text("---\nlang: de\n---\n# One\n\n::: scene ring\n")
    (tmp_path / "de").mkdir()
    (tmp_path / "de" / captions.NAME).write_bytes(text)
    blob = deck_upload.for_audience(Contents(open_deck(file)))
    [block] = scenes(deck_upload.contents(blob, "audience"))
    assert on_slide.of(block).state(0).lead == "Gradients in chunks" and len(blob) < 10_000


def test_a_table_that_lies_elsewhere_does_not_travel(tmp_path: Path) -> None:
    file = tmp_path / "talk" / "deck.md"
    (tmp_path / "talk" / "de").mkdir(parents=True)
    file.write_text("---\nlang: de\n---\n# One\n\n::: scene ring\n")
    (tmp_path / "secret").write_text('"a" = "only mine"\n')
    (tmp_path / "talk" / "de" / captions.NAME).symlink_to(tmp_path / "secret")
    assert b"only mine" not in deck_upload.for_audience(Contents(open_deck(file)))


def scenes(contents: Contents) -> list[Scene]:
    return [block for block in contents.slide(0).blocks if isinstance(block, Scene)]

"""A deck that comes from the host is the one its file holds, with its format and its lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from slides.reading.split import load
from tui.deck import deck_upload, reloading
from tui.deck.contents import Contents

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

"""What tests of the program in folders of its own begin with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from folders import own_folders, stop_all

DECK = "# One\n\nFIRST-WORDS\n\n---\n\n# Two\n\nSECOND-WORDS\n"


@pytest.fixture
def home() -> Iterator[Path]:
    """Folders of our own, and at the end nothing that runs in them."""
    with own_folders() as home:
        (home / "deck.md").write_text(DECK)
        yield home
        stop_all(home)

"""Words of a picture as small as a card of the overview: few, and none upon what another names."""

from __future__ import annotations

from slides.scenes.painting.word_over_picture import Word
from slides.scenes.painting.words_in_cells import Written


def rows(columns: int) -> list[str]:
    """What four labels side by side come to in a picture of so many columns, three rows high."""
    written = Written(columns, 3)
    words = [Word(((n + 0.5) / 4, 0.1), f"block {n}", str(n)) for n in range(4)]
    written.add([], words)
    cells = {place: glyph.text for place, glyph in written.cells.items()}
    return ["".join(cells.get((row, column), " ") for column in range(columns)).rstrip() for row in range(3)]


def test_labels_of_a_card_are_short_and_keep_their_row() -> None:
    first, *others = rows(26)
    assert first.split() == ["0", "1", "2", "3"] and not any(others)


def test_labels_of_a_slide_are_whole() -> None:
    assert " ".join(rows(60)[0].split()) == "block 0 block 1 block 2 block 3"

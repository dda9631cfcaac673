"""The lines of files that slides of the course show, as they are stored: whoever moves a line of such a file
sees here that a slide shows others now, and its steps and notes stand beside the wrong ones.

After a wanted change: `python -m tests.unit.slides.courses.test_shown_code` writes `shown_code.txt` anew;
read the difference beside the notes of its slides.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import slides
from slides.deck import Code
from slides.drawing import room_page
from slides.drawing.blocks.listing import listing
from slides.drawing.text import plain
from slides.reading_order import blocks
from tui.deck.contents import Contents, open_deck

COURSE = Path(slides.__file__).parent / "courses" / "distributed"
GOLDEN = Path(__file__).with_name("shown_code.txt")


def told() -> str:
    return "\n".join([line for path in sorted(COURSE.glob("*.md")) for line in _shown(path)]) + "\n"


def _shown(path: Path) -> Iterator[str]:
    """Each listing of a file: where it stands, which lines each step puts in focus, and the lines."""
    contents = Contents(open_deck(str(path)))
    for index, head in enumerate(contents.heads):
        for block in blocks(contents.slide(index).blocks):
            if isinstance(block, Code) and block.path:
                yield f"{path.stem} {head.id}: {block.path}"
                steps = [",".join(map(str, sorted(focus))) or "all" for focus in block.focus]
                yield f"  in focus: {' | '.join(steps)}" if steps else "  as a whole"
                signs = block.diff or " " * (block.source.count("\n") + 1)
                rows = zip(signs, block.source.split("\n"), strict=True)
                yield from (f"  {sign} {text}".rstrip() for sign, text in rows if sign != "@")


def test_slides_show_the_lines_that_their_notes_are_of() -> None:
    assert told() == GOLDEN.read_text("utf-8")


def test_a_listing_has_the_cells_that_it_is_said_to_need() -> None:
    for path in sorted(COURSE.glob("*.md")):
        contents = Contents(open_deck(str(path)))
        for index in range(len(contents.heads)):
            for block in blocks(contents.slide(index).blocks):
                if isinstance(block, Code) and (block.path or block.numbers):
                    drawn = listing(block, 0, room_page.cells_of_code(block))
                    assert not any("↪" in plain(line) for line in drawn), (path.stem, block.path)


if __name__ == "__main__":
    GOLDEN.write_text(told(), "utf-8")

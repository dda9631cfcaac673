"""`::: include part.md`: the Markdown of other files in the deck's folder, read in place on a slide."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from slides.deck import AnyBlock, Columns
from slides.problems import Mistake
from slides.reading import front_matter
from slides.reading.from_disk import named_files
from slides.reading.from_disk.named_files import MayRead

DEEPEST = 4  # files within files
MOST = 64  # on one slide: four levels of a file that includes itself twice are sixteen already


def stood_in(file: str, found: Iterable[AnyBlock]) -> list[AnyBlock]:
    """Return the blocks of an included file, marked with that file so that their lines are its own."""
    out: list[AnyBlock] = []
    for block in found:
        if isinstance(block, Columns):
            block = replace(block, columns=tuple(tuple(stood_in(file, column)) for column in block.columns))
        out.append(block if block.file else replace(block, file=file))
    return out


class Includes:
    """The includes of one slide, counted in their order."""

    def __init__(self, may_read: MayRead = named_files.never) -> None:
        self.count = 0
        self._may_read = may_read

    def read(self, folder: Path | None, written: str, depth: int) -> tuple[Path, str, int]:
        """Return (path, Markdown, number of its first line) of the file, without front matter.

        Raises:
            Mistake: it cannot be read, or the slide includes too many.
        """
        if not written:
            raise Mistake("`include` of what? The file is missing", "Write `::: include parts/setup.md`.")
        self.count += 1
        if depth >= DEEPEST or self.count > MOST:
            message = f"files include files more than {DEEPEST} deep, or more than {MOST} on a slide"
            raise Mistake(message, "Write the text here; perhaps two files include each other.")
        path = named_files.locate(folder, written, self._may_read)
        lines = named_files.read(path, written)[0].split("\n")
        front = front_matter.length(lines)
        return path, "\n".join(lines[front:]), front + 1

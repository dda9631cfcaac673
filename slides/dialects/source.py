"""What a dialect needs of a deck besides its text: its path, and the other files it includes."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from slides.dialects.translation import Row, Text
from slides.problems import Mistake, Problem, one_line
from slides.reading.from_disk import named_files
from slides.reading.from_disk.named_files import MayRead

DEEPEST = 4
_MOST_TOLD = 40
MOST = 256  # files taken in by one deck, each as often as it is


@dataclass
class Source:
    """`open` are the files that are being taken in, `count` is how many there were, `files` which, found or
    not."""

    path: Path
    may_read: MayRead = named_files.never
    problems: list[Problem] = field(default_factory=list)
    open: list[Path] = field(default_factory=list)
    count: int = 0
    files: dict[str, None] = field(default_factory=dict)
    components: set[str] = field(default_factory=set)
    """What only the other program draws, as far as it was told."""

    def take(self, written: str, base: str, place: int) -> Text | list[Row]:
        """Return the text of another file, its lines placed at the include; else what stands there instead.

        A caller that got a text calls `done` when it is read.
        """
        name = self.within(unquote(written.strip()), base)
        self.count += 1
        self.files[str(self.path.parent / name)] = None
        try:
            path = named_files.locate(self.path.parent, name, self.may_read).resolve()
            lines = named_files.read(path, written)[0].split("\n")
        except (Mistake, OSError, RuntimeError):
            # Our own directive for it fails in the same way, and is a box that says why.
            shown = " ".join(one_line(name).split())
            return [Row("", place), Row(f"::: include {shown}", place), Row("", place)]
        if path in (*self.open, self.path.resolve()) or len(self.open) >= DEEPEST or self.count > MOST:
            message = f"files take in each other, more than {DEEPEST} deep, or more than {MOST} in all"
            self.problems.append(Problem(str(self.path), place, message, "Leave this one out."))
            return []
        self.open.append(path)
        folder = str(PurePosixPath(name).parent)
        return Text(lines, [place] * len(lines), "" if folder == "." else f"{folder}/")

    def text_of(self, name: str) -> str:
        """Return the text of a small file of the program's own in the deck's folder; "" if there is none."""
        try:
            text = named_files.read(named_files.locate(self.path.parent, name, self.may_read), name)[0]
        except (Mistake, OSError, RuntimeError):
            return ""
        self.files[str(self.path.parent / name)] = None
        return text

    def done(self) -> None:
        """Leave the file that was taken in last; called once for each text that `take` gave."""
        self.open.pop()

    def within(self, written: str, base: str) -> str:
        """Return a path that a file in `base` names as seen from the deck's folder."""
        if not base or "://" in written or written.startswith("/"):
            return written
        return posixpath.normpath(base + written)

    def once(self, place: int, message: str, mend: str) -> None:
        """Report a problem as `say` does, but only the first of its kind."""
        if message not in self.components:
            self.components.add(message)
            self.say(place, message, mend)

    def component(self, name: str, place: int) -> None:
        """Report an element that is not drawn here, once for each name."""
        if name.lower() not in self.components and len(self.components) < _MOST_TOLD:
            self.components.add(name.lower())
            message = f"`<{one_line(name)[:60]}>` is drawn by its own program only: the words in it are shown"
            self.say(place, message, "Write in Markdown what it draws, if the slide needs it.")

    def say(self, place: int, message: str, mend: str) -> None:
        """Report a problem at a line of the deck's file (from 1), and what to write instead."""
        self.problems.append(Problem(str(self.path), place, message, mend))

"""What is written to the terminal, written to a recording as well, with the marks a viewer needs.

No Textual: the screen hands in what it writes and says how it looks as a whole, where it stands, how large it
is. While nothing is recorded nothing of this exists.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tui.recording.cast import OURS
from tui.recording.cast_writer import Writer

# Talk with the terminal about modes (keys, focus, mouse, reports, synchronised output) and the clipboard.
_NO_PICTURE = re.compile(r"(?:\x1b\[[?<>=][\d;]*\$?[a-zA-Z]|\x1b\]52;[^\x07\x1b]*(?:\x07|\x1b\\))+")
AGAIN = "\x1b[?25l\x1b[?7l\x1b[0m"
BEGIN = AGAIN + "\x1b[2J"
END = "\x1b[0m\x1b[?7h\x1b[?25h"
PICTURE_S = 0.125  # what plays faster is kept as whole pictures, so many played seconds from one to the next
FAST = "×{speed:g}"  # the label of the marker where a recording begins to play at another speed


class Place(NamedTuple):
    """Where the screen stands: a slide by its id, with the label of its marker, and the terminal's size."""

    slide: str
    label: str
    size: tuple[int, int]


class Recorder:
    """A recording from now on. `take` gets everything that is written to the terminal; it never raises."""

    def __init__(
        self,
        path: Path,
        title: str,
        class_id: str,
        picture: Callable[[], str],
        place: Callable[[], Place],
        colours: dict[str, str],
        writer: Callable[[Path, dict[str, Any]], Writer] = Writer,
    ) -> None:
        """`picture()` draws the whole screen at its present size; it is also asked where frames were lost."""
        self.path = path
        self.broken = ""
        self.speed = 1.0
        self._left_out = False  # something was painted since the newest picture
        self._due = 0.0  # when the next picture of what plays faster is taken
        self._picture, self._place = picture, place
        here = self._here = place()
        began = time.time()
        header: dict[str, Any] = {
            "version": 2,
            "width": here.size[0],
            "height": here.size[1],
            "timestamp": int(began),
            "title": title,
            "env": {"TERM": "xterm-256color"},
            **({"theme": colours} if colours else {}),
            OURS: {"class": class_id, "began": began, "raw": True},
        }
        self._writer = writer(path, header)
        self._torn = not self._writer.put("o", BEGIN + picture())
        self._writer.put("m", here.label)

    @property
    def elapsed(self) -> float:
        """Seconds since the recording began."""
        return self._writer.elapsed

    @property
    def written(self) -> int:
        """Bytes in the file."""
        return self._writer.written

    @property
    def failed(self) -> str:
        """Why the recording is broken or could not be written, "" while all is well."""
        return self.broken or self._writer.failed

    def take(self, data: str) -> None:
        """What the screen writes now."""
        if _NO_PICTURE.fullmatch(data) or self.failed:
            return
        try:
            marked = self._mark()
            if self.speed > 1 and not marked and self.elapsed < self._due:
                self._left_out = True
                return
            if self._torn or self._left_out:
                data = (BEGIN if self._torn or marked else AGAIN) + self._picture()
            self._put(data)
        except Exception as error:  # it is called while the screen paints: a recording never stops a class
            self.broken = f"{type(error).__name__}: {error}"

    def _put(self, data: str) -> None:
        self._torn = not self._writer.put("o", data)
        self._left_out = False
        self._due = self.elapsed + PICTURE_S * self.speed

    def _mark(self) -> bool:
        """Tell of another slide or size; whether there was one."""
        here, before = self._place(), self._here
        if here.size != self._here.size:
            self._writer.put("r", f"{here.size[0]}x{here.size[1]}")
        if here.slide != self._here.slide:
            self._writer.put("m", here.label)
        self._here = here
        return here != before

    def pace(self, speed: float) -> None:
        """From here on a viewer shall see it `speed` times as fast."""
        if speed != self.speed:
            if self._left_out and not self.failed:
                self._put(AGAIN + self._picture())
            self.speed = speed
            self._writer.put("m", FAST.format(speed=speed))

    def close(self) -> None:
        """Write the rest. Blocks for as long as the disk does."""
        self._writer.put("o", END)
        self._writer.close()

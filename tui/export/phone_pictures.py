"""Pictures of questions as phones get them: small, made in a thread since a photograph takes a moment."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Hashable
from pathlib import Path

from slides.drawing.blocks import image
from slides.problems import Mistake
from slides.reading.from_disk.named_files import locate, stamp

WIDEST = 720  # pixels: the width of a phone that shows two for each of its own
MOST_BYTES = 64_000  # of one: a hall of a thousand asks for it in the same moment
MOST = 6  # on a page
_Made = tuple[str, bytes]  # name and bytes; "" where it cannot be shown


class PhonePictures:
    """Those that were asked for so far; `ready` is called when another one can be shown."""

    def __init__(self, ready: Callable[[], None]) -> None:
        """None is made before a page asks for it."""
        self._ready = ready
        self._made: dict[Hashable, _Made] = {}
        self._making: set[Hashable] = set()

    def of_page(self, folder: Path) -> PagePictures:
        """For one page of a deck in `folder`."""
        return PagePictures(self, folder)

    def find(self, file: Path) -> _Made:
        """Return a picture; ("", b"") while it is being made, and where it cannot be."""
        key = file, stamp(str(file))
        if key in self._made:
            return self._made[key]
        if key not in self._making:
            self._making.add(key)
            try:
                loop = asyncio.get_running_loop()
            except RuntimeError:  # nobody waits
                self._made[key] = _made(file)
                return self._made[key]
            loop.run_in_executor(None, _made, file).add_done_callback(lambda job: self._keep(key, job))
        return "", b""

    def _keep(self, key: Hashable, job: asyncio.Future[_Made]) -> None:
        if job.cancelled() or job.exception() is not None:
            return
        self._made[key] = job.result()
        if self._made[key][0]:
            self._ready()


class PagePictures:
    """The pictures that one page shows: gives each its address, and keeps its bytes in `used`, by name."""

    def __init__(self, kept: PhonePictures, folder: Path) -> None:
        """Used by nothing yet."""
        self._kept, self._folder = kept, folder
        self.used: dict[str, bytes] = {}

    def address(self, path: str) -> str:
        """Where phones find the picture that a deck names; "" where they only read its name."""
        try:
            name, data = self._kept.find(locate(self._folder, path).resolve())
        except (Mistake, OSError, ValueError):
            return ""  # on the room's screen a box says what is wrong
        if not name or (name not in self.used and len(self.used) == MOST):
            return ""
        self.used[name] = data
        return f"/picture/{name}"


def _made(file: Path) -> _Made:
    try:
        data = image.reduced(file, WIDEST, MOST_BYTES)
    except image.Unreadable:
        return "", b""
    return f"{hashlib.sha256(data).hexdigest()[:24]}.webp", data

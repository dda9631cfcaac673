"""Looks at files and tells when one of them has changed and stands still again.

A thread looks by `stat`, some twenty times a second: that works on every file system and through every way
that editors write. Nobody else is woken while nothing changes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

from slides.reading.from_disk.named_files import stamp

POLL_S = 0.04
SETTLE_S = 0.01  # an editor may truncate a file first and write it then


class Watcher:
    """`files()` names what is looked at now, `changed()` is called for every change. Both run in the thread,
    `changed` also at the beginning and for every file that is new: nobody knows what happened before."""

    def __init__(
        self, files: Callable[[], Iterable[str]], changed: Callable[[], None], poll_s: float = POLL_S
    ) -> None:
        self._files, self._changed, self._poll_s = files, changed, poll_s
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._look, name="watcher", daemon=True)

    def start(self) -> None:
        """Begin to watch, in a thread of its own."""
        self._thread.start()

    def stop(self) -> None:
        """Ask the thread to end, without waiting for it."""
        self._stopped.set()

    def _look(self) -> None:
        known: dict[str, object] = {}
        first = True
        while not self._stopped.wait(0.0 if first else self._poll_s):
            files = tuple(self._files())
            seen = {file: stamp(file) for file in files}
            if first or seen != known:
                while not self._stopped.wait(SETTLE_S) and (now := {f: stamp(f) for f in files}) != seen:
                    seen = now
                self._changed()
                first = False
            known = seen

"""The pictures of a deck as cells: decoded by a thread, kept by source, size and theme.

A picture that is asked for the first time is not there yet: a frame stands in its place, and `ready` says
when to draw again. Nothing waits for it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from queue import Empty, LifoQueue
from typing import NamedTuple

from slides import image
from slides.palette import THEMES
from slides.text import Line

KEPT = 200
IDLE_S = 5.0  # how long the thread outlives its last picture

AWAY = "the picture is where the deck is, not here"
READING = "is being read …"


class Wanted(NamedTuple):
    name: str
    columns: int
    rows: int
    theme: str
    grow: bool


class Gallery:
    def __init__(self, ready: Callable[[], object] | None = None) -> None:
        """`ready` is called by the thread, after each picture. Without it they are decoded at once."""
        self._ready = ready
        self._kept: OrderedDict[Wanted, list[Line] | str] = OrderedDict()
        self._queue: LifoQueue[tuple[Wanted, Path | bytes]] = LifoQueue()  # the slide just gone to first
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self.seen = 0  # pictures decoded so far: with another number a page looks different

    def get(self, wanted: Wanted, source: Path | bytes) -> list[Line] | str:
        """Its lines, or what to say in its place now."""
        found = self._kept.get(wanted)
        if found is not None:
            return found
        if not image.available():
            return image.INSTALL
        if self._ready is None:
            self._keep(wanted, _decoded(wanted, source))
            return self._kept[wanted]
        self._keep(wanted, READING)
        self._queue.put((wanted, source))
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="pictures", daemon=True)
                self._thread.start()
        return READING

    def forget(self) -> None:
        """Files may have changed."""
        self._kept.clear()

    def _keep(self, wanted: Wanted, drawn: list[Line] | str) -> None:
        self._kept[wanted] = drawn
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)

    def _work(self) -> None:
        while True:
            try:
                wanted, source = self._queue.get(timeout=IDLE_S)
            except Empty:
                with self._lock:
                    if self._queue.empty():
                        self._thread = None
                        return
                continue
            self._keep(wanted, _decoded(wanted, source))
            self.seen += 1
            if self._ready is not None:
                self._ready()


def _decoded(wanted: Wanted, source: Path | bytes) -> list[Line] | str:
    try:
        return image.picture(source, wanted.columns, wanted.rows, THEMES[wanted.theme], grow=wanted.grow)
    except image.Unreadable as why:
        return str(why)

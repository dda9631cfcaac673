"""Scenes by Python files of a deck: each is run once it was agreed to, and its slide is read again.

Nothing runs because a slide is read: whoever opens a deck asks for it, in a thread where keys are waited for.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from slides.deck import Scene
from slides.problems import Mistake
from slides.reading_order import blocks as walk
from tui.deck.contents import Contents, agreed

_MAY_HAVE = re.compile(r":::\s*(?:scene|animate)\s.*file=|include")


class _Wanted(NamedTuple):
    """A scene that has not run as it is now: its file as the deck names it, and its parameters."""

    written: str
    path: Path
    source: str
    params: Mapping[str, str]


def run_agreed(contents: Contents, trusted: bool = False) -> Contents | None:
    """Run what nobody has run yet of what was agreed to, or of all that is `trusted`; takes seconds.

    Returns:
        The deck with slides that have these scenes, None where nothing was run.
    """
    from runtime.catalog import script_imports
    from runtime.host import consent
    from slides.scenes.python_files import scene_results, scene_run

    deck = Path(contents.deck.path)
    ran: list[str] = []
    for scene in _wanted(contents):
        key = scene_results.key(scene.path, scene.source, scene.params)
        if scene_results.known(key) is not None:
            continue  # the same stands on two slides
        if not trusted and consent.refusal(deck, scene.written, {}) is not None:
            continue
        beside = [file for file, _ in script_imports.beside(scene.path, deck.parent)]
        steps, wrong = "", ("", "")
        try:
            steps = scene_run.run(scene.path.resolve(), scene.params, read=beside)
        except Mistake as why:
            wrong = why.message, why.mend
        except OSError as error:
            wrong = f"{scene.path.name} could not be started: {error.strerror}", "Start teachrun again."
        scene_results.remember(key, steps, wrong, beside)
        ran.append(f"{key} {steps} {wrong}")
    if not ran:
        return None
    made = hashlib.sha256(repr(ran).encode(errors="surrogateescape")).hexdigest()[:8]
    return Contents(replace(contents.deck, rev=f"{contents.rev.partition('-')[0]}-{made}"))


def not_run(contents: Contents) -> list[tuple[int, str]]:
    """Return line and file of each scene that has not run: nobody has agreed to it."""
    return [(block.line, block.script) for block in _blocks(contents) if not block.body]


def _wanted(contents: Contents) -> Iterator[_Wanted]:
    from slides.reading.from_disk import named_files

    deck = Path(contents.deck.path)
    for block in _blocks(contents):
        if block.body:
            continue
        try:
            path = named_files.locate(deck.parent, block.script, agreed(contents.deck))
            yield _Wanted(block.script, path, named_files.read(path, block.script)[0], block.params)
        except Mistake:
            continue  # its slide says why when it is read again


def _blocks(contents: Contents) -> Iterator[Scene]:
    """Scenes by a file; of one that failed there is only a box."""
    for head in contents.heads:
        if _MAY_HAVE.search(head.raw):
            for block in walk(contents.slide(head.index).blocks):
                if isinstance(block, Scene) and block.script:
                    yield block


class SceneFiles:
    """Runs them beside a screen that goes on. A screen that ends leaves none of their processes behind."""

    def __init__(self, contents: Callable[[], Contents], take: Callable[[Contents], None]) -> None:
        """`contents()` is the deck as it is shown, `take(deck)` shows it with what was run."""
        self._contents, self._take = contents, take
        self._busy = False

    def start(self) -> None:
        """Begin to run what was agreed to and has not run; nothing where that goes on already."""
        if self._busy or not any(_MAY_HAVE.search(head.raw) for head in self._contents().heads):
            return
        self._busy = True
        contents, loop = self._contents(), asyncio.get_running_loop()

        def run() -> None:
            made = None
            try:
                made = run_agreed(contents)
            finally:
                with contextlib.suppress(RuntimeError):  # the screen has ended
                    loop.call_soon_threadsafe(self._ran, contents, made)

        threading.Thread(target=run, name="scene files", daemon=True).start()  # an end does not wait for it

    def _ran(self, before: Contents, made: Contents | None) -> None:
        self._busy = False
        if self._contents() is not before:
            self.start()  # another deck is shown now; what has run is known
        elif made is not None:
            self._take(made)

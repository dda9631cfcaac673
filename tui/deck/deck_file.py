"""The file of the deck that is shown, on the machine where it lies: read again as soon as it changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import copy_context
from pathlib import Path
from typing import TYPE_CHECKING

from tui.files.watcher import Watcher

if TYPE_CHECKING:
    from tui.classroom.session import Session
    from tui.deck.contents import Contents
    from tui.deck.reloading import Fresh


class DeckFile:
    """`take(fresh)` shows what was read; `withhold(fresh)` says once of a revision why it is not shown.
    A change is no longer heeded once `heed()` is false: a screen that closes draws nothing."""

    def __init__(
        self,
        session: Session,
        take: Callable[[Fresh], None],
        withhold: Callable[[Fresh], None],
        heed: Callable[[], bool] = lambda: True,
    ) -> None:
        self._session, self._take, self._withhold, self._heed = session, take, withhold, heed
        self._watcher: Watcher | None = None
        self._withheld = ""  # revision that is not shown because of what is wrong with it

    @property
    def withheld(self) -> bool:
        """Whether the file holds another deck than the one shown."""
        return bool(self._withheld)

    def watch(self) -> None:
        """At a console whose deck lies here; another one shows the deck of the class."""
        here = self._session.role == "console" and Path(self._session.contents.deck.path or "/").is_file()
        if self._watcher is not None or not here:
            return
        loop, ours = asyncio.get_running_loop(), copy_context()  # Textual finds its app by the context

        def look() -> None:
            """In the watcher's thread: read, and hand over what is new."""
            fresh = self._read()
            if fresh is not None and not loop.is_closed():
                loop.call_soon_threadsafe(self._arrived, fresh, context=ours)

        self._watcher = Watcher(self._files, look)
        self._watcher.start()

    def unwatch(self) -> None:
        """Stop looking for changes of the file; nothing happens if that never began."""
        if self._watcher is not None:
            self._watcher.stop()

    async def read(self) -> Fresh | None:
        """As `reloading.read`, now."""
        return await asyncio.to_thread(self._read)

    def adopt(self, fresh: Fresh) -> Contents:
        """As `reloading.adopt`; nothing is withheld any more."""
        from tui.deck import reloading

        self._withheld = ""
        return reloading.adopt(self._session, fresh)

    def _files(self) -> tuple[str, ...]:
        """The deck and what its slides show, which another revision changes."""
        contents = self._session.contents
        return (contents.deck.path, *list(contents.files))

    def _read(self) -> Fresh | None:
        from tui.deck import reloading

        return reloading.read(self._session.contents)

    def _arrived(self, fresh: Fresh) -> None:
        """A change was seen. One that breaks the deck is told to this console and shown to nobody."""
        if not self._heed():
            return
        revision = fresh.contents.rev if fresh.contents is not None else str(fresh.problem)
        if revision in (self._session.contents.rev, self._withheld):
            return
        if fresh.contents is None or fresh.problem is not None:
            self._withheld = revision
            self._withhold(fresh)
        else:
            self._take(fresh)

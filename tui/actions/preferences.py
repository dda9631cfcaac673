"""One's own settings, keys and themes while a class goes on: taken as soon as their files are saved."""

from __future__ import annotations

import asyncio
from contextvars import copy_context
from typing import TYPE_CHECKING

from tui.actions.base import ActionGroup
from tui.files.watcher import Watcher

if TYPE_CHECKING:
    from tui.app import TeachApp
    from tui.config.settings import Settings

POLL_S = 0.3  # nobody waits for it with a class before him


class Tailoring(ActionGroup):
    def __init__(self, app: TeachApp) -> None:
        super().__init__(app)
        self._watcher: Watcher | None = None
        self._worn: Settings | None = None  # as the files had them when they were looked at last

    def watch_settings(self) -> None:
        """Where there is a folder for them."""
        from runtime import paths

        try:
            folder = paths.config_dir()
        except paths.PathError:
            return
        if self._watcher is not None or not folder.is_dir():
            return
        loop, ours = asyncio.get_running_loop(), copy_context()

        def files() -> tuple[str, ...]:
            own = (str(file) for file in (folder / "themes").glob("*.toml"))
            return (str(folder / "config.toml"), str(folder / "keymap.toml"), *own)

        def look() -> None:
            """In the watcher's thread."""
            from tui.config import settings

            found = settings.given()
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._arrived, found, context=ours)

        self._watcher = Watcher(files, look, POLL_S)
        self._watcher.start()

    def unwatch_settings(self) -> None:
        if self._watcher is not None:
            self._watcher.stop()

    def _arrived(self, found: Settings) -> None:
        before, self._worn = self._worn, found
        if before is None or not self._app.is_running:
            return  # the screen began with these
        from tui.config import settings
        from tui.keys import table

        if found.keys != before.keys:
            table.rebind(found.keys or {})
            self._app.take_keys()
        if found.theme and found.theme != before.theme:
            self._app.wear(found.theme)
        if found.pictures != before.pictures:
            self._app.pictures = found.pictures
            if "graphics" in self._app.__dict__:
                self._app.graphics.wish(found.pictures)
        if found.transition != before.transition:
            self._app.doers["move_slides"](found.transition)
        self._app.freshen_colours()
        if found.text != before.text:
            self._classroom.drawing.mode = settings.mode(found.text)
        self._classroom.show()
        self._classroom.warm_pages()
        if found.problems:
            more = f" ({len(found.problems) - 1} more)" if len(found.problems) > 1 else ""
            self._app.say(f"{found.problems[0].short}{more}")
        else:
            self._app.say("your settings were read again", "good")

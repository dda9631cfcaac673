"""One's own settings, keys and themes while a class goes on: taken as soon as their files are saved."""

from __future__ import annotations

import asyncio
from contextvars import copy_context
from typing import TYPE_CHECKING, Protocol

from tui.actions.action_group import ActionGroup
from tui.actions.context import ScreenContext
from tui.actions.showing.appearance import AppearanceActions
from tui.files.watcher import Watcher

if TYPE_CHECKING:
    from slides.problems import Problem
    from tui.config.settings import Settings

POLL_S = 0.3  # nobody waits for it with a class before him


class PreferenceContext(ScreenContext, Protocol):
    """A screen that applies its user's settings."""

    complaints: tuple[Problem, ...]  # about them, not said yet

    def take_keys(self) -> None:
        """Bind the keys as the key table has them now."""

    def freshen_colours(self) -> None:
        """The theme worn may have become another one."""

    def wish_clicks(self, on: bool) -> None:
        """Whether the mouse does something here."""

    def wish_pictures(self, way: str) -> None:
        """How pictures are to be drawn: one of `settings.PICTURES`."""


class PreferenceActions(ActionGroup):
    """Keys for the user settings, and what a saved settings file changes."""

    _screen: PreferenceContext

    def __init__(self, screen: PreferenceContext, appearance: AppearanceActions) -> None:
        super().__init__(screen)
        self._appearance = appearance
        self._watcher: Watcher | None = None
        self.worn: Settings | None = None  # as the files had them when they were looked at last

    def begin_with(self, given: Settings) -> None:
        """Give a screen that has not begun yet what its command line left to the settings."""
        from tui.config import settings

        self._screen.complaints = given.problems
        self._screen.wish_pictures(given.pictures)
        self._screen.wish_clicks(given.mouse)
        self._appearance.move_slides(given.transition)
        self._appearance.move_scenes(given.motion)
        self._appearance.paint_scenes(given.scenes)
        if given.text:
            self._classroom.drawing.mode = settings.mode(given.text)
        if given.console and self._session.role == "console":
            self._classroom.notes_wanted = True

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
        """Stop watching the settings file, when the app ends."""
        if self._watcher is not None:
            self._watcher.stop()

    def _arrived(self, found: Settings) -> None:
        before, self.worn = self.worn, found
        if before is None or not self._screen.is_running:
            return  # the screen began with these
        from tui.config import settings
        from tui.keys import table

        if found.keys != before.keys:
            table.rebind(found.keys or {})
            self._screen.take_keys()
        if found.theme and found.theme != before.theme:
            self._screen.wear(found.theme)
        if found.pictures != before.pictures:
            self._screen.wish_pictures(found.pictures)
        if found.mouse != before.mouse:
            self._screen.wish_clicks(found.mouse)
        if found.transition != before.transition:
            self._appearance.move_slides(found.transition)
        self._appearance.move_scenes(found.motion)
        self._appearance.paint_scenes(found.scenes)
        self._screen.freshen_colours()
        if found.text != before.text:
            self._classroom.drawing.mode = settings.mode(found.text)
        self._classroom.show()
        self._classroom.warm_pages()
        if found.problems:
            more = f" ({len(found.problems) - 1} more)" if len(found.problems) > 1 else ""
            self._screen.say(f"{found.problems[0].short}{more}")
        else:
            self._screen.say("settings reloaded", "good")

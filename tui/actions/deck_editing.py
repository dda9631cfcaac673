"""The deck while it is taught: read again as soon as its file changes, and opened in an editor."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from tui.actions.base import ActionGroup
from tui.deck.deck_file import DeckFile
from tui.panes.bars import Badge
from tui.terminal import editor

if TYPE_CHECKING:
    from tui.app import TeachApp
    from tui.deck.reloading import Fresh


class Editing(ActionGroup):
    def __init__(self, app: TeachApp) -> None:
        super().__init__(app)
        self._file = DeckFile(self._session, self._take, self._withhold, lambda: app.is_running)
        self._classroom.signs.append(lambda: Badge("edit not shown", "bad") if self._file.withheld else None)

    # --- reading again ----------------------------------------------------------------------------------

    def watch_deck(self) -> None:
        """Read the deck again whenever its file, or one that it shows, has changed."""
        self._file.watch()

    def unwatch_deck(self) -> None:
        self._file.unwatch()

    def _withhold(self, fresh: Fresh) -> None:
        if fresh.contents is None:
            word = f"the deck shown stays: {fresh.why}"
        else:
            word = f"this edit is not shown: {fresh.why} Ctrl R shows it all the same."
        self._app.say(word, "bad")

    async def reload(self) -> None:
        """Read it again now, and show it even where something in it is wrong."""
        fresh = await self._file.read()
        if fresh is None:
            self._app.say("the deck is unchanged", "dim")
            await self._app.ask_to_trust()  # who said no may have meant later
        elif fresh.contents is None:
            self._app.say(f"the deck shown stays: {fresh.why}", "bad")
        else:
            self._take(fresh)

    def _take(self, fresh: Fresh) -> None:
        from tui.deck import reloading

        app = self._app
        self._file.adopt(fresh)
        app.say(reloading.described(fresh), "good")
        app.deck_read_again()
        if fresh.problem is not None:
            app.say(fresh.why, "warning")

    # --- the editor -------------------------------------------------------------------------------------

    def edit_deck(self) -> None:
        """Open the editor at the slide shown; the class goes on meanwhile."""
        path = Path(self._session.contents.deck.path).absolute()
        line = self._session.contents.heads[self._session.index].line
        found = editor.editor(str(path), line)
        if not path.is_file():
            self._app.say("the deck of this class does not lie on this machine", "warning")
        elif isinstance(found, str):
            self._app.say(found, "warning")
        else:
            self._app.run_worker(self._edit(found), group="editor", exclusive=True)

    async def _edit(self, found: editor.Editor) -> None:
        try:
            if found.terminal:
                await self._edit_here(found)
            else:
                nowhere = asyncio.subprocess.DEVNULL
                await asyncio.create_subprocess_exec(
                    *found.command, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True
                )
                self._app.say(f"{Path(found.command[0]).name} opens; what it saves is shown here", "dim")
        except OSError as error:
            self._app.say(f"{found.command[0]} cannot be started: {error.strerror or error}", "bad")

    async def _edit_here(self, found: editor.Editor) -> None:
        """Give the terminal away until the editor ends. Nothing may be painted or read by us meanwhile."""
        app = self._app
        held = signal.signal(signal.SIGINT, lambda *_: None)  # ctrl+c in the editor is the editor's
        try:
            with app.batch_update(), app.suspend():
                process = await asyncio.create_subprocess_exec(*found.command)
                code = await process.wait()
        finally:
            signal.signal(signal.SIGINT, held)
        self._classroom.show()
        app.refresh()
        if code:
            app.say(f"{Path(found.command[0]).name} ended with exit code {code}", "warning")

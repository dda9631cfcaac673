"""The deck while it is taught: read again as soon as its file changes, and opened in an editor."""

from __future__ import annotations

import asyncio
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from tui.actions.action_group import ActionGroup
from tui.actions.context import ScreenContext
from tui.classroom.position.place_in_talk import Badge
from tui.deck.deck_file import DeckFile
from tui.keys.table import key_of
from tui.terminal.lending import lend

if TYPE_CHECKING:
    from tui.deck.contents import Contents
    from tui.deck.reloading import Fresh
    from tui.deck.scene_files import SceneFiles
    from tui.terminal.editor import Editor


class EditingContext(ScreenContext, Protocol):
    """A screen whose deck may become another one, and whose terminal an editor may have for a while."""

    def deck_read_again(self) -> None:
        """The session has another revision of the deck: every screen gets it."""

    async def ask_to_trust(self) -> None:
        """Ask about the scripts of the deck that nobody has agreed to yet."""

    def batch_update(self) -> AbstractContextManager[None]:
        """Hold repaints back until the block is left."""

    def suspend(self) -> AbstractContextManager[None]:
        """Give the terminal to another program until the block is left."""

    def refresh(self) -> object:
        """Paint the whole screen anew."""


class DeckEditingActions(ActionGroup):
    """Keys for editing the deck, and what a saved deck changes on screen."""

    _screen: EditingContext

    def __init__(self, screen: EditingContext) -> None:
        super().__init__(screen)
        self._file = DeckFile(self._session, self._take, self._withhold, lambda: screen.is_running)
        self._classroom.signs.append(lambda: Badge("edit not shown", "bad") if self._file.withheld else None)

    # --- reading again ----------------------------------------------------------------------------------

    def watch_deck(self) -> None:
        """Read the deck again whenever its file, or one that it shows, has changed."""
        self._file.watch()

    def unwatch_deck(self) -> None:
        """Stop watching the deck's files, when the app ends."""
        self._file.unwatch()

    def _withhold(self, fresh: Fresh) -> None:
        if fresh.contents is None:
            word = f"the old deck stays on screen: {fresh.why}"
        else:
            word = f"this edit is not shown: {fresh.why} {key_of('reload')} shows it anyway."
        self._screen.say(word, "bad")

    async def reload(self) -> None:
        """Read it again now, and show it even where something in it is wrong."""
        fresh = await self._file.read()
        if fresh is None:
            self._screen.say("the deck is unchanged", "dim")
            await self._screen.ask_to_trust()  # who said no may have meant later
        elif fresh.contents is None:
            self._screen.say(f"the old deck stays on screen: {fresh.why}", "bad")
        elif fresh.contents.rev != self._session.contents.rev:  # else it was seen and shown meanwhile
            self._take(fresh)

    async def language(self) -> None:
        """Show the deck in the next of its languages, on the same slide and step, to everybody."""
        from slides.reading.from_disk.source import DeckError
        from tui.deck import languages
        from tui.deck.contents import Contents, open_deck
        from tui.deck.reloading import Fresh

        deck = self._session.contents.deck
        try:
            original = await asyncio.to_thread(open_deck, deck.path, deck.format)
            known = (languages.own(original), *languages.translations(deck.path))
            if len(known) == 1:
                self._screen.say(f"this deck has one language, {known[0]}", "dim")
                return
            here = languages.own(deck)
            lang = known[(known.index(here) + 1) % len(known)] if here in known else known[0]
            other = await asyncio.to_thread(open_deck, deck.path, deck.format, lang)
        except DeckError as error:
            self._screen.say(str(error.problem), "bad")
            return
        self._file.adopt(Fresh(Contents(other), None))
        self._screen.say(f"the deck in {lang}", "good")
        self._screen.deck_read_again()

    def _take(self, fresh: Fresh) -> None:
        from tui.deck import reloading

        screen = self._screen
        self._file.adopt(fresh)
        screen.say(reloading.described(fresh), "good")
        screen.deck_read_again()
        if fresh.problem is not None:
            screen.say(fresh.why, "warning")

    def run_scenes(self) -> None:
        """Run the Python files that scenes of the deck name, as far as that was agreed to."""
        self._scenes.start()

    @cached_property
    def _scenes(self) -> SceneFiles:
        from tui.deck.scene_files import SceneFiles

        def take(contents: Contents) -> None:
            self._session.replace_deck(contents)
            self._screen.deck_read_again()

        return SceneFiles(lambda: self._session.contents, take)

    # --- the editor -------------------------------------------------------------------------------------

    def edit_deck(self) -> None:
        """Open the editor at the slide shown; the class goes on meanwhile."""
        from tui.terminal import editor

        path = Path(self._session.contents.deck.path).absolute()
        line = self._session.contents.heads[self._session.index].line
        found = editor.editor(str(path), line)
        if not path.is_file():
            self._screen.say("the deck of this class is not on this machine", "warning")
        elif isinstance(found, str):
            self._screen.say(found, "warning")
        else:
            self._screen.run_worker(self._edit(found), group="editor", exclusive=True)

    async def _edit(self, found: Editor) -> None:
        try:
            if found.terminal:
                await self._edit_here(found)
            else:
                nowhere = asyncio.subprocess.DEVNULL
                await asyncio.create_subprocess_exec(
                    *found.command, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True
                )
                self._screen.say(f"{Path(found.command[0]).name} opens; what it saves is shown here", "dim")
        except OSError as error:
            self._screen.say(f"{found.command[0]} cannot be started: {error.strerror or error}", "bad")

    async def _edit_here(self, found: Editor) -> None:
        """Give the terminal away until the editor ends."""
        screen = self._screen
        code = await lend(screen, found.command)
        self._classroom.show()
        screen.refresh()
        if code:
            screen.say(f"{Path(found.command[0]).name} ended with exit code {code}", "warning")

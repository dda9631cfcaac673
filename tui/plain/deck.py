"""The deck of a class in lines: read again as soon as its file changes, and agreed to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tui.deck.deck_file import DeckFile
from tui.deck.scene_files import SceneFiles

if TYPE_CHECKING:
    from tui.classroom.room import Room
    from tui.deck.contents import Contents
    from tui.deck.reloading import Fresh


class OwnDeck:
    """`say` tells a line, `shown()` tells the slide anew."""

    def __init__(self, room: Room, say: Callable[..., None], shown: Callable[[], None]) -> None:
        self._room, self._session, self._say, self._shown = room, room.session, say, shown
        self._file = DeckFile(self._session, self._take, self._withhold)
        self._scenes = SceneFiles(lambda: self._session.contents, self._run)
        self._asked: set[str] = set()  # what `trust` is an answer about

    def watch(self) -> None:
        """Begin to watch the deck's files."""
        self._file.watch()

    def unwatch(self) -> None:
        """Stop watching the deck's files."""
        self._file.unwatch()

    def _withhold(self, fresh: Fresh) -> None:
        self._say(f"the deck was changed and is not shown: {fresh.problem}")
        if fresh.contents is not None:
            self._say("reload shows it anyway")

    def _take(self, fresh: Fresh) -> None:
        from tui.deck import reloading

        self._file.adopt(fresh)
        self._say(reloading.described(fresh))
        self._room.publish()
        self._room.arrived()
        if fresh.problem is not None:
            self._say(str(fresh.problem))
        self._shown()
        self.ask()

    async def reload(self, rest: str) -> None:
        """Read the deck again; one that cannot be read leaves what is shown."""
        fresh = await self._file.read()
        if fresh is None:
            self._say("the deck is unchanged")
        elif fresh.contents is None:
            self._say(f"the old deck stays on screen: {fresh.problem}")
        elif fresh.contents.rev != self._session.contents.rev:  # else it was seen and shown meanwhile
            self._take(fresh)

    # --- consent --------------------------------------------------------------------------------------------

    def ask(self) -> None:
        """Say what the deck wants to do to this machine, before it may."""
        from tui.deck import consent_question

        contents: Contents = self._session.contents
        if self._session.role == "console":
            self._scenes.start()
        if self._session.role == "console" and (found := consent_question.unasked(contents)):
            self._asked = set(found)
            self._say(f"{consent_question.question(contents, found)} trust agrees; it goes on without.")

    def trust(self, rest: str) -> None:
        """Agree to run what this deck brings; a script changed since it was asked is asked again."""
        from tui.deck import consent_question

        contents: Contents = self._session.contents
        found = consent_question.unasked(contents)
        if not found:
            self._say("nothing of this deck asks for it")
            return
        if not self._asked.issuperset(found):  # a script is another one since it was asked
            self.ask()
            return
        try:
            shows_more = consent_question.agree(contents, found)
        except OSError as error:
            self._say(f"that cannot be remembered: {error}")
            return
        self._say("this deck is trusted on this machine")
        if shows_more:
            self._session.replace_deck(consent_question.trusted(contents))
            self._room.publish()
            self._shown()
            self.ask()  # about code in what it took in now
        else:
            self._scenes.start()

    def _run(self, contents: Contents) -> None:
        """The same deck with the scenes that its Python files made."""
        self._session.replace_deck(contents)
        self._room.publish()
        self._shown()

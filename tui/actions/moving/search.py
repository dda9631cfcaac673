"""To a slide that is looked for: by number, title, text or sight, and back again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.actions.action_group import ActionGroup
from tui.actions.context import ScreenContext
from tui.classroom.position.jumps_and_bookmark import History
from tui.keys.table import key_of
from tui.screens.overlay import Found, Pick

if TYPE_CHECKING:
    from tui.deck.search import Index, Text


class SearchActions(ActionGroup):
    """Keys for finding a slide: go to, overview, search, bookmark."""

    def __init__(self, screen: ScreenContext) -> None:
        super().__init__(screen)
        self._history: History = screen.history
        self._index: Index | None = None

    @property
    def _here(self) -> str:
        return self._session.contents.label(self._session.index)

    async def go_to(self) -> None:
        """Open the list of slides, found by number, id or title."""
        contents = self._session.contents

        def search(text: str) -> list[Found]:
            return [
                Found((n, 0), contents.label(n), contents.heads[n].title or "(no title)")
                for n in (contents.search(text) if text.strip() else everywhere)
            ]

        everywhere = (*contents.visible, *contents.backup)
        first = (contents.visible[0], 0)
        await self._screen.cover(
            Pick(self._screen.painter, "go to", search, self._gone_to, again=("g", first))
        )

    async def _gone_to(self, place: tuple[int, int]) -> None:
        self._screen.jumped(place)

    async def overview(self) -> None:
        """Open the grid of thumbnails."""
        from tui.screens.slide_finder import Overview

        screen = self._screen
        footer = self._classroom.footer
        await screen.cover(
            Overview(
                screen.painter, self._room, self._history, self._classroom.thumbnails, footer, self._chosen
            )
        )

    async def _chosen(self, index: int) -> None:
        if index != self._session.index:
            self._screen.jumped((index, 0))

    async def search(self) -> None:
        """Open full-text search; its index is kept until the deck changes."""
        from tui.deck.search import Index
        from tui.screens.slide_finder import Search

        if self._index is None or self._index.contents is not self._session.contents:
            self._index = Index(self._session.contents, self._room.answering.parsed)
        rows = max(8, self._screen.size.height // 3)
        await self._screen.cover(Search(self._screen.painter, self._index, rows, self._found))

    async def _found(self, hit: tuple[Text, str]) -> None:
        """To the line that was chosen, with all hits on its slide marked."""
        from tui.deck.search import row_of
        from tui.rendering.pages.slide_painter import Hits

        (slide, step, text, _), query = hit
        self._classroom.drawing.hits = Hits(slide, query)
        if (slide, step) != (self._session.index, self._session.step):
            self._screen.jumped((slide, step))
        if self._session.index == slide:
            self._classroom.show()
            self._classroom.bring(row_of(text))

    def history(self) -> None:
        """Back to where the newest jump began."""
        if self._history.back():
            self._screen.moved(True)
            self._screen.say(f"back on slide {self._here}", "dim")
        else:
            self._screen.say("no jump to go back from", "dim")

    def bookmark(self) -> None:
        """Set the bookmark here, go to it, or clear it where one stands on it."""
        before = self._session.index
        did = self._history.toggle_bookmark()
        self._screen.moved(self._session.index != before)
        word = {
            "set": f"slide {self._here} is the bookmark: {key_of('bookmark')} comes back to it",
            "gone to": f"back on the bookmark, slide {self._here}",
            "cleared": "bookmark cleared",
        }[did]
        self._screen.say(word, "dim")

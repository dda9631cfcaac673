"""Where a screen was before it jumped, and the one place it wants to come back to.

Local to a screen. Places are kept by slide id, so they survive another revision of the deck.
"""

from __future__ import annotations

from typing import Literal

from tui.classroom.session import Session

KEPT = 100  # jumps that can be gone back on
Marked = tuple[str, int]  # slide id, step


class History:
    """Jumps go through `jump`; stepping does not, so going back skips what was only read through."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._past: list[Marked] = []
        self._bookmark: Marked | None = None

    def __len__(self) -> int:
        return len(self._past)

    @property
    def _here(self) -> Marked:
        return self._session.slide.id, self._session.step

    def jump(self, place: tuple[int, int] | None) -> bool:
        """Go to (slide, step) and remember where from; False where nothing moved."""
        here = self._here
        if not self._session.go(place):
            return False
        self._past = [*self._past, here][-KEPT:]
        return True

    def back(self) -> bool:
        """To where the newest jump began; False without one. Each call goes one jump further back."""
        while self._past:
            if self._session.go(self._found(self._past.pop())):
                return True
        return False

    @property
    def bookmark(self) -> int | None:
        """The slide with the bookmark."""
        return self._session.contents.find(self._bookmark[0]) if self._bookmark else None

    def toggle_bookmark(self) -> Literal["set", "gone to", "cleared"]:
        """Set it where there is none, go to it from elsewhere, clear it on its own slide."""
        place = self._found(self._bookmark) if self._bookmark else None
        if place is None:
            self._bookmark = self._here
            return "set"
        if place[0] != self._session.index:
            self.jump(place)
            return "gone to"
        self._bookmark = None
        return "cleared"

    def _found(self, marked: Marked) -> tuple[int, int] | None:
        index = self._session.contents.find(marked[0])
        return (
            None if index is None else (index, min(marked[1], self._session.contents.slide(index).steps - 1))
        )

"""A student's side of the host that runs demos."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from runtime.protocol.messages import Publish
from slides.deck import Demo
from tui.classroom.room import Room


class StudyRoom(Room):
    """Its host runs demos and knows nothing else: neither slides nor answers are told it."""

    decks: Mapping[str, Path] = {}  # where demos of other decks stand, by their blocks
    _stands: Path | None = None

    def deck_of(self, demo: Demo) -> Path:
        return self.decks.get(demo.id) or super().deck_of(demo)

    def publish(self) -> None:
        self._stand(Path(self.session.contents.deck.path).absolute())
        self._warm()

    def _stand(self, path: Path) -> None:
        """A script is named, and was agreed to, in the deck at `path`."""
        contents = self.session.contents
        deck = contents.deck
        self._published, self._stands = deck.rev, path
        self._send(Publish(deck.rev, deck.title, str(path), b"", b"", contents.plan))

    def launch(self, demo: Demo, params: dict[str, str] | None = None) -> None:
        if self.deck_of(demo) != self._stands:
            self._stand(self.deck_of(demo))
        super().launch(demo, params)

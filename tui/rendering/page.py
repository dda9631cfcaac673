"""Which state of which slide, and who draws it."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple, Protocol

from slides.drawing.density import Mode
from slides.drawing.text import Line


class Page(NamedTuple):
    """A slide's index in the deck and the step."""

    slide: int
    step: int


class Pages(Protocol):
    """Lays pages out."""

    @property
    def mode(self) -> Mode:
        """The density that pages are drawn in."""

    def page(
        self,
        page: Page,
        width: int,
        height: int = 0,
        most: int = 0,
        *,
        part: int | None = None,
        mode: Mode | None = None,
    ) -> list[Line]:
        """One state of a slide at `width` cells; `height` 0: as high as it is, `most` 0: to its end. Of
        `height`, `part` rows are seen. `mode`: its density, None as `mode` says."""

    def token(self, page: Page) -> Hashable:
        """All that the look of a page depends on besides its size."""

    def wide(self, page: Page) -> bool:
        """Whether it may use more than a text's measure: its blocks stand side by side."""

    def tall(self, page: Page) -> bool:
        """Whether its look depends on the height."""

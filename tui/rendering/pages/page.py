"""Which state of which slide, and who draws it."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from slides.drawing.text import Line
from slides.drawing.text_size import Mode

if TYPE_CHECKING:
    from slides.drawing.author_layouts import Extent
    from slides.scenes.shapes import Camera
    from tui.rendering.pages.scene_pictures import Movement


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

    def extent(self, page: Page) -> Extent:
        """The cells of a line that it may use."""

    def movement(
        self, before: Page, page: Page, width: int, rows: tuple[int, int], camera: Camera | None = None
    ) -> Movement | None:
        """The way from another step of the slide to this one, or from where `camera` was; None where nothing
        in it moves. `rows`: those there are, and those seen."""

    def tall(self, page: Page) -> bool:
        """Whether its look depends on the height."""

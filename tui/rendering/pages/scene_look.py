"""The scenes of the slides of a class as one screen looks at them: with which glyphs, and from where."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

from slides.deck import Scene
from slides.palette import THEMES
from slides.reading_order import blocks as walk
from tui.classroom.session import Session
from tui.rendering.pages.page import Page

if TYPE_CHECKING:
    from slides.scenes.painting import Surface
    from slides.scenes.shapes import Camera, State
    from tui.graphics.picture_cache import Pixels
    from tui.graphics.scene_pixels import ScenePlates
    from tui.rendering.pages.scene_pictures import Look


class SceneLook:
    """Nothing that paints is imported before a slide has a scene."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._surface: Surface = "halves"
        self._make_plates: Callable[[], ScenePlates] | None = None  # without it pictures are cells
        self._plates: ScenePlates | None = None
        self._pixels: Pixels | None = None
        self.in_cells = False  # somebody wishes for certain glyphs
        self._camera: tuple[int, Camera] | None = None  # by hand, on a slide

    @property
    def surface(self) -> Surface:
        """The glyphs of pictures in cells. One that comes to stand by pixels is not a plan on its way there,
        unless somebody wishes for characters."""
        drawn = self._surface == "characters" and self._pixels is not None and not self.in_cells
        return "halves" if drawn else self._surface

    @surface.setter
    def surface(self, surface: Surface) -> None:
        self._surface = surface

    def blocks(self, page: Page) -> list[Scene]:
        """Return the scenes of a slide, those in columns too."""
        slide = self._session.contents.slide(page.slide)
        return [block for block in walk(slide.blocks) if isinstance(block, Scene)]

    def moves(self, before: Page, page: Page) -> bool:
        """Tell whether a scene that is in sight on both of these pages is in another step on the other."""
        if before.slide != page.slide or not (scenes := self.blocks(page)):
            return False
        from tui.rendering.pages.scene_pictures import moves

        return moves(scenes, before.step, page.step)

    def in_characters(self, theme: str) -> bool:
        """Tell whether what is in space is drawn as a plan, which nobody can turn."""

        return self.surface == "characters" or not THEMES[theme].colours

    def in_space(self, page: Page, theme: str) -> State | None:
        """Return the first scene in space that is in sight on a page, as something to look around in."""
        if not self.blocks(page) or self.in_characters(theme):
            return None
        from slides.scenes.on_slide import in_space

        return in_space(self._session.contents.slide(page.slide).blocks, page.step)

    def of(self, page: Page, theme: str) -> Look:
        """Return how the scenes of a page are painted in a theme."""
        from tui.rendering.pages.scene_pictures import Look

        return Look(theme, self.surface, self.camera_on(page.slide))

    def have_plates(
        self, ready: Callable[[], object] | None = None, first: Callable[[], object] | None = None
    ) -> None:
        """Pictures may be by pixels from now on, made as `ScenePlates` says when the first is wanted."""

        def plates() -> ScenePlates:
            from tui.graphics.scene_pixels import ScenePlates

            return ScenePlates(ready, first)

        self._make_plates = plates

    @property
    def by_pixels(self) -> ScenePlates | None:
        """Where pictures by pixels are made; None where they are cells. Asked on pages with a scene."""
        if self.in_cells or self._make_plates is None:
            return None
        if self._plates is None:
            self._plates = self._make_plates()
            self._plates.show_by(self._pixels)
            if self._surface == "characters":  # it has few colours, but maybe pixels
                self._plates.ask()
        return self._plates

    def show_by(self, pixels: Pixels | None) -> None:
        """From now on by the pixels of a terminal, or no longer."""
        self._pixels = pixels
        if self._plates is not None:
            self._plates.show_by(pixels)

    def token(self, page: Page, theme: str) -> Hashable:
        """What the look of the scenes of a page depends on."""
        plates = self.by_pixels
        return self.of(page, theme), plates and plates.seen(page)

    # --- from where ---------------------------------------------------------------------------------------

    def look_from(self, slide: int, camera: Camera | None) -> None:
        """Have the scenes in space of a slide looked at from there; None: as their authors do."""
        self._camera = None if camera is None else (slide, camera)

    def camera_on(self, slide: int) -> Camera | None:
        """Return from where the scenes in space of a slide are looked at by hand."""
        return self._camera[1] if self._camera is not None and self._camera[0] == slide else None

    def arrived(self, slide: int) -> None:
        """A camera by hand is of its slide, and gone when that was left."""
        if self.camera_on(slide) is None:
            self._camera = None

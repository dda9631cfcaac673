"""Pictures of scenes on a page: kept out of its layout, painted where they came to stand.

Layout sets a page in several manners before it keeps one, and a picture costs more than all of that: what it
gets is a place holder, rows of one sign in an ink of their own. A page on the way from one step to another is
the same page with other pictures in these places.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

from slides.deck import Scene
from slides.drawing.cells import clip, line_width, pad, width, wrap
from slides.drawing.text import Line, Span, Style
from slides.palette import THEMES
from slides.scenes import on_slide, painting
from slides.scenes.motion import between, cameras
from slides.scenes.painting import Surface
from slides.scenes.scene_request import failure
from slides.scenes.shapes import Camera, State

if TYPE_CHECKING:
    from tui.graphics.scene_pixels import ScenePlates

FRAME_S, PIXEL_FRAME_S = 1 / 15, 1 / 30  # in cells, and where the terminal has pixels
_INK = "scene "
_SIGN = "█"


class Place(NamedTuple):
    """The picture of a step of a scene in so many cells."""

    block: Scene
    step: int
    columns: int
    rows: int


class Plot(NamedTuple):
    """What lies between the axes of a chart, and its rows where there are no pixels."""

    state: State
    columns: int
    rows: int
    cells: tuple[Line, ...]


class Look(NamedTuple):
    """What the pictures of a screen have in common; `camera` is where somebody looks from by hand."""

    theme: str = "dark"
    surface: Surface = "halves"
    camera: Camera | None = None

    def seen(self, state: State) -> State:
        """Return a state as it is looked at."""
        if self.in_characters and state.plan is not None:
            return state.plan
        if self.camera is not None and state.camera is not None:
            return replace(state, camera=self.camera)
        return state

    @property
    def in_characters(self) -> bool:
        """Whether pictures are letters and textures: by the terminal, or in a theme without colours."""
        return self.surface == "characters" or not THEMES[self.theme].colours

    def picture(self, state: State, columns: int, rows: int, *, moving: bool = False) -> list[Line]:
        """Return the picture of a state in cells; one that is gone in a moment as rows of arrays."""
        state = self.seen(state)
        paint = painting.rows_of if moving else painting.lines
        return paint(state, columns, rows, THEMES[self.theme], self.surface)


class Paints(Protocol):
    """Makes the picture of a place."""

    def __call__(self, place: Place | Plot, /) -> list[Line]: ...


class Places:
    """The places of scenes on a page that is being laid out."""

    def __init__(self) -> None:
        self._found: list[Place | Plot] = []

    def hold(self, block: Scene, step: int, columns: int, rows: int) -> list[Line]:
        """Return the rows that keep the place of a picture, for layout."""
        return self._held(Place(block, step, columns, rows))

    def plot(self, state: State, cells: list[Line]) -> list[Line]:
        """Return the same for what lies between the axes of a chart."""
        columns, rows = round(state.size[0]), round(state.size[1])
        return self._held(Plot(state, columns, rows, tuple(cells)))

    def _held(self, place: Place | Plot) -> list[Line]:
        if place not in self._found:
            self._found.append(place)
        number = self._found.index(place)
        return [(Span(_SIGN * place.columns, Style(f"{_INK}{number} {row}")),) for row in range(place.rows)]

    def number(self, place: Place | Plot) -> int:
        """Return which one of the pictures of the page this is."""
        return self._found.index(place)

    def used(self, lines: Sequence[Line]) -> list[Place | Plot]:
        """Return those that are in these lines: layout tries others before it keeps one."""
        inks = {span.style.ink for line in lines for span in line if span.style.ink.startswith(_INK)}
        return [self._found[number] for number in sorted({int(ink[len(_INK) :].split()[0]) for ink in inks})]

    def painted(self, lines: Sequence[Line], paint: Paints) -> list[Line]:
        """Return laid out lines with pictures in their places; one that cannot be made says why."""
        made: dict[int, list[Line]] = {}
        return [self._row(line, made, paint) if _marked(line) else line for line in lines]

    def _row(self, line: Line, made: dict[int, list[Line]], paint: Paints) -> Line:
        spans: list[Span] = []
        for span in line:
            if not span.style.ink.startswith(_INK):
                spans.append(span)
                continue
            number, row = map(int, span.style.ink[len(_INK) :].split())
            if number not in made:
                made[number] = _made(self._found[number], paint)
            picture, cells = made[number], width(span.text)
            painted = picture[row] if row < len(picture) else ()
            whole = cells == self._found[number].columns and line_width(painted) == cells
            spans += painted if whole else pad(clip(painted, cells), cells)
        return tuple(spans)


def _marked(line: Line) -> bool:
    return any(span.style.ink.startswith(_INK) for span in line)


def _made(place: Place | Plot, paint: Paints) -> list[Line]:
    try:
        return paint(place)
    except Exception as error:  # a scene may be somebody's own: the lesson goes on
        why = f"this picture cannot be drawn: {failure(error)}"
        return wrap([Span(why, Style("warning"))], max(1, place.columns))[: place.rows]


def still(look: Look, plates: ScenePlates | None = None, page: Hashable = None) -> Paints:
    """Return what paints scenes of a page at rest, by pixels where there are `plates`."""

    def paint(place: Place | Plot) -> list[Line]:
        if isinstance(place, Plot):
            return _plotted(place, look, plates, page)
        state = look.seen(on_slide.of(place.block).state(place.step))
        if plates is not None and look.surface != "characters":
            lines = plates.lines(page, state, place.columns, place.rows, look.theme)
            if lines is not None:
                return lines
        return look.picture(state, place.columns, place.rows)

    return paint


def _plotted(place: Plot, look: Look, plates: ScenePlates | None, page: Hashable) -> list[Line]:
    lines = None
    if plates is not None and look.surface != "characters":
        lines = plates.lines(page, place.state, place.columns, place.rows, look.theme)
    return list(place.cells) if lines is None else lines


class Movement:
    """A page on its way from one step to another of the same slide."""

    def __init__(
        self,
        lines: list[Line],
        places: Places,
        steps: tuple[int, int],
        look: Look,
        camera: Camera | None = None,
        plates: ScenePlates | None = None,
    ) -> None:
        """`lines`: those of the page that is gone to, with the places of its pictures; `steps`: of the slide
        that it goes from and to; `camera`: where it was looked from."""
        self._lines, self._places, self._look = lines, places, look
        self._steps, self._camera, self._still = steps, camera, plates
        self._plates = (
            plates if plates is not None and plates.moves and look.surface != "characters" else None
        )

    @property
    def frame_s(self) -> float:
        """Seconds from one picture to the next."""
        return FRAME_S if self._plates is None else PIXEL_FRAME_S

    def at(self, part: float) -> list[Line]:
        """Return the page `part` (0 to 1) of the way."""

        def paint(place: Place | Plot) -> list[Line]:
            if isinstance(place, Plot):
                return _plotted(place, self._look, self._still, None)
            scene, block = on_slide.of(place.block), place.block
            first, last = (min(max(n - block.at, 0), block.frames - 1) for n in self._steps)
            ends = (scene.state(first), scene.state(last))
            if self._look.in_characters:
                ends = (self._look.seen(ends[0]), self._look.seen(ends[1]))
            state = between(*ends, part)
            if self._camera is not None and state.camera is not None:
                way = part * part * (3 - 2 * part)  # begins and ends at rest, as shapes do
                state = replace(state, camera=cameras(self._camera, self._look.camera or state.camera, way))
            else:
                state = self._look.seen(state)
            if self._plates is not None:
                number = self._places.number(place)
                lines = self._plates.frame(number, state, place.columns, place.rows, self._look.theme)
                if lines is not None:
                    return lines
            look = self._look._replace(camera=None)
            return look.picture(state, place.columns, place.rows, moving=True)

        return self._places.painted(self._lines, paint)


def moves(blocks: Sequence[Scene], before: int, after: int) -> bool:
    """Whether a scene among `blocks` is another at step `after` than at `before`, both with it in sight."""
    for block in blocks:
        if before < block.at or after < block.at:
            continue
        first, last = (min(step - block.at, block.frames - 1) for step in (before, after))
        if first != last:
            return True
    return False

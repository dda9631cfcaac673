"""The room of a run on this screen: at which moment of a step, and looked at from where."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property, partial
from typing import TYPE_CHECKING

from runtime.protocol.messages import Snapshot
from slides.drawing.text import Line
from tui.classroom.room import Room
from tui.classroom.runs import demo_requests
from tui.views.parts.machine_room_known import ROOMS, room_known
from tui.views.view import Paint

if TYPE_CHECKING:
    from slides.scenes.shapes import Camera, State
    from tui.classroom.runs.slow_motion import FilmClock, Playing
    from tui.rendering.pages.scene_look import SceneLook

FRAME_S = 1 / 10
_PLACE = -1  # among the pictures of a screen: those of a slide are 0, 1, 2


class RunRoom:
    """Nothing of it is imported, and no frame drawn, before the view `room` is looked at."""

    def __init__(
        self,
        room: Room,
        moves: Callable[[], bool],
        later: Callable[[float, Callable[[], None]], object],
        redraw: Callable[[], None],
        scenes: SceneLook | None = None,
    ) -> None:
        """`moves`: whether anything may move on this screen; `redraw` draws the panel again; `scenes` makes
        pictures by pixels."""
        self._scenes = scenes
        self._sent: tuple[Hashable, list[Line]] | None = None
        self._room, self._moves, self._later, self._redraw = room, moves, later, redraw
        self._armed = False
        self._drawn = False  # the last time the panel was: beside the ranks it has no place in few rows
        self._was = False  # shown, when that was asked last
        self._camera: tuple[int, Camera] | None = None  # by hand, on a slide

    @cached_property
    def clock(self) -> FilmClock:
        """Where the film of a step stands."""
        from tui.classroom.runs.slow_motion import FilmClock

        return FilmClock()

    @property
    def shown(self) -> Snapshot | None:
        """The run whose room is looked at, if one is."""
        look, demo, snapshot = self._room.session.state.look, self._room.demo(), self._room.snapshot()
        if look.snippet or demo is None or snapshot is None:
            return None
        if demo_requests.view(demo, look.view, snapshot) not in ROOMS or not (look.view or self._drawn):
            return None
        return snapshot if room_known(snapshot) else None

    @property
    def flat(self) -> bool:
        """Whether the tensors are shown, which have no camera."""
        look, demo, snapshot = self._room.session.state.look, self._room.demo(), self.shown
        if demo is None or snapshot is None:
            return False
        return demo_requests.view(demo, look.view, snapshot) == "tensors"

    def comes_or_goes(self) -> bool:
        """Whether it is shown now and was not the last time, or the other way round."""
        was, self._was = self._was, self.shown is not None
        return was != self._was

    @property
    def filmed(self) -> bool:
        """Whether there is a step to go through."""
        snapshot = self.shown
        return snapshot is not None and snapshot.film is not None

    def paint(self, paint: Paint, theme: str = "dark") -> Paint:
        """Return how the panel is painted now; while a step is shown it is drawn again a frame later."""
        look, demo, snapshot = self._room.session.state.look, self._room.demo(), self._room.snapshot()
        self._drawn = False
        if demo is None or snapshot is None or demo_requests.view(demo, look.view, snapshot) not in ROOMS:
            return paint
        playing = partial(self._playing, snapshot)
        return paint._replace(playing=playing, camera=self.camera, pixels=self.pixels(theme))

    def pixels(self, theme: str) -> Callable[[State, int, int], list[Line] | None] | None:
        """Return what paints by pixels, None where that is cells. The same picture is sent once: the panel is
        drawn again with every step."""
        plates = self._scenes.by_pixels if self._scenes is not None else None
        if plates is None:
            return None
        plates.ask()
        if not plates.moves:
            return None

        def rows(state: State, columns: int, rows: int) -> list[Line] | None:
            wanted = plates.seen(_PLACE), state, columns, rows, theme
            if self._sent is None or self._sent[0] != wanted:
                drawn = plates.frame(_PLACE, state, columns, rows, theme)
                self._sent = None if drawn is None else (wanted, drawn)
            return self._sent and self._sent[1]

        return rows

    def _playing(self, snapshot: Snapshot) -> Playing | None:
        self._drawn = True
        if not self._moves() and not self.clock.paused:
            return None
        playing = self.clock.playing(snapshot)
        if playing is not None and not playing.paused and not self._armed:
            self._armed = True
            self._later(FRAME_S, self._frame)
        return playing

    def _frame(self) -> None:
        self._armed = False
        if self.filmed:
            self._redraw()

    # --- by keys ------------------------------------------------------------------------------------------

    def toggle(self) -> bool:
        """Stand, or go on; False where no step is shown."""
        return self._do(lambda: self.clock.toggle())

    def scrub(self, by: int) -> bool:
        """A little on or back within the step; False where none is shown, or a recorded run has others that
        way."""
        moved: list[bool] = []
        if not self._do(lambda: moved.append(self.clock.scrub(by))):
            return False
        snapshot = self.shown
        if moved[0] or snapshot is None or snapshot.playback is None:
            return True
        self.clock.leave()
        return False

    def faster(self, by: int) -> bool:
        """Faster, or slower; False where no step is shown."""
        return self._do(lambda: self.clock.faster(by))

    def _do(self, what: Callable[[], None]) -> bool:
        snapshot = self.shown
        if snapshot is None or self.clock.playing(snapshot) is None:
            return False
        what()
        self._redraw()
        return True

    # --- from where ---------------------------------------------------------------------------------------

    @property
    def camera(self) -> Camera | None:
        """From where it is looked at by hand, on this slide."""
        if self._camera is not None and self._camera[0] != self._room.session.index:
            self._camera = None  # gone for good once its slide was left
        return self._camera[1] if self._camera is not None else None

    def look_from(self, camera: Camera | None) -> None:
        """Look at it from there; None: as it is seen by itself."""
        self._camera = None if camera is None else (self._room.session.index, camera)
        self._redraw()

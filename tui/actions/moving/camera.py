"""Looking around in a scene in space, or in the room of a run, by hand: until another slide comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.protocol.class_messages.pointing import Seen
from tui.actions.action_group import ActionGroup
from tui.keys.table import key_of

if TYPE_CHECKING:
    from slides.scenes.shapes import Camera, State
    from tui.actions.context import ScreenContext


class CameraActions(ActionGroup):
    """Keys for the camera. Where no scene in space is shown they say so.

    What the console that drives looks at, the other screens look at from there too.
    """

    def __init__(self, screen: ScreenContext) -> None:
        super().__init__(screen)
        self._room.pointing.looked = self.follow

    def turn(self, steps: int) -> None:
        """Turn round what is shown."""
        from slides.scenes.camera_moves import turned

        if (found := self._found()) is not None:
            self._look(turned(found[1], steps))

    def tilt(self, steps: int) -> None:
        """Look from further above, or from further below."""
        from slides.scenes.camera_moves import tilted

        if (found := self._found()) is not None:
            self._look(tilted(found[1], steps))

    def near(self, steps: int) -> None:
        """Go nearer, or further away."""
        from slides.scenes.camera_moves import nearer

        if (found := self._found()) is not None:
            self._look(nearer(found[1], steps, _authors(found[0])))

    def plan(self) -> None:
        """Look from above."""
        from slides.scenes.camera_moves import plan

        if (found := self._found()) is not None:
            self._look(plan(_authors(found[0])))

    def author(self) -> None:
        """Look again as the author of the scene does."""
        if self._found() is not None:
            self._look(None)

    def fly(self) -> None:
        """Fly to a rank, with each press to the next one."""
        from slides.scenes.camera_moves import flown, ranks

        found = self._found()
        if found is None:
            return
        places = ranks(found[0])
        if not places:
            self._screen.say("no ranks in this scene", "dim")
            return
        at = places.index(found[1].target) if found[1].target in places else -1
        rank = (at + 1) % len(places)
        self._look(flown(found[1], _authors(found[0]), places[rank]))
        self._screen.say(f"rank {rank}; {key_of('camera_author')} back", "dim")

    def _found(self) -> tuple[State, Camera] | None:
        """The room of a run, or the scene in space that is shown, and from where it is looked at now."""
        drawing, run_room = self._classroom.drawing, self._classroom.run_room
        run = run_room.shown
        plan = drawing.scenes.in_characters(drawing.theme)
        if plan and (run is not None or drawing.scenes.blocks(self._classroom.slide.page)):
            self._screen.say("drawn in characters as a plan, which cannot be turned", "dim")
            return None
        if run_room.flat:
            self._screen.say("the tensors of a run are flat, and cannot be turned", "dim")
            return None
        if run is not None:
            from tui.views.run.machine_room import state as room_of

            whole = room_of(run)
            return whole, run_room.camera or _authors(whole)
        state = drawing.scenes.in_space(self._classroom.slide.page, drawing.theme)
        if state is None or state.camera is None:
            self._screen.say("no 3D scene on this slide", "dim")
            return None
        by_hand = drawing.scenes.camera_on(self._session.index)
        return state, by_hand or state.camera

    def follow(self, seen: Seen | None) -> None:
        """Look from where the console that drives does, None: from where the author does."""
        if self._session.looking:
            return
        from slides.scenes.shapes import Camera

        camera = None
        if seen is not None:
            camera = Camera(seen.yaw, seen.pitch, seen.distance, seen.target, seen.view)
        if seen is None or seen.of_run:
            self._classroom.run_room.look_from(camera)
        if seen is None or not seen.of_run:
            self._apply(camera)

    def _look(self, camera: Camera | None) -> None:
        of_run = self._classroom.run_room.shown is not None
        if of_run:
            self._classroom.run_room.look_from(camera)
        else:
            self._apply(camera)
        if self._session.driving and self._session.role == "console":
            self._room.pointing.look(None if camera is None else _seen(camera, of_run))

    def _apply(self, camera: Camera | None) -> None:
        """Have the scene in space on this slide looked at from there."""
        drawing, slide = self._classroom.drawing, self._classroom.slide
        state = drawing.scenes.in_space(slide.page, drawing.theme)
        before = drawing.scenes.camera_on(self._session.index)
        drawing.scenes.look_from(self._session.index, camera)
        if state is not None:
            slide.fly(before or _authors(state))
        self._classroom.show()


def _seen(camera: Camera, of_run: bool) -> Seen:
    return Seen(camera.yaw, camera.pitch, camera.distance, camera.target, camera.view, of_run)


def _authors(state: State) -> Camera:
    from slides.scenes.shapes import Camera

    return state.camera or Camera()

"""The room of a run by pixels: the terminal is asked when it is looked at, and no picture is sent twice."""

from __future__ import annotations

from typing import cast

from slides.drawing.text import Line, Span
from slides.scenes.shapes import Box, State
from tui.graphics.scene_pixels import ScenePlates
from tui.panes.machine_room_of_run import RunRoom
from tui.rendering.pages.scene_look import SceneLook


class Plates:
    """Plates that say what they were asked for."""

    def __init__(self, moves: bool) -> None:
        self.moves, self.asked, self.age = moves, 0, 0
        self.made: list[State] = []

    def ask(self) -> None:
        self.asked += 1

    def seen(self, page: object) -> int:
        return self.age

    def frame(self, place: int, state: State, columns: int, rows: int, theme: str) -> list[Line]:
        self.made.append(state)
        return [(Span(f"{len(self.made)}"),)] * rows


class Scenes:
    def __init__(self, plates: Plates | None) -> None:
        self.by_pixels = plates


def room(plates: Plates | None) -> RunRoom:
    return RunRoom(
        cast("object", None),  # type: ignore[arg-type]
        lambda: True,
        lambda seconds, do: None,
        lambda: None,
        cast(SceneLook, Scenes(plates)),
    )


def state(x: float) -> State:
    return State((Box(id="a", at=(x, 0.0), size=(1.0, 1.0)),))


def test_the_same_picture_is_made_once_and_again_for_another_terminal() -> None:
    plates = Plates(moves=True)
    of = room(plates)

    def drawn(x: float, columns: int = 20) -> list[Line] | None:
        pixels = of.pixels("dark")
        assert pixels is not None
        return pixels(state(x), columns, 5)

    first = drawn(1.0)
    assert drawn(1.0) == first and len(plates.made) == 1
    assert drawn(2.0) != first and drawn(2.0, 30) and len(plates.made) == 3
    plates.age += 1
    drawn(2.0, 30)
    assert len(plates.made) == 4


def test_where_pictures_do_not_move_by_pixels_there_are_cells_and_the_terminal_was_asked() -> None:
    plates = Plates(moves=False)
    assert room(plates).pixels("dark") is None and plates.asked == 1
    assert room(None).pixels("dark") is None


def test_plates_have_the_terminal_asked_once() -> None:
    asked: list[int] = []
    plates = ScenePlates(first=lambda: asked.append(1))
    plates.ask()
    plates.ask()
    assert plates.lines(None, state(1.0), 10, 5, "dark") is None and asked == [1]

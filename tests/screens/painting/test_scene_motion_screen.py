"""A scene on a screen: it moves from step to step, a key ends that, and nothing is written when it rests."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from made_scene import known
from made_screen import Screenful, until

from slides.drawing.large import read_letters
from slides.scenes import registry
from tui.rendering.pages.scene_pictures import Movement
from tui.widgets import scene_motion

DECK = """\
# Round {#round}

::: scene token ranks=4

---

# After {#after}

words
"""


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY", "TEXTUAL_ANIMATIONS"):
        monkeypatch.delenv(name, raising=False)
    with known():
        yield


def screenful() -> Screenful:
    full = Screenful(DECK)
    full.app.actions.appearance.move_scenes("on")
    return full


async def test_it_moves_to_the_next_step_and_comes_to_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    parts: list[float] = []
    original = Movement.at

    def noted(self: Movement, part: float) -> object:
        parts.append(part)
        return original(self, part)

    monkeypatch.setattr(Movement, "at", noted)
    full = screenful()
    async with full.app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        slide = full.app.classroom.slide
        await pilot.press("right")
        assert "Rank 1 has it" in full.text()  # the key is answered at once
        await until(pilot, lambda: slide.motion is None)
        assert parts == sorted(parts) and parts and all(0 < part < 1 for part in parts)
        painted = len(parts)
        await pilot.press("left")
        await until(pilot, lambda: slide.motion is None)
        assert "Rank 0 has it" in full.text() and len(parts) > painted


async def test_a_key_ends_it_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scene_motion, "MOVE_S", 3600.0)
    full = screenful()
    async with full.app.run_test(size=(90, 30)) as pilot:
        await pilot.pause()
        slide = full.app.classroom.slide
        await pilot.press("right")
        first = slide.motion
        assert first is not None
        await pilot.press("right")
        assert slide.motion is not first and "Rank 2 has it" in full.text()
        await pilot.press("right_square_bracket")  # the next slide, in the middle of a movement
        assert slide.motion is None and "words" in full.text()
        await pilot.press("left")
        assert slide.motion is None  # to another slide nothing moves


async def test_resized_in_the_middle_it_is_at_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scene_motion, "MOVE_S", 3600.0)
    full = screenful()
    async with full.app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        slide = full.app.classroom.slide
        await pilot.press("right")
        assert slide.motion is not None
        await pilot.resize_terminal(160, 45)
        await until(pilot, lambda: slide.size.width == 160 and slide.motion is None)
        rows = full.text().split("\n")
        assert any("Rank 1 has it" in read_letters.words(rows[n : n + 3]) for n in range(len(rows) - 2))
        await pilot.press("right")
        await pilot.resize_terminal(1, 1)
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: "Rank 2 has it" in full.text())


async def test_nothing_moves_where_that_is_not_wished(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        scene_motion, "MOVE_S", 3600.0
    )  # on a busy machine it was over before it was looked at
    full = screenful()
    async with full.app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        slide = full.app.classroom.slide
        for wish, environ in (("off", {}), ("auto", {"SSH_CONNECTION": "a 1 b 2"})):
            for name, value in environ.items():
                monkeypatch.setenv(name, value)
            full.app.actions.appearance.move_scenes(wish)
            await pilot.press("right")
            assert slide.motion is None
        assert "Rank 2 has it" in full.text()
        full.app.actions.appearance.move_scenes("on")  # asked for, over SSH too
        await pilot.press("left")
        assert slide.motion is not None


async def test_a_scene_that_cannot_be_painted_says_so_and_the_lesson_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from slides.scenes import painting

    def fails(*of: object) -> None:
        raise FloatingPointError("nan")

    monkeypatch.setattr(painting, "lines", fails)
    full = screenful()
    async with full.app.run_test(size=(90, 30)) as pilot:
        await pilot.pause()
        assert "this picture cannot be drawn: FloatingPointError: nan" in full.text()
        await pilot.press("right", "right_square_bracket")
        assert "words" in full.text()


ROOM = "# Round\n\n::: scene room\n\n---\n\n# After\n\n::: scene token\n"


async def test_the_camera_turns_by_hand_and_comes_back() -> None:
    full = Screenful(ROOM)
    full.app.actions.appearance.move_scenes("off")
    async with full.app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        authors = full.text()
        assert "( ) turn" in authors
        seen = {authors}
        for key in ("right_parenthesis", "semicolon", "equals_sign", "N", "Z"):
            await pilot.press(key)
            seen.add("\n".join(full.text().split("\n")[:-2]))
            assert full.session.step == 0 and full.session.index == 0  # no key of it moves the slide
        assert len(seen) == 6
        await pilot.press("Y")
        assert full.text().split("\n")[:-2] == authors.split("\n")[:-2]
        await pilot.press("left_parenthesis", "right")
        assert full.app.classroom.drawing.scenes.camera_on(0) is not None  # a step keeps it
        await pilot.press("right_square_bracket", "left_square_bracket")
        assert full.app.classroom.drawing.scenes.camera_on(0) is None  # another slide does not


async def test_a_flat_scene_has_no_camera() -> None:
    full = Screenful(DECK)
    async with full.app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        assert "( ) turn" not in full.text()
        await pilot.press("right_parenthesis")
        assert "no 3D scene on this slide" in full.text()


@pytest.mark.parametrize("how", ["glyphs", "theme"])
async def test_a_plan_of_characters_offers_no_camera(how: str) -> None:
    full = Screenful(ROOM)
    async with full.app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        assert "( ) turn" in full.text()
        if how == "glyphs":
            full.app.actions.appearance.paint_scenes("characters")
            full.app.classroom.show()
        for _ in range(20):  # until the theme without colours has come
            if full.app.painter.theme == "mono" or how == "glyphs":
                break
            await pilot.press("T")
        await pilot.pause()
        assert {"turn", "play"} & {word for _, word in full.app.classroom.hints()} == {"play"}
        before = full.text().split("\n")[:-2]
        await pilot.press("right_parenthesis")
        assert "drawn in characters as a plan" in full.text()
        assert full.text().split("\n")[:-2] == before


async def test_the_camera_moves_on_its_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scene_motion, "MOVE_S", 3600.0)
    full = Screenful(ROOM)
    full.app.actions.appearance.move_scenes("on")
    async with full.app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        slide = full.app.classroom.slide
        await pilot.press("N")
        first = slide.motion
        assert first is not None
        await pilot.press("right_square_bracket")
        assert slide.motion is None


SOME = ("room", "ring", "pipeline")


@pytest.mark.parametrize("names", [SOME, pytest.param(registry.names(), marks=pytest.mark.soak)])
async def test_scenes_are_resized_in_the_middle_of_a_movement(
    monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]
) -> None:
    """To next to nothing too; no step is lost, and what stands there afterwards is the step at rest."""
    monkeypatch.setattr(scene_motion, "MOVE_S", 3600.0)
    full = Screenful("\n\n---\n\n".join(f"# {name}\n\n::: scene {name}" for name in names))
    full.app.actions.appearance.move_scenes("on")
    async with full.app.run_test(size=(100, 30)) as pilot:
        for index, name in enumerate(names):
            await full.app.do("first_slide") if not index else await pilot.press("right_square_bracket")
            await until(pilot, lambda: re.search(r"step +1/", full.text()))  # what moves has stood there
            await pilot.pause()
            await pilot.press("right")
            assert full.app.classroom.slide.motion is not None, name
            for size in ((160, 45), (60, 16), (5, 2), (80, 24)):
                await pilot.resize_terminal(*size)
                await pilot.pause()
            assert (full.session.index, full.session.step) == (index, 1), name
            text = full.text()
            assert "cannot be" not in text and re.search(r"step +2/", text), (name, text)
            await pilot.resize_terminal(100, 30)

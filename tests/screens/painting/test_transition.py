"""One slide becomes another by a short way, where that is wanted; a key ends it."""

from __future__ import annotations

import pytest
from made_screen import Screenful, until
from textual.strip import Strip

from slides.drawing.text import Span
from tui.config.settings import Transition
from tui.rendering import transition
from tui.rendering.motion_allowed import motion_allowed
from tui.rendering.themed_strips import Painter


def strip(text: str) -> Strip:
    return Painter("dark").strip((Span(text),), 8)


def test_rows_on_their_way() -> None:
    old, new = strip("abcdefgh"), strip("12345678")

    def shown(kind: Transition, part: float, onward: bool) -> str:
        return transition.row(kind, old, new, 8, part, onward).text

    assert [shown("push", part, True) for part in (0, 0.25, 0.5, 1)] == [
        "abcdefgh",
        "cdefgh12",
        "efgh1234",
        "12345678",
    ]
    assert shown("push", 0.25, False) == "78abcdef"
    assert shown("wipe", 0.25, True) == "abcdef78" and shown("wipe", 0.25, False) == "12cdefgh"
    wide = transition.row("push", strip("漢字漢字"), strip("漢字漢字"), 8, 0.4, True)
    assert wide.cell_length == 8


def test_nothing_moves_over_ssh_or_where_it_is_not_wished() -> None:
    assert motion_allowed({})
    assert not motion_allowed({"SSH_CONNECTION": "10.0.0.7 1 10.0.0.8 22"})
    assert not motion_allowed({"TEXTUAL_ANIMATIONS": "none"})


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY", "TEXTUAL_ANIMATIONS"):
        monkeypatch.delenv(name, raising=False)


async def test_by_itself_it_comes_to_its_end_and_a_step_needs_none() -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        slide = full.app.classroom.slide
        full.app.actions.appearance.move_slides("push")
        await pilot.press("right")
        await until(pilot, lambda: slide.turn is None)
        assert "first words" in full.text() and "The title slide." not in full.text()
        await pilot.press("right")  # a step of the same slide
        assert slide.turn is None and "second words" in full.text()


async def test_a_key_ends_it_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transition, "FRAME_S", 3600.0)  # it would take hours
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        slide = full.app.classroom.slide
        full.app.actions.appearance.move_slides("wipe")
        await pilot.press("right")
        assert slide.turn is not None
        assert "The title slide."[:10] in full.text() and full.session.slide.id == "steps"
        await pilot.press("right")
        assert slide.turn is None and "second words" in full.text() and "The title" not in full.text()


async def test_it_is_off_unless_asked_for_and_chosen_in_the_palette(monkeypatch: pytest.MonkeyPatch) -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        slide = full.app.classroom.slide
        await pilot.press("right")
        assert slide.transition == "none" and slide.turn is None
        await full.app.do("transition")
        await until(pilot, lambda: "transition push" in full.text())
        assert slide.transition == "push"
        monkeypatch.setenv("SSH_TTY", "/dev/pts/1")
        await full.app.do("transition")
        await until(pilot, lambda: "nothing moves over SSH" in full.text())
        assert slide.transition == "none"

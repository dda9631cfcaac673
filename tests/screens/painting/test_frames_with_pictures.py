"""A frame with a picture of kitty's protocol is no synchronised update.

kitty 0.41 shows a copy of the screen while an update goes on, and what it had not drawn before has no
pictures in that copy: photographed in a slow kitty, one in four frames of a movement was blank.
"""

from __future__ import annotations

import pytest
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver

from tui.graphics.kitty import Kitty, Quick, through_tmux
from tui.rendering.driver import BEGIN, END, WholeFrames


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    monkeypatch.setattr(LinuxDriver, "write", lambda _, data: found.append(data))
    return found


def frame(*parts: str) -> None:
    """Hand a frame to the driver, part by part. In a running loop."""
    app: App[None] = App()
    driver = WholeFrames(app)
    for part in (BEGIN, *parts, END):
        driver.write(part)


async def test_a_frame_of_text_is_one_synchronised_update(written: list[str]) -> None:
    frame("\x1b[1;1Hone", "\x1b[2;1Htwo")
    assert written == [f"{BEGIN}\x1b[1;1Hone\x1b[2;1Htwo{END}"]


@pytest.mark.parametrize("pieces", [["AAAA"], ["AAAA", "BBBB"]])
async def test_a_frame_with_a_picture_is_one_write_and_no_update(
    written: list[str], pieces: list[str]
) -> None:
    for payload in (Quick(pieces, 8, 8), pieces):
        picture = Kitty(128).begin(13, 4, 2, payload)
        frame(picture + "\x1b[1;1Hone", "\x1b[2;1Htwo")
        assert written.pop() == f"{picture}\x1b[1;1Hone\x1b[2;1Htwo" and not written


async def test_a_picture_that_the_terminal_has_is_shown_within_an_update(written: list[str]) -> None:
    cells = Kitty(128).end(12) + "\x1b[1;1H\U0010eeee"
    frame(cells)
    assert written == [f"{BEGIN}{cells}{END}"]


async def test_tmux_has_its_own_updates(written: list[str]) -> None:
    picture = Kitty(128, through_tmux).begin(13, 4, 2, ["AAAA"])
    frame(picture)
    assert written == [f"{BEGIN}{picture}{END}"]

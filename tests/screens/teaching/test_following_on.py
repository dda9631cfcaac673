"""A room whose teacher's console died follows the class that is begun next."""

from __future__ import annotations

import pytest
from made_screen import Screenful

from runtime.protocol.messages import Screens
from tui.start import joining
from tui.terminal import crash_restart


@pytest.mark.parametrize("trouble", ["no console", "no host", "ended before its slides came"])
async def test_it_leaves_for_the_newer_class_and_not_before(monkeypatch, trouble):
    monkeypatch.setattr("tui.app_start.LOOK_S", 0.001)
    begun: list[str] = []
    asked = 0

    def newer() -> bool:
        nonlocal asked
        asked += 1
        return bool(begun)

    full = Screenful("# waiting", role="audience", joining=True)
    full.app.arrival.newer = newer
    async with full.app.run_test(size=(100, 30)) as pilot:
        await pilot.pause(0.05)
        assert asked == 0  # somebody teaches here
        if trouble == "no console":
            full.link.receive(Screens(0, 1))
        else:
            full.app.room.ended = trouble != "no host"
            full.link.word("lost")
        while asked < 3:
            await pilot.pause(0.005)
        assert full.app.return_code is None
        begun.append("newer")
        while full.app.return_code is None:
            await pilot.pause(0.005)
    assert full.app.return_code == crash_restart.MOVED_ON


def test_newer_is_what_began_since_and_no_study(monkeypatch):
    live = ["20261121-0154-3f9a"]
    monkeypatch.setattr("runtime.paths.live_classes", lambda: live)
    newer = joining.begun_since()
    assert not newer()
    live[:0] = ["study-20261121-0200-0001"]
    assert not newer()
    live[:0] = ["20261121-0201-0001"]
    assert newer()

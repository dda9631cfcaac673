"""Settings, keys and themes of one's own are taken as soon as they are saved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from made_screen import Screenful, until

from slides import palette
from tui.config import settings
from tui.keys import table


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr("tui.actions.showing.preferences.POLL_S", 0.02)
    (tmp_path / "teachrun" / "themes").mkdir(parents=True)
    themes = dict(palette.THEMES)
    yield tmp_path / "teachrun"
    palette.THEMES.clear()
    palette.THEMES.update(themes)
    table.rebind({})


async def test_a_theme_that_is_saved_is_seen(folder: Path) -> None:
    file = folder / "themes" / "sun.toml"
    file.write_text('base = "light"\n[colours]\naccent = "#268bd2"\n')
    (folder / "config.toml").write_text('theme = "sun"\n')
    assert settings.given().theme == "sun"
    full = Screenful(theme="sun")
    async with full.app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: full.app.actions.preferences.worn is not None)
        before = full.app.painter
        assert before.colour("accent") == "#268bd2"
        file.write_text('base = "light"\n[colours]\naccent = "#005f87"\n')
        await until(pilot, lambda: full.app.painter.colour("accent") == "#005f87")
        assert full.app.classroom.painter is full.app.painter is not before
        file.write_text('base = "light"\n[colours]\nbackground = "#ffffee"\n')
        await until(pilot, lambda: full.app.painter.colour("background") == "#ffffee")
        await pilot.pause(0.1)
        for widget in (full.app.classroom.slide, full.app.classroom.bottom):
            segments = [s for y in range(widget.size.height) for s in widget.render_line(y)]
            grounds = {s.style.bgcolor.name for s in segments if s.style and s.style.bgcolor}
            assert "#ffffee" in grounds and before.colour("background") not in grounds
        await until(pilot, lambda: "settings reloaded" in full.text())
        file.write_text('base = "light"\n[colours]\naccent = "#005f8"\n')
        await until(pilot, lambda: "sun.toml:3: `#005f8` is not a colour" in full.text())
        (folder / "config.toml").write_text('theme = "projector"\ntext = "big"\n')
        await until(pilot, lambda: full.app.look == "projector")
        assert full.app.classroom.drawing.mode.name == "big"


async def test_keys_that_are_saved_are_bound(folder: Path) -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: full.app.actions.preferences.worn is not None)
        (folder / "keymap.toml").write_text('[keys]\nfreeze = "y"\n')
        await until(pilot, lambda: full.app.keys.get("y") == "freeze")
        await pilot.press("y")
        assert full.session.state.shown == "frozen" and "z" not in full.app.keys
        (folder / "keymap.toml").unlink()
        await until(pilot, lambda: full.app.keys.get("z") == "freeze")

"""Links of a slide by a key: opened by this machine's program, copied over SSH, a slide gone to."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from made_screen import Screenful, press

from tui.actions.moving.links import opener
from tui.rendering import textual_private

DECK = """# One

See [the *docs*](https://example.org/a?b=1&c=$(x)), [next](#two) and [bad](file:///etc/passwd).

<!-- pause -->

[later](https://example.org/later)

---

# Two {#two}

nothing
"""
REMOTE = ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A desktop whose program for addresses writes down what it is given."""
    told = tmp_path / "told"
    program = tmp_path / "xdg-open"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$#" "$1" > {told}.new && mv {told}.new {told}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("DISPLAY", ":7")
    monkeypatch.setattr("sys.platform", "linux")
    for name in REMOTE:
        monkeypatch.delenv(name, raising=False)
    return told


async def test_a_link_is_opened_with_its_address_shown(desk: Path):
    on = Screenful(DECK)
    async with on.app.run_test(size=(100, 30)) as pilot:
        await press(pilot, "O")
        shown = on.text()
        assert "the docs" in shown and "https://example.org/a?b=1&c=$(x)" in shown
        assert "passwd" not in shown.split("links")[-1] and "later" not in shown
        await pilot.press("enter")
        while not desk.exists():
            await asyncio.sleep(0.01)
        assert desk.read_text() == "1\nhttps://example.org/a?b=1&c=$(x)\n"
        await press(pilot, "O", "down", "enter")
        assert on.session.index == 1
        await press(pilot, "O")
        assert "no link on this slide" in on.text()


async def test_over_ssh_the_address_is_copied_and_nothing_is_opened(
    desk: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SSH_TTY", "/dev/pts/9")
    written: list[str] = []
    monkeypatch.setattr(textual_private, "write", lambda app, text: written.append(text))
    on = Screenful(DECK)
    async with on.app.run_test(size=(100, 30)) as pilot:
        await pilot.press("O", "enter")
        while "copied https" not in on.text():
            await pilot.pause()
        assert any("]52;c;" in text for text in written) and not desk.exists()


async def test_who_follows_has_no_such_key(desk: Path):
    on = Screenful(DECK, role="audience", answers=True)
    async with on.app.run_test(size=(100, 30)) as pilot:
        await press(pilot, "O", "enter")
        assert "links" not in on.text() and not desk.exists()


def test_where_nobody_sits_at_a_desktop_nothing_is_started(tmp_path: Path) -> None:
    program = tmp_path / "xdg-open"
    program.write_text("")
    program.chmod(0o755)
    here = {"PATH": str(tmp_path)}
    assert opener(here, "linux") == "" and opener(here | {"WAYLAND_DISPLAY": "w"}, "linux") == str(program)
    assert all(opener(here | {"DISPLAY": ":0", name: "x"}, "linux") == "" for name in REMOTE)

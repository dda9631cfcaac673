"""An xterm has all colours, though it calls itself `xterm` and takes COLORTERM away."""

from __future__ import annotations

import pytest
from rich.color import ColorSystem

from tui.rendering.first_paint import terminal_colours
from tui.terminal.xterm_colours import has_all

XTERM = {"TERM": "xterm", "XTERM_VERSION": "XTerm(379)"}


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        (XTERM, True),
        (XTERM | {"TERM": "xterm-256color"}, True),
        (XTERM | {"XTERM_VERSION": "XTerm(320)"}, False),
        (XTERM | {"XTERM_VERSION": "mine"}, False),
        (XTERM | {"TERM": "screen", "TMUX": "/tmp/tmux"}, False),
        (XTERM | {"TERM": "linux"}, False),
        ({"TERM": "xterm"}, False),
    ],
)
def test_it_is_known_by_its_version(environ: dict[str, str], expected: bool) -> None:
    assert has_all(environ) == expected


def test_the_first_slide_has_its_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COLORTERM", "TMUX", "STY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in XTERM.items():
        monkeypatch.setenv(name, value)
    assert terminal_colours() is ColorSystem.TRUECOLOR
    monkeypatch.delenv("XTERM_VERSION")
    assert terminal_colours() is ColorSystem.STANDARD

"""Which glyphs scenes are painted with: by what a terminal says of itself."""

from __future__ import annotations

import pytest

from tui.graphics.terminal_glyphs import chosen


@pytest.mark.parametrize(
    ("environ", "wanted"),
    [
        ({"TERM": "linux"}, "characters"),
        ({"TERM": "xterm-kitty"}, "sextants"),
        ({"TERM": "foot"}, "sextants"),
        ({"TERM": "tmux-256color", "KITTY_WINDOW_ID": "1"}, "sextants"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, "sextants"),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7200"}, "sextants"),
        ({"TERM": "xterm-256color", "VTE_VERSION": "5202"}, "halves"),
        ({"TERM": "xterm-256color", "VTE_VERSION": "x"}, "halves"),
        ({"TERM": "alacritty"}, "quadrants"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, "quadrants"),
        ({"TERM": "xterm-256color", "WT_SESSION": "a"}, "quadrants"),
        ({"TERM": "xterm-256color"}, "halves"),
        ({"TERM": "xterm-direct"}, "halves"),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, "halves"),
        ({"TERM": "xterm"}, "characters"),  # 16 colours
        ({"TERM": "screen"}, "characters"),
        ({}, "halves"),
    ],
)
def test_by_what_it_says(environ: dict[str, str], wanted: str) -> None:
    assert chosen(environ) == wanted


def test_a_wish_goes_first() -> None:
    assert chosen({"TERM": "linux"}, "quadrants") == "quadrants"
    assert chosen({"TERM": "xterm-kitty"}, "auto") == "sextants"

"""A terminal in memory: what it shows, whatever is written to it."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.protocol.messages import Grid
from runtime.snippets import emulator
from runtime.snippets.emulator import Emulator, bounded
from slides.drawing import cells
from tui.terminal.key_sequences import sequence


def shown(terminal: Emulator) -> list[str]:
    rows = ["".join(run[0] for run in row) for row in terminal.grid().rows]
    while rows and not rows[-1]:
        rows.pop()
    return rows


def fed(*texts: str, columns: int = 40, rows: int = 6) -> Emulator:
    terminal = Emulator(columns, rows)
    for text in texts:
        terminal.feed(text)
    return terminal


def test_characters_and_their_looks() -> None:
    row = fed("plain \x1b[1;31mbold\x1b[0m \x1b[38;2;1;2;3m\x1b[48;5;196mx\x1b[7my").grid().rows[0]
    assert row == (
        ("plain ", "", "", 0),
        ("bold", "red", "", emulator.BOLD),
        (" ", "", "", 0),
        ("x", "#010203", "#ff0000", 0),
        ("y", "#010203", "#ff0000", emulator.REVERSE),
    )


@pytest.mark.parametrize(
    "text",
    [
        "\x1b]0;a title\x07seen",
        "\x1b]52;c;aGk=\x1b\\seen",
        "\x1bPq#0;2;0;0;0\x1b\\seen",
        "\x1b_Gf=32;AAAA\x1b\\seen",
        "\x1b[>4;2mseen",
        "\x1b[?2026$pseen",
        "\x1b[22;0;0tseen",
        "\x1b[2 qseen",
        "\x1b[?u\x1b[=1useen",
    ],
)
def test_what_is_for_the_terminal_itself_is_not_text(text: str) -> None:
    assert shown(fed(text)) == ["seen"]
    assert shown(fed(*text)) == ["seen"]  # also when it comes one by one


def test_a_string_without_an_end_costs_no_memory_and_ends_all_the_same() -> None:
    terminal = fed("\x1b]0;", *["x" * 1000] * 50)
    assert len(terminal.held) <= emulator.HELD + 1000
    terminal.feed("\x07seen")
    assert shown(terminal) == ["seen"]


def test_vowel_signs_and_joiners_lose_nothing_behind_them() -> None:
    assert shown(fed("नी e\u0301 क्षि 😀 end")) == ["नी e\u0301 क्षि 😀 end"]
    assert len("".join(shown(fed("e" + "\u0301" * 10_000)))) <= emulator.CLUSTER


def test_the_alternate_screen_gives_back_what_was_there() -> None:
    terminal = fed("before\r\nit", "\x1b[?1049h\x1b[Hwithin")
    assert shown(terminal) == ["within"]
    terminal.feed("\x1b[?1049l")
    assert shown(terminal) == ["before", "it"]
    terminal.feed(" goes on")
    assert shown(terminal)[1] == "it goes on"


def test_answers_reach_the_program_and_keys_are_as_it_wants_them() -> None:
    said: list[str] = []
    terminal = Emulator(40, 6, said.append)
    terminal.feed("ab\x1b[6n")
    assert said == ["\x1b[1;3R"]
    assert terminal.typed("\x1b[A") == "\x1b[A"
    terminal.feed("\x1b[?1h")
    assert terminal.typed("\x1b[A") == "\x1bOA" and terminal.typed("A") == "A"


def test_what_is_pasted_is_text_and_cannot_end_its_own_paste() -> None:
    terminal = fed("")
    assert terminal.pasted("a\r\nb\x1b[201~\x03c") == "a\rb[201~c"
    terminal.feed("\x1b[?2004h")
    assert terminal.pasted("rm\x1b[201~\n") == "\x1b[200~rm[201~\r\x1b[201~"


def test_another_size_keeps_the_lines_at_the_prompt() -> None:
    terminal = fed("one\r\ntwo\r\n$ ", rows=20)
    terminal.resize(40, 5)
    assert shown(terminal) == ["one", "two", "$"] and terminal.grid().y == 2
    full = fed("\r\n".join(map(str, range(20))), rows=20)
    full.resize(30, 5)
    assert shown(full) == ["15", "16", "17", "18", "19"] and full.grid().y == 4
    full.resize(10_000, 0)
    assert full.size == bounded(10_000, 0) == (240, 4)


_PIECES = st.lists(
    st.one_of(
        st.text(max_size=12),
        st.builds(
            lambda mark, numbers, end: f"\x1b[{mark}{';'.join(map(str, numbers))}{end}",
            st.sampled_from(["", "?", ">", "="]),
            st.lists(st.integers(0, 2100), max_size=4),
            st.sampled_from("@ABCDEFGHJKLMPSTXZ`abcdefghlmnrstu$p"),
        ),
        st.sampled_from(
            ["\x1bc", "\x1b7", "\x1b8", "\x1bM", "\x1b#8", "\x1b(0", "\x0e", "\x1b]", "\x1bP", "\n", "\x9b"]
        ),
    ),
    max_size=30,
)


@given(_PIECES, st.integers(-5, 300), st.integers(-5, 100))
def test_whatever_is_written_it_shows_a_screen_of_its_size(
    pieces: list[str], columns: int, rows: int
) -> None:
    terminal = fed(*pieces)
    terminal.resize(columns, rows)
    terminal.feed("".join(pieces))
    grid = terminal.grid()
    assert isinstance(grid, Grid) and (grid.columns, len(grid.rows)) == bounded(columns, rows)
    assert 0 <= grid.x < grid.columns and 0 <= grid.y < len(grid.rows)
    for row in grid.rows:
        assert all(before[1:] != after[1:] for before, after in pairwise(row))
        assert "\x1b" not in cells.clean("".join(run[0] for run in row))


@pytest.mark.parametrize(
    ("key", "character", "sent"),
    [
        ("a", "a", "a"),
        ("upper_a", "A", "A"),
        ("enter", "\r", "\r"),
        ("ctrl+c", "\x03", "\x03"),
        ("ctrl+d", None, "\x04"),
        ("ctrl+backslash", None, "\x1c"),
        ("escape", "\x1b", "\x1b"),
        ("backspace", "\x7f", "\x7f"),
        ("up", None, "\x1b[A"),
        ("ctrl+left", None, "\x1b[1;5D"),
        ("shift+tab", None, "\x1b[Z"),
        ("alt+b", None, "\x1bb"),
        ("f5", None, "\x1b[15~"),
        ("f12", None, "\x1b[24~"),
        ("é", "é", "é"),
        ("pagedown", None, "\x1b[6~"),
        ("media_play", None, ""),
        ("ctrl+right_square_bracket", "\x1d", ""),
    ],
)
def test_keys_as_a_terminal_sends_them(key: str, character: str | None, sent: str) -> None:
    assert sequence(key, character) == sent


def test_neither_screen_nor_host_imports_the_emulation() -> None:
    code = "import sys, tui.app, runtime.snippets.terminal; raise SystemExit('pyte' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0

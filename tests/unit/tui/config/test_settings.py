"""Settings and keys of one's own: what is right is taken, what is wrong names its line and costs no more."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import key_lists
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as quick
from hypothesis import strategies as st

from slides.problems import Problem
from tui.config import settings
from tui.keys import table
from tui.keys import user_keymap as keys_keymap
from tui.keys.user_keymap import NEEDED, PRESETS, key_name, keymap


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "teachrun").mkdir()
    yield tmp_path / "teachrun"
    table.rebind({})


def places(problems: tuple[Problem, ...]) -> list[tuple[str, int]]:
    return [(Path(problem.file).name, problem.line) for problem in problems]


def test_without_files_nothing_is_set() -> None:
    assert settings.given() == settings.Settings()


def test_what_is_set(home: Path) -> None:
    (home / "config.toml").write_text('theme = "light"\ntext = "big"\nconsole = true\nname = "me"\n')
    found = settings.given()
    assert found[:4] == ("light", "big", True, "me") and found.problems == ()
    args = argparse.Namespace(theme="", name="", no_mouse=False)
    settings.take(args)
    assert (args.theme, args.name) == ("light", "me")
    args = argparse.Namespace(theme="mono", name="you", no_mouse=False)
    settings.take(args)
    assert (args.theme, args.name) == ("mono", "you")  # what is asked for now goes first


def test_the_mouse_is_ours_unless_a_setting_or_a_flag_says_no(home: Path) -> None:
    here, not_here = (argparse.Namespace(theme="", name="", no_mouse=no) for no in (False, True))
    assert settings.take(here).mouse and not settings.take(not_here).mouse
    (home / "config.toml").write_text("mouse = false\n")
    assert not settings.take(here).mouse
    (home / "config.toml").write_text('mouse = "off"\n')
    found = settings.take(here)
    assert found.mouse and places(found.problems) == [("config.toml", 1)]


def test_each_mistake_names_its_line_and_costs_only_itself(home: Path) -> None:
    (home / "config.toml").write_text('theme = "lihgt"\n# words\nconsole = "yes"\ntext = "big"\ntehme = 1\n')
    (home / "keymap.toml").write_text(
        'preset = "vim"\n[keys]\nnext_step = ["x", "alt+x"]\nnxet_slide = "y"\nquit = "PgDn"\nblank = 3\n'
        'white = "x"\nclose = []\nbookmark = []\n'
    )
    found = settings.given()
    assert found.text == "big" and found.theme == ""
    assert places(found.problems) == [
        ("config.toml", 1),
        ("config.toml", 3),
        ("config.toml", 5),
        ("keymap.toml", 1),
        ("keymap.toml", 3),
        ("keymap.toml", 4),
        ("keymap.toml", 5),
        ("keymap.toml", 6),
        ("keymap.toml", 7),
        ("keymap.toml", 8),
    ]
    assert found.keys is not None
    assert found.keys["next_step"] == ("x",)
    assert found.keys["x_ray"] == () and found.keys["white"] == () and found.keys["bookmark"] == ()
    assert found.keys["quit"] == ("q",) and found.keys["close"] == ("escape",)
    for problem in found.problems:
        assert problem.mend.endswith((".", "?")) and str(problem).isprintable()


@pytest.mark.parametrize(
    ("data", "line"),
    [(b'theme = "light"\nname = [\n', 3), (b"a = 1\nb = \x1b]0;x\n", 2), (b"a = 1\n\xff", 2)],
)
def test_a_broken_file_names_its_line(home: Path, data: bytes, line: int) -> None:
    for name in ("config.toml", "keymap.toml"):
        (home / name).write_bytes(data)
        found = settings.given()
        assert (name, line) in places(found.problems)
        assert found.theme == "" and found.keys == keymap(home / "none").keys
        assert all(str(problem).isprintable() for problem in found.problems)
        (home / name).unlink()


def test_an_action_outside_its_table_and_one_unknown_are_told_where_to_look(home: Path) -> None:
    (home / "keymap.toml").write_text('demo = "x"\n[keys]\nfly = "f"\n')
    mends = {problem.line: problem.mend for problem in settings.given().problems}
    assert mends == {1: "It belongs below a line `[keys]`.", 3: "`teachrun list keys` names them all."}
    assert settings.given().problems[0].short.startswith("keymap.toml:")


def test_every_action_is_listed_with_the_keys_it_has_here(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from tui.cli import main

    (home / "keymap.toml").write_text('[keys]\ndemo = "ctrl+d"\n')
    assert main(["list", "keys"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("  ")]
    assert [row[0] for row in rows] == [action.name for action in table.ACTIONS]
    assert next(row for row in rows if row[0] == "demo")[1:3] == ["Ctrl", "D"]


@given(st.text(alphabet='[]="abkeysnxt_\n1{}\x1b', max_size=60))
@quick(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_leaves_a_way_on_and_out(home: Path, text: str) -> None:
    (home / "keymap.toml").write_text(text)
    (home / "config.toml").write_text(text)
    found = settings.given()
    assert found.keys is not None and all(found.keys[name] for name in NEEDED)


def test_nobody_locks_himself_out(home: Path) -> None:
    (home / "keymap.toml").write_text('[keys]\nblank = ["escape", "b"]\nwhite = "q"\nnext_step = "q"\n')
    found = settings.given()
    assert found.keys is not None
    assert (found.keys["close"], found.keys["blank"]) == (("escape",), ("b",))
    assert found.keys["next_step"] == ("right",) and found.keys["quit"] == ("q",)
    assert sorted(places(found.problems)) == [("keymap.toml", n) for n in (2, 3, 4, 4)]


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_is_sound(preset: str, tmp_path: Path) -> None:
    found = keymap(tmp_path / "none", preset)
    assert found.problems == ()
    table.rebind(found.keys)
    assert key_lists.conflicts() == []
    by_key = {key: action.name for action in table.for_role("console") for key in action.keys}
    assert by_key["pagedown"] == "next_step" and by_key["pageup"] == "previous_step"
    assert by_key["full_stop"] == by_key["b"] == "blank" and by_key["escape"] == "close"
    assert {by_key.get(key, "") for key in table.CLICKER}.isdisjoint(keys_keymap.DESTRUCTIVE)
    lost = {action.name for action in table.for_role("console") if not action.keys}
    lost -= {action.name for action in table.ACTIONS if not action.keys}
    assert lost <= {"down", "up"}  # that one may scroll with `}` and the arrows of another pane


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("PgDn", "pagedown"),
        ("Ctrl R", "ctrl+r"),
        ("ctrl-r", "ctrl+r"),
        ("]", "right_square_bracket"),
        ("+", "plus"),
        ("-", "minus"),
        ("/", "slash"),
        ("→", "right"),
        ("Shift →", "shift+right"),
        ("f5", "f5"),
        ("G", "G"),
        ("alt+x", ""),
        ("ctrl+shift+x", ""),
        ("nothing", ""),
        ("", ""),
    ],
)
def test_keys_as_people_write_them(written: str, key: str) -> None:
    assert key_name(written) == key


def test_every_key_of_the_table_can_be_written_as_it_is_shown() -> None:
    for action in table.ACTIONS:
        for key in action.keys:
            assert key_name(table.label(key)) == key, key


def test_what_is_told_is_what_is_bound(home: Path) -> None:
    (home / "keymap.toml").write_text('[keys]\ndemo = "ctrl+d"\nhelp = []\n')
    found = settings.given()
    assert found.keys is not None
    table.rebind(found.keys)
    assert table.key_of("demo") == "Ctrl D" and table.key_of("help") == ""
    assert "`Ctrl D`" in key_lists.markdown_table() and "This help" not in key_lists.markdown_table()

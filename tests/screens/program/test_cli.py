"""The command line: what is chosen, what is refused, and what is said."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from folders import in_folders
from teachrun_process import TEACHRUN, teachrun

from tui import cli


@pytest.mark.parametrize(
    ("argv", "normal"),
    [
        ([], ["present"]),
        (["--debug"], ["--debug", "present"]),
        (["deck.md"], ["present", "deck.md"]),
        (["./talk", "--theme", "light"], ["present", "./talk", "--theme", "light"]),
        (["--theme", "light"], ["present", "--theme", "light"]),
        (["run", "ddp"], ["run", "ddp"]),
        (["--help"], ["--help"]),
        (["--version"], ["--version"]),
        (["prsent"], ["prsent"]),
    ],
)
def test_no_command_and_a_deck_mean_present(argv: list[str], normal: list[str]) -> None:
    assert cli.normalise(argv) == normal


def test_every_command_has_a_module_with_the_two_functions() -> None:
    for name in cli.COMMANDS:
        module = cli.module_of(name)
        assert callable(module.configure) and callable(module.main), name


def test_help_has_a_line_for_every_command() -> None:
    code, out, _ = teachrun("--help")
    assert code == 0
    for name, line in cli.COMMANDS.items():
        assert name in out and line.split()[0] in out
    assert "130 interrupted" in out


def test_an_unknown_command_is_wrong_usage() -> None:
    code, _, err = teachrun("prsent")
    assert code == 2 and "'prsent': did you mean present?" in err
    code, _, err = teachrun("--debug", "zzz")
    assert code == 2 and "named 'zzz'" in err and "--help" in err


@pytest.mark.parametrize("argv", [("present",), ("audience",), ("attach",), ()])
def test_without_a_terminal_it_says_what_to_do(argv: tuple[str, ...]) -> None:
    code, out, err = teachrun(*argv)
    assert (code, out) == (2, "")
    assert "needs a terminal" in err and "--plain" in err


def test_a_terminal_that_writes_lines_only_is_told_how(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")
    assert cli.main(["present"]) == 2
    assert "TERM=dumb" in (said := capsys.readouterr().err) and "--plain" in said


@pytest.mark.parametrize("name", ["missing.md", "folder", "binary.md"])
def test_a_deck_that_is_none_is_one_line_with_a_mend(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "binary.md").write_bytes(b"\x7fELF\x00\x01\x02" * 50)
    monkeypatch.setattr("tui.command_line.refusals.no_terminal", lambda: "")
    assert cli.main(["present", str(tmp_path / name)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and name in said and "Traceback" not in said


def test_a_class_name_that_is_no_file_name_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tui.command_line.refusals.no_terminal", lambda: "")
    assert cli.main(["present", "--class", "../x"]) == 2
    assert "../x" in capsys.readouterr().err


def test_following_without_a_class_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    in_folders(tmp_path, monkeypatch)
    monkeypatch.setattr("tui.command_line.refusals.no_terminal", lambda: "")
    assert cli.main(["attach"]) == 2
    assert "teachrun present" in capsys.readouterr().err


def test_before_the_first_slide_nothing_heavy_is_imported() -> None:
    code = (
        "import sys, os; os.environ['ESCDELAY']='25'\n"
        "import tui.cli, tui.commands.presenting.present, tui.app, slides.reading.split\n"
        "heavy = {'torch','numpy','pygments','yaml','pylatexenc','markdown_it'} & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(heavy)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


# --- what the machine or its user gets wrong ------------------------------------------------------------


def test_windows_is_told_where_to_go(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert cli.main(["list"]) == 2
    assert "WSL" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["ps", "stop", "attach", "audience"])
def test_an_unusable_state_folder_is_one_line(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr("tui.command_line.refusals.no_terminal", lambda: "")
    assert cli.main([command]) == 1
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1 and str(tmp_path) in said[0] and "make it a writable folder" in said[0]


def test_a_user_without_a_home_is_told_what_to_set(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    assert cli.main(["ps"]) == 1
    assert "set XDG_STATE_HOME" in capsys.readouterr().err


@pytest.mark.parametrize("content", [None, "", "\x00\x07\x01" * 30, "a directory"])
def test_what_is_no_deck_is_said_and_no_byte_of_its_name_is_obeyed(
    content: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tui.command_line.refusals.no_terminal", lambda: "")
    deck = tmp_path / "deck\x1b[2J\x07\u202e.md"
    if content == "a directory":
        deck.mkdir()
    elif content is not None:
        deck.write_text(content)
    assert cli.main(["present", str(deck)]) == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1 and said.startswith(f"teachrun: {tmp_path}")
    assert said.rstrip("\n").isprintable()


def test_a_narrow_or_closed_output_ends_no_command() -> None:
    command = f"{shlex.join(TEACHRUN)} list"
    narrow = subprocess.run(command, shell=True, capture_output=True, env={"PYTHONIOENCODING": "ascii"})
    assert (narrow.returncode, narrow.stderr) == (0, b"") and b"KEY=VALUE?" in narrow.stdout
    for closed in (">&-", "2>&-", "<&- >&- 2>&-"):
        assert subprocess.run(f"{command} {closed}", shell=True, capture_output=True).returncode == 0, closed
    full = subprocess.run(f"{command} >/dev/full", shell=True, capture_output=True, text=True)
    assert full.returncode == 1 and "No space left on device" in full.stderr
    assert "Traceback" not in full.stderr

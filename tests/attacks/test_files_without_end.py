"""Files that never begin, never end or nest without end: no command waits for them or falls over them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from slides import palette
from tui import cli

COMMANDS = (
    "check {} --json",
    "check {}",
    "convert {}",
    "export {} --md -o -",
    "quiz check {} --format gift",
    "quiz take {} --format gift",
    "quiz import {} --format gift",
    "study --import {}",
    "run {}",
    "class results --regrade {}",
)
DEEP = "[" * 5000


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    for name in ("STATE", "DATA", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.chdir(tmp_path)
    themes = dict(palette.THEMES)
    yield tmp_path
    palette.THEMES.clear()  # a deck may have brought one
    palette.THEMES.update(themes)


@pytest.mark.parametrize("command", COMMANDS)
def test_nobody_waits_for_a_pipe_that_nobody_writes_into(
    home: Path, command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("slides.reading.from_disk.source.WRITER_WITHIN_S", 0.0)
    os.mkfifo(pipe := home / "pipe.py")
    assert cli.main(command.format(pipe).split()) in (1, 2)
    told = capsys.readouterr()
    assert "pipe" in told.out + told.err or "no class" in told.err


@pytest.mark.parametrize("command", COMMANDS[:-2])
def test_nobody_reads_a_device_to_its_end(home: Path, command: str) -> None:
    (home / "endless").symlink_to("/dev/zero")
    assert cli.main(command.format(home / "endless").split()) in (1, 2)


@pytest.mark.parametrize(
    "text",
    [f"+++\nx = {DEEP}\n+++\n# A\n", f"---\nx: {DEEP}\n---\n# A\n", f"---\nmarp: true\nx: {DEEP}\n---\n# A\n",
     "---\ntheme: deep.toml\n---\n# A\n", f"# A\n\n::: quiz {{#q}}\n{DEEP}\n:::\n", f"# A\n\n${DEEP}$\n"],
)  # fmt: skip
def test_brackets_in_brackets_without_end_are_read_or_told(
    home: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (deck := home / "deck.md").write_text(text)
    (home / "deep.toml").write_text(f"name = {DEEP}")
    (settings := Path(os.environ["XDG_CONFIG_HOME"]) / "teachrun").mkdir(parents=True)
    for name in ("config.toml", "keymap.toml"):
        (settings / name).write_text(f"x = {DEEP}")
    for command in ("check {}", "convert {}", "export {} --md -o -", "quiz check {}"):
        assert cli.main(command.format(deck).split()) in (0, 1, 2)
    assert "recursion" not in capsys.readouterr().out

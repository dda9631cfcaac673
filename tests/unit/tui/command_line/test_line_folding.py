"""What commands print stays within the terminal, and is left whole in a pipe."""

from __future__ import annotations

import pytest

from tui import cli
from tui.command_line.line_folding import folded
from tui.commands.running.runs import table_lines


@pytest.fixture(params=[60, 80, 100])
def terminal(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    for where in ("command_line.line_folding", "commands.running.runs"):
        monkeypatch.setattr(f"tui.{where}.columns", lambda: request.param)
    return int(request.param)


@pytest.mark.parametrize("argv", [["list"], ["list", "ddp", "pipeline"], ["runs", "list"]])
def test_lists_fit_the_terminal(argv: list[str], terminal: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(argv) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if "script: " not in line]
    assert lines and max(map(len, lines)) <= max(terminal, 84)  # of what cannot be told apart any shorter


def test_a_pipe_gets_whole_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["runs", "list"]) == 0
    assert "torch" in capsys.readouterr().out
    assert folded("word " * 60) == "word " * 60


def test_rows_after_the_first_are_set_in(terminal: int) -> None:
    first, *rest = folded("  name  " + "word " * 60, 8).splitlines()
    assert first.startswith("  name  word") and rest
    assert all(row.startswith(" " * 8 + "word") for row in rest)


def test_a_run_that_cannot_be_read_keeps_its_reason() -> None:
    good = ("id", "2026-11-21 06:53", "ddp " + "x" * 40, "4", "done", "50", "0.5", "Linux x86_64, 2 cores")
    lines = table_lines([good, ("bad", "-", "its index is cut off")], 80)
    assert max(map(len, lines[:2])) <= 80 and "machine" not in lines[0] and "…" in lines[1]
    assert lines[2].split(maxsplit=2) == ["bad", "-", "its index is cut off"]

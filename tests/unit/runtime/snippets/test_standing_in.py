"""A program that is on the PATH and only stands in for one that is not there is found by `check`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui import cli


@pytest.mark.parametrize(
    ("program", "lang"), [("rustc", "rust"), ("cc", "c"), ("go", "go"), ("ruby", "ruby")]
)
def test_a_stand_in_is_a_problem_before_the_class(
    program: str,
    lang: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    stub = tmp_path / "bin" / program
    stub.parent.mkdir()
    monkeypatch.setenv("PATH", str(stub.parent), prepend=":")
    monkeypatch.chdir(tmp_path)
    Path("deck.md").write_text(f"# One\n\n```{lang} run\nx\n```\n")
    stub.write_text("#!/bin/sh\necho no default is configured >&2\nexit 1\n")
    stub.chmod(0o755)
    assert cli.main(["check", "deck.md"]) == 1
    said = capsys.readouterr().out
    assert "deck.md:3:" in said and f"{program} is there and runs nothing (no default is configured)" in said
    stub.write_text("#!/bin/sh\nexit 0\n")
    assert cli.main(["check", "deck.md"]) == 0

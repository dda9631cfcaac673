"""A program that only stands in for one that is not there: the next one on the PATH that answers runs the
block, `check` and `doctor` say which."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from runtime.catalog.params import Refusal
from runtime.snippets import installed_programs
from runtime.snippets.language_commands import Executor, choice, executor
from tui import cli
from tui.health import programs

SAYS = "#!/bin/sh\necho {}\n"
SILENT, FAILS = "#!/bin/sh\nexit 0\n", "#!/bin/sh\necho no toolchain >&2\nexit 1\n"


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], str]:
    """Puts a program into one of two folders, which alone are the PATH; returns where it is."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'first'}:{tmp_path / 'second'}")

    def put(place: str, script: str) -> str:
        path = tmp_path / place
        path.parent.mkdir(exist_ok=True)
        path.write_text(script)
        path.chmod(0o755)
        return str(path)

    return put


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
    monkeypatch.setenv("PATH", str(stub.parent))
    monkeypatch.chdir(tmp_path)
    Path("deck.md").write_text(f"# One\n\n```{lang} run\nx\n```\n")
    stub.write_text("#!/bin/sh\necho no default is configured >&2\nexit 1\n")
    stub.chmod(0o755)
    assert cli.main(["check", "deck.md"]) == 1
    said = capsys.readouterr().out
    assert (
        "deck.md:3:" in said
        and f"{program} is installed but does not work (no default is configured)" in said
    )
    stub.write_text("#!/bin/sh\necho 1.0\n")
    assert cli.main(["check", "deck.md"]) == 0


Install = Callable[[str, str], str]


@pytest.mark.parametrize("broken", [SILENT, FAILS, "no program at all"])
@pytest.mark.parametrize(
    ("lang", "bad", "good"),
    [
        ("rust", "first/rustc", "second/rustc"),  # the same one, later on the PATH
        ("ts", "first/tsx", "first/deno"),  # another one that runs the language
        ("c", "first/cc", "second/clang"),
        ("sql", "first/sqlite3", "second/sqlite3"),
    ],
)
def test_the_first_that_answers_runs_the_block(
    install: Install, lang: str, bad: str, good: str, broken: str
) -> None:
    passed, runs = install(bad, broken), install(good, SAYS.format("tool 4.5.6 of 2031"))
    found = executor(lang)
    assert isinstance(found, Executor) and runs in found.words and passed not in found.words
    asked = choice(lang)
    assert not isinstance(asked, Refusal) and asked.runs is not None
    assert (asked.runs.version, [one.path for one in asked.passed_over]) == ("4.5.6", [passed])


def test_an_only_program_is_not_asked_when_its_block_runs(install: Install, tmp_path: Path) -> None:
    install("first/ruby", f"#!/bin/sh\necho asked >> {tmp_path}/asked\necho 3.3\n")
    assert isinstance(executor("ruby"), Executor) and not (tmp_path / "asked").exists()
    choice("ruby")
    choice("ruby")
    assert (tmp_path / "asked").read_text() == "asked\n"


def test_one_that_never_answers_is_passed_over(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed_programs, "WITHIN_S", 0.2)
    install("first/cc", "#!/bin/sh\nread line < /dev/zero\nwhile :; do :; done\n")
    runs = install("second/cc", SAYS.format("12.2"))
    found = choice("c")
    assert not isinstance(found, Refusal) and found.runs is not None and found.runs.path == runs
    assert "within" in found.passed_over[0].trouble


def test_a_node_that_is_too_old_for_typescript_runs_javascript(install: Install) -> None:
    install("first/node", SAYS.format("v20.20.2"))
    refused = executor("ts")
    assert isinstance(refused, Refusal) and "node is 20.20.2, older than 22.6" in refused.why
    assert isinstance(executor("js"), Executor)
    new = install("second/node", SAYS.format("v22.11.0"))
    found = executor("ts")
    assert isinstance(found, Executor) and found.words[0] == new


def test_doctor_says_which_program_runs_a_language(install: Install) -> None:
    broken, runs = install("first/cc", SILENT), install("second/cc", SAYS.format("cc 12.2.0"))
    install("first/go", FAILS)
    found = {finding.name: finding for finding in programs.findings()}
    assert found["c"].state == "warning"
    assert found["c"].said == f"{runs} 12.2.0, because {broken} does not work (it has no version)"
    assert found["go"].state == "warning" and "no toolchain" in found["go"].said
    assert "julia" in found["not here"].said and "cuda" in found["not here"].said


def test_check_notes_which_program_runs_a_block(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken, runs = install("first/cc", SILENT), install("second/gcc", SAYS.format("12.2.0"))
    monkeypatch.chdir(tmp_path)
    Path("deck.md").write_text("# One\n\n```c run\nx\n```\n\n---\n\n```c run\ny\n```\n")
    assert cli.main(["check", "deck.md"]) == 0
    said = capsys.readouterr().out
    assert said.count(broken) == 1 and f"{runs} 12.2.0 runs it instead" in said and "deck.md:3" in said

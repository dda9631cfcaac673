"""`--help` of every command, its examples, and what shells and `man` are given."""

from __future__ import annotations

import argparse
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tui import cli
from tui.command_line.parser import EXAMPLES, Command
from tui.commands.getting_help import completion


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from parsers(command)


EVERY = {parser.prog: parser for parser in parsers(cli.build_parser(cli.ALL))}


@pytest.mark.parametrize("prog", EVERY)
def test_help_ends_in_examples_and_says_nothing_strange(prog: str) -> None:
    text = EVERY[prog].format_help()
    assert isinstance(EVERY[prog], Command)
    assert "examples:" in text and f"  teachrun{prog.removeprefix('teachrun')}".rstrip() in text
    assert "Exit" in text.rpartition("examples:")[2] or "Exit code" in text
    for artefact in ("N [N ...]", "[ ...]", "DEED", "WHAT", "==SUPPRESS=="):
        assert artefact not in text.replace("[KEY=VALUE ...]", ""), artefact


@pytest.mark.parametrize("prog", EVERY)
def test_no_line_is_wider_than_the_terminal(prog: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    usage = EVERY[prog].format_usage()
    assert EVERY[prog].format_help().startswith(usage)
    assert [line for line in usage.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("line", [line for lines in EXAMPLES.values() for line, _ in lines])
def test_every_example_is_understood(line: str) -> None:
    words = shlex.split(line.partition(" > ")[0])[1:]
    args = cli.normalise(words)
    chosen = next(word for word in args if word in cli.COMMANDS)
    args, _ = cli.split_behind(args) if chosen == "run" else (args, [])
    cli.build_parser(chosen).parse_args(args)


def test_no_example_is_of_a_command_that_is_gone() -> None:
    assert {f"teachrun {name}".rstrip() for name in EXAMPLES} == EVERY.keys()


@pytest.mark.parametrize(
    "words",
    [
        ["ddp", "--steps", "1", "ranks=2", "--json"],
        ["--steps", "1", "ddp", "ranks=2", "--json"],
        ["--json", "ddp", "--steps", "1", "ranks=2"],
    ],
)
def test_words_of_a_demo_may_stand_on_both_sides_of_an_option(
    words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tui.commands.running import run

    seen: list[argparse.Namespace] = []
    monkeypatch.setattr(run, "main", lambda args: seen.append(args) or 0)
    assert cli.main(["run", *words]) == 0
    assert [*seen[0].words, *seen[0].more] == ["ddp", "ranks=2"]
    assert (seen[0].steps, seen[0].json) == ("1", True)


@pytest.mark.parametrize("argv", [["run", "ddp", "--stepz", "1"], ["ps", "more"], ["list", "--what"]])
def test_what_nobody_knows_is_wrong_usage(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main(argv)
    assert stop.value.code == 2
    assert "unrecognized arguments" in capsys.readouterr().err


# --- shells and man -------------------------------------------------------------------------------------


def test_bash_completes_commands_options_and_files(tmp_path: Path) -> None:
    pytest.importorskip("shtab")
    (tmp_path / "talk.md").write_text("# One\n")
    (tmp_path / "words").write_text(completion.script("bash"))

    def completed(*words: str) -> set[str]:
        asked = " ".join(shlex.quote(word) for word in words)
        run = (
            f"source ./words; COMP_WORDS=({asked}); COMP_CWORD={len(words) - 1}; "
            "$(complete -p teachrun | sed 's/.*-F \\([^ ]*\\).*/\\1/') teachrun; "
            'printf "%s\\n" "${COMPREPLY[@]}"'
        )
        done = subprocess.run(["bash", "-c", run], cwd=tmp_path, capture_output=True, text=True, timeout=30)
        return set(done.stdout.split())

    assert {"compare", "completion"} <= completed("teachrun", "comp")
    assert "--rehearse" in completed("teachrun", "present", "--re")
    assert "talk.md" in completed("teachrun", "check", "tal")


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_each_shell_is_given_every_command(shell: str) -> None:
    pytest.importorskip("shtab")
    said = completion.script(shell)
    assert all(name in said for name in cli.COMMANDS)


def test_the_manual_page_has_every_command() -> None:
    pytest.importorskip("argparse_manpage")
    page = completion.manual()
    assert page.startswith(".TH TEACHRUN")
    assert all(f"teachrun {name}" in page.replace("\\-", "-") for name in cli.COMMANDS)


def test_without_the_packages_it_says_how_to_get_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def gone(*_: object) -> str:
        raise ImportError

    monkeypatch.setattr(completion, "script", gone)
    monkeypatch.setattr(completion, "manual", gone)
    assert (cli.main(["completion", "zsh"]), cli.main(["completion", "man"])) == (2, 2)
    said = capsys.readouterr().err
    assert "install shtab" in said and "argparse-manpage" in said

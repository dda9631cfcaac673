"""`teachrun quiz take`: a pipe, a file, a terminal, and decks that are broken.

As processes of their own where it matters how streams are opened; else in this one, on the same bytes.
"""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from teachrun_process import TEACHRUN, Ended, teachrun

from tui import cli

pytestmark = pytest.mark.slow

DECK = """\
# One

::: quiz {#ring kind=single points=2}
How many bytes does each rank send, in units of $S$?

- [ ] one
- [x] 2(n-1)/n
  > Every chunk goes round *twice*.
- [ ] n

> Same for all n.
:::

---

# Two

::: quiz {#silent}
Which are silent?

- [x] no sampler
- [x] no set_epoch
- [ ] a shape mismatch
:::
"""


@pytest.fixture
def deck(tmp_path: Path) -> Path:
    path = tmp_path / "deck.md"
    path.write_text(DECK, "utf-8")
    return path


Take = Callable[..., Ended]


def take_alone(*args: object, answers: str = "") -> Ended:
    """As a process of its own."""
    return teachrun(
        *("quiz", "take", *map(str, args)),
        typed=answers, encoding="utf-8", errors="surrogateescape",
        env={**os.environ, "COLUMNS": "60", "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip


@pytest.fixture
def take(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Take:
    """In this process, with pipes for its streams."""

    def taken(*args: object, answers: str = "") -> Ended:
        typed = io.BytesIO(answers.encode("utf-8", "surrogateescape"))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(typed, "utf-8"))
        monkeypatch.setenv("COLUMNS", "60")
        try:
            code = cli.main(["quiz", "take", *map(str, args)])
        except SystemExit as left:  # argparse
            code = left.code if isinstance(left.code, int) else 1
        return Ended(code, *capsys.readouterr())

    return taken


def report(take: Take, *args: object, answers: str) -> dict[str, Any]:
    result = take(*args, "--json", answers=answers)
    assert not result.err
    found = json.loads(result.out)
    assert isinstance(found, dict)
    assert result.code == (0 if found["passed"] else 1)
    return found


def test_a_pipe_gets_the_questions_and_the_score_and_no_prompts(deck: Path) -> None:
    result = take_alone(deck, answers="2\n1\n")
    assert result.code == 0 and not result.err
    lines = result.out.splitlines()
    assert "Question 1 of 2" in lines and "  2  2(n-1)/n" in lines
    assert not any("skips" in line for line in lines)
    why = lines.index("  2 ✓ Every chunk goes round twice.")  # as who types reads it, below the answer
    assert lines.index("Question 1 of 2") < lines.index("✓ 2 of 2  2") < why < lines.index("Question 2 of 2")
    assert any(line.startswith("  1 ✓ 2 of 2  2") for line in lines)
    assert any(line.startswith("  2 ◐ 0.5 of 1  1, right: 1,2") for line in lines)
    assert lines[-1] == "2.5 of 3 points: passed (50 % passes)"
    assert max(map(len, lines)) <= 60


def test_one_object_says_everything(deck: Path) -> None:
    assert report(take_alone, deck, answers="2\n1, 3\n") == {
        "deck": str(deck),
        "questions": [
            {
                "id": "ring",
                "kind": "single",
                "points": 2.0,
                "out_of": 2.0,
                "choice": [2],
                "key": [2],
                "right": True,
            },
            {"id": "silent", "kind": "multi", "points": 0.0, "out_of": 1.0, "choice": [1, 3], "key": [1, 2]}
            | {"right": False},
        ],
        "points": 2.0,
        "out_of": 3.0,
        "passed": True,
    }


@pytest.mark.parametrize(
    ("answers", "points"),
    [
        ("2\n1 2\n", 3.0),
        ("\n1,2", 1.0),
        ("q\n1,2\n", 0.0),
        ("2\nq", 2.0),
        ("2", 2.0),
        ("", 0.0),
        ("\r\n2,1\r\n", 1.0),
    ],
)
def test_skips_stops_and_ends(take: Take, deck: Path, answers: str, points: float) -> None:
    assert report(take, deck, answers=answers)["points"] == points


def test_answers_come_from_a_file_and_the_pass_mark_is_obeyed(take: Take, deck: Path, tmp_path: Path) -> None:
    answers = tmp_path / "answers.txt"
    answers.write_bytes(b"\xef\xbb\xbf2\n\n")
    for mark, code in (("66%", 0), ("67", 1), ("0", 0), ("100%", 1)):
        assert take(deck, "--answers", answers, "--pass", mark).code == code


@pytest.mark.parametrize(
    ("args", "answers", "says"),
    [
        (["{deck}"], "4\n", "input:1: '4' is not an answer. Write one of 1 to 3"),
        (["{deck}"], "2\n1.2/\n", "input:2: '1.2/' is not an answer. Write some of 1 to 3"),
        (["{deck}"], "1,2\n", "input:1: '1,2' is not an answer. Write one of 1 to 3"),
        (["{deck}"], "\x1b[2J\n", "is not an answer"),
        (["{deck}", "--answers", "missing.txt"], "", "missing.txt: cannot be read"),
        (["{deck}", "--pass", "0.6"], "", "Write a percentage from 0 to 100, as in 60%"),
        (["missing.md"], "", "missing.md"),
        (["."], "", ""),
        ([], "", "FILE"),
    ],
)
def test_usage(take: Take, deck: Path, args: list[str], answers: str, says: str) -> None:
    result = take(*(arg.format(deck=deck) for arg in args), answers=answers)
    assert result.code == 2
    assert says in result.err and "Traceback" not in result.err
    assert "\x1b" not in result.err + result.out


def test_bytes_that_are_no_text_are_no_answer(deck: Path) -> None:
    result = take_alone(deck, answers="\udcff\n")
    assert result.code == 2 and "is not an answer" in result.err and "Traceback" not in result.err


def test_broken_questions_are_told_and_the_others_asked(take: Take, deck: Path) -> None:
    deck.write_text(
        DECK.replace("[x] 2(n-1)/n", "[ ] 2(n-1)/n") + "\n---\n\n::: poll\nWho?\n\n- [ ] I\n- [ ] you\n:::\n",
        "utf-8",
    )
    result = take(deck, "--json", answers="1,2\n")
    assert result.code == 0
    first, second = result.err.splitlines()
    assert first.startswith(f"not asked: {deck}:6: no option is right") and "Mark the right one" in first
    line = deck.read_text("utf-8").split("\n").index("::: poll") + 2
    assert f"{deck}:{line}: `poll` has no key" in second
    assert [row["id"] for row in json.loads(result.out)["questions"]] == ["silent"]


def test_a_deck_without_questions(take: Take, deck: Path) -> None:
    deck.write_text("# Nothing\n", "utf-8")
    result = take(deck)
    assert result.code == 2 and "no question to ask" in result.err


def test_a_terminal_is_prompted_asked_again_and_told_why(deck: Path) -> None:
    master, terminal = pty.openpty()
    try:
        with subprocess.Popen(
            [*TEACHRUN, "quiz", "take", str(deck)],
            stdin=terminal,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "COLUMNS": "60", "PYTHONIOENCODING": "utf-8"},
        ) as process:
            os.write(master, b"9\n2\n1,2\n")
            output, _ = process.communicate(timeout=60)
    finally:
        os.close(master)
        os.close(terminal)
    text = output.decode()
    assert process.returncode == 0
    assert text.count("a number (Enter skips, q stops): ") == 2
    assert "'9' is not an answer" in text
    assert (
        "✓ 2 of 2  2" in text and "  2 ✓ Every chunk goes round twice." in text and "Same for all n." in text
    )
    assert text.rstrip().endswith("3 of 3 points: passed (50 % passes)")

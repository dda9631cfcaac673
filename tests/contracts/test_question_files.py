"""Files of questions with every construct of their formats, good and broken, read exactly.

`python tests/contracts/test_question_files.py` writes the golden objects anew: look at what changed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest
from msgspec import to_builtins

from quiz.formats.registry import FORMATS, recognised
from quiz.question import Kind, Question
from tui.commands.quizfiles import read

FILES = Path(__file__).with_name("questions")
NAMES = sorted(path.name for path in FILES.iterdir() if path.suffix != ".json")


def told(name: str) -> str:
    """What is read of a file, one question or trouble a line, without what is as always."""
    bank = read(str(FILES / name)).bank
    plain = to_builtins(Question("", "single", ""))
    rows: list[tuple[str, object]] = [
        (
            "question",
            {key: value for key, value in to_builtins(q).items() if value != plain[key] or key == "kind"},
        )
        for q in bank.questions
    ]
    rows += [("trouble", t) for t in map(to_builtins, bank.troubles)] + [
        ("note", t) for t in map(to_builtins, bank.notes)
    ]
    lines = (json.dumps({what: row}, ensure_ascii=False) for what, row in rows)
    return "[\n" + ",\n".join(lines) + "\n]\n"


@pytest.mark.parametrize("name", NAMES)
def test_read_as_it_was_looked_at(name: str) -> None:
    assert told(name) == (FILES / f"{name}.golden.json").read_text("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_good_files_have_no_trouble_and_broken_ones_good_questions(name: str) -> None:
    bank = read(str(FILES / name)).bank
    assert bank.questions
    assert bool(bank.troubles) == name.startswith("broken")
    assert all(t.line > 0 and t.mend for t in bank.troubles)


def test_a_deck_has_every_kind_of_question() -> None:
    assert {q.kind for q in read(str(FILES / "good.md")).bank.questions} == set(get_args(Kind))


def test_every_format_that_is_read_has_its_files() -> None:
    have = {(name.split(".")[0], found.name) for name in NAMES if (found := recognised(name, "ANSWER: A"))}
    wanted = [one.name for one in FORMATS if one.reader] + ["markdown"]  # a deck is read by its own grammar
    assert have == {(state, name) for name in wanted for state in ("good", "broken")}


if __name__ == "__main__":
    for name in NAMES:
        (FILES / f"{name}.golden.json").write_text(told(name), "utf-8")

"""Files of questions with every construct of their formats, good and broken, read exactly.

`python tests/contracts/test_question_files.py` writes the golden objects anew: look at what changed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from quiz.formats.registry import FORMATS, named, recognised
from quiz.kinds.registry import Kind
from quiz.question import Accepted, Number, Question
from tui.deck.question_files import read

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
    assert bank.questions or name == "broken.cloze"  # of which a file is one question
    assert bool(bank.troubles) == name.startswith("broken")
    assert all(t.line > 0 and t.mend for t in bank.troubles)


def bare(question: Question) -> Question:
    """Without what no format has to keep: the line, and how a number was written."""

    def wordless(accepted: tuple[Accepted, ...]) -> tuple[Accepted, ...]:
        return tuple(
            replace(a, text="", number=Number(round(a.number.low, 9), round(a.number.high, 9), a.number.unit))
            if a.number
            else a
            for a in accepted
        )

    gaps = tuple(replace(gap, accepted=wordless(gap.accepted)) for gap in question.gaps)
    return replace(question, line=0, accepted=wordless(question.accepted), gaps=gaps)


WAYS = [
    ("good.gift", "gift"), ("good.gift", "moodle"), ("good.xml", "moodle"), ("good.csv", "csv"),
    ("good.csv", "moodle"), ("good.aiken.txt", "aiken"), ("good.aiken.txt", "gift"),
    ("good.aiken.txt", "moodle"), ("good.cloze", "moodle"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "format"), WAYS)
def test_export_then_import_gives_equal_questions(name: str, format: str) -> None:
    asked = read(str(FILES / name)).bank.questions
    way = named(format)
    assert way is not None
    text, losses = way.write(asked)
    bank = way.read(text)
    assert bank.troubles == () and len(bank.questions) == len(asked) > len(losses)
    told = {loss.id for loss in losses}  # which were changed, and that was said
    found = [bare(q) for q in bank.questions if q.id not in told]
    assert found == [bare(q) for q in asked if q.id not in told]


def test_a_deck_has_every_kind_of_question() -> None:
    assert {q.kind for q in read(str(FILES / "good.md")).bank.questions} == set(get_args(Kind))


def test_every_format_that_is_read_has_its_files() -> None:
    have = {(name.split(".")[0], found.name) for name in NAMES if (found := recognised(name, "ANSWER: A"))}
    wanted = [one.name for one in FORMATS if one.reader] + ["markdown"]  # a deck is read by its own grammar
    assert have == {(state, name) for name in wanted for state in ("good", "broken")}


if __name__ == "__main__":
    for name in NAMES:
        (FILES / f"{name}.golden.json").write_text(told(name), "utf-8")

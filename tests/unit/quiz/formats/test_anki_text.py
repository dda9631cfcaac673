"""Notes that Anki has exported as plain text."""

from __future__ import annotations

import pytest

from quiz.formats import anki_text
from quiz.formats.encoding import packed
from quiz.formats.registry import recognised
from quiz.grade import grade
from quiz.question import Question

HEAD = "\ufeff#separator:{}\r\n#html:true\r\n#tags column:3\r\n"


def one(rows: str, separator: str = "tab") -> Question:
    bank = anki_text.read(HEAD.format(separator) + rows)
    assert not bank.troubles
    (question,) = bank.questions
    return question


@pytest.mark.parametrize(
    ("separator", "sign"), [("tab", "\t"), ("Comma", ","), ("semicolon", ";"), ("pipe", "|"), ("|", "|")]
)
def test_whatever_parts_the_fields(separator: str, sign: str) -> None:
    text = HEAD.format(separator) + sign.join(('"<b>What</b> ""is""?"', "<div>DDP  2</div>", "a b"))
    found = recognised("notes.txt", text)
    assert found is not None and found.name == "anki"
    (question,) = found.read(text).questions
    assert (question.kind, question.id, question.tags) == ("text", "what-is", ("a", "b"))
    assert grade(question, (), ("ddp 2",)).right and not grade(question, (), ("ddp 3",)).right


def test_a_star_of_an_answer_stands_for_itself() -> None:
    question = one("x\ta*\t\n")
    assert grade(question, (), ("a*",)).right and not grade(question, (), ("ab",)).right


def test_what_is_too_long_to_be_typed_is_shown_behind_an_essay() -> None:
    assert one("x\ta<br>b\t").kind == one("x\t" + "a" * 61 + "\t").kind == one("x\t\\(y\\)\t").kind == "essay"
    assert one("x\ta<br>b\t").explain == "a<br>b"


def test_gaps_of_cloze_notes() -> None:
    question = one("{{c1::Ring::shape}} and {{c1::two}}; {{c2::3}}\tbecause\t\n")
    assert question.kind == "cloze" and question.stem == "{{1}} and {{2}}; {{3}}"
    assert [gap.accepted[0].text for gap in question.gaps] == ["Ring", "two", "3"]
    assert question.hints == ("shape",) and question.explain == "because" and question.points == 3


def test_a_file_of_its_own_says_how_to_export() -> None:
    said = packed(b"PK\x03\x04" + b"\0" * 99, "deck.apkg")
    assert "Notes in Plain Text" in said and "CSV" not in said

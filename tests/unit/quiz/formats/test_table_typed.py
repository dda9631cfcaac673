"""Tables in which some answers are typed: beside questions with options, and within a tolerance."""

from __future__ import annotations

import pytest

from quiz.formats.table import rows
from quiz.question import Number


def test_a_row_without_options_is_typed() -> None:
    bank = rows.read(
        "question;answer 1;answer 2;correct\nHow much?;;;3,5\nWhich?;a;b;1\nWho?;;;ring | a ring\n"
    )
    assert [question.kind for question in bank.questions] == ["numeric", "single", "text"]
    assert [answer.text for answer in bank.questions[2].accepted] == ["ring", "a ring"]
    assert not bank.troubles


@pytest.mark.parametrize(
    ("head", "row"),
    [
        ("question,answer,tolerance", "How much?,16.6 GB,0.1"),
        ("question;option 1;option 2;correct;Margin of error", "How much?;;;16,6 GB;0,1"),
    ],
)
def test_a_tolerance_of_a_column_of_its_own(head: str, row: str) -> None:
    bank = rows.read(f"{head}\n{row}\n")
    (answer,) = bank.questions[0].accepted
    assert isinstance(answer.number, Number) and answer.number.unit == "GB"
    assert (answer.number.low, answer.number.high) == pytest.approx((16.5, 16.7))
    assert not bank.notes and not bank.troubles


def test_a_tolerance_that_means_nothing_is_told() -> None:
    bank = rows.read("question,answer,tolerance\nHow much?,3,much\nWho?,ring,0.1\nWhat?,tree,0\nHow?,4,\n")
    assert [trouble.line for trouble in bank.troubles] == [2]
    assert [question.stem for question in bank.questions] == ["Who?", "What?", "How?"]
    assert [note.line for note in bank.notes] == [3]

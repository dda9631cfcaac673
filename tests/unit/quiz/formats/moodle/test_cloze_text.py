"""A file of Moodle's embedded answers alone: read, told apart from GIFT, and written to the other formats."""

from __future__ import annotations

import pytest

from quiz.formats import native
from quiz.formats.gift import writer as gift
from quiz.formats.moodle import cloze_text, reader, writer
from quiz.formats.registry import recognised
from quiz.grade import grade
from quiz.reply import Reply, read_reply

TEXT = (
    "\ufeffMatch the cities \\{so\\}:\r\n* San Francisco: {1:MULTICHOICE:=California#OK~Arizona#Wrong}\r\n"
    "* Tucson: {:MC:California~%100%Arizona}\r\n\r\n"
    "The ring takes {2:NUMERICAL:=6:0.5~%50%7:0#near} steps of {1:SAC:=NCCL~%50%nccl}.\r\n"
)


def test_a_file_is_one_question() -> None:
    assert (found := recognised("a.txt", TEXT)) and found.name == "cloze"
    (question,) = (bank := cloze_text.read(TEXT)).questions
    assert not bank.troubles and question.line == 1 and question.points == 5.0
    assert question.stem.startswith("Match") and question.stem.endswith("{{3}} steps of {{4}}.")
    assert [gap.offered for gap in question.gaps[:2]] == [("California", "Arizona")] * 2
    said = read_reply(question, "California; Arizona; 7; nccl")
    assert isinstance(said, Reply)
    assert grade(question, said.choice, said.text).points == pytest.approx(3.5)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Q {1:SA:=a} and {2:MC:=b~c}", "cloze"),
        ("Q {=a}\n\nR {1:SA:=a}", "gift"),  # a question of GIFT, and another that is none
        ("Q {:=a}", "gift"),
        ("Code \\{ x \\} {1:NM:=3}", "cloze"),
        ("Q {1:", "gift"),
    ],
)
def test_it_is_told_from_gift(text: str, name: str) -> None:
    found = recognised("a.txt", text)
    assert found is not None and found.name == name


def test_every_broken_gap_is_told_where_it_is() -> None:
    bank = cloze_text.read("One {1:SA:=a}\nand {1:XX:=a}\n\nand {1:SA:b}\n{1:NM:=c")
    assert not bank.questions
    assert [(t.line, t.column) for t in bank.troubles] == [(2, 5), (4, 5), (5, 1)]
    assert cloze_text.read("no gap").troubles and all(t.mend for t in bank.troubles)


def test_it_goes_to_moodle_xml_and_back() -> None:
    (question,) = cloze_text.read(TEXT).questions
    text, losses = writer.write([question])
    (again,) = reader.read(text).questions
    assert again.gaps == question.gaps and again.stem == question.stem and not losses
    assert "{{" not in text  # its name has blanks where its gaps are


def test_what_a_deck_cannot_say_of_its_gaps_is_told() -> None:
    (question,) = cloze_text.read(TEXT).questions
    _, losses = native.write([question])
    assert [loss.what for loss in losses] == [
        "left out: what explains the answers of gaps",
        "left out: answers of gaps worth part of the points: 7, nccl",
        "its gaps are worth the same",
        "its gaps take capitals for small letters",
    ]


def test_a_gap_of_a_number_is_filled_with_it() -> None:
    (question,) = cloze_text.read(TEXT).questions
    text, _ = gift.write([question])
    assert "6\\:0.5 steps" not in text and "6 ± 0.5 steps" in text

"""Moodle XML: answers embedded in a text, of every type, and gaps that are broken."""

from __future__ import annotations

import pytest
from made_moodle import item, one, quiz

from quiz.formats.moodle import reader, writer
from quiz.grade import grade
from quiz.question import Accepted, Number
from quiz.reply import Reply, read_reply


def test_embedded_answers() -> None:
    question = one(
        "cloze",
        "",
        "Ring {2:NUMERICAL:=6:0.5#yes~%50%7:1} on {1:MULTICHOICE:=4~8#no~\\}} and {:SA:=a\\=b~%50%c}.",
    )
    assert (
        question.kind == "cloze"
        and question.stem == "Ring {{1}} on {{2}} and {{3}}."
        and question.points == 4
    )
    steps, ranks, text = question.gaps
    assert steps.weight == 2 and [a.number for a in steps.accepted] == [
        Number(5.5, 6.5, "", 6),
        Number(6, 8, "", 7),
    ]
    assert ranks.offered == ("4", "8", "}") and ranks.accepted == (
        Accepted("4"),
        Accepted("8", 0.0, "no"),
    )
    assert text.accepted == (Accepted("a=b"), Accepted("c", 0.5))


EMBEDDED = [
    ("{1:MULTICHOICE:200#early~=50 B.C.#yes~50 A.C.}", "b", 1.0),
    ("{1:MCH:Idefix~=Obelix}", "Obelix", 1.0),
    ("{1:MULTICHOICE_VS:=59~51}", "51", 0.0),
    ("{1:MULTIRESPONSE:=Marge#the mother~Fred~=Lisa~Anna}", "1,3", 1.0),
    ("{1:MULTIRESPONSE_H:=Marge~Fred~=Lisa~Anna}", "1,2,3", 0.5),
    ("{1:MRS:%50%blue~%0%greedy~%25%mom}", "1", 2 / 3),
    ("{1:MULTIRESPONSE_HS:%100%a~%100%b~%-50%c}", "1,2,3", 0.5),
    ("{1:NUMERICAL:=32:0#exact}", "32", 1.0),
    ("{3:NM:%100%1701:0~%66%1701:20#near~%33%1701:50}", "1711", 0.66),
    ("{1:NUMERICAL:=5:0~*#no}", "7", 0.0),
    ("{1:SHORTANSWER:=Whisky~=Whiskey~%50%Wiskey~*#hardly}", "wiskey", 0.5),
    ("{1:SHORTANSWER_C:=H2O~h2o#capitals}", "h2o", 0.0),
    ("{:SA:=a\\}b\\#c&lt;d}", "a}b#c<d", 1.0),
]


@pytest.mark.parametrize(("code", "typed", "earned"), EMBEDDED)
def test_every_type_of_embedded_answer(code: str, typed: str, earned: float) -> None:
    question = one("cloze", "", f"Fill {code} in.")
    reply = read_reply(question, typed)
    assert isinstance(reply, Reply) and grade(question, reply.choice, reply.text).parts == pytest.approx(
        (earned,)
    )
    again = reader.read(writer.write([question])[0])
    assert again.troubles == () and again.questions[0].gaps == question.gaps


def test_every_broken_gap_is_told_on_its_line() -> None:
    stem = "Fruit {1:MULTICHOICE:=Apple}\n{1:MC:Pear~%50%Apple}\n{3:NUMERICAL:=zero} {1:DRAG:=x}\n{1:SA:=open"
    bank = quiz(item("cloze", "", stem), item("essay", "", "good"))
    assert [t.line for t in bank.troubles] == [3, 4, 5, 5, 6] and len(bank.questions) == 1
    assert ["two answers" in bank.troubles[0].message, "right" in bank.troubles[1].message] == [True, True]


@pytest.mark.parametrize("span", ["3.141..3.142", "0.1..0.3", "1e20..3e20", "16.6 ± 0.1", "-5..5"])
def test_a_range_is_its_middle_and_what_it_may_be_off_by(span: str) -> None:
    """3.141 to 3.142 was written as 3.1414999999999997."""
    from quiz.answers.tolerance_as_written import around, number

    meant = number(span)
    assert meant is not None
    middle, off = around(meant)
    assert len(middle) < 8 and len(off) < 8
    assert (float(middle) - float(off), float(middle) + float(off)) == pytest.approx((meant.low, meant.high))

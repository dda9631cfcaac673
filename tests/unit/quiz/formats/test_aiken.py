"""Aiken: as Moodle documents it, what Moodle refuses, out and in again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_questions import questions, texts

from quiz.formats import aiken
from quiz.question import Question


def test_aiken_as_its_documentation_has_it() -> None:
    bank = aiken.read(
        "\ufeffWhat is the correct answer?\r\nA. Is it this one?\r\nB. Maybe this?\r\n"
        "C) Or this\r\nANSWER: B\r\n\r\nNext\n\nA) x\nB) y\nANSWER: A\n"
    )
    assert bank.troubles == ()
    first, second = bank.questions
    assert (first.stem, first.key, first.line) == ("What is the correct answer?", (1,), 1)
    assert [o.text for o in first.options] == ["Is it this one?", "Maybe this?", "Or this"]
    assert (second.stem, second.key, second.line) == ("Next", (0,), 7)


def test_each_trouble_of_an_aiken_file_has_its_place() -> None:
    text = "\n".join(
        [
            "Lost answer", "A. x", "B. y", "Good", "A. x", "B. y", "ANSWER: A",  # 1-7
            "Far", "A. x", "B. y", "ANSWER: D",  # 8-11
            "Alone", "A. x", "ANSWER: A",  # 12-14
            "Gap", "A. x", "C. y", "ANSWER: A",  # 15-18
            "ANSWER: B",  # 19
            "Small", "A. x", "b. y", "C. z", "ANSWER: A",  # 20-24
            "End", "A. x", "B. y",
        ]
    )  # fmt: skip
    bank = aiken.read(text)
    assert [q.stem for q in bank.questions] == ["Good"]
    assert [(t.line, t.message.split()[-1]) for t in bank.troubles] == [
        (4, "answer"),
        (11, "B"),
        (12, "options"),
        (17, "due"),
        (19, "question"),
        (22, "one"),
        (27, "answer"),
    ]
    assert all(t.mend and t.column for t in bank.troubles)


@pytest.mark.parametrize(
    ("block", "line", "says"),
    [
        ("Q\nA) x\nB) y\nanswer: A", 4, "begin with `ANSWER:`"),
        ("Q\nA) x\nB) y\nANSWER A", 4, "begin with `ANSWER:`"),
        ("Q\nA) x\nB) y\nANSWER: a", 4, "none of A, B"),
        ("Q\nA) x\nB) y\nANSWER: A, B", 4, "none of A, B"),
        ("Q\nA) x\nB) y\nANSWER:", 4, "none of A, B"),
        ("Q\nA: x\nB) y\nANSWER: B", 2, "begin like one"),
        ("Q\nA) x\nB)\nANSWER: A", 3, "empty"),
        ("Q\nA) x\nwrapped\nB) y\nANSWER: A", 3, "neither an option nor an answer"),
        ("Q", 1, "no options"),
        ("A) x\nB) y\nANSWER: A", 1, "without a question"),
        ("ANSWER: A", 1, "without a question"),
    ],
)
def test_what_moodle_refuses_in_aiken_is_told_and_the_next_is_read(block: str, line: int, says: str) -> None:
    bank = aiken.read(f"{block}\n\nGood\nA. x\nB. y\nANSWER: B\n")
    (trouble,) = bank.troubles
    assert trouble.line == line and says in trouble.message and trouble.mend, trouble
    assert [(q.stem, q.key) for q in bank.questions] == [("Good", (1,))]


def test_a_question_of_two_lines_is_one_and_noted() -> None:
    bank = aiken.read("Two\nlines\n\nA) x\nB) y\nANSWER: B. y\n")
    assert (
        bank.questions[0].stem == "Two\nlines" and bank.troubles == () and "2 lines" in bank.notes[0].message
    )
    long = aiken.read("Q\nA. x\n" + "wrapped\n" * 5_000 + "B. y\nANSWER: A\n")
    assert len(long.troubles) == 5_000


@given(st.text())
def test_any_text_read_as_aiken_is_sound(text: str) -> None:
    bank = aiken.read(text)
    assert all(q.keyed and len(q.options) > 1 for q in bank.questions)
    assert all(t.line >= 1 and t.mend for t in bank.troubles)


@given(questions(("single",), texts("~=#{}:<>&é漢", lines=False)))
def test_aiken_goes_out_and_comes_in_again(asked: Question) -> None:
    text, _ = aiken.write([asked])
    bank = aiken.read(text)
    assert bank.troubles == (), (text, bank.troubles)
    (found,) = bank.questions
    assert found.stem == asked.stem and found.key == asked.key
    assert [o.text for o in found.options] == [o.text for o in asked.options]

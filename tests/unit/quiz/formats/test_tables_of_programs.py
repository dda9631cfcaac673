"""Tables as other programs write them: read with their keys, or refused by the name of the program."""

from __future__ import annotations

import pytest

from quiz.formats.read_result import Bank
from quiz.formats.table import rows

KAHOOT = """,Kahoot! Quiz Template,,,,,,
,"Add questions, at least two answer alternatives, and choose correct answers (at least one).",,,,,,
,,,,,,,
,Question - max 120 characters,Answer 1 - max 75 characters,Answer 2 - max 75 characters,\
Answer 3 - max 75 characters,Answer 4 - max 75 characters,"Time limit (sec) – 5, 10, 20, 30, or 240 secs",\
Correct answer(s) - choose at least one
1,Which is a collective?,all-reduce,malloc,fork,exec,20,1
2,Which are even?,1,2,3,4,30,"2,4"
"""
BLOOKET = """"Blooket
Import Template",,,,,,,
Question #,Question Text,Answer 1,Answer 2,"Answer 3
(Optional)","Answer 4
(Optional)","Time Limit (sec)
(Max: 300 seconds)","Correct Answer(s)
(Only include Answer #)"
1,Which is a collective?,all-reduce,malloc,fork,exec,20,1
2,Which are even?,1,2,3,4,30,"2,4"
"""
GIMKIT = """Gimkit Spreadsheet Import Template,,,,
Question,Correct Answer,Incorrect Answer 1,Incorrect Answer 2 (Optional)
Which is a collective?,all-reduce,malloc,fork
"""
SOCRATIVE = """Question Type,Question,A,B,C,Correct Answer,Explanation
Multiple choice,Which is a collective?,all-reduce,malloc,fork,A,by name
Short Answer,Capital of France?,Paris,Paname,,,
"""


def keys(bank: Bank) -> list[list[str]]:
    return [[option.text for option in q.options if option.right] for q in bank.questions]


@pytest.mark.parametrize("text", [KAHOOT, BLOOKET], ids=["kahoot", "blooket"])
def test_a_template_with_words_above_its_head(text: str) -> None:
    bank = rows.read(text)
    assert keys(bank) == [["all-reduce"], ["2", "4"]]
    assert [q.stem for q in bank.questions] == ["Which is a collective?", "Which are even?"]
    assert [q.time_s for q in bank.questions] == [20, 30]
    assert not bank.troubles and not bank.notes


def test_a_banner_without_a_comma_hides_no_delimiter() -> None:
    assert keys(rows.read(GIMKIT)) == [["all-reduce"]]
    assert keys(rows.read(GIMKIT.replace("Template,,,,", "Template").replace(",", ";"))) == [["all-reduce"]]


def test_accepted_answers_in_the_columns_of_options() -> None:
    bank = rows.read(SOCRATIVE)
    assert keys(bank)[0] == ["all-reduce"] and not bank.troubles
    assert [answer.text for answer in bank.questions[1].accepted] == ["Paris", "Paname"]


@pytest.mark.parametrize(
    ("head", "program"),
    [
        ("Timestamp,Email Address,Score,What is 2+2?", "Google"),
        ('name,id,section,submitted,attempt,"34: What is 2+2?",1.0,n correct,n incorrect,score', "Canvas"),
        ("ID,Start time,Completion time,Email,Name,What is 2+2?", "Microsoft"),
        ("Rank,Player,Total Score (points),Q1", "Kahoot"),
        ("Surname,First name,Email address,State,Started on,Completed", "Moodle"),
        ("NewQuestion,MC,,,", "Brightspace"),
    ],
)
def test_what_people_answered_is_no_bank_of_questions(head: str, program: str) -> None:
    bank = rows.read(f"{head}\n2024,a@x.org,1 / 1,4,2,3,4,1,0,1\n")
    assert not bank.questions
    (trouble,) = bank.troubles
    assert program in trouble.message and trouble.mend


def test_a_key_is_never_half_a_text_and_half_a_number() -> None:
    """`1,3` of 2, 3, 4, 5 was the first option by its number and the second by its text."""
    bank = rows.read('Question,A,B,C,D,Correct\nWhich are even?,2,3,4,5,"1,3"\n')
    assert keys(bank) == [["2", "4"]]


def test_one_row_tells_that_all_keys_are_numbers() -> None:
    head = "Question,A,B,C,D,Correct\n"
    assert keys(rows.read(f"{head}2 + 3?,3,4,5,6,3\nWhich?,ring,tree,star,mesh,2\n")) == [["5"], ["tree"]]
    assert keys(rows.read(f"{head}2 + 1?,3,4,5,6,3\n4 + 4?,7,8,9,10,8\n")) == [["3"], ["8"]]

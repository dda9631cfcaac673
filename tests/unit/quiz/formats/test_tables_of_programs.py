"""Tables as other programs write them: read with their keys, or refused by the name of the program."""

from __future__ import annotations

import pytest

from quiz.formats.read_result import Bank
from quiz.formats.registry import recognised
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


def test_rows_of_blackboard() -> None:
    text = (
        "MC\tWhich?\ta\tincorrect\tb\tcorrect\nMA\tWhich?\ta\tcorrect\tb\tincorrect\tc\tcorrect\n"
        "TF\tIt is.\tfalse\nESS\tTell.\t\nORD\tSort.\tone\ttwo\tthree\nMAT\tMatch.\tcat\tmeow\tdog\twoof\n"
        "FIB\tWho?\tring\ta ring\nFIB_PLUS\tOne is [b], one [a].\ta\tred\t\tb\tblue\tnavy\n"
        "NUM\tHow many?\t3.14\t0.01\n"
    )
    assert (found := recognised("questions.txt", text)) and found.name == "csv"
    bank = rows.read(text)
    assert not bank.troubles
    kinds = [q.kind for q in bank.questions]
    assert kinds == ["single", "multi", "truefalse", "essay", "order", "match", "text", "cloze", "numeric"]
    assert [q.key for q in bank.questions[:3]] == [(1,), (0, 2), (1,)]
    assert bank.questions[5].prompts == ("cat", "dog") and bank.questions[5].sequence == (0, 1)
    assert bank.questions[7].stem == "One is {{1}}, one {{2}}."
    assert [[a.text for a in gap.accepted] for gap in bank.questions[7].gaps] == [["blue", "navy"], ["red"]]
    number = bank.questions[8].accepted[0].number
    assert number is not None and (number.low, number.high) == pytest.approx((3.13, 3.15))


@pytest.mark.parametrize(
    "row",
    [
        "MC\tWhich?\ta\tyes\tb\tno", "MC\tWhich?\ta\tincorrect\tb\tincorrect", "TF\tIt is.\tmaybe",
        "ORD\tSort.\tone", "MAT\tMatch.\tcat\tmeow\tdog", "FIB\tWho?", "FIL\tHand in.",
        "NUM\tHow many?\tthree",
        "FIB_PLUS\tOne is [b].\ta\tred", "XYZ\tWhat?\ta",
    ],
)  # fmt: skip
def test_a_row_that_blackboard_would_refuse_is_told(row: str) -> None:
    bank = rows.read(f"TF\tIt is.\ttrue\n{row}\n")
    assert len(bank.questions) == 1 and [trouble.line for trouble in bank.troubles] == [2]


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

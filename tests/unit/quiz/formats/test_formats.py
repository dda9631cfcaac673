"""Files that go out and come in again: what a format can say is the same question after it."""

from __future__ import annotations

from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_questions import questions
from msgspec.structs import replace

from quiz.formats import aiken, native
from quiz.formats.gift import reader, writer
from quiz.formats.moodle.question_types import unnamed
from quiz.formats.nearest_kind import nearest
from quiz.formats.read_result import shared
from quiz.formats.registry import named, recognised
from quiz.formats.table import rows
from quiz.grade import grade
from quiz.parse import KINDS, parse_question
from quiz.question import Accepted, Gap, Option, Question


def same(found: Question, wanted: Question, *fields: str) -> None:
    for field in fields:
        assert getattr(found, field) == getattr(wanted, field), field


def numbered(question: Question) -> Question:
    """Numbers are compared by their bounds, shares by what they come to: how both were written may differ."""
    accepted = tuple(
        replace(
            a, text="", number=replace(a.number, low=round(a.number.low, 9), high=round(a.number.high, 9))
        )
        if a.number
        else a
        for a in question.accepted
    )
    options = shared(question.options) if question.kind == "multi" and _shares(question) else question.options
    return replace(question, accepted=accepted, options=options)


def _shares(question: Question) -> bool:
    return any(option.weight is not None for option in question.options)


@given(st.lists(questions(writer.KINDS), max_size=4, unique_by=lambda q: q.id))
def test_gift_goes_out_and_comes_in_again(asked: list[Question]) -> None:
    text, losses = writer.write(asked)
    bank = reader.read(text)
    assert bank.troubles == () and not losses, (text, bank.troubles, losses)
    assert len(bank.questions) == len(asked)
    for found, wanted in zip(bank.questions, asked, strict=True):
        same(
            numbered(found),
            numbered(wanted),
            "id",
            "kind",
            "stem",
            "options",
            "explain",
            "title",
            "tags",
            "prompts",
        )
        same(numbered(found), numbered(wanted), "sequence", "accepted", "markup", "points")


def test_what_gift_cannot_say_is_told_in_its_kinds() -> None:
    order = Question("o", "order", "Sort", tuple(map(Option, "ab")), sequence=(0, 1), hints=("look",))
    text, losses = writer.write([order])
    (found,) = reader.read(text).questions
    assert found.kind == "match" and found.prompts == ("1", "2")
    assert [loss.what for loss in losses] == ["`order` is written as match", "left out: hints"]
    poll = Question("p", "poll", "?", tuple(map(Option, "ab")))
    assert writer.write([poll]) == ("", [("p", "`poll` cannot be said in this format: left out", -1)])


def test_gaps_become_questions_of_their_own() -> None:
    cloze = parse_question(
        "c", "", {"points": "2"}, "Ring {{all-reduce}} takes {{= 6}} steps on {{4|~8}}.", 2
    )
    assert isinstance(cloze, Question)
    losses: list = []
    found = list(nearest(cloze, ("text", "numeric", "single"), losses))
    assert [q.kind for q in found] == ["text", "numeric", "single"]
    assert found[0].stem == "Ring _____ takes 6 steps on 4." and found[0].accepted == (
        Accepted("all-reduce"),
    )
    assert sum(q.points for q in found) == 2 and losses[0].what.startswith(
        "`cloze` is written as 3 questions"
    )


@given(st.lists(questions(KINDS), max_size=3, unique_by=lambda q: q.id))
def test_a_deck_asks_what_was_written_into_it(asked: list[Question]) -> None:
    for wanted in asked:
        body = native.body(replace(wanted, markup="plain"))
        found = parse_question(wanted.id, wanted.kind, {}, body, 2)
        assert isinstance(found, Question), (body, found)
        assert (
            found.kind == wanted.kind
            and found.key == wanted.key
            and len(found.options) == len(wanted.options)
        )
        assert [a.weight for a in found.accepted if a.number] == [
            a.weight for a in wanted.accepted if a.number
        ]
        assert len(found.prompts) == len(wanted.prompts) and len(found.gaps) == len(wanted.gaps)


def test_marks_of_the_grammar_in_a_stem_stay_text() -> None:
    wanted = Question(
        "q", "single", "Which?\n- [x] this\n:::\n---\n= 3\n```\n- [ ] code", (Option("a", True), Option("b"))
    )
    text, losses = native.write([wanted])
    assert text.startswith("::: quiz {#q kind=single}\n") and losses == []
    found = parse_question("q", "single", {}, native.body(wanted), 2)
    assert isinstance(found, Question) and [o.text for o in found.options] == ["a", "b"]
    assert "\\:::" in found.stem and "- [ ] code" in found.stem


def test_one_choice_of_which_either_is_right_goes_into_a_deck() -> None:
    (asked,) = reader.read("Who? {=a =b ~c =%100%d}").questions
    found = parse_question("q", "single", {}, native.body(asked), 2)
    assert isinstance(found, Question) and found.key == asked.key == (0, 1, 3)
    assert [grade(found, (n,)).points for n in range(4)] == [1, 1, 0, 1]


def test_a_deck_has_its_own_ids() -> None:
    """Those of a bank have a `/`, and of a file any sign."""
    asked = [Question(id, "essay", "Q") for id in ("exam-gift/ring", "exam-gift ring", "", "é 1")]
    heads = [line for line in native.write(asked)[0].split("\n") if line.startswith("::: quiz")]
    assert [head.split()[2] for head in heads] == [
        "{#exam-gift-ring",
        "{#exam-gift-ring-2",
        "{#question",
        "{#é-1",
    ]


def test_what_a_deck_has_on_one_line_is_written_on_one() -> None:
    word = Question("q", "text", "Q", accepted=(Accepted("a\n| b"), Accepted("c|d", 0.5)))
    sides = {"options": (Option("x\ny"), Option("z")), "prompts": ("<p>a\n<b>b</b></p>", "c")}
    pairs = replace(Question("q", "match", "Q", sequence=(0, 1), markup="html"), **sides)
    gap = Question("q", "cloze", "a {{1}}", gaps=(Gap((Accepted("b\nc"),), ("b\nc", "d | {e}")),))
    found = [parse_question(q.id, q.kind, {}, native.body(q), 2) for q in (word, pairs, gap)]
    assert all(isinstance(question, Question) for question in found), found
    text, many, gapped = (question for question in found if isinstance(question, Question))
    assert [a.text for a in text.accepted] == ["a ¦ b", "c|d"] and many.prompts == ("a **b**", "c")
    assert set(gapped.gaps[0].offered) == {"b c", "d ¦ (e)"}
    assert ["¦" in loss.what for loss in native.write([gap, word, pairs])[1]] == [True, True]
    tags = Question("q", "single", "<b></b>", (Option("<l>", True), Option("<i></i>")), markup="html")
    assert isinstance(parse_question("q", "single", {}, native.body(tags), 2), Question)
    empty = Question("q", "essay", "Q", explain="<p><br></p>", markup="html")
    assert native.body(empty) == "Q\n"


def test_a_fence_that_stays_open_is_text_in_a_deck() -> None:
    for text in ("~~~", "```python", "a\n```\nb"):
        asked = Question("q", "single", "Which?", (Option(text, True, text), Option("b")), explain=text)
        found = parse_question("q", "single", {}, native.body(asked), 2)
        assert isinstance(found, Question) and len(found.options) == 2 and found.key == (0,)
    pairs = Question("q", "match", "?", (Option("x"), Option("y")), prompts=("```", "b"), sequence=(0, 1))
    assert isinstance(parse_question("q", "match", {}, native.body(pairs), 2), Question)


TABLE = """\
﻿Question;Correct;Wrong 1;wrong 2;Feedback;Tags;Points
"How much; really?";S;nS;2S;because;ring,bytes;2
Who?;=SUM(A1);'=x;;;;
How many?;16.6 ± 0.1 GB;;;;;
The sum is exact.;false;;;;;
;a;b;;;;
No answer;;b;;;;
Bad points;a;b;;;;many
"""


def test_a_table_from_a_spreadsheet() -> None:
    bank = rows.read(TABLE)
    much, who, many, sum_ = bank.questions
    assert (much.stem, much.kind, much.explain, much.tags, much.points) == (
        "How much; really?", "single", "because", ("ring", "bytes"), 2,
    )  # fmt: skip
    assert {o.text: o.right for o in much.options} == {"S": True, "nS": False, "2S": False}
    assert [o.text for o in who.options] == ["=SUM(A1)", "=x"]
    assert (
        many.kind == "numeric"
        and many.accepted[0].number is not None
        and many.accepted[0].number.unit == "GB"
    )
    assert sum_.kind == "truefalse" and sum_.key == (1,)
    assert [(t.line, t.message.split()[-1]) for t in bank.troubles] == [
        (6, "question"), (7, "answer"), (8, "points"),
    ]  # fmt: skip
    bare = rows.read("Capital?,Paris,Rome\nSky?,blue\n")
    assert [(q.kind, q.stem) for q in bare.questions] == [("single", "Capital?"), ("text", "Sky?")]


@given(
    st.lists(questions(("single", "truefalse", "numeric")), min_size=1, max_size=3, unique_by=lambda q: q.id)
)
def test_a_table_goes_out_and_comes_in_again(asked: list[Question]) -> None:
    text, _ = rows.write(asked)
    bank = rows.read(text)
    assert bank.troubles == () and len(bank.questions) == len(asked), (text, bank)
    for found, wanted in zip(bank.questions, asked, strict=True):
        same(found, wanted, "id", "explain", "stem", "kind", "title")
        assert {o.text for o in found.options if o.right} == {o.text for o in wanted.options if o.right}


@given(st.text())
def test_any_text_read_as_a_table_is_sound(text: str) -> None:
    bank = rows.read(text)
    assert all(q.stem and q.keyed for q in bank.questions) and all(t.mend for t in bank.troubles)


def meaning(question: Question) -> Question:
    """Without how a number was written, and without a title that only repeats the question."""
    found = numbered(question)
    accepted = tuple(
        replace(a, number=replace(a.number, stated=None)) if a.number else a for a in found.accepted
    )
    return replace(found, accepted=accepted, title="" if found.title == unnamed(found.stem) else found.title)


WAYS = [("gift", "moodle", "gift"), ("moodle", "gift", "moodle"), ("moodle", "csv"), ("csv", "gift")]
WHOLE = ("id", "options", "tags", "prompts", "sequence", "points", "accepted", "markup")


@settings(max_examples=40)
@given(questions(writer.KINDS), st.sampled_from(WAYS))
def test_through_several_formats_a_question_keeps_its_meaning_or_its_loss_is_told(
    asked: Question, ways: tuple[str, ...]
) -> None:
    found, told = (asked,), set[str]()
    for name in ways:
        way = named(name)
        assert way is not None
        text, losses = way.write(found)
        bank = way.read(text)
        assert bank.troubles == (), (text, bank.troubles)
        found, told = bank.questions, told | {loss.id for loss in losses}
    if asked.id in told:
        return
    (one,) = found
    same(meaning(one), meaning(asked), "kind", "stem", "explain", "title")
    assert {o.text for o in one.options if o.right} == {o.text for o in asked.options if o.right}
    if "csv" not in ways:
        same(meaning(one), meaning(asked), *WHOLE)


def test_html_is_told_in_the_words_of_formats_that_have_none() -> None:
    asked = Question(
        "q", "single", "<p>1 &lt; 2 <b>is</b></p>", (Option("<i>so</i>", True), Option("no")), markup="html"
    )
    for way in (rows, aiken):
        (found,) = way.read(way.write([asked])[0]).questions
        assert found.stem == "1 < 2 **is**" and {o.text for o in found.options} == {"*so*", "no"}


@pytest.mark.parametrize(
    ("way", "one", "line"),
    [(reader, "Q {T}\n\n", 7), (aiken, "Q\nA. x\nB. y\nANSWER: A\n", 13), (rows, "Q,x\n", 4)],
)
def test_of_a_file_without_end_only_so_many_are_read(
    way: ModuleType, one: str, line: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(way, "MOST", 3)
    bank = way.read(one * 5)
    assert len(bank.questions) == 3
    assert [(t.line, "nothing is read" in t.message) for t in bank.troubles] == [(line, True)]
    assert not way.read(one * 3).troubles


def test_gaps_that_a_format_cannot_say_are_told() -> None:
    gaps = (Gap((Accepted("a"),), ("a", "b")), Gap((Accepted("c"),)), Gap((Accepted("d"),), ("d",)))
    text, losses = aiken.write([Question("q", "cloze", "{{1}} {{2}} {{3}}", gaps=gaps)])
    assert len(aiken.read(text).questions) == 1 and aiken.read(text).troubles == ()
    assert losses[0].what == "`cloze` is written as single; 2 of its gaps cannot be said"


def test_a_table_says_the_kind_where_the_answers_do_not() -> None:
    asked = [
        Question("a", "text", "Which word?", accepted=(Accepted("12"),)),
        Question("b", "multi", "Which?", (Option("x", True), Option("y"))),
        Question("c", "numeric", "How many?", accepted=rows.read("q,12\n").questions[0].accepted),
    ]
    text, _ = rows.write(asked)
    assert text.splitlines()[0].endswith(",type")
    assert [q.kind for q in rows.read(text).questions] == ["text", "multi", "numeric"]


def test_a_file_is_known_by_its_name_or_by_what_is_in_it() -> None:
    cases = {
        ("a.gift", ""): "gift",
        ("a.XML", ""): "moodle",
        ("a.csv", ""): "csv",
        ("a.txt", "Q {T}"): "gift",
        ("a.txt", "Q\nA. x\nB. y\nANSWER: A"): "aiken",
        ("a.txt", "What does f() { return 1; } do?\nA. x\nB. y\nANSWER: A"): "aiken",
        ("a.txt", "\ufeff<?xml version='1.0'?><quiz/>"): "moodle",
    }
    for (path, text), name in cases.items():
        found = recognised(path, text)
        assert found is not None and found.name == name
    assert recognised("a.txt", "plain words") is None


KAHOOT = """\
Question - max 120 characters,Answer 1 - max 75 characters,Answer 2,Answer 3,"Time (sec) – 5",Correct answer
What is 1+2?,3,2,1,20,1
Primes?,2,4,3,30,"1,3"
None?,a,b,,5,3
"""


def test_tables_whose_key_is_a_number_a_letter_or_a_text() -> None:
    bank = rows.read(KAHOOT)
    assert [(q.kind, q.key, q.time_s) for q in bank.questions] == [
        ("single", (0,), 20),
        ("multi", (0, 2), 30),
    ]
    assert [t.line for t in bank.troubles] == [4]
    for key in ("B", "2", "two"):
        (question,) = rows.read(f"question;A;B;C;answer\nq;one;two;three;{key}\n").questions
        assert question.key == (1,) and len(question.options) == 3
    head = "Question Text,Question Type,Option 1,Option 2,Correct Answer"
    quizizz = f"{head}\nCapital?,Fill-in-the-Blank,Rome,Roma,\n"
    assert rows.read(quizizz).questions[0].accepted == (Accepted("Rome"), Accepted("Roma"))


@pytest.mark.parametrize(
    ("head", "row", "key"),
    [
        ("question,option_a,option_b,option_c,correct_answer,explanation", "q,x,y,z,B,because", (1,)),
        ("Question, Option A, Option B, Option C, Answer", 'q, x, "y, or y", z, "y, or y"', (1,)),
        ("id,questions,choice1,choice2,choice3,answer", "7,q,x,y,z,2", (1,)),
        ("No,Question,A,B,C,Key", "1,q,x,y,z,AC", (0, 2)),
        ("Question,Options,Correct Answers,Points", "q,x|y|z,z|x,2", (0, 2)),
        ("question;choices;correct_index", "q;x|y|z;0", (0,)),
        ("question,option1,option2,option3,correct_option", "q,x,y,z,option3", (2,)),
        ("Frage;Antwort A;Antwort B;Antwort C;Richtig", "q;x;y;z;B", (1,)),
    ],
)
def test_heads_as_people_and_their_scripts_write_them(head: str, row: str, key: tuple[int, ...]) -> None:
    bank = rows.read(f"{head}\n{row}\n")
    assert bank.troubles == () and [(q.stem, q.key) for q in bank.questions] == [("q", key)]
    assert len(bank.questions[0].options) == 3


def test_several_wrong_ones_in_one_cell_and_cards_of_two_sides() -> None:
    (question,) = rows.read("question;correct_answer;incorrect_answers\nq;y;x|z\n").questions
    assert [(o.text, o.right) for o in question.options] == [("x", False), ("y", True), ("z", False)]
    (card,) = rows.read("term,definition\nDDP,a replica per rank\n").questions
    assert (card.kind, card.stem, card.accepted) == ("text", "DDP", (Accepted("a replica per rank"),))


def test_a_quote_left_open_costs_its_row_alone() -> None:
    bank = rows.read(
        'sep=;\r\nquestion;right;wrong\r\na;x;y\r\n"open;x;y\r\nb;x;y\r\nc;x;x\r\n"d ""e""\r\nf";x;y\r\n'
    )
    assert [q.stem for q in bank.questions] == ["a", "b", 'd "e"\r\nf']
    assert [(t.line, t.column) for t in bank.troubles] == [(4, 1), (6, 1)]
    assert "not closed" in bank.troubles[0].message and "right and wrong" in bank.troubles[1].message
    assert "no column" in rows.read("question,wrong,wrong\na,b,c\n").troubles[0].message


@pytest.mark.parametrize("share", [-1 / 3, 1 / 3, -0.8333333, 0.1428571, -1.0, 0.5])
def test_a_share_of_moodles_is_read_back_from_a_deck(share: float) -> None:
    """`[-33.33333%]` had no room in its box: the option was no option, and the deck was refused."""
    options = (Option("a", True), Option("b", weight=round(share, 7)), Option("c"))
    asked = Question("q", "single", "Which?", options)
    found = parse_question("q", "single", {}, native.body(asked), 2)
    assert isinstance(found, Question)
    assert [o.weight for o in found.options] == pytest.approx([None, round(share, 7), None], abs=1e-7)

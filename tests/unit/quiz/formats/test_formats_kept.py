"""What a format of questions cannot keep is told, and what it writes it reads back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quiz.formats import aiken, native
from quiz.formats.gift import reader, writer
from quiz.formats.table import rows
from quiz.kinds.registry import Kind
from quiz.parse import parse_question
from quiz.question import Accepted, Option, Question


def losses(of: list[object]) -> str:
    return " ".join(str(getattr(loss, "what", "")) for loss in of)


def single(*right: bool) -> Question:
    return Question("q", "single", "Which?", tuple(Option(f"o{n}", it) for n, it in enumerate(right)))


def test_aiken_has_one_right_answer_and_writes_no_other_key() -> None:
    text, lost = aiken.write([single(True, True, False)])
    assert text == "" and "several options are right" in losses(list(lost))
    assert "ANSWER: B" in aiken.write([single(False, True)])[0]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            Question("q", "text", "Who?", accepted=(Accepted("a"), Accepted("b", 0.5))),
            "answers worth part of the points: b",
        ),
        (Question("q", "single", "Which?", (Option("b", True), Option("a"))), "order of the alphabet"),
        (single(True, True, False), "read back as `multi`"),
    ],
)
def test_a_table_tells_what_its_rows_do_not_say(question: Question, told: str) -> None:
    assert told in losses(list(rows.write([question])[1]))


def test_a_match_of_fourteen_pairs_is_read_back_from_our_own_markdown() -> None:
    question = Question(
        "q",
        "match",
        "Which belongs to which?",
        tuple(Option(f"right {n}") for n in range(14)),
        prompts=tuple(f"left {n}" for n in range(14)),
        sequence=tuple(range(14)),
    )
    text, lost = native.write([question])
    assert not lost
    read = parse_question("q", "match", {}, native.body(question), 1)
    assert isinstance(read, Question) and len(read.prompts) == 14, text


def test_what_a_deck_would_refuse_is_told_and_not_written() -> None:
    text, lost = native.write([single(True, *[False] * 11)])
    assert text == "" and "at most 9" in losses(list(lost))


def test_an_answer_of_gift_without_a_mark_is_a_short_answer_and_noted() -> None:
    (question,), troubles, notes = reader.read("::T:: How many? {One}\n")
    assert (question.kind, question.accepted[0].text) == ("text", "One") and not troubles
    assert "short answer" in notes[0].message


def test_a_title_with_one_colon_is_noted_with_its_line() -> None:
    (question,), troubles, notes = reader.read("// a\n\n:Title:: words {=a ~b}\n")
    assert not troubles and [(note.line, note.mend) for note in notes] == [(3, "Write `::Title::`")]
    assert question.stem.startswith(":Title")


def test_a_file_of_categories_alone_is_no_failure() -> None:
    questions, troubles, notes = reader.read("$CATEGORY: a/b\n\n$CATEGORY: a/c\n")
    assert not questions and not troubles and len(notes) == 1


def test_a_choice_of_right_options_alone_stays_a_choice() -> None:
    (question,), _, _ = reader.read("q {~=as~=like}\n")
    (again,), _, _ = reader.read(writer.write([question])[0])
    assert again.kind == question.kind == "single" and again.options == question.options


def test_code_with_braces_in_a_sentence_is_no_question_of_its_own() -> None:
    questions, (trouble,), _ = reader.read("Code such as f() { return 1; } gives\nwhat? {=1 ~2}\n")
    assert not questions and "a second `{`" in trouble.message


def test_a_head_in_words_that_nobody_knows_is_told_by_the_numbers_below_it() -> None:
    questions, (trouble,), _ = rows.read("Nom,Note,Ville\nAlice,12,Paris\nBob,11,Lyon\n")
    assert not questions and trouble.line == 1 and "no column of this head" in trouble.message


def test_a_table_without_a_head_says_that_its_first_row_is_a_question() -> None:
    questions, troubles, (note,) = rows.read("dog,Hund\ncat,Katze\n")
    assert len(questions) == 2 and not troubles and "first row" in note.message
    assert not rows.read("Which is even?,2,3\nHow many bits?,8,4\n").notes


def test_columns_that_are_not_read_are_named() -> None:
    _, troubles, (note, other) = rows.read("Question,A,B,Correct Answer,Tolerance,Order\nBits?,8,9,A,0.1,2\n")
    assert not troubles and note.line == 1 and note.message.endswith("not read: Order")
    assert other.line == 2 and "a tolerance of 0.1 is not read" in other.message


words = st.text(st.sampled_from("abcxyz"), min_size=1, max_size=8)


@settings(deadline=None, max_examples=60)
@given(
    texts=st.lists(words, min_size=2, max_size=8, unique=True),
    right=st.lists(st.booleans(), min_size=8, max_size=8),
    name=st.sampled_from(["aiken", "gift", "sheet"]),
)
def test_a_choice_comes_back_as_it_was_or_is_told(texts: list[str], right: list[bool], name: str) -> None:
    options = tuple(Option(text, it) for text, it in zip(texts, right, strict=False))
    if not any(option.right for option in options):
        return
    kind: Kind = "single" if sum(option.right for option in options) == 1 else "multi"
    question = Question("q", kind, "Which of these?", options)
    writes = {"aiken": aiken.write, "gift": writer.write, "sheet": rows.write}[name]
    reads = {"aiken": aiken.read, "gift": reader.read, "sheet": rows.read}[name]
    text, lost = writes([question])
    if lost:
        return
    (again,) = reads(text).questions
    assert (again.kind, [(o.text, o.right) for o in again.options]) == (
        kind,
        [(o.text, o.right) for o in options],
    )

"""Questions of every kind as pictures: open, answered, locked, revealed, and how the room answered."""

from __future__ import annotations

import made_questions
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_of_each_kind import QUESTIONS, ROOM
from msgspec.structs import replace
from pictured import same_as_picture

from quiz.answer_key import remarks, told
from quiz.grade import grade
from quiz.parse import parse_question
from quiz.question import Accepted, Gap, Option, Question
from quiz.shuffle import keyless
from runtime.classroom.question_state import COUNTED, Comment, QuestionState
from runtime.classroom.question_without_votes_and_key import public
from slides.drawing import cells
from slides.drawing.text import Line, plain
from tui.views.question import axis
from tui.views.question.line_below import Told
from tui.views.question.question import question_lines

GIVEN: dict[str, tuple[tuple[int, ...], tuple[str, ...]]] = {
    "order": ((0, 1, 2, 3), ()),
    "match": ((1, 2), ()),
    "numeric": ((), ("110 GB",)),
    "text": ((), ("all reduce",)),
    "cloze": ((), ("ring", "all-gather")),
    "line": ((2,), ()),
    "poll": ((1,), ()),
    "essay": ((), ("Because of the mean.",)),
}
OTHERS: dict[str, list[tuple[tuple[int, ...], tuple[str, ...]]]] = {
    "order": [((0, 2, 1, 3), ()), ((0, 2, 1, 3), ())],
    "match": [((1, 0), ())],
    "numeric": [((), (text,)) for text in ("28 GB", "112 GB", "111 GB", "56 GB", "112")],
    "text": [((), (text,)) for text in ("AllReduce", "all-reduce", "broadcast")],
    "cloze": [((), ("reduce scatter", "all-gather"))],
    "line": [((1,), ())] * 3,
    "poll": [((0,), ())] * 3,
    "essay": [],
}


def text(lines: list[Line]) -> str:
    return "\n".join(plain(line).rstrip() for line in lines)


def stages(kind: str) -> dict[str, QuestionState]:
    """The life of a question, answered here and by the room."""
    question, (choice, words) = QUESTIONS[kind], GIVEN[kind]
    count = 3 if kind == "line" else len(question.options)
    answers = {"me": choice} if choice else {}
    texts = {"me": words} if words else {}
    begun = QuestionState("q", kind, count)
    answered = replace(begun, answers=answers, texts=texts)
    result = grade(question, choice, words) if question.keyed else None
    locked = replace(
        answered,
        phase="locked",
        points=result.points if result else None,
        out_of=result.out_of if result else 0.0,
        parts=result.parts if result else (),
    )
    for n, (other, typed) in enumerate(OTHERS[kind]):
        answers = answers | ({f"r{n}": other} if other else {})
        texts = texts | ({f"r{n}": typed} if typed else {})
    counts = (
        tuple(sum(n in given for given in answers.values()) for n in range(count)) if kind in COUNTED else ()
    )
    accepted = tuple(a.text for a in question.accepted) or tuple(g.accepted[0].text for g in question.gaps)
    explain = tuple(a.explain for a in question.accepted) or tuple(o.explain for o in question.options)
    revealed = replace(
        locked,
        phase="revealed",
        answers=answers,
        texts=texts,
        counts=counts,
        key=question.key,
        accepted=accepted,
        explain=explain,
        general=question.explain,
    )
    return {"open": begun, "answered": answered, "locked": locked, "revealed": revealed}


@pytest.mark.parametrize("kind", QUESTIONS)
def test_pictures(kind: str) -> None:
    drawn = []
    for name, state in stages(kind).items():
        choice, words = ((), ()) if name == "open" else GIVEN[kind]
        lines = question_lines(QUESTIONS[kind], state, choice, 72, typed=words)
        drawn.append(f"=== {name}\n{text(lines)}\n")
    same_as_picture(f"question_{kind}_72", "".join(drawn))


@pytest.mark.parametrize("kind", QUESTIONS)
def test_nothing_tells_the_key_before_the_reveal(kind: str) -> None:
    """Without its key a question looks exactly the same, inks included; so does an answered one."""
    bare, (choice, words) = keyless(QUESTIONS[kind]), GIVEN[kind]
    told = stages(kind)
    room = {
        "answers": told["revealed"].answers,
        "texts": told["revealed"].texts,
        "counts": told["revealed"].counts,
    }
    for name in ("open", "answered", "locked"):
        state = told[name]
        ours = question_lines(QUESTIONS[kind], state, choice, 90, typed=words)
        assert ours == question_lines(bare, replace(state, **room), choice, 90, typed=words)


@pytest.mark.parametrize("kind", QUESTIONS)
def test_an_audience_sees_the_same_after_the_reveal(kind: str) -> None:
    revealed = stages(kind)["revealed"]
    ours = text(question_lines(QUESTIONS[kind], revealed, (), 90))
    theirs = text(question_lines(keyless(QUESTIONS[kind]), public(revealed), (), 90))
    assert ours.splitlines()[:-1] == theirs.splitlines()[:-1]  # but for the points, which are somebody's


def test_the_drivers_answer_is_none_of_the_rooms() -> None:
    question = Question("q", "single", "Which?", (Option("a", True), Option("b")))
    answers = {"teacher": (0,), "a": (1,), "b": (1,)}
    room = {"a": "Ann", "b": ""}
    state = QuestionState("q", "single", 2, "revealed", answers=answers, people=room, counts=(1, 2), key=(0,))
    assert state.votes == public(state).votes == (0, 2) and state.answered == 2
    assert replace(state, people={}).votes == (1, 2)  # of a class without a room, the consoles'
    assert "0" in text(question_lines(question, state, (0,), 72)).splitlines()[2]


@pytest.mark.parametrize(
    ("typed", "marks"),
    [
        (("reduce scatter", "all-gather", "2"), "✓✓✓"),
        (("ring", "broadcast", "3"), "✗✗✗"),
    ],
)
def test_somebody_of_the_room_is_told_what_of_his_answer_was_right(
    typed: tuple[str, ...], marks: str
) -> None:
    """Also by another of the texts that a gap accepts, and though nobody told him of shares of points."""
    body = "A {{reduce-scatter|rs|reduce scatter}}, an {{all-gather|~broadcast}}, {{= 2 ± 0}} rounds."
    question = parse_question("q", "cloze", {}, body, 2)
    assert isinstance(question, Question)
    key, accepted, *_ = told(question)
    state = QuestionState("q", "cloze", 0, "revealed", key=key, accepted=accepted)
    shown = text(question_lines(keyless(question), state, (), 120, typed=typed))
    stem, foot = shown.splitlines()[0], shown.splitlines()[-1]
    assert "".join(sign for sign in stem if sign in "✓✗") == marks
    assert foot == ("✓ right" if marks == "✓✓✓" else "✗ not right · 0 of 3 gaps")
    assert "✓ reduce-scatter  or rs, reduce scatter" in shown


def test_a_long_option_leaves_the_bars_of_all_in_one_column() -> None:
    long = "word " * 12 + "end"
    question = Question("q", "single", "Which?", (Option("a"), Option(long), Option("b", True)))
    state = QuestionState("q", "single", 3, "revealed", hands=(4, 8, 2), key=(2,))
    shown = text(question_lines(question, state, (), 74))
    starts = {line.index("█") for line in shown.splitlines() if "█" in line}
    assert len(starts) == 1 and shown.count("█ ") == 3


def test_bars_beside_code_cut_no_line_that_somebody_chose() -> None:
    code = "short()\n" + "x = " + "y" * 50 + "\nlast()"
    question = Question("q", "line", "Which?", code=code, sequence=(1,))
    state = QuestionState("q", "line", 3, "revealed", hands=(3, 9, 0), key=(1,))
    shown = text(question_lines(question, state, (), 72))
    assert "y" * 50 in shown and " 9" in shown and " 3" in shown


def test_what_a_typical_wrong_value_means_is_told_to_a_class() -> None:
    body = "How much?\n\n= 112 GB ± 5%\n  > Sixteen bytes each.\n~ 28 GB\n  > Those are the weights alone."
    question = parse_question("q", "numeric", {}, body, 2)
    assert isinstance(question, Question)
    comments = tuple(Comment(*remark) for remark in remarks(question))
    key, accepted, why, _ = told(question)
    state = QuestionState(
        "q", "numeric", 0, "revealed", key=key, accepted=accepted, explain=why, comments=comments
    )
    shown = text(question_lines(keyless(question), state, (), 72, typed=("28 GB",)))
    assert "✗  28 GB  your answer\n      Those are the weights alone." in shown
    others = text(question_lines(keyless(question), state, (), 72, typed=("112",)))
    assert "your answer" not in others and "weights alone" in others
    assert public(replace(state, phase="locked")).comments == ()


def test_a_gap_says_what_a_typical_wrong_word_means() -> None:
    gap = Gap((Accepted("ring"), Accepted("tree", 0.0, "A tree starts less often.")))
    question = Question("q", "cloze", "A {{1}}.", gaps=(gap,))
    comments = tuple(Comment(*remark) for remark in remarks(question))
    state = QuestionState("q", "cloze", 0, "revealed", accepted=("ring",), comments=comments)
    assert "gap 1: tree  your answer" in text(
        question_lines(keyless(question), state, (), 72, typed=("Tree",))
    )


def test_half_right_picks_say_which_half() -> None:
    options = tuple(Option(word, n < 2) for n, word in enumerate("abcd"))
    question = Question("q", "multi", "Which?", options)
    state = QuestionState("q", "multi", 4, "revealed", key=(0, 1))
    foots = {
        picked: text(question_lines(keyless(question), state, picked, 72)).splitlines()[-1]
        for picked in ((0,), (0, 1, 3), (0, 1))
    }
    assert list(foots.values()) == [
        "✗ not right · 1 of 2 right ones",
        "✗ not right · 2 of 2 right ones, 1 too many",
        "✓ right",
    ]


kinds = ("single", "multi", "numeric", "text", "order", "match", "cloze", "line")


@settings(max_examples=80, deadline=None)
@given(
    made_questions.questions(kinds),
    st.sampled_from(["open", "locked", "revealed"]),
    st.lists(st.integers(-1, 9), max_size=4).map(tuple),
    st.lists(st.text(max_size=30), max_size=3).map(tuple),
    st.integers(1, 130),
)
def test_any_question_keeps_to_its_width(
    question: Question, phase: str, choice: tuple[int, ...], words: tuple[str, ...], width: int
) -> None:
    state = QuestionState(
        "q",
        question.kind,
        len(question.options),
        phase,  # type: ignore[arg-type]
        answers={"a": choice, "b": choice},
        texts={"a": words, "b": ("7 GB",)},
        counts=(3,) * len(question.options),
        key=question.key,
        accepted=tuple(a.text for a in question.accepted),
        explain=words,
        hints=words,
    )
    for line in question_lines(question, state, choice, width, typed=words, told=Told(left_s=9, people=3)):
        assert cells.line_width(line) <= width
        assert "\x1b" not in plain(line)


def test_numbers_of_very_different_sizes_have_a_logarithmic_axis() -> None:
    lines = text(axis.strip([1.0, 10.0, 1000.0], None, "ms", 60))
    assert "logarithmic" in lines and " 1 ms" in lines and "1000 ms" in lines
    assert axis.strip([], None, "", 60) == []


@pytest.mark.parametrize(
    "typed", [[1e-320, 1e300], [5e-324], [-1.7e308, 1.7e308], [1.7e308, 1.7e308], [0.0, 5e-324]]
)
def test_whatever_number_somebody_types_has_its_place(typed: list[float]) -> None:
    lines = axis.strip(typed, None, "GB", 60)
    assert sum(plain(line).count("●") for line in lines) == len(typed)
    assert max(map(cells.line_width, lines)) <= 60


def test_a_long_pair_is_read_to_its_end() -> None:
    long = "a prompt that is longer than half of the width there is for it"
    options = (Option("an answer of many words as well, more than fit"), Option("b"))
    question = Question("q", "match", "?", options, sequence=(1, 0), prompts=(long, "p"))
    state = QuestionState("q", "match", 2, "revealed", key=(1, 0))
    shown = text(question_lines(question, state, (0, 1), 60))
    assert "…" not in shown and all(word in shown for word in long.split())
    assert "✗ 2 b" in " ".join(shown.split())


def test_a_gap_before_brackets_is_no_link_and_one_in_code_shows_no_backslash() -> None:
    question = parse_question("q", "cloze", {}, "Call {{f}}(n), `x = {{*p}}` and $a^{{2}}$.", 2)
    assert isinstance(question, Question)
    shown = text(question_lines(question, None, (), 90, typed=("g", "*q", "3")))
    assert "[ 1: g ](n)" in shown and "[ 2: *q ]" in shown and "\\" not in shown and "*q" in shown


@pytest.mark.parametrize("kind", ["single", "multi", "line"])
def test_a_room_that_only_raised_hands_sees_its_histogram(kind: str) -> None:
    options = () if kind == "line" else (Option("a", True), Option("b"))
    code, sequence = ("a\nb", (0,)) if kind == "line" else ("", ())
    question = Question("q", kind, "?", options, code=code, sequence=sequence)  # type: ignore[arg-type]
    state = QuestionState("q", kind, 2, "revealed", hands=(3, 1), key=(0,))
    for seen in (state, public(state)):
        shown = text(question_lines(keyless(question), seen, (), 80))
        assert "█ 3" in shown and "█ 1" in shown


def test_where_capitals_count_two_spellings_are_two_answers() -> None:
    question = Question("q", "text", "?", accepted=(Accepted("DDP"),), case=True)
    words = {"a": ("ddp",), "b": ("DDP",)}
    state = QuestionState("q", "text", 0, "revealed", texts=words, people=ROOM, accepted=("DDP",))
    shown = text(question_lines(question, state, (), 80))
    assert "✓ DDP" in shown and "  ddp  ▆" in shown


def test_who_matched_nothing_is_told_the_pairs_and_was_not_wrong() -> None:
    lines = text(question_lines(QUESTIONS["match"], stages("match")["revealed"], (), 72))
    assert "ZeRO 2  →  2 gradients" in lines and "ZeRO 3  →  1 parameters" in lines
    assert "–  ✗" not in lines


@pytest.mark.parametrize("kind", ["order", "single"])
def test_on_a_thumbnail_words_are_not_parted_into_letters(kind: str) -> None:
    question = Question("q", kind, "Which?", QUESTIONS["order"].options, sequence=(0, 2, 1, 3))
    rows = text(question_lines(question, None, (), 20)).split()
    assert {"forward", "all-reduce", "backward", "optimizer"} <= set(rows)

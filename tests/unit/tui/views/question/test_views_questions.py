"""Questions of every kind as pictures: open, answered, locked, revealed, and how the room answered."""

from __future__ import annotations

from typing import Any

import made_questions
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from pictured import same_as_picture

from quiz.answer_key import remarks, told
from quiz.grade import grade
from quiz.parse import parse_question
from quiz.question import Accepted, Gap, Number, Option, Question
from quiz.shuffle import keyless
from runtime.classroom.question_state import COUNTED, Comment, QuestionState, Round, Sample, public
from slides.deck import Demo
from slides.drawing import cells
from slides.drawing.text import Line, plain
from tui.classroom.prediction import Prediction
from tui.views.question import axis, votes
from tui.views.question.foot import Told
from tui.views.question.prediction import measured
from tui.views.question.question import question_lines

STEPS = ("forward", "all-reduce", "backward", "optimizer")
QUESTIONS = {
    "order": Question(
        "q",
        "order",
        "Put one step in order.",
        tuple(
            Option(text, explain="Only now are all there." if text == "all-reduce" else "") for text in STEPS
        ),
        sequence=(0, 2, 1, 3),
        points=3.0,
    ),
    "match": Question(
        "q",
        "match",
        "What does each save?",
        tuple(map(Option, ("parameters", "gradients", "activations"))),
        sequence=(1, 0),
        prompts=("ZeRO 2", "ZeRO 3"),
        points=2.0,
        explain="Activations need checkpointing.",
    ),
    "numeric": Question(
        "q",
        "numeric",
        "How much memory?",
        accepted=(
            Accepted("112 GB ± 5%", explain="16 bytes each.", number=Number(106.4, 117.6, "GB", 112.0)),
        ),
    ),
    "text": Question(
        "q", "text", "Which collective?", accepted=(Accepted("all-reduce"), Accepted("allreduce"))
    ),
    "cloze": Question(
        "q",
        "cloze",
        "First {{1}}, then {{2}}.",
        gaps=(
            Gap((Accepted("reduce-scatter"),)),
            Gap((Accepted("all-gather"),), ("all-gather", "broadcast")),
        ),
        points=2.0,
    ),
    "line": Question(
        "q",
        "line",
        "Where do gradients travel?",
        code="loss = model(batch)\nloss.backward()\noptimizer.step()",
        lang="python",
        sequence=(1,),
    ),
    "poll": Question("q", "poll", "How is the speed?", tuple(map(Option, ("too slow", "fine")))),
    "essay": Question("q", "essay", "Why?"),
}
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


def test_two_votes_stand_side_by_side_with_their_gain() -> None:
    question = Question("q", "single", "Which?", (Option("a"), Option("b", True), Option("c")))
    first = Round(hands=(10, 20, 10))
    state = QuestionState("q", "single", 3, "revealed", hands=(4, 35, 1), key=(1,), before=(first,))
    assert (
        text(question_lines(question, state, (), 72))
        == """\
Which?
                    first vote                second vote
   1   a            ████ 10 (25 %)            ██ 4 (10 %)
   2   b  ✓ right   ████████ 20 (50 %)        █████████████ 35 (88 %)
   3   c            ████ 10 (25 %)            █ 1 (2 %)

right: 20 of 40 (50 %), then 35 of 40 (88 %) · normalised gain 0.75

revealed"""
    )
    hidden = replace(state, phase="locked")
    assert "█" not in text(question_lines(question, hidden, (), 72))
    narrow = text(question_lines(question, state, (), 50))
    assert "first  ██████ 10 (25 %)" in narrow and "second ██ 4 (10 %)" in narrow
    assert "= (second − first) / (1 − first)" in text(question_lines(question, state, (), 120))
    assert votes.normalised_gain(1.0, 1.0) is None and votes.normalised_gain(0.5, 0.25) == -0.5


ROOM = {"a": "", "b": "", "c": ""}


def test_two_votes_of_typed_answers_stand_side_by_side_with_their_gain() -> None:
    question = QUESTIONS["text"]
    first = Round(texts={"a": ("ring",), "b": ("all reduce",), "c": ("tree",)}, people=ROOM)
    state = QuestionState(
        "q",
        "text",
        0,
        "revealed",
        texts={"a": ("allreduce",), "b": ("all-reduce",), "c": ("tree",), "teacher": ("ring",)},
        people=ROOM,
        before=(first,),
        accepted=("all-reduce", "allreduce"),
    )
    shown = text(question_lines(question, state, (), 72))
    assert shown.endswith(
        """\
              first vote                   second vote
✓ all reduce  ██████ 1 (33 %)              ████████████ 2 (67 %)
  tree        ██████ 1 (33 %)              ██████ 1 (33 %)
  ring        ██████ 1 (33 %)              0

right: 1 of 3 (33 %), then 2 of 3 (67 %) · normalised gain 0.50

revealed"""
    )
    assert shown == text(question_lines(keyless(question), public(state), (), 72))


def test_the_gain_of_several_picks_is_that_of_whole_answers() -> None:
    question = Question("q", "multi", "Which?", (Option("a", True), Option("b", True), Option("c")))
    first = Round(answers={"a": (0,), "b": (0, 1)}, people={"a": "", "b": ""}, counts=(2, 1, 0))
    state = QuestionState(
        "q",
        "multi",
        3,
        "revealed",
        answers={"a": (0, 1), "b": (0, 1)},
        people={"a": "", "b": ""},
        counts=(2, 2, 0),
        before=(first,),
        key=(0, 1),
    )
    gain = "right: 1 of 2 (50 %), then 2 of 2 (100 %) · normalised gain 1.00"
    assert gain in text(question_lines(question, state, (), 72))
    assert gain in text(question_lines(keyless(question), public(state), (), 72))
    for seen in (replace(state, hands=(9, 9, 9)), public(replace(state, hands=(9, 9, 9)))):
        assert "gain" not in text(question_lines(question, seen, (), 72))  # a hand is a part of an answer


def test_numbers_of_the_first_vote_hang_below_the_axis() -> None:
    question = QUESTIONS["numeric"]
    first = Round(texts={"a": ("50 GB",), "b": ("112 GB",)}, people=ROOM)
    words = {"a": ("90 GB",), "b": ("112 GB",), "c": ("8 s",)}
    state = QuestionState(
        "q", "numeric", 0, "revealed", texts=words, people=ROOM, before=(first,), accepted=("112 GB ± 5%",)
    )
    shown = text(question_lines(question, state, (), 72))
    assert "● second vote  ○ first vote" in shown and shown.count("●") == shown.count("○") == 3
    assert "1 other answer is not in GB" in shown and "gain −0.33" in shown


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


def test_a_prediction_of_a_number_has_one_axis() -> None:
    plan = Prediction("q", (Demo("one", "ddp"),), "step_s", "ms", 2)
    question = Question("q", "numeric", "How long?")
    samples = tuple(Sample("one", f"r{n}", 0.1 + n / 100, "LIVE CPU") for n in range(2))
    words = {"a": ("50 ms",), "b": ("0.2 s",)}
    state = QuestionState(
        "q", "numeric", 0, "revealed", texts=words, people={"a": "", "b": ""}, samples=samples
    )
    lines = measured(plan, question, state, 72)
    shown = text(question_lines(question, state, (), 72, measured=lines))
    assert shown.count("●") == 1 + 2  # the badge, and each number once
    assert "105 ms ± 2.50" in shown and shown.count("105 ms") == 1


def test_what_was_measured_stands_on_the_axis_of_the_answers() -> None:
    blocks = Demo("seven", "ddp"), Demo("one", "ddp")
    plan = Prediction("q", blocks, "step_s", "x", 3)
    question = Question("q", "single", "How long?", tuple(Option(f"{n}x: so") for n in (0.5, 1, 2)))
    samples = tuple(
        Sample(block, f"{block}{n}", seconds, "LIVE CPU", ("4 ranks on 2 cores",))
        for n in range(3)
        for block, seconds in (("one", 0.1), ("seven", (0.11, 0.12, 0.13)[n]))
    )
    state = QuestionState("q", "single", 3, "locked", hands=(4, 13, 9))
    assert measured(plan, question, state, 72) == []
    assert plan.next(state) == blocks[1]
    running = replace(state, samples=samples[:3])
    assert (
        "3 of 6 runs measured" in text(measured(plan, question, running, 72))
        and plan.next(running) == blocks[0]
    )
    done = replace(state, samples=samples)
    assert plan.next(done) is None and "1.2" not in text(measured(plan, question, done, 72))
    key = plan.verdict(question, done).key
    assert key == (1,)
    revealed = replace(done, phase="revealed", key=key)
    assert (
        text(measured(plan, question, revealed, 72))
        == """\
────────────────────────────────────────────────────────────────────────
measured: time of a step   ● LIVE CPU   3 runs each   4 ranks on 2 cores
one       100 ms ± 0.0 ms  █████████████████████████████████
seven     120 ms ± 5.0 ms  ████████████████████████████████████████
seven / one  1.20x ± 0.05   median of 3 ± half IQR, runs 1.10 to 1.30
                        ●
                        ●                                             ●
 ●                      ●                                             ●
 ────────────────────────────██████████────────────────────────────────
 1 0.5x               2 1x                                         3 2x
 a dot is up to 5 answers"""
    )
    room = text(measured(plan, question, public(done), 72, hints=False))
    assert "6 runs measured" in room and "1.2" not in room and " e " not in room
    going = text(measured(plan, question, running, 72, going="seven-buckets"))
    assert "run 4 of 6: seven buckets" in going
    large = text(measured(plan, question, revealed, 112, large=True))
    assert "1.20x" not in large and "seven / one   median of 3" in large and "▌" in large


def bars(shown: str) -> list[str]:
    return [line[line.index("█") :].rstrip() for line in shown.splitlines() if "█" in line]


def test_a_bar_is_as_much_of_its_room_as_of_those_who_answered() -> None:
    question = Question("q", "single", "Which?", (Option("a"), Option("b", True), Option("c")))
    people = {"a": "", "b": "", "c": ""}
    answers = {"a": (0,), "b": (1,), "c": (2,)}
    state = QuestionState("q", "single", 3, "revealed", answers, (1, 1, 1), key=(1,), people=people)
    shown = text(question_lines(question, state, (), 76, told=Told(people=5)))
    full = text(
        question_lines(question, replace(state, answers={"a": (1,), "b": (1,)}, counts=(0, 2, 0)), (), 76)
    )
    room = len(bars(full)[0].partition(" ")[0])
    assert [len(bar.partition(" ")[0]) for bar in bars(shown)] == [round(room / 3)] * 3
    assert shown.count("1 (33 %)") == 3
    assert shown.endswith("1 of 3 answers right (33 %) · 3 of 5 answered")


def test_a_second_vote_that_nobody_answers_hides_nothing_of_the_first() -> None:
    question = Question("q", "single", "Which?", (Option("a"), Option("b", True)))
    first = Round({"a": (0,), "b": (1,)}, people={"a": "", "b": ""}, counts=(1, 1))
    state = QuestionState("q", "single", 2, "revealed", counts=(0, 0), key=(1,), before=(first,))
    shown = text(question_lines(question, state, (), 76))
    assert "first vote" in shown and shown.count("1 (50 %)") == 2
    assert "1 of 2 answers right (50 %); nobody answered the second vote" in shown
    told = question_lines(question, public(state), (), 76)
    assert text(told) == shown  # the room is told the same


def prediction(kind: str, *values: float, body: str = "", unit: str = "ms") -> tuple[Any, ...]:
    """A question, a plan and what its runs gave (s)."""
    found = parse_question("q", kind, {}, f"How long?\n\n{body}", 2, redacted=True)
    assert isinstance(found, Question), found
    plan = Prediction("q", (Demo("one", "ddp"),), "step_s", unit, len(values))
    samples = tuple(Sample("one", f"r{n}", value, "LIVE CPU") for n, value in enumerate(values))
    return found, plan, QuestionState("q", kind, len(found.options), "locked", samples=samples)


OPTIONS = "- [ ] 80 ms\n  > Eighty it is.\n- [ ] 100 ms\n  > A hundred.\n- [ ] 200 ms\n  > Two hundred.\n"


@pytest.mark.parametrize(
    ("seconds", "key", "undecided", "why"),
    [
        ((0.099, 0.1, 0.104), (1,), (), ("", "A hundred.", "")),
        ((0.086, 0.1, 0.104), (), ("1", "2"), ("Eighty it is.", "A hundred.", "")),
        ((0.07, 0.1, 0.3), (), ("1", "2", "3"), ("Eighty it is.", "A hundred.", "Two hundred.")),
        ((0.1,), (), ("1", "2", "3"), ("", "A hundred.", "")),  # one run: nobody knows how it varies
    ],
)
def test_what_its_runs_do_not_tell_apart_is_neither_right_nor_wrong(
    seconds: tuple[float, ...], key: tuple[int, ...], undecided: tuple[str, ...], why: tuple[str, ...]
) -> None:
    question, plan, state = prediction("single", *seconds, body=OPTIONS)
    said = plan.verdict(question, state)
    assert (said.key, said.undecided, said.explain) == (key, undecided, why)
    revealed = replace(state, phase="revealed", key=key, undecided=undecided, explain=why)
    for option in range(3):
        shown = text(question_lines(question, revealed, (option,), 90))
        neither = str(option + 1) in undecided
        assert ("neither right nor wrong" in shown) is neither
        assert ("✓ right" in shown.splitlines()[-1] or shown.endswith("✓ right")) is (option in key)
        assert shown.endswith("✗ not right") is (not neither and option not in key)


@pytest.mark.parametrize(
    ("typed", "result"),
    [
        ("100 ms", "✓ right"),
        ("0.117 s", "≈ neither"),
        ("78", "≈ neither"),
        ("70", "✗ not right"),
        ("x", "✗ not"),
    ],
)
def test_a_number_is_right_where_every_run_says_so_and_wrong_where_none_does(typed: str, result: str) -> None:
    question, plan, state = prediction("numeric", 0.096, 0.1, 0.104)
    said = plan.verdict(question, state)
    assert said.accepted == ("83.2..115.2 ms",) and said.undecided == ("76.8..124.8 ms",)
    revealed = replace(state, phase="revealed", accepted=said.accepted, undecided=said.undecided)
    assert result in text(question_lines(question, revealed, (), 90, typed=(typed,)))


def test_the_explanation_of_a_predicted_number_is_that_of_what_came_out() -> None:
    body = "~ 0..90 ms\n  > Faster than one thought.\n~ 90..1000 ms\n  > As one thought.\n\n> Measure it."
    question, plan, state = prediction("numeric", 0.2, 0.21, 0.22, body=body)
    assert plan.general(question, state) == "As one thought.\n\nMeasure it."
    assert not question.keyed  # what only explains is no key


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
    assert "logarithmic" in lines and "1.00 ms" in lines and "1.0k ms" in lines
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
    assert "✓ DDP" in shown and "  ddp  █" in shown


def test_who_matched_nothing_is_told_the_pairs_and_was_not_wrong() -> None:
    lines = text(question_lines(QUESTIONS["match"], stages("match")["revealed"], (), 72))
    assert "ZeRO 2  →  2 gradients" in lines and "ZeRO 3  →  1 parameters" in lines
    assert "–  ✗" not in lines


@pytest.mark.parametrize("kind", ["order", "single"])
def test_on_a_thumbnail_words_are_not_parted_into_letters(kind: str) -> None:
    question = Question("q", kind, "Which?", QUESTIONS["order"].options, sequence=(0, 2, 1, 3))
    rows = text(question_lines(question, None, (), 20)).split()
    assert {"forward", "all-reduce", "backward", "optimizer"} <= set(rows)

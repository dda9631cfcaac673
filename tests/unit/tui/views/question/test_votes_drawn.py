"""How a room answered, as bars: two votes side by side with their gain."""

from __future__ import annotations

from itertools import pairwise

import pytest
from made_of_each_kind import QUESTIONS, ROOM
from msgspec.structs import replace

from quiz.normalised_gain import normalised_gain
from quiz.question import Option, Question
from quiz.shuffle import keyless
from runtime.classroom.question_state import QuestionState, Round
from runtime.classroom.question_without_votes_and_key import public
from slides.drawing import cells
from slides.drawing.large import read_letters
from slides.drawing.large.letters import Size, letters
from slides.drawing.text import Line, Span, Style, plain
from slides.languages.program_words import say_in
from tui.views.question import votes
from tui.views.question.line_below import Told
from tui.views.question.question import question_lines


def text(lines: list[Line]) -> str:
    return "\n".join(plain(line).rstrip() for line in lines)


def test_two_votes_stand_side_by_side_with_their_gain() -> None:
    question = Question("q", "single", "Which?", (Option("a"), Option("b", True), Option("c")))
    first = Round(hands=(10, 20, 10))
    state = QuestionState("q", "single", 3, "revealed", hands=(4, 35, 1), key=(1,), before=(first,))
    assert (
        text(question_lines(question, state, (), 72))
        == """\
Which?
                    first vote                second vote
   1   a            ▆▆▆▆ 10 (25 %)            ▆▆ 4 (10 %)
   2   b  ✓ right   ▆▆▆▆▆▆▆▆ 20 (50 %)        ▆▆▆▆▆▆▆▆▆▆▆▆▆ 35 (88 %)
   3   c            ▆▆▆▆ 10 (25 %)            ▆ 1 (2 %)

right: 20 of 40 (50 %), then 35 of 40 (88 %) · normalised gain 0.75

revealed"""
    )
    hidden = replace(state, phase="locked")
    assert "█" not in text(question_lines(question, hidden, (), 72))
    narrow = text(question_lines(question, state, (), 50))
    assert "first  ██████ 10 (25 %)" in narrow and "second ██ 4 (10 %)" in narrow
    assert "= (second − first) / (1 − first)" in text(question_lines(question, state, (), 120))
    told = Told(say=say_in("hi-Latn"))
    said = text(question_lines(question, state, (), 72, told=told))
    assert "pehla vote                doosra vote" in said and "b  ✓ sahi " in said
    assert "sahi: 40 mein se 20 (50 %), phir 40 mein se 35 (88 %) · normalised gain" in said
    assert "pehla  ██████ 10" in text(question_lines(question, state, (), 50, told=told))
    assert normalised_gain(1.0, 1.0) is None and normalised_gain(0.5, 0.25) == -0.5


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
✓ all reduce  ▆▆▆▆▆▆ 1 (33 %)              ▆▆▆▆▆▆▆▆▆▆▆▆ 2 (67 %)

  tree        ▆▆▆▆▆▆ 1 (33 %)              ▆▆▆▆▆▆ 1 (33 %)

  ring        ▆▆▆▆▆▆ 1 (33 %)              0

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


def test_answers_that_the_runs_leave_undecided_are_counted_too() -> None:
    question = Question("q", "single", "Which?", tuple(map(Option, ("1x", "2x", "4x"))))
    state = QuestionState("q", "single", 3, "revealed", hands=(3, 9, 12), undecided=("1", "2"))
    shown = text(question_lines(question, state, (), 76))
    assert shown.count("≈ undecided") == 2
    assert shown.endswith("0 of 12 answers right (0 %) · 12 undecided")


def test_a_second_vote_that_nobody_answers_hides_nothing_of_the_first() -> None:
    question = Question("q", "single", "Which?", (Option("a"), Option("b", True)))
    first = Round({"a": (0,), "b": (1,)}, people={"a": "", "b": ""}, counts=(1, 1))
    state = QuestionState("q", "single", 2, "revealed", counts=(0, 0), key=(1,), before=(first,))
    shown = text(question_lines(question, state, (), 76))
    assert "first vote" in shown and shown.count("1 (50 %)") == 2
    assert "1 of 2 answers right (50 %); nobody answered the second vote" in shown
    told = question_lines(question, public(state), (), 76)
    assert text(told) == shown  # the room is told the same


@pytest.mark.parametrize("hands", [(19, 1), (7, 13), (0, 20)])
def test_how_many_chose_an_option_is_in_letters_behind_its_bar_or_in_it(hands: tuple[int, ...]) -> None:
    state = QuestionState("q", "single", 2, "revealed", key=(0,), hands=hands)
    verdict: Line = (Span("  ✓ right", Style("good", underline=True)),)
    for width in (54, 70):
        for n, count in enumerate(hands):
            drawn = votes.tall(state, n, 3, width, verdict if n == 0 else ())
            figure = [line[2].text if line[1].text == " " else line[1].text for line in drawn]
            assert read_letters.words(figure) == f"{count} ({5 * count} %)"
            beside = ["".join(span.text for span in line if span.style == verdict[0].style) for line in drawn]
            sizes: tuple[Size, ...] = ("bold", "low", "slim")
            right = [[row.strip() for row in letters("✓ right", 40, (size,), 1) or []] for size in sizes]
            assert [row.strip() for row in beside] in (
                [*right, ["", "✓ right", ""]] if n == 0 else [[""] * 3]
            )
            assert all(cells.line_width(line) <= width for line in drawn)
            bar, figure = drawn[0][:2]
            inside = len(figure.text) if figure.style.ground else 0
            assert len(bar.text) + inside == 40 * count // 20


@pytest.mark.parametrize("kind", ["order", "match", "text", "cloze"])
def test_bars_of_answers_stand_apart_evenly_at_every_height(kind: str) -> None:
    question = QUESTIONS[kind]
    chosen = {"a": (0, 1, 2, 3), "b": (3, 2, 1, 0), "c": (1, 0, 3, 2)}
    said = {name: (word, word) for name, word in zip("abc", ("ring", "tree", "star"), strict=True)}
    picks = {name: each[: question.places] for name, each in chosen.items()}
    given = {"answers": picks} if kind in ("order", "match") else {"texts": said}
    state = replace(QuestionState("q", kind, question.places, "revealed", people=ROOM), **given)
    seen = set[int]()
    for height in range(18, 50):
        lines = question_lines(question, state, (), 110, height)
        bars = [n for n, line in enumerate(lines) if any(map(is_bar, line))]
        apart = {b - a for a, b in pairwise(n for n in bars if n - 1 not in bars or "▆" in plain(lines[n]))}
        assert len(apart) == 1, (height, bars)
        assert len(bars) in (3, 9), "three answers, a row or three high"
        seen |= apart
    assert max(seen) > 1, "the higher screens have room between them"


def is_bar(span: Span) -> bool:
    """Whether it is the filled part of a bar: letters of its colour are bold, or have blanks."""
    return span.style in (Style("good"), Style("dim")) and set(span.text) in ({"▆"}, {"█"})

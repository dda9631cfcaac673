"""A question and a demo's label on their slides."""

from __future__ import annotations

from collections.abc import Iterable

import made_snapshots as made
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from quiz.question import Option, Question
from runtime.classroom.question_state import QuestionState
from slides.deck import Demo
from slides.drawing import cells
from slides.drawing.text import Line, plain
from slides.languages.program_words import say_in
from tui.views.blocks.demo_line import demo_lines
from tui.views.panel import panel
from tui.views.question.line_below import Told
from tui.views.question.question import question_lines

QUESTION = Question(
    "ring-bytes",
    "single",
    "How many bytes does each rank **send**?",
    (
        Option("`S`", False),
        Option("$2(n-1)/n \\cdot S$", True, "Every chunk goes round twice."),
        Option("nS", False, "That is what a naive exchange costs."),
    ),
    explain="It hardly depends on n.",
)
OPEN = QuestionState("ring-bytes", "single", 3, counts=(0, 0, 0))
LOCKED = replace(OPEN, phase="locked", answers={"a": (2,)}, counts=(0, 0, 1), points=0.0, out_of=1.0)
REVEALED = replace(
    LOCKED,
    phase="revealed",
    key=(1,),
    explain=("", "Every chunk goes round twice.", "That is what a naive exchange costs."),
    general="It hardly depends on n.",
)


def replace_options(options: Iterable[Option]) -> Question:
    return replace(QUESTION, options=tuple(options), explain="")


def text(lines: list[Line]) -> str:
    return "\n".join(plain(line).rstrip() for line in lines)


def test_an_open_question():
    assert (
        text(question_lines(QUESTION, OPEN, (1,), 60))
        == """\
How many bytes does each rank send?

   1   S

●  2   2(n − 1)/n · S

   3   nS

answer 2 · 1-3 pick · Enter locks"""
    )


def test_a_locked_question():
    lines = question_lines(QUESTION, LOCKED, (2,), 60)
    assert plain(lines[-1]) == "locked · e reveals"
    assert "right" not in text(lines)
    assert "no answer given" in plain(question_lines(QUESTION, LOCKED, (), 60)[-1])


def test_a_revealed_question():
    assert (
        text(question_lines(QUESTION, REVEALED, (2,), 60))
        == """\
How many bytes does each rank send?

   1   S

   2   2(n − 1)/n · S  ✓ right
       Every chunk goes round twice.

●  3   nS  ✗
       That is what a naive exchange costs.

It hardly depends on n.

✗ 0 of 1 point"""
    )


def test_points_earned():
    won = replace(REVEALED, answers={"a": (1,)}, points=1.0)
    assert plain(question_lines(QUESTION, won, (1,), 60)[-1]) == "✓ 1 of 1 point"
    half = replace(REVEALED, points=1.5, out_of=3.0)
    assert plain(question_lines(QUESTION, half, (1,), 60)[-1]) == "◐ 1.5 of 3 points"


@pytest.mark.parametrize("state", [None, OPEN, LOCKED])
@pytest.mark.parametrize("picked", [(), (0,), (1,), (0, 2)])
def test_nothing_tells_the_key_before_the_reveal(state, picked):
    """The same question without its key (as an audience has it) looks exactly the same, inks included."""
    bare = replace_options(Option(o.text, False) for o in QUESTION.options)
    assert question_lines(QUESTION, state, picked, 70) == question_lines(bare, state, picked, 70)
    turned = replace_options(Option(o.text, not o.right) for o in QUESTION.options)
    assert question_lines(turned, state, picked, 70) == question_lines(bare, state, picked, 70)


def test_counts_only_after_the_reveal_and_only_of_a_room():
    room = {"counts": (4, 13, 8), "answers": {"a": (0,), "b": (1,)}}
    assert "13" not in text(question_lines(QUESTION, replace(OPEN, **room), (), 100))
    assert "13" not in text(question_lines(QUESTION, replace(LOCKED, **room), (), 100))
    assert "█ 13" in text(question_lines(QUESTION, replace(REVEALED, **room), (), 100))
    assert "█" not in text(question_lines(QUESTION, REVEALED, (2,), 100))


def test_an_audience_is_told_no_keys():
    for state in (None, OPEN, LOCKED):
        shown = text(question_lines(QUESTION, state, (), 60, told=Told(hints=False)))
        assert "Enter" not in shown and "reveals" not in shown


def test_what_is_said_below_a_question_is_in_the_decks_language_and_an_answer_as_it_was_typed():
    told = Told(say=say_in("hi-Latn"))
    below = [plain(question_lines(QUESTION, state, (2,), 60, told=told)[-1]) for state in (OPEN, REVEALED)]
    assert below[0].startswith("jawab 3 · 1-3 chuniye · Enter lock karta hai")
    assert "1 mein se 0 point" in below[1]
    room = replace(REVEALED, counts=(4, 13, 8), answers={"a": (0,), "b": (1,)}, points=None, out_of=None)
    voted = plain(question_lines(QUESTION, room, (), 90, told=told)[-1])
    assert voted == "jawab saamne hai · 25 jawabon mein se 13 sahi (52 %)"
    several = replace(QUESTION, kind="multi")
    picks = replace(REVEALED, kind="multi", points=0.5, answers={"a": (0, 2)}, parts=(1.0, 0.0))
    parts = plain(question_lines(several, picks, (0, 2), 90, told=told)[-1])
    assert "2 mein se 1 hissa sahi" in parts and "1 sahi mein se 0 chune, 2 faaltu" in parts
    hands = replace(OPEN, hands=(4, 8), people={"a": ""})
    assert "12 haath, 1 key se" in plain(question_lines(QUESTION, hands, (), 90, told=told)[-1])
    typed = Question("t", "text", "Which?")
    foot = plain(question_lines(typed, None, (), 60, typed=("stop",), told=told)[-1])
    assert "jawab stop" in foot and "I dobara likhta hai" in foot


def test_multiple_choice_says_so():
    several = Question("m", "multi", "Which?", QUESTION.options)
    foot = plain(question_lines(several, None, (0, 2), 60)[-1])
    assert foot == "answer 1, 3 · 1-3 pick one or more · Enter locks"


def test_right_and_wrong_are_told_without_colour():
    lines = [plain(line) for line in question_lines(QUESTION, REVEALED, (2,), 60)]
    assert [("✓" in line, "✗" in line, "●" in line) for line in lines if line[3:4].isdigit()] == [
        (False, False, False),
        (True, False, False),
        (False, True, True),
    ]


@settings(max_examples=60, deadline=None)
@given(
    st.text(max_size=120),
    st.lists(st.text(max_size=60), min_size=1, max_size=9),
    st.sampled_from([None, OPEN, LOCKED, REVEALED]),
    st.lists(st.integers(0, 8), max_size=3),
    st.integers(1, 120),
)
def test_any_question_keeps_to_its_width(stem, options, state, picked, width):
    question = Question("q", "multi", stem, tuple(Option(option, False) for option in options))
    for line in question_lines(question, state, tuple(picked), width):
        assert cells.line_width(line) <= width


# --- a demo's label -------------------------------------------------------------------------------------

DEMO = Demo("ddp", "ddp", {"ranks": "4", "slow_rank": "2", "budget": "30s"})


@pytest.mark.parametrize(
    ("snapshot", "label"),
    [
        (None, "▷ ddp · 4 ranks · 200 steps · slow_rank=2 · d starts"),
        (made.launching(), "◌ ddp · launching · d stops"),
        (made.running(), "■ ddp · running · d stops · D restarts"),
        (made.running(state="stopping"), "■ ddp · stopping"),
        (made.running(state="done"), "✓ ddp · done"),
        (made.failed(), "✗ ddp · failed · rank 2 was killed by signal 9 (KILL)"),
    ],
)
def test_labels(snapshot, label):
    assert text(demo_lines(DEMO, snapshot, "", 90)) == label


def test_label_and_panel_together_say_once_what_starts_it_again():
    for snapshot in (made.failed(), made.running(state="done"), made.running(state="stopped")):
        whole = text(demo_lines(DEMO, snapshot, "", 90)) + text(panel(snapshot, 90, 12))
        assert whole.count("starts it again") == 1


def test_the_time_planned_is_told_where_no_room_looks_on():
    running = made.running()
    assert "0:12 of 0:30" in text(panel(running, 160, 12))
    for said in ({"seen": True}, {"hints": False}):
        shown = text(panel(running, 160, 12, **said))
        assert "0:12" in shown and "0:30" not in shown


def test_an_audience_is_not_told_keys_it_does_not_have():
    for state in ("launching", "running", "stopping", "failed", "stopped"):
        label = text(demo_lines(DEMO, made.running(state=state), "", 90, hints=False))
        assert "starts" not in label and "stops" not in label
    assert text(demo_lines(Demo("x", "x"), None, "", 60, hints=False)) == "▷ x"


def test_a_demo_nobody_knows_says_only_what_is_written():
    assert text(demo_lines(Demo("x", "x"), None, "", 60)) == "▷ x · d starts"


def test_trouble_is_said_with_its_mend():
    lines = demo_lines(DEMO, None, "ranks=0 is too few. Write a whole number from 1 to 64.", 40)
    assert (
        text(lines)
        == """\
! ddp cannot start
  ranks=0 is too few. Write a whole
  number from 1 to 64."""
    )
    assert lines[0][0].style.ink == "warning"


@given(st.text(max_size=60), st.dictionaries(st.text(max_size=8), st.text(max_size=20), max_size=4))
@settings(max_examples=60, deadline=None)
def test_any_demo_keeps_to_its_width(trouble, params):
    for width in (1, 7, 40, 120):
        for line in demo_lines(Demo("d", trouble or "ddp", params), None, trouble, width):
            assert cells.line_width(line) <= width
            assert "\x1b" not in plain(line)


def test_reasons_under_options_part_them_without_air() -> None:
    def blanks(count: int) -> int:
        question = Question("q", "single", "Which?", tuple(Option(f"option {n}") for n in range(count)))
        why = tuple(f"why {n}" for n in range(count))
        revealed = QuestionState("q", "single", count, "revealed", key=(0,), explain=why)
        rows = [plain(line).strip() for line in question_lines(question, revealed, (), 72)]
        return rows[rows.index("why 0") : rows.index(f"why {count - 1}")].count("")

    assert blanks(2) == 1 and blanks(3) == blanks(5) == 0

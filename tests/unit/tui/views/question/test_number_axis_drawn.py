"""The axis that a number is answered on: there before the reveal, and the same one after it."""

from __future__ import annotations

from quiz.answers.scale import Scale
from quiz.question import Accepted, Number, Question
from runtime.classroom.question_state import QuestionState
from slides.drawing.text import plain
from tui.views.question import axis
from tui.views.question.kinds import numeric
from tui.views.question.picture import Asked

KEY = (Accepted("14 ± 1 GB", number=Number(13, 15, "GB", 14)),)
QUESTION = Question("q", "numeric", "How much?", accepted=KEY, axis=Scale(1, 100, "GB"))


def drawn(state: QuestionState, *typed: str) -> list[str]:
    return [plain(line) for line in numeric.PICTURE.listed(Asked(QUESTION, state, (), typed, 80))]


def test_the_axis_is_there_to_answer_on_and_says_nothing_of_what_is_right() -> None:
    lines = drawn(QuestionState("q", "numeric", 0))
    assert any("─" * 70 in line for line in lines) and not any("█" in line for line in lines)
    assert any(line.split() == ["1", "GB", "100", "GB"] for line in lines)
    assert not any("●" in line for line in lines)


def test_ones_own_number_stands_on_it_in_whatever_unit_and_outside_nowhere() -> None:
    row = next(line for line in drawn(QuestionState("q", "numeric", 0), "10000 MB") if "●" in line)
    assert (
        abs(row.index("●") - len(row.rstrip()) + 1) == 0 and 36 <= row.index("●") <= 39
    )  # half of its decades
    for typed in ("1 TB", "a lot", "3 s"):
        assert not any("●" in line for line in drawn(QuestionState("q", "numeric", 0), typed))


def test_after_the_reveal_the_room_stands_on_the_same_axis() -> None:
    state = QuestionState(
        "q",
        "numeric",
        0,
        phase="revealed",
        texts={"a": ("14 GB",), "b": ("28 GB",)},
        people={"a": "", "b": ""},
        accepted=("14 ± 1 GB",),
    )
    lines = drawn(state)
    assert sum(line.split() == ["1", "GB", "100", "GB"] for line in lines) == 1
    assert any("█" in line for line in lines) and sum(line.count("●") for line in lines) == 2


def test_marks_that_would_touch_in_equal_steps_stand_apart() -> None:
    ticks = [(0.8, "1"), (1.0, "2"), (2.0, "3"), (29.0, "4")]
    lines = [plain(line) for line in axis.strip([], (1.9, 2.1), "x", 76, ticks)]
    assert [line.split() for line in lines if line.strip().startswith("1 ")] == [["1", "2", "3", "4"]]
    assert any("logarithmic" in line for line in lines)
    near = axis.strip([], (1.0, 1.1), "x", 76, [(0.5, "1"), (1.0, "2"), (2.0, "3")])
    assert not any("logarithmic" in plain(line) for line in near)

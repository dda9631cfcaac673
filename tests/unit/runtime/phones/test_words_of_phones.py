"""What phones type in words of their own: counted, and read by the room only once the teacher picks it."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from quiz.parse import parse_question
from quiz.question import Question
from runtime.classroom import question_state, question_without_votes_and_key
from runtime.classroom.question_state import Comment, QuestionState
from runtime.host.audience.room_questions_and_pace import RoomQuestions
from runtime.protocol.messages import PickQuestion
from slides.drawing.text import plain
from tui.export.question_parts import words as without_markup
from tui.views.question.answers_so_far import votes_so_far
from tui.views.question.most_frequent_answers import frequent


def answered(*given: tuple[str, str], kind: str = "text", **more: Any) -> QuestionState:
    state = QuestionState("q", kind, 0)
    for seat, text in given:
        state = question_state.answered(state, seat, (), (text,), "" if seat.startswith("phone-") else "Ada")
    return replace(state, phase="revealed", accepted=("NCCL",), **more)


GIVEN = (("phone-1", "nccl"), ("phone-2", "RUDE"), ("phone-3", "RUDE"), ("phone-4", "MPI"), ("desk", "gloo"))


def test_the_room_is_told_what_is_known_and_how_many_others_there_are() -> None:
    public = question_without_votes_and_key.public(answered(*GIVEN, comments=(Comment("mpi", "older"),)))
    assert {one.text: one.count for one in public.said} == {("nccl",): 1, ("MPI",): 1, ("gloo",): 1}
    assert public.unsaid == 2 and public.answered == 5


def test_what_somebody_at_a_screen_wrote_too_is_told() -> None:
    public = question_without_votes_and_key.public(answered(("phone-1", "ring"), ("desk", "ring")))
    assert [(one.text, one.count) for one in public.said] == [(("ring",), 2)]


def test_a_first_vote_hides_the_same() -> None:
    asked = replace(answered(("phone-1", "RUDE"), ("phone-2", "nccl")), phase="locked")
    state = replace(question_state.again(asked, 1.0), phase="revealed", accepted=("NCCL",))
    (before,) = question_without_votes_and_key.public(state).before
    assert [one.text for one in before.said] == [("nccl",)] and before.unsaid == 1


def typed() -> Question:
    found = parse_question("q", "text", {}, "What moves tensors?\n\n= NCCL\n", 1)
    assert isinstance(found, Question)
    return found


def test_neither_a_console_nor_the_room_draws_them() -> None:
    state = answered(*GIVEN)
    for shown in (state, question_without_votes_and_key.public(state)):
        lines = [plain(line) for line in frequent(typed(), shown, 80)]
        assert not any("RUDE" in line or "MPI" in line for line in lines)
        assert any("nccl" in line for line in lines) and any("gloo" in line for line in lines)
        assert any("3 other answers in words of their own" in line for line in lines)


def test_one_of_them_is_read_out_and_taken_away_again() -> None:
    room = RoomQuestions()
    room.pick(PickQuestion(0, "shown", "What about RDMA?"))
    assert room.text == "What about RDMA?" and not room.for_phones().questions
    room.pick(PickQuestion(0, "picked"))
    assert room.text == ""


def test_a_peek_counts_options_before_the_reveal() -> None:
    text = "Which?\n\n- [ ] broadcast\n- [x] all_reduce\n"
    question = parse_question("q", "", {}, text, 1)
    assert isinstance(question, Question)
    state = question_state.opened(QuestionState("q", "single", 2), 0.0)
    for n in range(4):
        state = question_state.answered(state, f"phone-{n}", (n != 0,), (), "")
    rows = [plain(line) for line in votes_so_far(question, state, without_markup)]
    assert rows[0].endswith("   1  broadcast") and rows[1].endswith("   3  all_reduce")
    assert rows[1].count("█") > 2 * rows[0].count("█")

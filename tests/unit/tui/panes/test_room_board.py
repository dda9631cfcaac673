"""Boards of the room: what it wrote and what its teams earned, at the sizes that rooms have."""

from __future__ import annotations

import pytest

from runtime.classroom.question_state import QuestionState, Said, seat_name, team_of
from runtime.protocol.class_messages.room_board import MOST_ROWS, MOST_WORDS, Board, BoardRow, bounded
from runtime.protocol.messages import Phones
from slides.drawing import cells
from slides.drawing.text import plain
from tui.classroom.answering.word_cloud import folded, words
from tui.panes import join_card
from tui.reports.classes.team_totals import team_totals


def drawn(board: Board, width: int, height: int) -> str:
    found = join_card.lines(Phones("on", board=board), width, height, True)
    assert len(found) <= height and all(cells.line_width(line) <= width for line in found)
    return "\n".join(plain(line) for line in found)


def said(*given: tuple[str, int]) -> list[Said]:
    return [Said((), (text,), count) for text, count in given]


def test_one_word_in_several_spellings_is_one_and_the_most_frequent_is_shown() -> None:
    board = words("Why?", said(("Memory", 3), ("memory ", 5), (" MEMORY.", 1), ("ring", 2), ("", 9)))
    assert board.rows == (BoardRow("memory", 9), BoardRow("ring", 2))


def test_what_is_left_out_or_long_stands_on_no_board() -> None:
    sentence = "because the slowest rank is waited for by all others"
    board = words("Why?", said(("Rude!", 4), (sentence, 1), ("ring\x1b[31m", 1)), {folded("rude")})
    assert [row.text for row in board.rows] == [cells.clean("ring\x1b[31m")]


@pytest.mark.parametrize("size", [(160, 45), (100, 30), (80, 24), (60, 16), (20, 5)])
def test_a_board_fits_and_says_how_many_words_it_leaves_out(size: tuple[int, int]) -> None:
    many = [("bandwidth", 31), ("all-reduce", 22), *((f"word number {n}", 1) for n in range(57))]
    text = drawn(words("What is sent?", said(*many)), *size)
    if size[0] >= 60:
        assert "31" in text and "word number 1" in text
    shown = text.count("word number") + (2 if "31" in text else 0)
    assert (f"and {59 - shown} more" in text) == (shown < 59) or size[0] < 60


def test_teams_stand_on_one_scale_of_a_hundred_percent() -> None:
    board = Board(
        "teams", "Right so far", (BoardRow("red", 50, 31), BoardRow("blue", 100, 1), BoardRow("x", 0))
    )
    rows = [row for row in drawn(board, 80, 24).split("\n") if "█" in row or "–" in row]
    assert [row.count("█") for row in rows if "█" in row] == [20, 20, 40, 40]
    assert "50 %  31 people" in rows[0] and "1 person" in rows[2] and "–" in rows[-1]


def test_a_teams_points_are_those_of_what_it_answered() -> None:
    def asked(id: str, phase: str, **more: object) -> QuestionState:
        seats = {seat_name("1", "red"): (0,), seat_name("2", "red"): (1,), seat_name("3", "blue"): (0,)}
        people = dict.fromkeys([*seats, "audience-1"], "somebody")
        found: dict[str, object] = {"answers": {**seats, "audience-1": (1,)}, "people": people, **more}
        return QuestionState(id, "single", 2, phase, **found)  # type: ignore[arg-type]

    revealed = (
        asked("a", "revealed", key=(0,)),
        asked("b", "revealed", key=(1,), answers={"phone-3.blue": (1,)}),
    )
    board = team_totals(
        ["red", "blue", "green"], [*revealed, asked("c", "open"), asked("d", "revealed")], {}.get
    )
    # red: right, wrong, and two that answered nothing to b; blue: right twice
    assert board.rows[1:] == (BoardRow("blue", 100, 1), BoardRow("green", 0, 0))
    assert board.rows[0] == BoardRow("red", 50, 2)


def test_only_seats_of_phones_have_teams() -> None:
    assert team_of(seat_name("a1", "red . tea")) == "red . tea" and team_of(seat_name("a1")) == ""
    assert team_of("screen.red") == ""


def test_a_board_is_bounded_whoever_sends_it() -> None:
    board = bounded(Board("words", "h" * 999, tuple(BoardRow("w" * 999, -1) for _ in range(999))))
    assert (len(board.rows), len(board.rows[0].text), board.rows[0].n) == (MOST_ROWS, MOST_WORDS, 0)
    assert len(board.heading) == 200

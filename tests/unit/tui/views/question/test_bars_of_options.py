"""Bars of options: behind their words in letters or beside them, long ones of one scale."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from test_questions_in_room import ASKED, begun, drawn, lettered, revealed

from quiz.question import Option, Question
from slides.drawing import cells
from slides.drawing.large.letters import letters
from slides.drawing.text import Line, Span, plain
from tui.views.question.over_bar import over_bar
from tui.views.question.question import question_lines


def bar_cells(line: Line) -> int:
    """Cells of a bar in a row, which has its figures in it or words over it."""
    filled = [text for text, look in line if set(text) == {"█"} or look.ground in ("dim", "good")]
    chips = [text for text, look in line if look.ground == "good" and look.ink == "background"][:1]
    return sum(map(cells.width, filled)) - (cells.width(chips[0]) if chips and len(filled) > 1 else 0)


@pytest.mark.parametrize(("name", "size"), [("short", (112, 36)), ("long", (112, 36)), ("short", (74, 18))])
def test_bars_are_long_and_of_one_scale(name: str, size: tuple[int, int]) -> None:
    """12, 5 and 3 of 20: a bar of all would have 40 cells and more."""
    lengths = [length for line in drawn(name, size, revealed(ASKED[name])) if (length := bar_cells(line)) > 4]
    most, least = max(lengths), min(lengths)
    assert most / 0.6 >= 38 and least == pytest.approx(0.15 / 0.6 * most, abs=1)


@pytest.mark.parametrize("size", [(92, 25), (112, 36)], ids="{0[0]}x{0[1]}".format)
def test_options_of_many_words_are_in_letters_over_their_bars(size: tuple[int, int]) -> None:
    """On 100x30 too: what is read from the back is as large before the reveal as after it."""
    words = "each micro-batch has its own copy"
    options = tuple(Option(f"{words} {n}", n == 1, f"WHY-{n}") for n in range(4))
    question = Question("q", "single", "Why is it?", options)
    before, after = (
        question_lines(question, one, (), *size) for one in (begun(question), revealed(question))
    )
    for lines in (before, after):
        shown = lettered([plain(line) for line in lines])
        assert all(f"{words} {n}" in shown for n in range(4)), shown
        assert not any(words in plain(line) for line in lines)
    rows = [n for n, line in enumerate(after) if bar_cells(line) > 4][:9]
    assert rows[8] - rows[0] < 18, "one option has no answers, each other is three rows high"
    lengths = [bar_cells(after[n]) for n in rows]
    # An end that would cut a letter is a cell off.
    assert lengths[0] == lengths[2] and lengths[1 * 3] == pytest.approx(12 / 5 * lengths[0], abs=4)
    text = "\n".join(map(plain, after))
    assert "12 (60 %)" in text or "12 of 20" in text
    assert any("WHY-1" in row for row in (*text.split("\n"), lettered(text.split("\n"))))


def test_an_option_too_long_for_a_row_of_letters_takes_two_and_all_stay_in_letters() -> None:
    long = "all wait alike: an all-reduce ends for all of the ranks at once, and so does what follows it"
    question = Question("q", "single", "Who waits?", (Option("rank 2", True), Option(long, False)))
    before, after = (question_lines(question, one, (), 112, 40) for one in (None, revealed(question)))
    places = []
    for lines in (before, after):
        rows = [plain(line) for line in lines]
        assert not any(words in row for row in rows for words in ("rank 2", "all wait"))
        places.append([n for n in range(len(rows) - 2) if "all-reduce ends" in lettered(rows[n : n + 3])])
    assert places[0] and places[0] == places[1], "nothing moves at the reveal"
    assert {bar_cells(after[places[0][0] + n]) for n in range(6)} == {bar_cells(after[places[0][0]])}


def test_no_bar_ends_within_a_letter() -> None:
    """`too fast` behind a bar of one cell was read as `[oo fast`. A T and its gap are two cells here."""
    question = Question("q", "single", "Which?", (Option("a", True), Option("b")))
    rows: list[Line] = [
        (Span("1 "), Span(row.ljust(20))) for row in letters("T" * 10, 20, ("slim",), 1) or []
    ]
    for count in range(1, 21):
        said = {f"r{n}": (int(n >= count),) for n in range(20)}
        state = replace(revealed(question), answers=said, counts=(count, 20 - count))
        for line in over_bar(rows, state, 0, 2, 13, ()):
            filled = sum(cells.width(text) for text, look in line if look.ink == "background")
            assert filled % 2 == 0 and abs(filled - count) <= 1, count

"""Letters of two rows, where a terminal has sextants: more of a question is large on a screen of 30 rows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

from quiz.question import Option, Question
from runtime.classroom.question_state import QuestionState, Round
from runtime.protocol.class_messages.pointing import Point
from slides.drawing import cells
from slides.drawing.large import letters, read_letters
from slides.drawing.text import Line, plain
from tui.graphics import terminal_glyphs
from tui.rendering import spotlight_and_pen
from tui.views.question.question import question_lines

WIDTH, HEIGHT = 92, 25  # of a question at 100x30
STEM = "A batch of eight is taken in two halves, and their gradients are added. What is the sum?"
WORDS = (
    "half of the mean of all eight of them",
    "twice the mean of all",
    "the mean of all",
    "nothing that helps",
)


@pytest.fixture(autouse=True)
def sextants() -> Iterator[None]:
    terminal_glyphs.settle_letters({"TERM": "xterm-kitty"})
    yield
    terminal_glyphs.settle_letters({"TERM": "xterm-256color"})


def asked(words: tuple[str, ...] = WORDS) -> Question:
    return Question(
        "q", "single", STEM, tuple(Option(text, n == 1, f"why {n}") for n, text in enumerate(words))
    )


def begun(question: Question) -> QuestionState:
    return QuestionState("q", question.kind, question.places)


def revealed(
    question: Question, votes: tuple[int, ...] = (5, 12, 3, 0), first: bool = False
) -> QuestionState:
    answers: dict[str, tuple[int, ...]] = {
        f"r{n}-{m}": (n,) for n, count in enumerate(votes) for m in range(count)
    }
    before = (Round({f"a{n}": (0,) for n in range(9)}, counts=(9, 8, 3, 0)),) if first else ()
    return QuestionState(
        "q", question.kind, question.places, "revealed", answers, votes, key=(1,), before=before,
        people=dict.fromkeys(answers, ""), explain=tuple(option.explain for option in question.options),
    )  # fmt: skip


def said(lines: list[Line]) -> str:
    """All that stands in letters of two rows, on one line; of rows with a bar what stands behind it."""
    rows = [plain(line) for line in lines]
    found = []
    for pair in pairwise(rows):
        behind = max(row.rfind("███") + 3 for row in pair) if "███" in pair[0] else 0
        found.append(read_letters.words([row[behind:] for row in pair]))
    return " ".join(filter(None, found))


def test_only_a_terminal_that_draws_sextants_itself_has_them() -> None:
    assert letters.letters("Four", 40, ("short",), 1) is not None
    terminal_glyphs.settle_letters({"TERM": "xterm-256color"})
    assert letters.letters("Four", 40, ("short",), 1) is None


@pytest.mark.parametrize("size", ["short", "short_slim"])
def test_what_is_written_in_them_is_read_again(size: letters.Size) -> None:
    words = "Each of 12 ranks, ZeRO-3: bytes = 2(n-1)/n?"
    drawn = letters.drawn(words, size)
    assert len(drawn) == 2 == letters.ROWS[size] and read_letters.words(drawn) == words
    assert read_letters.words([*drawn, *drawn]) == f"{words} {words}"


def test_stem_and_answers_are_large_at_100x30() -> None:
    question = asked()
    shown = said(question_lines(question, begun(question), (), WIDTH, HEIGHT))
    assert all(word in shown for word in (*STEM.split(), *" ".join(WORDS).split()))


@pytest.mark.parametrize(
    "words", [WORDS, ("S", "2S", "4S", "0"), tuple(f"{text} and so on" for text in WORDS)]
)
@pytest.mark.parametrize("first", [False, True])
def test_nothing_moves_at_the_reveal_and_each_count_is_told(words: tuple[str, ...], first: bool) -> None:
    question = asked(words)
    before = question_lines(question, begun(question), (), WIDTH, HEIGHT)
    after = question_lines(question, revealed(question, first=first), (), WIDTH, HEIGHT)
    for lines in (before, after):
        assert len(lines) <= HEIGHT and max(map(cells.line_width, lines)) <= WIDTH
    heads = [
        [plain(line)[:8] for line in lines[:14]] for lines in (before, after)
    ]  # the numbers of the answers
    assert heads[0] == heads[1]
    shown = said(after) + "\n".join(map(plain, after))
    assert "right" in shown or "✓" in shown
    assert all(f"{count} (" in shown for count in (5, 12, 3))
    assert not first or "first" in shown


def test_a_row_of_them_is_what_is_pointed_at() -> None:
    question = asked()
    lines = question_lines(question, begun(question), (), WIDTH, HEIGHT)
    units = spotlight_and_pen.units(lines)
    assert [one.rows for one in units[:-1]] == [2] * (len(units) - 1)  # the last is the line of keys
    small = question_lines(question, begun(question), (), 74, 18)
    (there,) = (one for one in spotlight_and_pen.units(small) if WORDS[1] in plain(small[one.row]))
    lit = spotlight_and_pen.on_page(Point("x", light=there), small, lines, 0, True).light
    (place,) = lit
    assert WORDS[1] in read_letters.words([plain(line) for line in lines[place.row : place.row + place.rows]])


def test_a_smaller_screen_has_rows_that_are_large_enough() -> None:
    question = asked()
    assert not said(question_lines(question, begun(question), (), 74, 18))

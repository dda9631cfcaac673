"""All puzzles: none is solved when it begins, and what is said to be best counts, and is."""

from __future__ import annotations

import pytest

from runtime.practice import exercise
from runtime.puzzles.puzzle import Puzzle
from runtime.puzzles.registry import PUZZLES, listed
from runtime.puzzles.verdict import solves
from tui.deck.built_in import lessons


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda it: it.name)
def test_the_best_counts_and_the_start_is_not_it(puzzle: Puzzle) -> None:
    score, answer = puzzle.best()
    judged = puzzle.judge(answer)
    assert judged.valid
    assert judged.score == score
    assert not solves(puzzle.judge(puzzle.start()), score)


def test_names_are_no_exercises_and_lessons_are_of_the_course() -> None:
    assert len(listed()) == len(PUZZLES)
    assert listed().keys().isdisjoint(exercise.listed())
    numbers = {int(name[:2]) for name in lessons() if name[:2].isdigit()}
    assert {puzzle.lesson for puzzle in PUZZLES} <= numbers
    assert [puzzle.lesson for puzzle in PUZZLES] == sorted(puzzle.lesson for puzzle in PUZZLES)

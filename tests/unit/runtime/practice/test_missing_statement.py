"""The smaller version of an exercise: one statement of its solution is missing, another each turn."""

from __future__ import annotations

import pytest

from runtime.practice import missing_statement
from runtime.practice.exercise import find, listed
from runtime.practice.holes import BEGIN, END

HOLE = "raise NotImplementedError"


@pytest.mark.parametrize("name", listed())
def test_each_statement_can_be_missing_and_put_back(name: str) -> None:
    solution = find(name).solution.read_text()
    places = missing_statement.statements(solution)
    assert len(places) >= 2
    plain = [line for line in solution.splitlines() if line.strip() not in (BEGIN, END)]
    for turn, (first, last) in enumerate(places):
        text = missing_statement.text(solution, turn)
        compile(text, name, "exec")
        lines = text.splitlines()
        [at] = [n for n, line in enumerate(lines) if line.strip() == HOLE]
        missing = solution.splitlines()[first - 1 : last]
        assert [*lines[: at - 1], *missing, *lines[at + 2 :]] == plain


def test_what_talks_to_other_ranks_comes_first_and_turns_go_round() -> None:
    solution = find("ring-all-reduce").solution.read_text()
    first, count = missing_statement.text(solution, 0), len(missing_statement.statements(solution))
    assert "dist.get_rank()" in first, "who one is, is not asked"
    assert missing_statement.text(solution, count) == first != missing_statement.text(solution, 1)
    with pytest.raises(ValueError, match="no statement"):
        missing_statement.text("x = 1", 0)


def test_it_is_an_exercise_that_begins_with_its_own_text() -> None:
    mesh = find("mesh")
    small = missing_statement.of(mesh, 3)
    assert small.start == missing_statement.text(mesh.solution.read_text(), 3)
    assert (small.checks, small.solution, small.name) == (mesh.checks, mesh.solution, "mesh/again/3")

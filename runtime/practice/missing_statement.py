"""The smaller version of an exercise that was solved: a solution in which one statement is missing.

What comes back after days is not the whole again but one line of it, another each time.
"""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from runtime.practice.exercise import Exercise
from runtime.practice.holes import BEGIN, END

AGAIN = "again"
_HOLE = re.compile(rf"^ *({re.escape(BEGIN)}|{re.escape(END)})\n", re.MULTILINE)
_WHO = re.compile(
    r"(\w+|\(\w+, \w+\)|\w+, \w+) = \(?(dist\.get_(rank|world_size)\(\w*\)(, )?)+\)?"
)  # who am I?
_IDLE = (".wait()", ".clone()", ".clear()", ".flush()", ".zero_grad()")
_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)
_THINKS = (ast.Call, ast.BinOp, ast.Compare)  # a statement without any of them only moves a name


def of(exercise: Exercise, turn: int) -> Exercise:
    """Return the exercise's smaller version of this turn."""
    task = "Once more, from memory: in a solution that passes one statement is missing."
    return replace(
        exercise,
        name=f"{exercise.name}/{AGAIN}/{turn}",
        title=f"{exercise.title}: one statement",
        task=task,
        begins=text(exercise.solution.read_text("utf-8"), turn),
    )


def text(solution: str, turn: int) -> str:
    """Return a solution with the statement of this turn missing. Raises `ValueError` if it has none."""
    places = statements(solution)
    if not places:
        raise ValueError("the solution has no statement between its marks")
    first, last = places[turn % len(places)]
    lines = solution.splitlines(keepends=True)
    indent = " " * (len(lines[first - 1]) - len(lines[first - 1].lstrip()))
    hole = [f"{indent}{word}\n" for word in (BEGIN, "raise NotImplementedError", END)]
    before, after = "".join(lines[: first - 1]), "".join(lines[last:])
    return _HOLE.sub("", before) + "".join(hole) + _HOLE.sub("", after)


def statements(solution: str) -> list[tuple[int, int]]:
    """Return the first and last line of each statement that can be missing, in the order of their turns.

    Those that talk to other ranks come first.
    """
    lines = solution.splitlines()
    inside: set[int] = set()
    within = False
    for number, line in enumerate(lines, 1):
        within = (within or BEGIN in line) and END not in line
        if within:
            inside.add(number)
    found = [
        (it.lineno, it.end_lineno or it.lineno)
        for it in ast.walk(ast.parse(solution))
        if isinstance(it, _SIMPLE) and it.lineno in inside and _alone(it, lines)
    ]
    return sorted(found, key=lambda place: (not _talks("\n".join(lines[place[0] - 1 : place[1]])), place))


def _alone(statement: ast.stmt, lines: list[str]) -> bool:
    """Whether it says something, and has its lines for itself."""
    if not any(isinstance(it, _THINKS) for it in ast.walk(statement)):
        return False
    if _WHO.fullmatch(ast.unparse(statement)):
        return False
    if ast.unparse(statement).endswith(_IDLE):
        return False  # without it the checks pass all the same, most often
    return lines[statement.lineno - 1][: statement.col_offset].strip() == ""


def _talks(source: str) -> bool:
    return "dist." in source

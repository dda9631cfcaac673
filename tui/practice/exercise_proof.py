"""Proves an exercise: its start fails, its solution passes, wrong solutions are told what they should be."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slides.drawing.cells import clean
from slides.problems import one_line
from tui.command_line.exit_codes import DONE, FAILED
from tui.command_line.refusals import complain
from tui.rendering.escape_filter import dumps

if TYPE_CHECKING:
    from runtime.practice.exercise import Exercise
    from runtime.practice.warm_runner import Practice
    from runtime.practice.wrong_solutions import WrongSolution


def is_exercise(path: str) -> bool:
    """Whether this is the folder of an exercise, and no deck."""
    try:
        return (Path(path) / "task.md").is_file()
    except (OSError, ValueError):
        return False


def check(path: str, as_json: bool) -> int:
    """Run every file of an exercise, a line each; returns the exit status."""
    from runtime.practice import wrong_solutions
    from runtime.practice.exercise import BrokenExercise, read

    try:
        exercise = read(Path(path).resolve())
        _ = exercise.checks
        wrong = wrong_solutions.of(exercise)
    except BrokenExercise as broken:
        return complain(one_line(str(broken)))
    return asyncio.run(_check(exercise, wrong, as_json))


async def _check(exercise: Exercise, wrong: list[WrongSolution], as_json: bool) -> int:
    from runtime.practice.warm_runner import Practice

    practice = Practice()
    found: list[dict[str, Any]] = []
    try:
        async for name, why in proved(practice, exercise, wrong):
            found.append({"file": name, "problem": why or None})
            if not as_json:
                print(f"{'✗' if why else '✓'} {clean(name)}" + (f": {clean(why)}" if why else ""), flush=True)
    finally:
        await practice.close()
    problems = sum(it["problem"] is not None for it in found)
    if as_json:
        print(dumps({"exercise": exercise.name, "files": found}))
    elif not problems:
        print(f"{clean(exercise.title)}: proved, with {len(wrong)} wrong solutions told apart")
    return FAILED if problems else DONE


async def proved(
    practice: Practice, exercise: Exercise, wrong: list[WrongSolution]
) -> AsyncIterator[tuple[str, str]]:
    """Yield each script with what is not as it should be, "" where all is."""
    with tempfile.TemporaryDirectory(prefix="teachrun-") as folder:
        start = Path(folder) / "start.py"
        start.write_text(exercise.start, "utf-8")
        begun = (await practice.run(exercise, start)).diagnosis
        yield "start", "" if begun is not None else "it passes all checks: there is nothing to write"
        solved = await practice.run(exercise, exercise.solution)
        why = solved.diagnosis.headline if solved.diagnosis is not None else "its run was cut short"
        yield "solution.py", "" if solved.solved else f"it fails: {why}"
        if not wrong:
            yield "wrong.yaml", "no wrong solution shows what the checks tell apart"
        for it in wrong:
            told = (await practice.run(exercise, it.put(Path(folder)))).diagnosis
            if told is None:
                yield it.place, "it passes all checks"
            elif (told.kind, it.words in told.text) != (it.kind, True):
                should = f"it should be told {it.kind}: {it.words}"
                yield it.place, f"{should}; it is told {told.kind}: {told.headline}"
            else:
                yield it.place, ""

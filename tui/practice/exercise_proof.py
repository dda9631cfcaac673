"""Proves an exercise: its start fails, its solution passes, wrong solutions are told what they should be."""

from __future__ import annotations

import asyncio
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


def is_exercise(path: str) -> bool:
    """Whether this is the folder of an exercise, and no deck."""
    try:
        return (Path(path) / "task.md").is_file()
    except (OSError, ValueError):
        return False


def check(path: str, as_json: bool) -> int:
    """Run every file of an exercise, a line each; returns the exit status."""
    from runtime.practice.exercise import BrokenExercise, read

    try:
        exercise = read(Path(path).resolve())
        _ = exercise.checks, exercise.wrong
    except BrokenExercise as broken:
        return complain(one_line(str(broken)))
    return asyncio.run(_check(exercise, as_json))


async def _check(exercise: Exercise, as_json: bool) -> int:
    from runtime.practice.warm_runner import Practice

    practice = Practice()
    found: list[dict[str, Any]] = []
    try:
        async for name, why in proved(practice, exercise):
            found.append({"file": name, "problem": why or None})
            if not as_json:
                print(f"{'✗' if why else '✓'} {clean(name)}" + (f": {clean(why)}" if why else ""), flush=True)
    finally:
        await practice.close()
    problems = sum(it["problem"] is not None for it in found)
    if as_json:
        print(dumps({"exercise": exercise.name, "files": found}))
    elif not problems:
        print(f"{clean(exercise.title)}: proved, with {len(exercise.wrong)} wrong solutions told apart")
    return FAILED if problems else DONE


async def proved(practice: Practice, exercise: Exercise) -> AsyncIterator[tuple[str, str]]:
    """Yield each file with what is not as it should be, "" where all is."""
    begun = (await practice.run(exercise, exercise.start)).diagnosis
    yield "start.py", "" if begun is not None else "it passes all checks: there is nothing to write"
    solved = await practice.run(exercise, exercise.solution)
    why = solved.diagnosis.headline if solved.diagnosis is not None else "its run was cut short"
    yield "solution.py", "" if solved.solved else f"it fails: {why}"
    if not exercise.wrong:
        yield "wrong/", "no wrong solution shows what the checks tell apart"
    for wrong in exercise.wrong:
        told = (await practice.run(exercise, wrong.file)).diagnosis
        name = f"wrong/{wrong.file.name}"
        if told is None:
            yield name, "it passes all checks"
        elif (told.kind, wrong.words in told.text) != (wrong.kind, True):
            yield (
                name,
                f"it should be told {wrong.kind}: {wrong.words}; it is told {told.kind}: {told.headline}",
            )
        else:
            yield name, ""

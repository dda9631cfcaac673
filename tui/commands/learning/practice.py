"""`teachrun practice [EXERCISE]`: write it yourself, on real ranks; or a puzzle, played with the arrow keys.

`--again` asks one statement of an exercise that was solved, as `study` does when it is due.
`--check FILE` makes the checks once, without a screen: exit status 0 if all pass; of a puzzle it reads the
answer in the file. `practice new NAME` makes the folder of an exercise of your own.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from slides.problems import one_line
from tui.command_line import arguments, refusals
from tui.command_line.exit_codes import DONE, FAILED, INTERRUPTED
from tui.command_line.refusals import complain, tell_left
from tui.rendering.escape_filter import dumps

if TYPE_CHECKING:
    from runtime.practice.exercise import Exercise
    from runtime.practice.outcome import Outcome
    from runtime.puzzles.puzzle import Puzzle

MOST_ANSWER = 1 << 16  # bytes of an answer to a puzzle


def configure(parser: argparse.ArgumentParser) -> None:
    parser.usage = (
        "teachrun practice [EXERCISE] [--again] [--show FILE] [--check FILE] [--json]\n"
        "       teachrun practice new NAME"
    )
    parser.add_argument(
        "words",
        nargs="*",
        metavar="EXERCISE",
        help="an exercise from `teachrun list exercises`, or the folder of one; `new NAME` makes one",
    )
    parser.add_argument(
        "--check",
        metavar="FILE",
        type=Path,
        help="check this file instead of your copy; the checks run in the file's own processes: they find"
        " mistakes, and do not stop anybody who wants to cheat",
    )
    parser.add_argument(
        "--show",
        metavar="FILE",
        type=Path,
        help="show somebody else's file first, not yours; nothing is counted",
    )
    parser.add_argument(
        "--again",
        action="store_true",
        help="a smaller version of one that you have solved: one statement is missing",
    )
    arguments.add_theme(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object")


def main(args: argparse.Namespace) -> int:
    """Exit status 1 where a check fails, 2 where there is no such exercise or file."""
    from runtime.practice.exercise import BrokenExercise, find
    from runtime.puzzles.registry import listed
    from tui.practice import new_exercise, student_copy
    from tui.start.practising import play, show

    words = list(args.words)
    if words[:1] == ["new"]:
        if len(words) != 2:
            return complain("an exercise of your own needs a name: teachrun practice new NAME")
        return new_exercise.make(words[1])
    seen = sys.stdin.isatty() and sys.stdout.isatty() and not args.json and args.check is None
    if not words and seen:
        return show(None, args.theme)
    if len(words) != 1:
        return complain("which exercise? `teachrun list exercises` names them")
    if (puzzle := listed().get(words[0])) is not None:
        return _puzzle(puzzle, args.check, args.json) if not seen else play(puzzle, args.theme)
    try:
        exercise = find(words[0])
        _ = exercise.checks
    except BrokenExercise as broken:
        return complain(one_line(str(broken)))
    if args.again:
        return _again(exercise, args.theme) if seen else complain(refusals.no_terminal())
    if args.show is not None and not args.show.is_file():
        return complain(f"there is no file {one_line(str(args.show))}: give --show the file of a student")
    if seen:
        return show(exercise, args.theme, args.show and args.show.absolute())
    file = args.check
    if file is None:
        file = student_copy.of(exercise)
        print(f"your copy: {file}", file=sys.stderr)
    elif not file.is_file():
        return complain(f"there is no file {one_line(str(file))}: give --check the file you have written")
    return asyncio.run(_check(exercise, file, args.json))


def _again(exercise: Exercise, theme: str) -> int:
    from runtime.practice.exercise import listed
    from tui.classroom.host_link import whereabouts
    from tui.practice import reviews, tries_and_hints
    from tui.start import practising

    if (
        exercise.name not in listed()
        or not tries_and_hints.load().get(exercise.name, tries_and_hints.Progress()).solved
    ):
        return complain(f"{exercise.name} is not solved yet: `teachrun practice {exercise.name}` first")
    review = practising.again(exercise.name, theme)
    if review is not None and (why := reviews.keep(review, whereabouts())):
        return complain(f"it is solved, and not kept: {why}", FAILED)
    return DONE


def _puzzle(puzzle: Puzzle, file: Path | None, as_json: bool) -> int:
    """Hold the answer in `file`, or the one kept from the screen, to the rules."""
    from runtime.puzzles.verdict import Unreadable, solves
    from tui.practice import tries_and_hints
    from tui.reports import puzzle_report

    answer = tries_and_hints.load().get(puzzle.name, tries_and_hints.Progress()).answer or puzzle.start()
    if file is not None:
        try:
            with file.open("rb") as opened:
                answer = opened.read(MOST_ANSWER).decode("utf-8", "replace")
        except OSError as error:
            return complain(
                f"{one_line(str(file))} cannot be read: {error.strerror}. Give --check your answer"
            )
    try:
        judged = puzzle.judge(answer)
    except Unreadable as unreadable:
        return complain(one_line(str(unreadable)), FAILED)
    if as_json:
        print(dumps(puzzle_report.as_object(puzzle, judged, answer)))
    else:
        print("\n".join(puzzle_report.lines(puzzle, judged)))
    return DONE if solves(judged, puzzle.best()[0]) else FAILED


async def _check(exercise: Exercise, file: Path, as_json: bool) -> int:
    import signal

    from runtime.practice.warm_runner import Practice
    from tui.reports import practice_report

    practice = Practice(lambda status, detail: None)
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(practice.run(exercise, file))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, task.cancel)
    if not as_json and sys.stderr.isatty():
        print("warming up …", file=sys.stderr)
    outcome: Outcome | None = None
    try:
        outcome = await task
    except asyncio.CancelledError:
        pass
    finally:
        left = await practice.close()
    if outcome is None:
        return INTERRUPTED
    if as_json:
        print(dumps(practice_report.as_object(outcome)))
    else:
        print("\n".join(practice_report.lines(outcome)))
    if left + outcome.left:
        tell_left(left + outcome.left)
    return DONE if outcome.solved else FAILED

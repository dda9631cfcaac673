"""`teachrun practice [EXERCISE]`: write it yourself, on real ranks.

`--check FILE` makes the checks once, without a screen: exit status 0 if all pass. `practice new NAME` makes
the folder of an exercise of your own.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from slides.problems import one_line
from tui.command_line import arguments
from tui.command_line.exit_codes import DONE, FAILED, INTERRUPTED
from tui.command_line.refusals import complain, tell_left
from tui.rendering.output_filter import dumps

if TYPE_CHECKING:
    from runtime.practice.exercise import Exercise
    from runtime.practice.outcome import Outcome


def configure(parser: argparse.ArgumentParser) -> None:
    parser.usage = "teachrun practice [EXERCISE] [--check FILE] [--json]\n       teachrun practice new NAME"
    parser.add_argument(
        "words",
        nargs="*",
        metavar="EXERCISE",
        help="one of those that `teachrun list exercises` names, or the folder of one; `new NAME` makes one",
    )
    parser.add_argument("--check", metavar="FILE", type=Path, help="check this file instead of your copy")
    arguments.add_theme(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object")


def main(args: argparse.Namespace) -> int:
    """Exit status 1 where a check fails, 2 where there is no such exercise or file."""
    from runtime.practice.exercise import BrokenExercise, find
    from tui.practice import copies, making
    from tui.start.practising import show

    words = list(args.words)
    if words[:1] == ["new"]:
        if len(words) != 2:
            return complain("an exercise of your own needs a name: teachrun practice new NAME")
        return making.make(words[1])
    seen = sys.stdin.isatty() and sys.stdout.isatty() and not args.json and args.check is None
    if not words and seen:
        return show(None, args.theme)
    if len(words) != 1:
        return complain("which exercise? `teachrun list exercises` names them")
    try:
        exercise = find(words[0])
        _ = exercise.checks
    except BrokenExercise as broken:
        return complain(one_line(str(broken)))
    if seen:
        return show(exercise, args.theme)
    file = args.check
    if file is None:
        file = copies.of(exercise)
        print(f"your copy: {file}", file=sys.stderr)
    elif not file.is_file():
        return complain(f"there is no file {one_line(str(file))}: give --check the file you have written")
    return asyncio.run(_check(exercise, file, args.json))


async def _check(exercise: Exercise, file: Path, as_json: bool) -> int:
    import signal

    from runtime.practice.runner import Practice
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

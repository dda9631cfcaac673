"""`teachrun compare ddp 'zero stage=1' fsdp --ranks 4`: the strategy table, measured here and now.

Every strategy runs several times, in turn with the others. Progress goes to stderr, the table to stdout: for
the terminal, as Markdown, or as one JSON object. Exit status 0 only if every run finished.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
import time
from typing import TYPE_CHECKING

from runtime.atomic_write import put
from slides.drawing.cells import clean
from tui.command_line.exit_codes import DONE, FAILED, INTERRUPTED
from tui.command_line.progress import Progress, progress_line
from tui.command_line.refusals import complain, tell_left
from tui.rendering.escape_filter import dumps
from tui.reports.runs.comparison_text import advice, as_object, caption, explained, markdown, terminal

if TYPE_CHECKING:
    from runtime.catalog.registry import Launchable
    from runtime.host.blocks.comparison import Plan
    from runtime.protocol.figures import Comparison
    from runtime.supervision.run import Run

BLOCK = "compare"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.usage = (
        "teachrun compare DEMO 'DEMO KEY=VALUE' ... [KEY=VALUE ...] [--ranks N] [--steps N] [--runs N] "
        "[--markdown | --json | --html FILE]"
    )
    parser.add_argument(
        "words",
        nargs="+",
        metavar="DEMO",
        help="strategies, each one word (quote those with parameters); KEY=VALUE alone is for all of them",
    )
    for key, text in (
        ("ranks", "ranks of each"),
        ("steps", "steps of each"),
        ("runs", "how many times each one runs"),
    ):
        parser.add_argument(f"--{key}", metavar="N", help=text)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--markdown", action="store_true", help="a Markdown table, for a slide")
    form.add_argument("--json", action="store_true", help="one JSON object")
    form.add_argument("--html", metavar="FILE", help="a page with the table and its charts")


def main(args: argparse.Namespace) -> int:
    from runtime.catalog.registry import Refusal
    from runtime.host.blocks.comparison import plan

    words = list(args.words)
    words += [f"{key}={getattr(args, key)}" for key in ("ranks", "steps", "runs") if getattr(args, key)]
    planned = plan(words)
    if isinstance(planned, Refusal):
        return complain(f"{planned.why}: {planned.mend}")
    return asyncio.run(_compare(planned, args))


async def _compare(planned: Plan, args: argparse.Namespace) -> int:
    from msgspec.structs import replace

    from runtime import paths
    from runtime.host.blocks.comparison import Contest
    from runtime.supervision.supervisor import Supervisor

    name = f"run-{os.getpid()}"
    supervisor = Supervisor(name, paths.rank_socket(name))
    progress = Progress(sys.stderr)
    contest = Contest(planned)
    interrupted = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, interrupted.set)
    last: list[Run] = []

    async def launch(demo: Launchable) -> Run:
        run = await supervisor.launch(BLOCK, demo)
        last[:] = [run]
        return run

    await supervisor.start()
    work = asyncio.create_task(contest.run(launch))
    stop = asyncio.create_task(interrupted.wait())
    try:
        while not work.done() and not stop.done():
            await asyncio.wait((work, stop), timeout=progress.pause, return_when=asyncio.FIRST_COMPLETED)
            if last:
                rows = contest.table().rows
                label = next((row.label for row in rows if row.state == "running"), "")
                shown = replace(last[0].snapshot(), demo=label)
                done, total = sum(row.runs for row in rows), planned.runs * len(rows)
                progress.say(f"{done}/{total}  {progress_line(shown, supervisor.stage.detail)}")
        if not work.done():
            contest.stopped = True
            await supervisor.stop(BLOCK, "interrupted")
        await work
    finally:
        stop.cancel()
        left = await supervisor.close()
    progress.end()
    table = contest.table()
    if any(row.runs for row in table.rows):
        print(_written(table, args, last[0]))
        if args.html:
            _write_page(args.html, table, last[0])
    for row in table.rows:
        if row.state == "failed":
            print(f"teachrun: {clean(row.label)} failed: {clean(row.why)}", file=sys.stderr)
    if left:
        tell_left(left)
    if interrupted.is_set():
        return INTERRUPTED
    return FAILED if contest.failed or contest.stopped else DONE


def _written(table: Comparison, args: argparse.Namespace, run: Run) -> str:
    where = run.snapshot()
    if args.json:
        return dumps(as_object(table) | {"badge": where.badge, "bent": list(where.bent)})
    if args.markdown:
        explanation = [line for words in explained(table) for line in (words, "")]
        return "\n".join(
            (*markdown(table), "", *explanation, f"_{caption(table)}; {_place(where.badge, where.bent)}._")
        )
    return "\n".join(
        (f"{caption(table)} · {_place(where.badge, where.bent)}", *terminal(table), *advice(table))
    )


def _write_page(file: str, table: Comparison, run: Run) -> None:
    """Raises `OSError`; the table is on stdout by then."""
    from runtime.recordings.recorder import machine
    from tui.reports.runs.comparison_page import page

    where = run.snapshot()
    made = time.strftime("%Y-%m-%d %H:%M")
    text = page(
        table, caption(table), _place(where.badge, where.bent), made, str(machine()), explained(table)
    )
    put(file, text)


def _place(badge: str, bent: tuple[str, ...]) -> str:
    return clean(" · ".join((badge, *bent)))

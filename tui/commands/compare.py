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
from typing import TYPE_CHECKING, Any

from runtime.atomic_write import put
from tui.command_line.exit_codes import DONE, FAILED, INTERRUPTED, USAGE
from tui.command_line.line_folding import columns, folded
from tui.command_line.progress import Progress, progress_line
from tui.rendering.output_filter import dumps

if TYPE_CHECKING:
    from runtime.catalog.registry import Launchable
    from runtime.host.comparison import Plan
    from runtime.protocol.figures import Comparison, Strategy
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
        help="strategies, each one word (quote those with parameters); KEY=VALUE alone goes for all of them",
    )
    for key, text in (("ranks", "ranks of each"), ("steps", "steps of each"), ("runs", "times each is run")):
        parser.add_argument(f"--{key}", metavar="N", help=text)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--markdown", action="store_true", help="a Markdown table, for a slide")
    form.add_argument("--json", action="store_true", help="one JSON object")
    form.add_argument("--html", metavar="FILE", help="a page with the table and its drawings")


def main(args: argparse.Namespace) -> int:
    from runtime.catalog.registry import Refusal
    from runtime.host.comparison import plan

    words = list(args.words)
    words += [f"{key}={getattr(args, key)}" for key in ("ranks", "steps", "runs") if getattr(args, key)]
    planned = plan(words)
    if isinstance(planned, Refusal):
        print(f"teachrun: {planned.why}: {planned.mend}", file=sys.stderr)
        return USAGE
    return asyncio.run(_compare(planned, args))


async def _compare(planned: Plan, args: argparse.Namespace) -> int:
    from msgspec.structs import replace

    from runtime import paths
    from runtime.host.comparison import Contest
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
            print(f"teachrun: {_clean(row.label)} failed: {_clean(row.why)}", file=sys.stderr)
    if left:
        print(f"teachrun: {left} processes could not be ended; see `teachrun ps`", file=sys.stderr)
    if interrupted.is_set():
        return INTERRUPTED
    return FAILED if contest.failed or contest.stopped else DONE


def _clean(text: str) -> str:
    from slides.drawing import cells

    return cells.clean(text)


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
    from tui.reports.comparison_page import page

    where = run.snapshot()
    made = time.strftime("%Y-%m-%d %H:%M")
    text = page(
        table, caption(table), _place(where.badge, where.bent), made, str(machine()), explained(table)
    )
    put(file, text)


def _place(badge: str, bent: tuple[str, ...]) -> str:
    return _clean(" · ".join((badge, *bent)))


def caption(table: Comparison) -> str:
    return f"{table.ranks} ranks, {table.steps} steps, {_runs(table.runs)}"


def _runs(count: int) -> str:
    return "one run of each" if count == 1 else f"medians of {count} runs of each, in turn"


HEAD = ("strategy", "peak", "sum", "ms a step", "lowest-highest", "tokens/s",
         "payload", "wire", "theory", "exposed", "loss")  # fmt: skip
MEANT = "MB a step and rank: payload handed to the library, wire measured, theory the least possible"
HELD = (
    "MB of a rank, peak: the most at once, by the profiler; sum: the most of each kind, not all at one moment"
)


def _words(row: Strategy) -> tuple[str, ...]:
    """A row of the table; a dash is what is not known."""

    def figure(value: float | None, form: str, scale: float = 1.0) -> str:
        return "-" if value is None else format(value * scale, form)

    spread = f"{figure(row.step_low_s, '.1f', 1e3)}-{figure(row.step_high_s, '.1f', 1e3)}"
    loss = figure(row.loss, ".4f") + {True: " =", False: " differs", None: ""}[row.same]
    return (
        _clean(row.label),
        figure(row.peak_bytes, ".1f", 1e-6),
        figure(row.memory_bytes, ".1f", 1e-6),
        figure(row.step_s, ".1f", 1e3),
        spread if row.step_s is not None else row.state,
        figure(row.tokens_s, ",.0f"),
        figure(row.payload, ".2f", 1e-6),
        figure(row.wire, ".2f", 1e-6),
        figure(row.theory, ".2f", 1e-6),
        figure(row.exposed, ".0%"),
        loss,
    )


def terminal(table: Comparison) -> list[str]:
    """The table; in a narrower terminal without the spread, then with less air, then without tokens/s."""
    body, most = [HEAD, *(_words(row) for row in table.rows)], columns()
    widths = [max(len(line[column]) for line in body) for column in range(len(HEAD))]
    every = tuple(range(len(HEAD)))
    without = tuple(column for column in every if HEAD[column] != "lowest-highest")
    fewer = tuple(column for column in without if HEAD[column] != "tokens/s")
    for shown, gap in ((every, 2), (without, 2), (without, 1), (fewer, 1)):
        if most is None or sum(widths[column] for column in shown) + gap * (len(shown) - 1) <= most:
            break
    left = (0, len(HEAD) - 1)
    lines = [
        (" " * gap).join(f"{line[n]:{'<' if n in left else '>'}{widths[n]}}" for n in shown).rstrip()
        for line in body
    ]
    return [*lines, *explained(table)]


def explained(table: Comparison) -> list[str]:
    """What the three counts of bytes are, why one is a dash, and why the wire carries more than theory."""
    said = [f"{', '.join(of)}: {words}" for words, of in table.costs.items()]
    return [folded(_clean(line), 2) for line in (HELD, MEANT, *said)]


def advice(table: Comparison) -> list[str]:
    """When one would train so, for the strategies whose demo says it."""
    said = [(row.label, row.when) for row in table.rows if row.when]
    width = max((len(label) for label, _ in said), default=0)
    lines = [folded(f"{_clean(label):<{width}}  {when}", width + 2) for label, when in said]
    return ["", *lines] if said else []


def markdown(table: Comparison) -> list[str]:
    def cell(text: str) -> str:
        return text.replace("|", "\\|")

    head, last = (*HEAD, "when"), len(HEAD)
    lines = [
        f"| {' | '.join(head)} |",
        f"|{'|'.join(' --- ' if n in (0, last - 1, last) else ' ---: ' for n in range(last + 1))}|",
    ]
    lines += [
        f"| {' | '.join(cell(word) for word in (*_words(row), row.when or '-'))} |" for row in table.rows
    ]
    return lines


def as_object(table: Comparison) -> dict[str, Any]:
    """Seconds end in `_s`, bytes in `_bytes`, unknown is null."""
    return {
        "ranks": table.ranks,
        "steps": table.steps,
        "runs": table.runs,
        "strategies": [
            {
                "label": row.label,
                "demo": row.demo,
                "state": row.state,
                "why": row.why,
                "runs": row.runs,
                "peak_bytes": row.peak_bytes,
                "memory_bytes": row.memory_bytes,
                "memory_by_kind_bytes": row.memory,
                "step_s": row.step_s,
                "step_low_s": row.step_low_s,
                "step_high_s": row.step_high_s,
                "tokens_per_s": row.tokens_s,
                "payload_bytes_step": row.payload,
                "wire_bytes_step": row.wire,
                "theory_bytes_step": row.theory,
                "wire_unknown": row.no_wire,
                "wire_costs": list(row.costs),
                "exposed": row.exposed,
                "loss": row.loss,
                "same_loss": row.same,
                "when": row.when,
            }
            for row in table.rows
        ],
    }

"""`teachrun run ddp ranks=4 steps=50`: a demo, or a script such as `./train.py`, without a screen.

It embeds the supervisor of a host and ends with it. Progress goes to stderr, the table to stdout; `--json`
puts one object there instead and `--jsonl` a line per event into a file or, as `-`, onto stdout (then the
table goes to stderr). Exit status 0 only if every rank finished.
"""

from __future__ import annotations

import argparse
import asyncio
import linecache
import os
import shlex
import signal
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, TextIO

from runtime.metrics.rank_output import RankOutput
from slides.drawing.cells import clean
from tui.command_line import cluster_options, joined_node
from tui.command_line.exit_codes import DONE, FAILED, INTERRUPTED
from tui.command_line.progress import Progress
from tui.command_line.refusals import complain, tell_left
from tui.command_line.stdin_watch import SILENT_S, HeldInput
from tui.rendering.escape_filter import dumps
from tui.reports.runs.run_json import finite, summary
from tui.reports.runs.run_table import lines

if TYPE_CHECKING:
    from runtime.catalog.registry import Launchable
    from runtime.protocol.events import Event
    from runtime.supervision.run import Run

_LOG_LINES = 12


def configure(parser: argparse.ArgumentParser) -> None:
    parser.usage = (
        "teachrun run DEMO|./SCRIPT.py [KEY=VALUE ...] [--ranks N] [--steps N] [--timeout S] [--json] "
        "[--jsonl FILE] [--xray STEP] [--slurm|--k8s|--hosts A,B] "
        "[--nnodes N --node-rank K --rdzv HOST:PORT [--join FILE]] [-- ARGUMENTS OF THE SCRIPT]"
    )
    parser.add_argument(
        "words",
        nargs="*",
        metavar="DEMO KEY=VALUE",
        help="a demo (see `teachrun list`) or a torchrun script, and its parameters, such as ranks=4",
    )
    for key, metavar, text in (
        ("ranks", "N", "short for ranks=N"),
        ("steps", "N", "short for steps=N"),
        ("nodes", "N", "short for nodes=N"),
        ("link", "SPEED", "short for link=SPEED; `--link netns` for network=netns"),
        ("timeout", "S", "end the run as failed after S seconds"),
        ("jsonl", "FILE", "a line of JSON per event into FILE (-: stdout)"),
        ("xray", "STEP", "profile this step on all ranks, and say where the trace is"),
    ):
        parser.add_argument(f"--{key}", metavar=metavar, help=text)
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout instead of the table")
    cluster_options.configure(parser)


def main(args: argparse.Namespace) -> int:
    from runtime.catalog import registry, scripts
    from runtime.catalog.params import MOST_RANKS
    from tui.reports.runs import event_jsonl

    words = [*args.words, *args.more]
    parsed = registry.parse_words(sorted(words, key=lambda word: "=" in word))  # the name wherever it stands
    if isinstance(parsed, registry.Refusal):
        return _complain(parsed.why, parsed.mend)
    name, params = parsed
    for key in ("ranks", "steps", "timeout", "nodes", "link"):
        if getattr(args, key) is not None:
            params["network" if getattr(args, key) == "netns" else key] = getattr(args, key)
    if args.behind:
        if not scripts.is_script(name):
            return _complain(f"{clean(name)} takes nothing behind --", "write its parameters as key=value")
        params["args"] = shlex.join(args.behind)
    if misfit := cluster_options.misfit(args):
        return complain(misfit)
    if args.nnodes is not None:
        params["nodes"] = args.nnodes
    if args.hosts is not None and "nodes" not in params:
        params["nodes"] = str(args.hosts.count(",") + 1)  # how many of them are machines is read later
    apart = cluster_options.is_asked(args)  # then what it needs is looked for on the machines that run it
    most = cluster_options.MOST_RANKS if apart else MOST_RANKS
    demo = registry.check(name, params, here=not apart, most=most)
    if isinstance(demo, registry.Refusal):
        return _complain(demo.why, demo.mend)
    if apart:
        planned = cluster_options.main(args, demo)
        if isinstance(planned, int):
            return planned
        demo = planned
    demo = cluster_options.one_node(args, demo)
    if isinstance(demo, registry.Refusal):
        return _complain(demo.why, demo.mend)
    if args.join is not None:
        return joined_node.main(demo, args.join)
    if args.xray is not None and not (args.xray.isascii() and args.xray.isdigit()):
        return _complain(f"--xray {clean(args.xray)} is not a step", "give --xray a number from 0 on")
    if args.json and args.jsonl == "-":
        return _complain("--json and --jsonl - both want stdout", "give --jsonl a file")
    try:
        events = event_jsonl.opened(args.jsonl) if args.jsonl is not None else None
    except OSError as error:
        return _complain(
            f"{clean(args.jsonl)} cannot be written: {error.strerror}", "give --jsonl another file"
        )
    headless = Headless(
        demo, events, int(args.xray) if args.xray is not None else None, until_eof=args.until_eof
    )
    try:
        return asyncio.run(
            headless.run(as_json=args.json, table=sys.stderr if args.jsonl == "-" else sys.stdout)
        )
    finally:
        if events is not None and events is not sys.stdout:
            events.close()


def _complain(why: str, mend: str) -> int:
    return complain(f"{why}: {mend}")


class Headless:
    """One run from launch to verified end."""

    def __init__(
        self,
        demo: Launchable,
        events: TextIO | None,
        xray: int | None = None,
        *,
        until_eof: bool = False,
        silent_s: float = SILENT_S,
    ) -> None:
        self._until_eof, self._silent_s = until_eof, silent_s
        self._demo, self._events, self._xray = demo, events, xray
        self._interrupted = asyncio.Event()
        self._by = ""
        self._status = INTERRUPTED  # of a run that was stopped
        self._run: Run | None = None
        self._progress = Progress(sys.stderr)
        self._output = RankOutput(demo.ranks)

    async def run(self, *, as_json: bool, table: TextIO) -> int:
        """The exit status. Raises `OSError` where not even the supervisor can start."""
        from runtime import paths
        from runtime.supervision.supervisor import Supervisor

        name = f"run-{os.getpid()}"
        supervisor = Supervisor(name, paths.rank_socket(name), on_events=self._take)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._interrupt, number)
        if self._until_eof:
            HeldInput(loop, self._hung_up, self._silent_s).start()
        await supervisor.start()
        progress, left = self._progress, 0
        try:
            run = self._run = await supervisor.launch("run", self._demo)
            if self._xray is not None:
                run.store.xrays.order(self._xray)  # its ranks hear of it when they come
            ended = asyncio.create_task(run.over.wait())
            interrupted = asyncio.create_task(self._interrupted.wait())
            while not ended.done() and not interrupted.done():
                await asyncio.wait(
                    (ended, interrupted), timeout=progress.pause, return_when=asyncio.FIRST_COMPLETED
                )
                progress.show(run.snapshot(), supervisor.stage.detail)
            interrupted.cancel()
            if not ended.done():
                progress.say("stopping all ranks")
                await supervisor.stop("run", self._by)
        finally:
            left = await supervisor.close()
        progress.end()
        return self._report(run, left, as_json, table)

    def _interrupt(self, number: signal.Signals) -> None:
        self._by = "interrupted" if number == signal.SIGINT else f"ended by {number.name}"
        self._interrupted.set()

    def _hung_up(self, why: str) -> None:
        self._by = why
        self._interrupted.set()

    def _take(self, run: Run, events: Iterable[Event]) -> None:
        from runtime.protocol.events import Log
        from tui.reports.runs import event_jsonl

        for event in events if not self._demo.builtin else ():
            if isinstance(event, Log):
                for line in self._output.take(event.rank, event.line):
                    self._progress.print(f"[rank {event.rank}] {line}")
        if self._events is None:
            return
        try:
            event_jsonl.write(events, self._events)
        except (OSError, ValueError) as error:
            # A closed pipe or a full disk: without a reader there is nothing left to run for.
            broken, self._events = self._events, None
            event_jsonl.give_up(broken)
            self._by = f"the events cannot be written: {error}"
            self._status = INTERRUPTED if isinstance(error, BrokenPipeError) else FAILED
            self._interrupted.set()

    def _report(self, run: Run, left: int, as_json: bool, table: TextIO) -> int:
        snapshot = run.snapshot()
        failed_of = run.cause is not None and not run.cause.victim
        for rank, line in self._output.rest(explained=failed_of or snapshot.state not in ("done", "failed")):
            self._progress.print(f"[rank {rank}] {line}")
        began = any(row.pid for row in snapshot.rows)
        if as_json:
            print(dumps(finite(summary(snapshot))), file=table)
        elif began:
            print("\n".join(lines(snapshot)), file=table)
        table.flush()
        if self._demo.builtin and (snapshot.state == "failed" or run.unheard):
            for line in snapshot.logs[-_LOG_LINES:]:
                print(f"  {clean(line)}", file=sys.stderr)
        if snapshot.diagnosis is not None and snapshot.state != "done":
            from tui.reports import diagnosis_report

            script = run.demo.script
            source = linecache.getline(str(script), snapshot.diagnosis.line).strip()
            for line in ["", *diagnosis_report.lines(snapshot.diagnosis, script.name, source), ""]:
                print(line, file=sys.stderr)
        if snapshot.state != "done" or snapshot.why:
            print(f"teachrun: {clean(snapshot.state)}: {clean(snapshot.why)}", file=sys.stderr)
        if snapshot.warning:
            print(f"teachrun: {clean(snapshot.warning)}", file=sys.stderr)
        if left:
            tell_left(left)
        elif began and snapshot.state != "done":
            here = sum(row.state != "elsewhere" for row in snapshot.rows)
            whose = " of this node" if here < snapshot.world else ""
            ranks = f"all {here} ranks{whose} are" if here > 1 else f"the rank{whose} is"
            print(f"teachrun: {ranks} gone", file=sys.stderr)
        if snapshot.state == "done":
            return DONE
        return self._status if self._by and snapshot.state == "stopped" else FAILED

"""`teachrun run ddp ranks=4 steps=50`: a demo, or a script such as `./train.py`, without a screen.

It embeds the supervisor of a host and ends with it. Progress goes to stderr, the table to stdout; `--json`
puts one object there instead and `--jsonl` a line per event into a file or, as `-`, onto stdout (then the
table goes to stderr). Exit status 0 only if every rank finished.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import math
import os
import shlex
import signal
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from runtime.catalog import Launchable
    from runtime.events import Event
    from runtime.messages import RankRow, Snapshot
    from runtime.run import Run

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
_LINE_EVERY_S = 2.0  # progress where stderr is not a terminal
_REWRITE_EVERY_S = 0.2
_LOG_LINES = 12


def configure(parser: argparse.ArgumentParser) -> None:
    parser.usage = (
        "teachrun run DEMO|./SCRIPT.py [KEY=VALUE ...] [--ranks N] [--steps N] [--timeout S] [--json] "
        "[--jsonl FILE] [--xray STEP] [-- ARGUMENTS OF THE SCRIPT]"
    )
    parser.add_argument(
        "words",
        nargs="*",
        metavar="DEMO KEY=VALUE",
        help="a demo (see `teachrun list`) or a torchrun script, and its parameters, such as ranks=4",
    )
    parser.set_defaults(later_words=[])
    for key, metavar, text in (
        ("ranks", "N", "short for ranks=N"),
        ("steps", "N", "short for steps=N"),
        ("timeout", "S", "end the run as failed after S seconds"),
        ("jsonl", "FILE", "a line of JSON per event into FILE (-: stdout)"),
        ("xray", "STEP", "have all ranks look at this step with the profiler, and name the trace"),
    ):
        parser.add_argument(f"--{key}", nargs="+", action=_AndWords, metavar=metavar, help=text)
    parser.add_argument(
        "--json",
        nargs="*",
        action=_AndWords,
        default=False,
        metavar="",
        help="one JSON object on stdout instead of the table",
    )


class _AndWords(argparse.Action):
    """An option with its own value and any words of the demo's line behind it.

    argparse looks for positional words once only; `run ddp --steps 50 ranks=4` has them in two places.
    """

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        words = list(values or ())
        setattr(namespace, self.dest, words.pop(0) if self.nargs == "+" else True)
        namespace.later_words = [*namespace.later_words, *words]


def main(args: argparse.Namespace) -> int:
    from runtime import catalog, scripts

    words = [*args.words, *args.later_words]
    parsed = catalog.parse_words(sorted(words, key=lambda word: "=" in word))  # the name wherever it stands
    if isinstance(parsed, catalog.Refusal):
        return _complain(parsed.why, parsed.mend)
    name, params = parsed
    for key in ("ranks", "steps", "timeout"):
        if getattr(args, key) is not None:
            params[key] = getattr(args, key)
    if args.behind:
        if not scripts.is_script(name):
            return _complain(f"{_clean(name)} takes nothing behind --", "write its parameters as key=value")
        params["args"] = shlex.join(args.behind)
    demo = catalog.check(name, params)
    if isinstance(demo, catalog.Refusal):
        return _complain(demo.why, demo.mend)
    if args.xray is not None and not (args.xray.isascii() and args.xray.isdigit()):
        return _complain(f"--xray {_clean(args.xray)} is no step", "give --xray a number from 0 on")
    if args.json and args.jsonl == "-":
        return _complain("--json and --jsonl - both want stdout", "give --jsonl a file")
    try:
        events = _open_events(args.jsonl)
    except OSError as error:
        return _complain(
            f"{_clean(args.jsonl)} cannot be written: {error.strerror}", "give --jsonl another file"
        )
    headless = Headless(demo, events, int(args.xray) if args.xray is not None else None)
    try:
        return asyncio.run(
            headless.run(as_json=args.json, table=sys.stderr if args.jsonl == "-" else sys.stdout)
        )
    finally:
        if events is not None and events is not sys.stdout:
            events.close()


def _open_events(where: str | None) -> TextIO | None:
    if where is None:
        return None
    return sys.stdout if where == "-" else Path(where).open("w", encoding="utf-8")


def _complain(why: str, mend: str) -> int:
    print(f"teachrun: {why}: {mend}", file=sys.stderr)
    return USAGE


def _clean(text: str) -> str:
    from slides import cells

    return cells.clean(text)


class Headless:
    """One run from launch to verified end."""

    def __init__(self, demo: Launchable, events: TextIO | None, xray: int | None = None) -> None:
        self._demo, self._events, self._xray = demo, events, xray
        self._interrupted = asyncio.Event()
        self._by = ""
        self._status = INTERRUPTED  # of a run that was stopped
        self._run: Run | None = None

    async def run(self, *, as_json: bool, table: TextIO) -> int:
        """The exit status. Raises `OSError` where not even the supervisor can start."""
        from runtime import paths
        from runtime.supervisor import Supervisor

        name = f"run-{os.getpid()}"
        supervisor = Supervisor(name, paths.rank_socket(name), on_events=self._take)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._interrupt, number)
        await supervisor.start()
        progress = Progress(sys.stderr)
        left = 0
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

    def _take(self, run: Run, events: Iterable[Event]) -> None:
        from runtime.events import as_dict

        if self._events is None:
            return
        try:
            for event in events:
                self._events.write(json.dumps(_finite(as_dict(event))) + "\n")
            self._events.flush()
        except (OSError, ValueError) as error:
            # A closed pipe or a full disk: without a reader there is nothing left to run for.
            broken, self._events = self._events, None
            with contextlib.suppress(OSError):
                broken.close()  # now, or it would fail once more when the interpreter ends
            if broken is sys.stdout:
                sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123
            self._by = f"the events cannot be written: {error}"
            self._status = INTERRUPTED if isinstance(error, BrokenPipeError) else FAILED
            self._interrupted.set()

    def _report(self, run: Run, left: int, as_json: bool, table: TextIO) -> int:
        snapshot = run.snapshot()
        began = any(row.pid for row in snapshot.rows)
        if as_json:
            print(json.dumps(_finite(summary(snapshot))), file=table)
        elif began:
            print("\n".join(lines(snapshot)), file=table)
        table.flush()
        if snapshot.state == "failed" or run.unheard:
            for line in snapshot.logs[-_LOG_LINES:]:
                print(f"  {_clean(line)}", file=sys.stderr)
        if snapshot.state != "done" or snapshot.why:
            print(f"teachrun: {_clean(snapshot.state)}: {_clean(snapshot.why)}", file=sys.stderr)
        if left:
            print(f"teachrun: {left} processes could not be ended; see `teachrun ps`", file=sys.stderr)
        elif began and snapshot.state != "done":
            print(f"teachrun: all {snapshot.world} ranks are gone", file=sys.stderr)
        if snapshot.state == "done":
            return DONE
        return self._status if self._by and snapshot.state == "stopped" else FAILED


class Progress:
    """What happens now, on one line that is rewritten, or a line now and then where nobody watches."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._rewrites = out.isatty()
        self._last = ""
        self.pause = _REWRITE_EVERY_S if self._rewrites else _LINE_EVERY_S

    def show(self, snapshot: Snapshot, stage: str) -> None:
        self.say(progress_line(snapshot, stage))

    def say(self, text: str) -> None:
        text = _clean(text)
        if text == self._last:
            return
        self._last = text
        try:
            if self._rewrites:
                columns = os.get_terminal_size(self._out.fileno()).columns
                self._out.write(f"\r\x1b[2K{text[: columns - 1]}")
            else:
                self._out.write(text + "\n")
            self._out.flush()
        except (OSError, ValueError):
            pass  # progress is for whoever still looks

    def end(self) -> None:
        if self._rewrites:
            self._last = ""
            self._out.write("\r\x1b[2K")
            self._out.flush()


def progress_line(snapshot: Snapshot, stage: str) -> str:
    """`ddp  step 12/50  loss 2.310  3.1k tokens/s`, or what the launch waits for."""
    if snapshot.warning:
        return f"{snapshot.demo}  {snapshot.warning}"
    reached = [row.step for row in snapshot.rows if row.step is not None]
    if not reached:
        if snapshot.state == "launching":
            return f"{snapshot.demo}  launching{f': {stage}' if stage else ''}"
        slowest = min(snapshot.rows, key=lambda row: row.pid > 0)
        where = f": {slowest.state}" if snapshot.state == "running" else ""
        return f"{snapshot.demo}  {snapshot.state}{where}"
    losses = [row.loss for row in snapshot.rows if row.loss is not None]
    parts = [snapshot.demo, f"step {min(reached) + 1}/{snapshot.steps or '?'}"]
    if losses:
        parts.append(f"loss {sum(losses) / len(losses):.3f}")
    total = tokens_s(snapshot)
    if total is not None:
        parts.append(f"{total:,.0f} tokens/s")
    return "  ".join(parts)


def tokens_s(snapshot: Snapshot) -> float | None:
    """Tokens a second of all ranks together; None while one of them is not known."""
    each = [row.tokens_s for row in snapshot.rows]
    return sum(t for t in each if t is not None) if each and None not in each else None


def _memory(row: RankRow) -> int | None:
    kinds = (row.params, row.grads, row.optimizer_bytes, row.activations, row.gathered, row.temporary)
    known = [size for size in kinds if size is not None]
    return sum(known) if known else None


def _share(part: float | None, whole: float | None) -> str:
    return f"{100 * part / whole:.0f}%" if part is not None and whole else "-"


def _figure(value: float | None, form: str) -> str:
    return format(value, form) if value is not None else "-"


HEAD = ("rank", "state", "steps", "loss", "ms/step", "tokens/s",
         "compute", "hidden", "exposed", "wait", "other", "MB", "checksum")  # fmt: skip


def cells_of(row: RankRow) -> tuple[str, ...]:
    """A line of the table; a dash is what is not known."""
    rest = (row.data, row.optimizer, row.other)
    memory = _memory(row)
    return (
        str(row.rank),
        row.state,
        str(row.step + 1) if row.step is not None else "-",
        _figure(row.loss, ".4f"),
        _figure(row.step_s * 1000 if row.step_s is not None else None, ".1f"),
        _figure(row.tokens_s, ",.0f"),
        _share(row.compute, row.step_s),
        _share(row.hidden, row.step_s),
        _share(row.exposed, row.step_s),
        _share(row.wait, row.step_s),
        _share(sum(p for p in rest if p is not None) if None not in rest else None, row.step_s),
        _figure(memory / 1e6 if memory is not None else None, ".1f"),
        row.checksum or "-",
    )


def lines(snapshot: Snapshot) -> list[str]:
    """The table per rank and in total, for people. A dash is what is not known."""
    body = [HEAD, *(cells_of(row) for row in snapshot.rows)]
    widths = [max(len(cells[column]) for cells in body) for column in range(len(HEAD))]
    text = ["  ".join(_clean(cell).rjust(w) for cell, w in zip(cells, widths, strict=True)) for cells in body]
    bent = "".join(f" · {_clean(b)}" for b in snapshot.bent)
    where = f"{snapshot.demo} · {snapshot.world} ranks · {snapshot.backend} · {snapshot.device}"
    facts = [f"{snapshot.state} after {snapshot.ran_s:.1f} s"]
    total = tokens_s(snapshot)
    if total is not None:
        facts.append(f"{total:,.0f} tokens/s in total")
    if snapshot.overlap is not None:
        facts.append(f"overlap {100 * snapshot.overlap:.0f}%")
    if snapshot.slowest is not None and snapshot.slowest_by_s is not None:
        facts.append(f"slowest rank {snapshot.slowest}, +{snapshot.slowest_by_s * 1000:.1f} ms")
    if snapshot.equal is not None:
        equal = "equal on all ranks" if snapshot.equal else "NOT equal"
        facts.append(f"parameters {equal} after step {snapshot.equal_step}")
    sent = ", ".join(f"{_clean(op)} {size / 1e6:.2f} MB" for op, size in snapshot.bytes_by_op.items() if size)
    launch = ", ".join(f"{_clean(name)} {seconds:.2f} s" for name, seconds in snapshot.phases)
    return [
        _clean(f"{where} · {snapshot.badge}") + bent,
        *text,
        " · ".join(facts),
        *([f"a step and rank: {sent}"] if sent else []),
        *_xray(snapshot),
        *results(snapshot),
        *([f"launch: {launch}"] if launch else []),
    ]


def _xray(snapshot: Snapshot) -> list[str]:
    """What the profiler saw of one step, where somebody asked for it."""
    taken = snapshot.xray
    if taken is None:
        return []
    if taken.state != "ready":
        return [f"no x-ray: {_clean(taken.why) or f'step {taken.step} was not reached'}"]
    peaks = ", ".join("-" if peak is None else f"{peak / 1e6:.1f}" for peak in taken.peaks)
    said = f"x-ray of step {taken.step}: {1000 * taken.span_s:.1f} ms, peak by the allocator {peaks} MB"
    formula = snapshot.formula.get("peak")
    return [
        said + (f", by formula {formula / 1e6:.1f} MB" if formula else ""),
        f"trace for ui.perfetto.dev: {_clean(taken.trace or taken.why)}",
    ]


def results(snapshot: Snapshot) -> list[str]:
    """What the script itself found out: a line where all ranks say the same, else a line for each."""
    said = {
        row.rank: " · ".join(f"{_clean(key)} {_result(value)}" for key, value in row.result.items())
        for row in snapshot.rows
        if row.result
    }
    if len(said) == snapshot.world and len(set(said.values())) == 1:
        return [f"result of every rank: {said[0]}"]
    return [f"result of rank {rank}: {text}" for rank, text in said.items()]


def _result(value: float | int | str | None) -> str:
    return "-" if value is None else f"{value:.4g}" if isinstance(value, float) else _clean(str(value))


def _xray_summary(snapshot: Snapshot) -> dict[str, Any] | None:
    taken = snapshot.xray
    if taken is None:
        return None
    return {
        "state": taken.state,
        "why": taken.why,
        "step": taken.step,
        "span_s": taken.span_s,
        "peak_bytes": list(taken.peaks),
        "formula_bytes": snapshot.formula.get("peak"),
        "trace": taken.trace,
    }


def summary(snapshot: Snapshot) -> dict[str, Any]:
    """The run as one JSON object; seconds end in `_s`, bytes in `_bytes`, unknown is null."""
    return {
        "run": snapshot.run,
        "demo": snapshot.demo,
        "params": snapshot.params,
        "state": snapshot.state,
        "why": snapshot.why,
        "badge": snapshot.badge,
        "bent": list(snapshot.bent),
        "backend": snapshot.backend,
        "device": snapshot.device,
        "world": snapshot.world,
        "ran_s": snapshot.ran_s,
        "launch_s": dict(snapshot.phases),
        "tokens_per_s": tokens_s(snapshot),
        "overlap": snapshot.overlap,
        "xray": _xray_summary(snapshot),
        "slowest": snapshot.slowest,
        "slowest_by_s": snapshot.slowest_by_s,
        "collectives": snapshot.collectives,
        "collective_bytes": snapshot.collective_bytes,
        "bytes_by_collective": snapshot.bytes_by_op,
        "equal": snapshot.equal,
        "equal_step": snapshot.equal_step,
        "values": {
            named.name: {"unit": named.unit, "step": named.step, "ranks": named.ranks}
            for named in snapshot.values
        },
        "ranks": [
            {
                "rank": row.rank,
                "node": row.node,
                "state": row.state,
                "steps": row.step + 1 if row.step is not None else 0,
                "loss": row.loss,
                "tokens_per_s": row.tokens_s,
                "step_s": row.step_s,
                "data_s": row.data,
                "compute_s": row.compute,
                "hidden_s": row.hidden,
                "exposed_s": row.exposed,
                "wait_s": row.wait,
                "optimizer_s": row.optimizer,
                "other_s": row.other,
                "late_s": row.late_s,
                "params_bytes": row.params,
                "grads_bytes": row.grads,
                "optimizer_bytes": row.optimizer_bytes,
                "activations_bytes": row.activations,
                "gathered_bytes": row.gathered,
                "temporary_bytes": row.temporary,
                "checksum": row.checksum,
                "checksum_step": row.checksum_step,
                "grad_norm": row.grad_norm,
                "drops": row.drops,
                "result": row.result,
            }
            for row in snapshot.rows
        ],
    }


def _finite(value: Any) -> Any:
    """JSON has no NaN and no infinity: they become null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value

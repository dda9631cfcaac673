"""Compares strategies: each runs several times in turn, and has one line of medians in a table.

    teachrun compare ddp 'zero stage=1' fsdp --ranks 4
    ::: compare ddp 'zero stage=1' fsdp ranks=4

Runs of different strategies alternate, so that a machine that slows down slows all of them alike. What is
not written is the same for all: the shape of the model, the samples and their order, the number of steps.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from runtime.catalog import registry, scripts
from runtime.catalog.params import Param, printable, read
from runtime.catalog.registry import DEMOS, Launchable, Refusal
from runtime.host.blocks.comparison_table import Sample, row, sample, with_same_loss
from runtime.protocol.figures import Comparison, Strategy
from runtime.supervision.run import Run

NAME = "compare"
_LIST = "strategies"  # the parameter of a deck's block that holds them, parted by `;`
RUNS = Param("runs", "int", 3, "how often each is run", 1, 20)
MOST = 12
AT_STEP = 2  # is looked at with the profiler: warm, and gone from the figures when the run ends
# What every strategy trains unless something else is written: small enough to run many times, with a block
# for each of four pipeline stages, and of so few tokens that the model's state is most of the memory.
_COMMON = {
    "steps": "24",
    "seed": "0",
    "batch": "8",
    "seq": "16",
    "width": "128",
    "layers": "4",
    "lr": "0.003",
}


class Entry(NamedTuple):
    """`label` is what was written for it: `zero stage=1`."""

    label: str
    demo: Launchable


@dataclass(frozen=True, slots=True)
class Plan:
    """What a comparison runs: the strategies in their order, each `runs` times."""

    entries: tuple[Entry, ...]
    runs: int


def plan(words: Sequence[str]) -> Plan | Refusal:
    """Read words such as `["ddp", "zero stage=1", "ranks=4"]`: strategies, and parameters of all of them."""
    lines, common = [], {}
    for word in words:
        key, equals, value = word.partition("=")
        if equals and key and " " not in key:
            common[key] = value
        else:
            lines.append(word)
    if len(lines) < 2:
        return Refusal("a comparison needs two strategies or more", "write: compare ddp 'zero stage=1' fsdp")
    if len(lines) > MOST:
        return Refusal(f"{len(lines)} strategies are too many for one table", f"write at most {MOST}")
    runs = read(RUNS, common.pop("runs", str(RUNS.default)))
    if not isinstance(runs, int):
        return Refusal("runs= cannot be used", f"write runs= with {RUNS.expects}")
    entries: list[Entry] = []
    for line in lines:
        entry = _entry(line, common)
        if isinstance(entry, Refusal):
            return entry
        entries.append(entry)
    specs = [spec for entry in entries if (spec := registry.find(entry.demo.name)) is not None]
    known = {p.name for spec in specs for p in spec.params}
    for key in common:
        if key not in known:
            name = printable(key)
            return Refusal(f"none of these strategies has a parameter {name}", "see `teachrun list`")
    return Plan(tuple(entries), runs)


def check(name: str, params: Mapping[str, str], folder: Path | None = None) -> Launchable | Plan | Refusal:
    """Return what a deck's block asks for: a demo, or for `compare` several, separated by `;`. Never raises.

    `folder` is where the deck lies, for its own scripts.
    """
    if name != NAME:
        return registry.check(name, params, folder)
    return plan([*_strategies(params), *(f"{key}={value}" for key, value in params.items() if key != _LIST)])


def common() -> tuple[Param, ...]:
    """Return the parameters that apply to all strategies: how often, on how many ranks, what is trained."""
    wanted = ("ranks", "nodes", "link", *_COMMON)
    known = {param.name: param for spec in DEMOS.values() for param in spec.params}
    return (RUNS, *(known[name] for name in wanted))


def written(params: Mapping[str, str]) -> str:
    """Return the parameters of a deck's block as words of a line: each strategy one, then the others."""
    words = [*_strategies(params), *(f"{key}={value}" for key, value in params.items() if key != _LIST)]
    return shlex.join(words)


def asked(line: str) -> dict[str, str] | Refusal:
    """Return the parameters of a block from the words of its line: the inverse of `written`."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        return Refusal(f"the line cannot be read: {error}", "close the quotation mark")
    common = [word.partition("=") for word in words if "=" in word and " " not in word]
    lines = [word for word in words if "=" not in word or " " in word]
    return {_LIST: "; ".join(lines), **{key: value for key, _, value in common}}


def _strategies(params: Mapping[str, str]) -> list[str]:
    return [line.strip() for line in params.get(_LIST, "").split(";") if line.strip()]


def _entry(line: str, common: dict[str, str]) -> Entry | Refusal:
    parsed = registry.parse_line(line)
    if isinstance(parsed, Refusal):
        return parsed
    name, written = parsed
    if scripts.is_script(name):
        return Refusal(f"{printable(name)} is a script: only demos are compared", "see `teachrun list`")
    spec = registry.find(name)
    if spec is not None:
        has = {p.name for p in spec.params}
        own = {key: value for key, value in (_COMMON | common).items() if key in has} | written
        checked = registry.check(name, own)
        if isinstance(checked, Refusal):
            return checked
        # What is written for all of them is a rank's share: who takes one batch for all ranks takes it whole.
        alike = {
            k: v
            for k, v in spec.alike(checked.values).items()
            if k not in written and (k == "batch" or k not in common)
        }
        written = own | alike
    checked = registry.check(name, written)
    return checked if isinstance(checked, Refusal) else Entry(line, checked)


class Contest:
    """Runs a plan and keeps its table. `changed` is called when a line has changed; `params` are what was
    asked for in a deck's block."""

    def __init__(
        self, plan: Plan, changed: Callable[[], None] = lambda: None, params: Mapping[str, str] | None = None
    ) -> None:
        self.plan, self._changed, self.params = plan, changed, dict(params or {})
        self._began, self._ended = time.monotonic(), 0.0
        self._samples: list[list[Sample]] = [[] for _ in plan.entries]
        self._failed: dict[int, str] = {}
        self._running: int | None = None
        self.stopped = self.over = False

    async def run(self, launch: Callable[[Launchable], Awaitable[Run]]) -> None:
        """Run every strategy once, then all of them again; one that failed is not tried again."""
        for _ in range(self.plan.runs):
            for number, entry in enumerate(self.plan.entries):
                if self.stopped:
                    break
                if number in self._failed:
                    continue
                self._running = number
                self._changed()
                run = await launch(entry.demo)
                if not self._samples[number] and entry.demo.launcher != "simulated":
                    # The CPU's allocator keeps no books: what was there at once is seen by the profiler only.
                    run.store.xrays.order(min(AT_STEP, (entry.demo.steps or AT_STEP + 1) - 1))
                await run.over.wait()
                self.take(number, run)
        self._running, self.over, self._ended = None, True, time.monotonic()
        self._changed()

    def take(self, number: int, run: Run) -> None:
        """Take in a finished run of the entry `number` (from 0)."""
        if run.state == "done":
            self._samples[number].append(sample(run.snapshot(), run.store.median_step_s))
        elif run.state == "stopped":
            self.stopped = True
        else:
            self._failed[number] = run.why

    @property
    def failed(self) -> bool:
        """Whether a run of any strategy failed."""
        return bool(self._failed)

    @property
    def ran_s(self) -> float:
        """Seconds since the first run began, up to the end of the last."""
        return (self._ended or time.monotonic()) - self._began

    def table(self) -> Comparison:
        """Return a row of medians for each strategy so far; each loss is set beside the first row's."""
        rows = [self._row(number) for number in range(len(self.plan.entries))]
        demo = self.plan.entries[0].demo
        return Comparison(with_same_loss(rows), demo.ranks, self.plan.runs, demo.steps)

    def _row(self, number: int) -> Strategy:
        entry, samples = self.plan.entries[number], self._samples[number]
        if number in self._failed:
            state = "failed"
        elif number == self._running:
            state = "running"
        else:
            state = "done" if len(samples) >= self.plan.runs else "waiting"
        return row(entry.label, entry.demo, state, self._failed.get(number, ""), samples)

"""The demos that can be started, and the one check of every request to start one.

A deck's `::: demo ddp ranks=4`, `teachrun run ddp ranks=4` and a screen's launch all come through `check`.
Importing this module starts nothing and imports no torch.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import teachrun
from runtime.catalog import plugins, scripts
from runtime.catalog.machines import Machines
from runtime.catalog.one_node import OneNode
from runtime.catalog.params import (
    DEMOS_DIR,
    MOST_RANKS,
    DemoSpec,
    Param,
    Refusal,
    Value,
    Values,
    printable,
    read,
    suggest,
)
from runtime.catalog.specs.communication import allreduce, collectives, ranks, ringtree
from runtime.catalog.specs.data_parallel import buckets, ddp, ddp_mistakes, dp, scaling
from runtime.catalog.specs.faults import failover
from runtime.catalog.specs.model_parallel import context, expert, pipeline, tensor
from runtime.catalog.specs.one_process import accumulate, checkpointing, single
from runtime.catalog.specs.sharded import deepspeed, fsdp, hsdp, interconnect, zero
from runtime.protocol.link_speeds import UNLIMITED, Speed

__all__ = ["DEMOS", "DemoSpec", "Launchable", "Param", "Refusal", "Value", "Values", "check", "demo_file",
           "find", "parse_line", "parse_words"]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Launchable:
    """A checked request. `params` are those that were written, `values` all parameters, with defaults; but
    `ranks` among the values are those of all nodes together."""

    name: str
    title: str
    script: Path
    params: dict[str, str]
    values: dict[str, Value | None]
    argv: tuple[str, ...]
    builtin: bool = True
    steps: int | None = None  # that a rank will report, where it is known before
    folder: Path | None = None  # where it runs; None: where we are
    python: str = sys.executable
    node: OneNode | None = None  # this machine is that one alone; None: it plays all nodes
    machines: Machines | None = None  # that have the ranks; None: this one does
    stays: str = ""  # why its nodes are played here, though machines were named
    scratch: Path | None = None  # for what its ranks keep between generations; None: the run has its own

    @property
    def ranks(self) -> int:
        """Number of processes the run starts with."""
        value = self.values["ranks"]
        assert isinstance(value, int)
        return value

    @property
    def nodes(self) -> int:
        """Number of nodes that the ranks are divided among equally."""
        value = self.values.get("nodes")
        return value if isinstance(value, int) else 1

    def seconds(self, name: str) -> float | None:
        """Return `budget` or `timeout` in seconds; None if it was not given."""
        value = self.values.get(name)
        return float(value) if isinstance(value, int | float) else None

    @property
    def link(self) -> Speed:
        """What the connections between its nodes are held to from the start."""
        return cast(Speed, self.values.get("link") or UNLIMITED)

    @property
    def network(self) -> str:
        """What its nodes are joined by: "loopback", or "netns": each is in a network namespace of its own."""
        return str(self.values.get("network") or "loopback")

    @property
    def latency_s(self) -> float:
        """What is added to all that goes from one of its nodes to another."""
        return self.seconds("latency") or 0.0

    @property
    def launcher(self) -> str:
        """What starts the ranks: "stage" (the fork server) or "torchrun"."""
        return str(self.values["launcher"])


# In the order of a course.
_SPECS = (
    single,
    ranks,
    allreduce,
    collectives,
    ringtree,
    dp,
    ddp,
    ddp_mistakes,
    buckets,
    scaling,
    accumulate,
    zero,
    deepspeed,
    fsdp,
    hsdp,
    interconnect,
    checkpointing,
    pipeline,
    tensor,
    context,
    expert,
    failover,
)
DEMOS: dict[str, DemoSpec] = {module.SPEC.name: module.SPEC for module in _SPECS}
OURS = tuple(DEMOS)


_met: dict[str, DemoSpec | Refusal | None] = {}  # what other packages bring, once it is imported


def find(name: str) -> DemoSpec | None:
    """Return the demo of this name: built-in, else of an installed package; None if unknown. Never raises."""
    spec = DEMOS.get(name)
    if spec is None and name.replace("-", "_").isidentifier():  # no script
        found = _brought(name)
        spec = found if isinstance(found, DemoSpec) else None
    return spec


def _brought(name: str) -> DemoSpec | Refusal | None:
    """Return another package's demo (entry point `teachrun.demos`), or why it cannot be used."""
    if name not in _met:
        if name not in teachrun.brought("demos"):
            return None
        found = plugins.demo(name)
        if not teachrun.is_imported("demos", name):
            return found  # for now
        _met[name] = found
    return _met[name]


def listed() -> dict[str, DemoSpec | Refusal]:
    """Return every demo by name, built-in ones first, with what is wrong with those of other packages."""
    others = {name: _brought(name) for name in teachrun.brought("demos") if name not in DEMOS}
    return {**DEMOS, **{name: found for name, found in others.items() if found is not None}}


def is_known(name: str) -> bool:
    """Whether `check` would answer at once, without importing a package."""
    return name in DEMOS or scripts.is_script(name) or teachrun.is_imported("demos", name)


def demo_file(name: str) -> Path | None:
    """Return the script of a demo, to show its code, or a file that stands beside ours; None: neither."""
    spec = find(name)
    beside = DEMOS_DIR / f"{name}.py"
    return spec.file if spec else beside if name.isidentifier() and beside.is_file() else None


def check(
    name: str,
    params: Mapping[str, str],
    folder: Path | None = None,
    *,
    here: bool = True,
    most: int = MOST_RANKS,
) -> Launchable | Refusal:
    """Return a request ready to launch, or why it cannot be. Never raises.

    A script is looked for in `folder`, that of the deck that names it, and runs there; None: the current one.
    `here`: what it imports must be installed; a recorded run can be shown without. `most`: ranks of all nodes
    together, which other machines have room for.
    """
    if scripts.is_script(name):
        return _script(name, params, folder, most)
    spec = find(name)
    if spec is None:
        if isinstance(broken := _brought(name), Refusal):
            return broken
        close = suggest(name, list(listed()))
        return Refusal(
            f"there is no demo named {printable(name)}",
            f"did you mean {close}?" if close else f"write one of: {', '.join(DEMOS)}",
        )
    values: dict[str, Value | None] = {p.name: p.default for p in spec.params}
    for key, text in params.items():
        param = spec.param(key)
        if param is None:
            known = [p.name for p in spec.params]
            close = suggest(key, known)
            return Refusal(
                f"{name} has no parameter {printable(key)}",
                f"did you mean {close}?" if close else f"write one of: {', '.join(known)}",
            )
        value = read(param, text)
        if value is None:
            return Refusal(f"{key}={printable(text)} cannot be used", f"write {key}= with {param.expects}")
        values[key] = value
    refusal = dealt(values, most)
    if refusal is not None:
        return refusal
    ranks, slow = values["ranks"], values.get("slow_rank")
    if isinstance(ranks, int) and isinstance(slow, int) and slow >= ranks:
        return Refusal(
            f"slow_rank={slow} is none of the ranks 0 to {ranks - 1}", f"write slow_rank={ranks - 1}"
        )
    refusal = spec.unfit(values)
    if refusal is not None:
        return _of_all(refusal, values)
    if here and (refusal := spec.missing) is not None:
        return refusal
    argv: list[str] = []
    for param in spec.params:
        if param.rank_arg and values[param.name] != param.default:
            argv += [f"--{param.name}", str(values[param.name])]
    return Launchable(
        name, spec.title, spec.file, dict(params), values, tuple(argv), steps=spec.steps(values)
    )


def dealt(values: dict[str, Value | None], most: int = MOST_RANKS) -> Refusal | None:
    """Make the `ranks` of a node those of all nodes together; return why they cannot be so many."""
    ranks, nodes = values.get("ranks"), values.get("nodes")
    if not isinstance(ranks, int) or not isinstance(nodes, int):
        return None
    link = values.get("link") or UNLIMITED
    if nodes == 1 and link != UNLIMITED:
        return Refusal(f"link={link} is for the links between nodes, and here is one node", "write nodes=2")
    if values.get("latency") and nodes == 1:
        return Refusal("latency= is between nodes, and here is one node", "write nodes=2")
    paced = values.get("network") == "loopback" and sys.platform == "linux"
    if values.get("latency") and paced:
        return Refusal(
            "the kernel paces connections, and adds no latency", "write network=netns, or simulated"
        )
    if values.get("network") == "netns" and nodes != 2:
        return Refusal(f"network=netns joins two nodes, not {nodes}", "write nodes=2")
    if ranks * nodes > most:
        here = (
            f"this machine plays {most} at most" if most == MOST_RANKS else f"a host follows {most} at most"
        )
        fewer = f"ranks={most // nodes}, those of each node" if nodes <= most else f"nodes={most // ranks}"
        return Refusal(f"{nodes} nodes of {ranks} ranks are {nodes * ranks}, {here}", f"write {fewer}")
    values["ranks"] = ranks * nodes
    return None


def _of_all(refusal: Refusal, values: Values) -> Refusal:
    """Say of a demo's refusal that its ranks are those of all nodes together, where there are several."""
    nodes = values.get("nodes")
    if not isinstance(nodes, int) or nodes == 1:
        return refusal
    return Refusal(f"on {nodes} nodes together {refusal.why}", f"{refusal.mend}, counted over all nodes")


def _script(name: str, params: Mapping[str, str], folder: Path | None, most: int) -> Launchable | Refusal:
    found = scripts.check(name, params, folder)
    if isinstance(found, Refusal):
        return found
    script, words = found
    if (refusal := dealt(words.values, most)) is not None:
        return refusal
    return Launchable(
        script.name,
        "a script of your own",
        script,
        dict(params),
        words.values | {"launcher": "torchrun"},
        words.argv,
        builtin=False,
        steps=words.steps,
        folder=folder or Path.cwd(),
        python=words.python,
    )


def parse_words(words: list[str]) -> tuple[str, dict[str, str]] | Refusal:
    """Split `["ddp", "ranks=4"]` into a name and its parameters; the last of two equal keys counts."""
    if not words:
        return Refusal("no demo is named", f"write one of: {', '.join(DEMOS)}")
    name, *rest = words
    params: dict[str, str] = {}
    for word in rest:
        key, equals, value = word.partition("=")
        if not equals or not key or not value:
            return Refusal(f"{printable(word)} is not key=value", "write parameters as ranks=4 steps=200")
        params[key] = value
    return name, params


def parse_line(line: str) -> tuple[str, dict[str, str]] | Refusal:
    """Parse `ddp ranks=4 steps=200`: the one grammar of decks, `run` and `compare`."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        return Refusal(f"the line cannot be read: {error}", "close the quotation mark")
    return parse_words(words)

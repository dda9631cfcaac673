"""The machines of a class on one page: what would run on each, and what was found there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from runtime import paths
from runtime.catalog.params import Refusal
from runtime.catalog.registry import Launchable
from runtime.cluster import ssh_commands
from runtime.cluster.plan import plan
from runtime.host.blocks import comparison, launch_check
from slides.deck import Demo
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.classroom.room import Room
from tui.classroom.runs import demo_requests
from tui.health.finding import Finding, State

_HEAD, _DIM = Style("heading", bold=True), Style("dim")
_SIGNS = {"good": "✓", "warning": "!", "bad": "✗"}
_COLUMN = 16
ASKED = [Finding("all machines", "asked", "warning", "one moment: each two do an all-reduce")]


class OnMachine(NamedTuple):
    """One of the machines; what its ranks find in their environment, and the command that starts them."""

    name: str
    environment: str
    command: str


def would_run(demo: Demo, hosts: Sequence[str], room: Room) -> list[OnMachine] | str:
    """What the demo of the slide would run on each machine, or why it runs on none of them."""
    asked = comparison.check(demo.name, demo_requests.asked(demo), room.deck_of(demo).parent)
    if isinstance(asked, Launchable):
        asked = launch_check.on_machines(asked, hosts)
    if isinstance(asked, Refusal):
        return f"{asked.why}: {asked.mend}"
    if not isinstance(asked, Launchable):
        return "strategies are compared on this machine"
    if asked.machines is None:
        return asked.stays or f"{demo.name} has no nodes={len(hosts)}"
    planned = plan(asked, len(hosts))
    if isinstance(planned, Refusal):
        return f"{planned.why}: {planned.mend}"
    here = str(paths.agent_socket(room.class_id))
    return [
        OnMachine(name, *ssh_commands.announced(planned, asked.machines, node, here))
        for node, name in enumerate(asked.machines.names)
    ]


def of_demo(runs: list[OnMachine] | str, width: int) -> list[Line]:
    """The part of what would run."""
    if isinstance(runs, str):
        return [*_rows(f"Nothing of this slide: {runs}.", Style("text"), 2, width), ()]
    lines: list[Line] = []
    for node, it in enumerate(runs):
        lines.append((Span(f"  node {node}: {cells.clean(it.name)}", _HEAD),))
        lines += _rows(it.environment, _DIM, 4, width) + _rows(it.command, Style("text"), 4, width)
    return [*lines, *_rows("Port and sockets are chosen anew at each start.", _DIM, 2, width), ()]


class _Check(msgspec.Struct):
    """A finding as `doctor --json` writes it."""

    area: str
    name: str
    state: State
    said: str
    mend: str


class _Told(msgspec.Struct):
    checks: list[_Check]


def read(told: bytes, hosts: Sequence[str]) -> list[Finding]:
    """What `teachrun doctor --hosts … --json` said."""
    try:
        checks = msgspec.json.decode(told, type=_Told).checks
        return [Finding(it.area, it.name, it.state, it.said, it.mend) for it in checks]
    except msgspec.DecodeError:
        mend = f"`teachrun doctor --hosts {','.join(hosts)}` says why"
        return [Finding("all machines", "asked", "bad", "they cannot be looked at", mend)]


def of_findings(findings: Sequence[Finding], width: int) -> list[Line]:
    """The part of what was found, a heading for each machine."""
    lines: list[Line] = []
    area = ""
    for found in findings:
        if found.area != area:
            area = found.area
            lines.append((Span(f"  {cells.clean(area)}", _HEAD),))
        name = cells.clean(found.name)
        head = (Span(f"  {_SIGNS[found.state]} ", Style(found.state, bold=True)), Span(f"{name:<{_COLUMN}} "))
        indent = max(_COLUMN, cells.width(name)) + 5
        said = _rows(found.said, Style("text"), 0, width - indent)
        lines.append((*head, *said[0]))
        more = [*said[1:], *(_rows(found.mend, _DIM, 0, width - indent) if found.mend else ())]
        lines += [(Span(" " * indent), *row) for row in more]
    return lines


def _rows(text: str, style: Style, indent: int, width: int) -> list[Line]:
    spans = (Span(cells.clean(text), style),)
    return [(Span(" " * indent), *row) for row in cells.wrap(spans, max(10, width - indent - 2))]

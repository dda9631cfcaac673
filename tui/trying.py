"""Every demo of a deck started once, for a few steps, on this machine: what `check --run` finds.

The supervisor of a host is embedded, as in `teachrun run`; everything has ended when it returns.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from runtime import catalog, consent, paths
from runtime.catalog import Launchable, Refusal
from runtime.comparison import Plan, check
from runtime.supervisor import Supervisor
from slides import cells
from slides.deck import Demo
from slides.problems import Problem
from tui.commands.run import Progress
from tui.room import Room
from tui.session import Contents

STEPS = 3  # enough for the first, which builds everything, and a second and third that do not
TIMEOUT_S = 60.0


class _Trial(NamedTuple):
    """A block, and one demo that it starts."""

    block: Demo
    demo: Launchable


def tried(contents: Contents, *, trusted: bool) -> list[Problem]:
    """Run every demo of a deck briefly and say which did not finish; its scripts only if agreed to."""
    return asyncio.run(_try_all(contents, list(_trials(contents, trusted)), Progress(sys.stderr)))


def _trials(contents: Contents, trusted: bool) -> Iterator[_Trial]:
    """What is to be tried, each launch once."""
    from pathlib import Path

    deck = Path(contents.deck.path).absolute()
    seen: set[object] = set()
    for block in (block for index in range(len(contents)) for block in contents.demos(index)):
        asked = check(block.name, Room.asked(block), deck.parent)
        if isinstance(asked, Refusal):
            continue  # it is a problem already
        refusal = None if trusted else consent.refusal(deck, block.name, block.params)
        if refusal is not None:
            print(cells.clean(f"not tried: {refusal.why}: {refusal.mend}"), file=sys.stderr)
            continue
        for demo in [entry.demo for entry in asked.entries] if isinstance(asked, Plan) else [asked]:
            demo = brief(demo)
            key = (demo.script, tuple(sorted(demo.values.items())), demo.argv)
            if key not in seen:
                seen.add(key)
                yield _Trial(block, demo)


def brief(demo: Launchable) -> Launchable:
    """The same with few steps and a time limit, where its parameters allow that together."""
    written = dict(demo.params)
    shorter = dict(written)
    if demo.steps is not None and demo.steps > STEPS:
        shorter["steps"] = str(STEPS)
    for params in (shorter, written):
        checked = catalog.check(demo.name if demo.builtin else str(demo.script), params, demo.folder)
        if isinstance(checked, Launchable):
            demo = checked
            break
    limit = demo.seconds("timeout")
    return replace(demo, values={**demo.values, "timeout": min(limit or TIMEOUT_S, TIMEOUT_S)})


async def _try_all(contents: Contents, trials: list[_Trial], progress: Progress) -> list[Problem]:
    if not trials:
        return []
    name = f"check-{os.getpid()}"
    supervisor = Supervisor(name, paths.rank_socket(name))
    await supervisor.start()
    found: list[Problem] = []
    try:
        for number, (block, demo) in enumerate(trials, 1):
            progress.say(f"trying {demo.name} ({number} of {len(trials)})")
            run = await supervisor.launch("check", demo)
            await run.over.wait()
            if run.state != "done":
                line = " ".join((block.name, *(f"{k}={v}" for k, v in block.params.items())))
                why = cells.clean(run.why or run.state)
                mend = f"Try it alone: teachrun run {line}"
                found.append(Problem(contents.deck.path, block.line, f"{demo.name} did not run: {why}", mend))
    finally:
        left = await supervisor.close()
        progress.end()
    if left:
        print(f"teachrun: {left} processes could not be ended; see `teachrun ps`", file=sys.stderr)
    return found

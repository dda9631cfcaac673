"""Every demo of a deck started once, for a few steps, and every runnable block run: what `check --run` finds.

The supervisor of a host is embedded, as in `teachrun run`; everything has ended when it returns.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from runtime import paths
from runtime.catalog import registry
from runtime.catalog.registry import Launchable, Refusal
from runtime.host import consent
from runtime.host.blocks.comparison import Plan, check
from runtime.recordings.run_choice import TRIAL
from runtime.snippets import running_code_block, terminal
from runtime.snippets.picture_output import Picturing
from runtime.supervision.supervisor import Supervisor
from slides.deck import Code, Demo
from slides.drawing import cells
from slides.problems import Problem
from tui.classroom.runs import demo_requests
from tui.command_line.progress import Progress
from tui.command_line.refusals import tell_left
from tui.deck import consent_question
from tui.deck.contents import Contents
from tui.views.blocks import output_in_place

STEPS = 3  # enough for the first, which builds everything, and a second and third that do not
TIMEOUT_S = 60.0  # of a demo
BLOCK_S = 120.0  # of code: four ranks that import torch on a machine that is busy need more than a minute


class Trial(NamedTuple):
    """A demo that a block starts."""

    block: Demo
    demo: Launchable


def tried(contents: Contents, *, trusted: bool) -> list[Problem]:
    """What did not run as it should, of what `to_try` finds."""
    demos, blocks = to_try(contents, trusted=trusted)
    return asyncio.run(_try_all(contents, demos, blocks, Progress(sys.stderr)))


def to_try(contents: Contents, *, trusted: bool) -> tuple[list[Trial], list[Code]]:
    """The demos and the code blocks of a deck. What it brings along is only run if it is a lesson of ours, if
    somebody has agreed to it, or if it is `trusted` now; what is left out is said on stderr."""
    trusted = trusted or consent_question.is_ours(_deck(contents))
    return list(_demos(contents, trusted)), list(_blocks(contents, trusted))


async def _try_all(
    contents: Contents, demos: list[Trial], blocks: list[Code], progress: Progress
) -> list[Problem]:
    name = f"check-{os.getpid()}"
    try:
        found = [await _try_block(contents, block, name, progress) for block in blocks]
        found += await _try_demos(contents, demos, name, progress)
    finally:
        progress.end()
    return [problem for problem in found if problem is not None]


def _deck(contents: Contents) -> Path:
    return Path(contents.deck.path).absolute()


def _left_out(why: str, mend: str) -> None:
    print(cells.clean(f"not tried: {why}: {mend}"), file=sys.stderr)


# --- demos ------------------------------------------------------------------------------------------------


def _demos(contents: Contents, trusted: bool) -> Iterator[Trial]:
    """What is to be tried, each launch once."""
    deck = _deck(contents)
    seen: set[object] = set()
    for block in (block for index in range(len(contents)) for block in contents.demos(index)):
        asked = check(block.name, demo_requests.asked(block), deck.parent)
        if isinstance(asked, Refusal):
            continue  # it is a problem already
        refusal = None if trusted else consent.refusal(deck, block.name, block.params)
        if refusal is not None:
            _left_out(refusal.why, refusal.mend)
            continue
        for demo in [entry.demo for entry in asked.entries] if isinstance(asked, Plan) else [asked]:
            demo = brief(demo)
            key = (demo.script, tuple(sorted(demo.values.items())), demo.argv)
            if key not in seen:
                seen.add(key)
                yield Trial(block, demo)


def brief(demo: Launchable) -> Launchable:
    """The same with few steps and a time limit, where its parameters allow that together."""
    written = dict(demo.params)
    shorter = dict(written)
    if demo.steps is not None and demo.steps > STEPS:
        shorter["steps"] = str(STEPS)
    for params in (shorter, written):
        checked = registry.check(demo.name if demo.builtin else str(demo.script), params, demo.folder)
        if isinstance(checked, Launchable):
            demo = checked
            break
    limit = demo.seconds("timeout")
    return replace(demo, values={**demo.values, "timeout": min(limit or TIMEOUT_S, TIMEOUT_S)})


async def _try_demos(
    contents: Contents, trials: list[Trial], name: str, progress: Progress
) -> list[Problem | None]:
    if not trials:
        return []
    supervisor = Supervisor(name, paths.rank_socket(name))
    await supervisor.start()
    found: list[Problem | None] = []
    try:
        for number, (block, demo) in enumerate(trials, 1):
            progress.say(f"trying {demo.name} ({number} of {len(trials)} demos)")
            run = await supervisor.launch(TRIAL, demo)
            await run.over.wait()
            if run.state != "done":
                line = " ".join((block.name, *(f"{key}={value}" for key, value in block.params.items())))
                why = cells.clean(run.why or run.state)
                mend = f"Try it alone: teachrun run {line}"
                file = block.file or contents.deck.path
                found.append(Problem(file, block.line, f"{demo.name} did not run: {why}", mend))
    finally:
        left = await supervisor.close()
    if left:
        tell_left(left)
    return found


# --- code blocks ------------------------------------------------------------------------------------------


def _blocks(contents: Contents, trusted: bool) -> Iterator[Code]:
    deck = _deck(contents)
    for block in (block for index in range(len(contents)) for block in contents.snippets(index)):
        asked = consent.snippet(block.lang, block.program or block.source)
        if trusted or not consent.missing(deck, [asked]):
            yield block
        else:
            why = f"not yet approved: the code block on line {block.line}"
            _left_out(why, "add --trust if you trust it")


async def _try_block(contents: Contents, block: Code, name: str, progress: Progress) -> Problem | None:
    """Run one block to its end, and hold it against what it is meant to do."""
    if block.terminal:  # somebody has to type there; that it would start can be told
        words = terminal.command(block.source)
        return _refused(contents, block, words) if isinstance(words, Refusal) else None
    progress.say(f"running the block on line {block.line}")
    source, limit = block.program or block.source, patience(block)
    kind = Picturing if block.gives == "picture" else running_code_block.Snippet
    ended = await running_code_block.attempt(block.lang, source, _deck(contents).parent, limit, name, kind)
    file = block.file or contents.deck.path
    if isinstance(ended, Refusal):
        return _refused(contents, block, ended)
    well = ended.state == "done"
    if well and ended.picture and (why := output_in_place.unreadable(ended.picture)):
        return Problem(file, block.line, why, output_in_place.mend(ended.picture))
    if well != block.fails:
        return None
    if well:
        mend = "Make it fail again, or remove `expect=failure` from its fence."
        return Problem(file, block.line, "this block is meant to fail, but succeeded", mend)
    last = next((line for line in reversed(ended.printed) if line.strip()), "")
    why = cells.clean(": ".join(word for word in (ended.why or ended.state, last) if word))
    mend = "Fix it, or write `expect=failure` on its fence."
    return Problem(file, block.line, f"this block did not run: {cells.clip_text(why, 200)}", mend)


def patience(block: Code) -> float:
    """Seconds that a block of code may take: what its fence says, within reason."""
    return min(block.timeout_s, BLOCK_S)


def _refused(contents: Contents, block: Code, why: Refusal) -> Problem:
    mend = f"{why.mend[:1].upper()}{why.mend[1:]}."
    return Problem(block.file or contents.deck.path, block.line, why.why, mend)

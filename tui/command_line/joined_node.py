"""`teachrun run DEMO --nnodes N --node-rank K --rdzv HOST:PORT --join FILE`: a node of a run."""

from __future__ import annotations

import asyncio
import io
import signal
import sys
import time
from functools import partial
from pathlib import Path

from runtime.catalog.params import Refusal
from runtime.catalog.registry import Launchable
from runtime.cluster.link import invitation
from runtime.cluster.link.invitation import Invitation
from slides.drawing.cells import clean
from tui.command_line.exit_codes import DONE, FAILED, INTERRUPTED
from tui.command_line.refusals import complain, tell_left
from tui.command_line.stdin_watch import HeldInput

WITHIN_S = 30.0  # in which the file of an invitation has to be there


def main(demo: Launchable, file: str) -> int:
    """Join the host whose invitation is in `file`, `-` for the first line of standard input."""
    if file == "-":
        found = invitation.read(_line(sys.stdin.fileno()), "the line on stdin")
    else:
        found = invitation.read_file(_awaited(file))
    if isinstance(found, Refusal):
        return complain(f"{found.why}: {found.mend}")
    return asyncio.run(_join(demo, found, until_eof=file == "-"))


def _line(fd: int) -> bytes:
    """Return the first line, and leave what follows unread: it says how long we are wanted."""
    with io.FileIO(fd, closefd=False) as stdin:
        return stdin.readline(invitation.LONGEST)


def _awaited(file: str) -> str:
    """Return the file once it is there: Slurm may be quicker than the host that writes it."""
    until = time.monotonic() + WITHIN_S
    if not Path(file).exists():
        print(f"teachrun: waiting up to {WITHIN_S:.0f} s for {clean(file)}", file=sys.stderr, flush=True)
    while not Path(file).exists() and time.monotonic() < until:
        time.sleep(0.2)
    return file


async def _join(demo: Launchable, invited: Invitation, *, until_eof: bool) -> int:
    from runtime.agent.agent import Agent

    agent = Agent(demo, invited, lambda line: print(f"teachrun: {clean(line)}", file=sys.stderr, flush=True))
    loop = asyncio.get_running_loop()
    ended: list[str] = []

    def end(name: str) -> None:
        ended.append(name)
        agent.leave(f"ended by {name}")

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, partial(end, number.name))
    if until_eof:
        HeldInput(loop, agent.hung_up).start()
    left = await agent.run()
    if left:
        tell_left(left)
    return INTERRUPTED if ended else FAILED if left or agent.failed else DONE

"""Runs a command for each node, and passes on what they say, until all have ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

NOTICE_S = 10.0  # in which the ranks of other nodes find by themselves that theirs are gone
END_S = 15.0  # and in which a node whose connection is closed ends its own
BEAT_S = 10.0  # a connection that is half open carries nothing, and neither end hears that it is gone
SILENT_S = 60.0  # after which a node that has heard us before takes us for gone
_MOST = 1 << 12  # characters of a line


async def run(
    commands: Sequence[Sequence[str]],
    on_line: Callable[[int, str], None],
    interrupted: asyncio.Event,
    notice_s: float = NOTICE_S,
    beat_s: float = BEAT_S,
) -> list[int]:
    """Start the nodes, wait for them; returns their exit codes.

    The input of each is a pipe that we hold: it ends with us, whatever ends us, and a node ends with it.

    Args:
        commands: What to start for each node.
        on_line: Gets the number of a node and a line that it has written, untrusted.
        interrupted: Set by whoever wants them to end.
        notice_s: How long the others are given when one has failed.
        beat_s: How often each is told that we are there, by an empty line.

    Raises:
        OSError: One cannot be started; those that were are ended.
    """
    started: list[asyncio.subprocess.Process] = []
    try:
        for words in commands:
            started.append(  # noqa: PERF401  # what was started is ended where the next one cannot be
                await asyncio.create_subprocess_exec(
                    *words,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.STDOUT,
                    start_new_session=True,  # Ctrl-C is for us: they are asked, and tidy up
                )
            )
        ends = [asyncio.create_task(_follow(one, n, on_line)) for n, one in enumerate(started)]
        stop = asyncio.create_task(interrupted.wait())
        beating = asyncio.create_task(_beat(started, beat_s))
        left: set[asyncio.Task[int]] = set(ends)
        while left and not stop.done():
            done, _ = await asyncio.wait({*left, stop}, return_when=asyncio.FIRST_COMPLETED)
            left -= done
            if any(task in done and task.result() for task in ends) and left:
                await asyncio.wait({*left, stop}, timeout=notice_s)
                break
        stop.cancel()
        beating.cancel()
        for one in started:
            if one.stdin is not None:
                one.stdin.close()
        await asyncio.wait(ends, timeout=END_S)
    finally:
        for one in started:
            with suppress(ProcessLookupError):
                if one.returncode is None:
                    one.kill()  # the node ends all the same: its connection is gone
            if one.stdin is not None:
                one.stdin.close()
            await one.wait()
    return [await task for task in ends]


async def _beat(nodes: Sequence[asyncio.subprocess.Process], every_s: float) -> None:
    while True:
        for one in nodes:
            if one.stdin is not None and one.returncode is None and not one.stdin.is_closing():
                one.stdin.write(b"\n")  # a node that takes none is ended by ssh: `ServerAliveInterval`
        await asyncio.sleep(every_s)


async def _follow(one: asyncio.subprocess.Process, node: int, on_line: Callable[[int, str], None]) -> int:
    assert one.stdout is not None
    rest = ""
    while data := await one.stdout.read(1 << 16):
        *lines, rest = (rest + data.decode(errors="replace")).replace("\r", "\n").split("\n")
        for line in lines:
            on_line(node, line[:_MOST])
        rest = rest[-_MOST:]
    if rest:
        on_line(node, rest)
    return await one.wait()

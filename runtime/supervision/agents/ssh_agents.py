"""Starts an agent on each machine by ssh, and holds its input: an agent ends when that does.

The invitation is the first line of it, so no list of processes shows the token. What ssh and the agent print
is passed on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

from runtime.cluster.link import invitation
from runtime.cluster.link.invitation import Invitation

END_S = 15.0  # in which an agent whose input is closed ends its ranks and itself
BEAT_S = 10.0  # a connection that is half open carries nothing, and neither end hears that it is gone
_MOST = 1 << 12  # characters of a line


class SshAgents:
    """`on_line(node, line)` gets what is printed, untrusted; `on_exit(node, code)` is called when one
    ends."""

    def __init__(
        self,
        nodes: int,
        start: Callable[[int], tuple[Sequence[str], Invitation]],
        on_line: Callable[[int, str], None],
        on_exit: Callable[[int, int], None],
        beat_s: float = BEAT_S,
    ) -> None:
        """`start(node)` returns what starts a node's agent this time, and its invitation."""
        self._nodes, self._start = nodes, start
        self._on_line, self._on_exit, self._beat_s = on_line, on_exit, beat_s
        self._running: dict[int, asyncio.subprocess.Process] = {}
        self._followed: set[asyncio.Task[None]] = set()
        self._beating: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start those that do not run. Raises `OSError`."""
        if self._beating is None:
            self._beating = asyncio.create_task(self._beat(), name="beats of agents")
        for node in range(self._nodes):
            if node not in self._running:
                words, invited = self._start(node)
                one = await asyncio.create_subprocess_exec(
                    *words,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.STDOUT,
                    start_new_session=True,  # Ctrl-C is for us: they are told, and tidy up
                )
                self._running[node] = one
                assert one.stdin is not None
                one.stdin.write(invitation.line(invited))
                task = asyncio.create_task(self._follow(node, one), name=f"agent {node}")
                self._followed.add(task)
                task.add_done_callback(self._followed.discard)

    async def close(self) -> int:
        """End all of them; returns how many had to be killed here."""
        if self._beating is not None:
            self._beating.cancel()
        running = list(self._running.values())
        for one in running:
            if one.stdin is not None:
                one.stdin.close()
        if self._followed:
            await asyncio.wait(self._followed, timeout=END_S)
        killed = 0
        for one in running:
            if one.returncode is None:
                killed += 1
                with suppress(ProcessLookupError):
                    one.kill()  # the agent ends all the same: its input is gone
                await one.wait()
        return killed

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self._beat_s)
            for one in self._running.values():
                if one.stdin is not None and one.returncode is None and not one.stdin.is_closing():
                    one.stdin.write(b"\n")  # one that takes none is ended by ssh: `ServerAliveInterval`

    async def _follow(self, node: int, one: asyncio.subprocess.Process) -> None:
        assert one.stdout is not None
        rest = ""
        while data := await one.stdout.read(1 << 16):
            *lines, rest = (rest + data.decode(errors="replace")).replace("\r", "\n").split("\n")
            for line in lines:
                self._on_line(node, line[:_MOST])
            rest = rest[-_MOST:]
        if rest:
            self._on_line(node, rest)
        code = await one.wait()
        if self._running.get(node) is one:
            del self._running[node]
        self._on_exit(node, code)

"""An agent: the ranks of one machine, begun and ended as the host says, under a supervisor of their own.

What the ranks send is passed on by the host's clock. The supervisor guards them as it does anywhere: none
outlives the agent, and none goes on for long without a host.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from runtime import paths
from runtime.agent.host_connection import HostConnection
from runtime.agent.host_events import as_the_hosts
from runtime.catalog.registry import Launchable
from runtime.cluster import ssh_commands
from runtime.cluster.link.invitation import Invitation
from runtime.cluster.link.link_messages import Begin, FromHost, Kill, Order, Over, Signal
from runtime.launch import gpus
from runtime.launch.processor_time import ProcessorTime
from runtime.protocol.events import Event
from runtime.supervision.run import OVER, Run
from runtime.supervision.steering import injected_faults
from runtime.supervision.supervisor import Supervisor

LAST_WORDS_S = 10.0  # in which the host takes what it has not recorded yet
SOON_S = 2.0  # and where somebody here has ended us, who may not wait for long
WORD_S = 1.0  # in which the host's last word comes, where its hand on our input was quicker
BLOCK = "node"


class Agent:
    """One node of `demo` (`demo.node` says which). `say(line)` tells people beside it what goes on."""

    def __init__(self, demo: Launchable, invitation: Invitation, say: Callable[[str], None]) -> None:
        assert demo.node is not None
        self._demo, self._node, self._say = demo, demo.node, say
        here = (self._node.nodes, self._node.ranks)
        self._uplink = HostConnection(
            invitation, self._node.number, here, self._told, self.leave, at_work=self._at_work
        )
        self._looks = ProcessorTime()
        name = f"agent-{os.getpid()}"
        self._supervisor = Supervisor(
            name, paths.rank_socket(name), on_events=self._pass_on, relays_to=lambda: self._uplink.full
        )
        self._path = invitation.path
        self.scratch: Path | None = None  # what the next generation goes on from
        self._begun: Begin | None = None  # the newest
        self._task: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[int] | None = None
        self._left = asyncio.Event()
        self._why = ""
        self.failed = False

    async def run(self) -> int:
        """Serve until the host says that it is over, or is gone; returns processes that could not be ended.

        Raises `OSError` where not even the supervisor can start.
        """
        await self._supervisor.start()
        await asyncio.to_thread(ssh_commands.remove_dead_ways)
        # Before the host says anything: a launch that had to wait for the answer would have no run yet for
        # what follows at once on its `Begin`, and the ranks would start after a `Kill` or `Over`.
        await gpus.count()
        uplink = asyncio.create_task(self._uplink.run(), name="uplink")
        try:
            await self._left.wait()
            if self._why:
                self._say(self._why)
            await self._supervisor.stop(BLOCK, self._why or "ended by the host")
            if self._task is not None:
                await self._task
        finally:
            left = await self._supervisor.close()
            await self._uplink.flushed(LAST_WORDS_S if not self._why else SOON_S)
            uplink.cancel()
            if self.scratch is not None and not self._why:
                await asyncio.to_thread(shutil.rmtree, self.scratch, ignore_errors=True)
            if self._path:
                Path(self._path).unlink(missing_ok=True)  # `ssh -R` leaves it behind
        return left

    def hung_up(self, why: str) -> None:
        """Who started it holds its input no more. A host that is done closes that too, and says so: which of
        the two comes first is by chance, and only after the host's own word nothing is kept."""
        asyncio.get_running_loop().call_later(WORD_S, self.leave, why)

    def leave(self, why: str = "") -> None:
        """End: the host has said so, or (`why`) something has come in between."""
        if not self._left.is_set():
            self._why = why
            self.failed = self.failed or bool(why)
            self._left.set()

    def _at_work(self) -> bool:
        """Whether a rank of this node ran, or waited for a processor or a disk, since this was asked last."""
        run = self._supervisor.runs.get(BLOCK)
        ranks = run.at_work() if run is not None and run.state not in OVER else ()
        spin = run is not None and run.on_gpu
        return self._looks.look(ranks, time.monotonic(), spin=spin).awake

    # --- what the host says -----------------------------------------------------------------------------

    def _told(self, message: FromHost) -> None:
        run = self._supervisor.runs.get(BLOCK)
        match message:
            case Begin():
                if self._begun is None or message.generation > self._begun.generation:
                    self._begun = message
                    self._task = asyncio.create_task(self._play(message), name="generation")
            case Order() if run is not None:
                self._supervisor.tell(run, message.order, message.rank)
            case Signal() if run is not None:
                own = run.ranks.get(message.rank)
                signal = next(
                    (s for harm, s in injected_faults.SIGNALS.items() if harm == message.harm), None
                )
                if own is not None and signal is not None:
                    own.kill(signal)
            case Kill() if self._begun is not None and message.generation == self._begun.generation:
                self._ending = asyncio.create_task(self._supervisor.stop(BLOCK, "ended by the host"))
            case Over():
                self.leave()
            case _:
                pass

    async def _play(self, begin: Begin) -> None:
        """Run this node's part of one generation, and say how it ended."""
        mine = self._node
        node = replace(mine, host=begin.host, port=begin.port) if begin.host else mine
        self._say(f"{node.note} of {begin.run}, meeting at {node.host}:{node.port}")
        self.scratch = paths.runs_dir() / begin.run / "scratch"  # the next generation looks there too
        values = self._demo.values | ({"restarts": 0} if "restarts" in self._demo.values else {})
        demo = replace(self._demo, node=node, values=values, scratch=self.scratch)
        run = await self._supervisor.launch(BLOCK, demo)
        await run.over.wait()
        self.failed = run.state != "done"
        if run.recorder is not None and run.recorder.note:
            self._say(f"{run.recorder.note}; its host records it all the same")
        cause = run.cause if run.state == "failed" else None
        rank, victim = (cause.rank, cause.victim) if cause is not None else (None, False)
        self._uplink.end(begin.generation, run.state, run.why, rank, victim=victim, left=run.left)

    # --- what the ranks say -----------------------------------------------------------------------------

    def _pass_on(self, run: Run, events: Iterable[Event]) -> None:
        begun = self._begun
        if begun is None or (run.state in OVER and run.over.is_set()):
            return
        known = self._uplink.clock.difference
        ahead = known.ahead if known is not None else 0.0
        here = self._node.here
        ours = [as_the_hosts(e, begun.run, begun.generation, ahead) for e in events if e.rank in here]
        self._uplink.put(begun.generation, ours)

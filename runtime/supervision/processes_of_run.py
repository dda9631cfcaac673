"""The processes of one generation of a run: ranks, and torchrun with its guardian if it started them."""

from __future__ import annotations

import asyncio
import contextlib
from typing import NamedTuple

from runtime.launch.guarded_torchrun import GuardedTorchrun
from runtime.launch.processes import Own, below, dying, gone, sweep
from runtime.protocol.stage_messages import Exited
from runtime.supervision.failures.stuck_or_slow import Patience

COMPLAINTS_S = 0.5  # so long may ranks that have lost one say what torch told them


class Cause(NamedTuple):
    """`rank` failed first (None: no single one did) `at` a time by its own account, or by ours. `victim`: as
    far as is known here it only complains that another one is gone."""

    what: str
    rank: int | None = None
    at: float | None = None
    victim: bool = False


class Generation:
    """Ranks that live and die together, from their fork to the end of the last one.

    Times are seconds of the monotonic clock.
    """

    def __init__(self) -> None:
        self.ranks: dict[int, Own] = {}
        self.exits: list[Exited] = []
        self.torchrun: GuardedTorchrun | None = None
        self.forked_at: float | None = None
        self.broken_at: float | None = None  # when we saw that one of them had failed
        self.failure = ""  # why we end it, where none of its ranks is to blame
        self.kill_at: float | None = None  # when the supervisor set out to end it
        self.killed: set[int] = set()  # ranks that lived until we killed them by pid
        self.stuck: list[Own] = []  # killed, and still there when it was over
        self.all_exited = asyncio.Event()
        self.patience = Patience()
        self.look_at = 0.0  # when the watchdog looks next: of many ranks a look takes long

    def at_work(self, world: int) -> list[Own]:
        """The ranks, `world` on this machine; until all of torchrun's have said who they are, whatever it has
        started: one that has said so sleeps until the others, which still import, have come too."""
        if self.torchrun is None or len(self.ranks) >= world:
            return list(self.ranks.values())
        return below(self.torchrun.child.pid)

    async def over_within(self, seconds: float) -> None:
        """Wait until all have exited, but no longer."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.all_exited.wait(), seconds)

    async def see_gone(self, class_id: str, run: str, within_s: float) -> None:
        """End what is left of it; what cannot be ended is `stuck` then, each process once."""
        for own in await gone(self.ranks.values(), within_s):
            own.kill()
        stuck = set(await gone(self.ranks.values(), within_s))
        if self.torchrun is not None:
            if not await self.torchrun.end() and (guardian := Own.of(self.torchrun.child.pid)) is not None:
                stuck.add(guardian)
            # What ranks had forked under a guardian that was killed: it has our mark, as both of these have.
            stuck.update(await sweep(class_id, run, within_s))
        self.stuck = await gone(stuck, 0.0)  # one may have gone while the others were waited for

    def kill(self) -> None:
        """Kill every rank (SIGKILL) and note those that were not already dying of something else."""
        for rank, own in self.ranks.items():
            if own.alive and not dying(own.pid):
                self.killed.add(rank)
            own.kill()

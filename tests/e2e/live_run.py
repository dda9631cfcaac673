"""A real supervisor with a warm stage for tests of what people do to a run, and eyes on its ranks."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from waiting import until

from runtime.catalog import registry
from runtime.catalog.registry import Launchable
from runtime.launch.processes import gone
from runtime.protocol.events import Event, Step
from runtime.protocol.messages import Break, Harm, Snapshot, Steer
from runtime.supervision.run import Run
from runtime.supervision.supervisor import Supervisor

BLOCK = "b"
HEARING = Path(__file__).parents[1] / "scripts" / "heard.py"


class Heard:
    """Every loss that was told, by run, generation and rank, and all events of who asks for them."""

    def __init__(self) -> None:
        self.losses: dict[tuple[str, int, int], dict[int, float]] = defaultdict(dict)
        self.events: list[Event] | None = None

    def take(self, run: Run, events: Iterable[Event]) -> None:
        for event in events:
            if self.events is not None:
                self.events.append(event)
            if isinstance(event, Step) and event.loss is not None:
                self.losses[run.id, event.generation, event.rank][event.step] = event.loss


def demo(name: str, **params: object) -> Launchable:
    checked = registry.check(name, {key: str(value) for key, value in params.items()})
    assert isinstance(checked, Launchable), checked
    return checked


def forked(asked: Launchable) -> Launchable:
    """A script of a user's in ranks of the warm fork server, heard as it is under torchrun, where every rank
    would import torch first."""
    return replace(
        asked,
        script=HEARING,
        argv=(str(asked.script), *asked.argv),
        values=asked.values | {"launcher": "stage"},
    )


class Live:
    """One run under one supervisor."""

    def __init__(self, supervisor: Supervisor, run: Run) -> None:
        self.supervisor, self.run = supervisor, run

    @property
    def shown(self) -> Snapshot:
        return self.run.snapshot()

    @property
    def steps(self) -> list[int]:
        """The newest step that each rank has done."""
        return [-1 if row.step is None else row.step for row in self.shown.rows]

    def steer(self, steps: int | None = None, pace_s: float = 0.0) -> None:
        assert self.supervisor.control.obey(Steer(BLOCK, steps, pace_s)) is None

    def harm(self, rank: int, harm: Harm, amount: float = 0.0) -> None:
        assert self.supervisor.control.obey(Break(BLOCK, rank, harm, amount)) is None

    async def trains(self, steps: int = 3) -> None:
        """Until every rank has done so many steps more."""
        aim = self.run.store.settled + steps
        await until(lambda: self.run.store.settled >= aim, f"step {aim}, {self.run.state} {self.run.why}")

    async def held(self) -> int:
        """Until all ranks stand before the same step; returns the last they did."""

        def stand() -> bool:
            return {row.state for row in self.shown.rows} == {"held"}

        await until(stand, f"all held, {[row.state for row in self.shown.rows]}")
        await asyncio.sleep(0.25)  # two beats: whoever was still on the way is here
        await until(lambda: stand() and len(set(self.steps)) == 1, f"one step, {self.steps}")
        return self.steps[0]

    async def stop(self) -> Run:
        await self.supervisor.stop(BLOCK, "enough")
        return await self.ended()

    async def ended(self, seconds: float = 90.0) -> Run:
        """Nothing of it is left."""
        await asyncio.wait_for(self.run.over.wait(), seconds)
        assert await gone(self.run.ranks.values(), 3.0) == []
        assert self.run.left == 0
        return self.run


async def launch(supervisor: Supervisor, wanted: Launchable) -> Live:
    return Live(supervisor, await supervisor.launch(BLOCK, wanted))

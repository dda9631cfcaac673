"""Real screens in a class of a real host."""

from __future__ import annotations

import secrets
from typing import TypeVar

from waiting import until

from runtime import paths
from runtime.classroom import actions
from runtime.classroom import state as class_state
from runtime.classroom.actions import Role
from runtime.host.client import Client, ask
from runtime.launch.processes import Own, gone
from runtime.protocol.messages import (
    Act,
    AnyMessage,
    Launch,
    Ordered,
    Report,
    Shutdown,
    Snapshot,
    Status,
    Welcome,
)

M = TypeVar("M", bound=AnyMessage)


class Screen:
    def __init__(self, class_id: str, role: Role) -> None:
        self.got: list[AnyMessage] = []
        self.links: list[str] = []
        self.client = Client(class_id, role, secrets.token_hex(4), self.got.append, self.links.append)
        self._n = 0

    def act(self, action: actions.AnyAction) -> None:
        self._n += 1
        self.client.send(Act(self._n, action))

    def all(self, kind: type[M]) -> list[M]:
        return [message for message in self.got if isinstance(message, kind)]

    @property
    def state(self) -> class_state.ClassState:
        """The state as this screen has been told it."""
        state = class_state.ClassState()
        for message in self.got:
            if isinstance(message, Welcome):
                state = message.state
            elif isinstance(message, Ordered):
                state = message.state or class_state.apply(state, message.entry)
        return state

    def shown(self, block: str = "b") -> list[Snapshot]:
        return [snapshot for snapshot in self.all(Snapshot) if snapshot.block == block]

    def run_state(self, block: str = "b") -> str:
        info = self.state.runs.get(block)
        return info.state if info else ""


class Room:
    """A class and the screens a test has put into it."""

    def __init__(self, class_id: str) -> None:
        self.class_id = class_id
        self.screens: list[Screen] = []

    async def enter(self, role: Role) -> Screen:
        screen = Screen(self.class_id, role)
        self.screens.append(screen)
        await screen.client.start()
        await until(lambda: "up" in screen.links)
        return screen

    async def leave(self) -> None:
        for screen in self.screens:
            await screen.client.close()

    async def report(self) -> Report:
        found = await ask(self.class_id, Status(), 5.0)
        assert found is not None
        return found


async def end(class_id: str) -> None:
    """Shut a class down if it runs, and see to it that nothing is left."""
    if class_id in paths.live_classes():
        report = await ask(class_id, Shutdown("end of test"), 10.0)
        assert report is not None and report.left == 0
        assert await gone(pids(report, "host"), 5.0) == []


def pids(of: Report, what: str) -> list[Own]:
    found = [Own.of(process.pid) for process in of.processes if process.what == what]
    return [own for own in found if own is not None]


async def training(screen: Screen, params: dict[str, str] | None = None) -> Snapshot:
    """Launch ddp and wait for a step of every rank."""
    older = {snapshot.run for snapshot in screen.all(Snapshot)}
    older |= {info.run for info in screen.state.runs.values()}  # whose last one may still be on its way
    screen.client.send(Launch("b", "ddp", params or {"ranks": "2", "steps": "100000"}))

    def stepped() -> bool:
        news = [snapshot for snapshot in screen.all(Snapshot) if snapshot.run not in older]
        return bool(news) and all(row.step is not None for row in news[-1].rows)

    await until(stepped)
    return screen.all(Snapshot)[-1]

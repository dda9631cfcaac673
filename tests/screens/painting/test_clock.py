"""The frame clock paints only what is due, never faster than a frame, and gives a slow line time."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Callable

import pytest
import textual.timer
from textual.app import App

from tui.classroom.status import until_next_second
from tui.rendering.frame_clock import FRAME_S, SLOW_S, Alarm, FrameClock, later


class World:
    """Time and timers by hand."""

    def __init__(self) -> None:
        self.time = 0.0
        self.timers: list[tuple[float, int, Callable[[], None]]] = []
        self.backlog = 0
        self.painted: list[float] = []
        self.clock = FrameClock(
            lambda: self.painted.append(self.time), self.later, lambda: self.backlog, lambda: self.time
        )

    def later(self, seconds: float, call: Callable[[], None]) -> None:
        heapq.heappush(self.timers, (self.time + seconds, len(self.timers), call))

    def run(self, until: float) -> None:
        while self.timers and self.timers[0][0] <= until:
            self.time, _, call = heapq.heappop(self.timers)
            call()
        self.time = until


def test_nothing_due_arms_no_timer() -> None:
    world = World()
    world.run(10)
    assert world.painted == [] and world.timers == []


def test_many_changes_are_one_frame() -> None:
    world = World()
    for _ in range(100):
        world.clock.want()
    world.run(1)
    assert len(world.painted) == 1 and world.timers == []


def test_an_alarm_rings_at_the_soonest_time_it_was_set_for_and_once() -> None:
    world = World()
    rung: list[float] = []
    alarm = Alarm(lambda: rung.append(world.time), world.later, lambda: world.time)
    alarm.set(40)  # the minute of the time of day
    alarm.set(1)  # and now a clock runs
    alarm.set(1.001)
    assert len(world.timers) == 2
    world.run(2)
    assert rung == [1]
    alarm.set(50)
    world.run(45)  # the older one is nobody's any more
    assert rung == [1]
    world.run(60)
    assert rung == [1, 52]


def test_at_most_fifteen_a_second() -> None:
    world = World()
    for n in range(1000):
        world.time = max(world.time, n / 1000)
        world.clock.want()
        world.run(n / 1000)
    assert 14 <= len(world.painted) <= 16
    gaps = [b - a for a, b in zip(world.painted, world.painted[1:], strict=False)]
    assert min(gaps) >= FRAME_S - 1e-9


def test_a_slow_line_skips_and_slows_down_then_recovers() -> None:
    world = World()
    world.backlog = 5
    world.clock.want()
    world.run(1)
    assert world.painted == [] and world.clock.skipped >= 4 and world.clock.period == SLOW_S
    world.backlog = 0
    world.run(2)
    assert len(world.painted) == 1
    for n in range(40):
        world.clock.want()
        world.run(2.2 + n / 4)
    assert world.clock.period == FRAME_S


@pytest.mark.parametrize("elapsed", [0.0, 0.25, 59.5, 0.999])
def test_the_next_second_is_met_just_after_it_began(elapsed: float) -> None:
    after = elapsed + until_next_second(elapsed)
    assert int(after) == int(elapsed) + 1 and after % 1 < 0.05


@pytest.mark.asyncio
async def test_what_is_due_comes_when_the_process_is_held_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second passes between two looks at Textual's clock: a one-shot timer of its own is lost then."""
    app: App[None] = App()
    async with app.run_test():
        seconds = itertools.chain(range(20), itertools.repeat(20))
        monkeypatch.setattr(textual.timer._time, "get_time", lambda: float(next(seconds)))
        called = asyncio.Event()
        later(app, 0.001, called.set)
        await asyncio.wait_for(called.wait(), 10)


@pytest.mark.asyncio
async def test_an_app_that_ended_hears_no_more() -> None:
    app: App[None] = App()
    called: list[int] = []
    due = asyncio.Event()
    async with app.run_test():
        pass
    later(app, 0.0, lambda: called.append(1))
    asyncio.get_running_loop().call_later(0.0, due.set)
    await due.wait()
    assert not called


async def test_a_fault_in_what_was_put_off_ends_the_program_with_its_reason() -> None:
    app: App[None] = App()

    def fault() -> None:
        raise ValueError("put off")

    with pytest.raises(ValueError, match="put off"):
        async with app.run_test() as pilot:
            later(app, 0.0, fault)
            while app.is_running:
                await pilot.pause()


async def test_a_screen_that_is_about_to_begin_hears_of_it_when_it_has() -> None:
    app: App[None] = App()
    called = asyncio.Event()
    later(app, 0.0, called.set)
    await asyncio.sleep(0)
    async with app.run_test():
        await asyncio.wait_for(called.wait(), 60)

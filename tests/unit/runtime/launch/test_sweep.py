"""What a dead guardian leaves behind is killed until nobody is found, not only whom the first look saw."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from runtime.launch import processes as processes_module
from runtime.launch.processes import CLASS_MARK, NEXT_LOOK_S, PART_MARK, Own, gone, marked, sweep

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
MARKS = {CLASS_MARK: "a-class-of-this-test", PART_MARK: "guardian", "TEACHRUN_RUN": "r1"}


def asleep(**marks: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sleep", "600"], env={**os.environ, **marks})


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[bytes]]]:
    processes: list[subprocess.Popen[bytes]] = []
    yield processes
    for process in processes:
        process.kill()
        process.wait()


def test_who_was_forked_behind_the_first_look_goes_too(started: list[subprocess.Popen[bytes]]) -> None:
    started.append(asleep())

    def look() -> list[Own]:
        """Sees who is there; the first time another is forked at once, and the second time nobody is seen."""
        looks.append(len(started))
        if len(looks) == 1:
            started.append(asleep())
            seen = started[:1]
        else:
            seen = started if len(looks) == 3 else []
        return [own for process in seen if process.poll() is None and (own := Own.of(process.pid))]

    looks: list[int] = []
    assert asyncio.run(sweep("", "", 30.0, look)) == []
    assert all(process.wait(30) for process in started)


def test_one_that_is_slow_to_die_keeps_nobody_from_the_next_look(
    started: list[subprocess.Popen[bytes]],
) -> None:
    killed: list[int] = []

    class SlowToDie(Own):
        """Of a machine with so much to do that nothing dies in time."""

        alive = property(lambda self: True)
        doomed = property(lambda self: bool(killed))

        def kill(self, how: signal.Signals = signal.SIGKILL) -> None:
            killed.append(self.pid)

    def look() -> list[Own]:
        """Sees it, and whom it forked behind the first look."""
        forked = [own for process in started if (own := Own.of(process.pid))]
        if not killed:
            started.append(asleep())
        return [SlowToDie(0, 0.0), *forked]

    assert asyncio.run(sweep("", "", 3 * NEXT_LOOK_S, look)) == []
    assert killed == [0] and started[0].wait(30)


def test_who_is_found_when_the_time_is_up_is_killed_and_who_came_behind_is_left(
    started: list[subprocess.Popen[bytes]],
) -> None:
    def look() -> list[Own]:
        """Another one each time."""
        started.append(asleep())
        return [own for process in started if (own := Own.of(process.pid))]

    assert [own.pid for own in asyncio.run(sweep("", "", 0.0, look))] == [started[1].pid]
    assert started[0].wait(30) and started[1].poll() is None


def test_those_of_another_run_stay(started: list[subprocess.Popen[bytes]]) -> None:
    mine, another = asleep(**MARKS), asleep(**MARKS | {"TEACHRUN_RUN": "r2"})
    started += [mine, another]
    while len(list(marked(MARKS[CLASS_MARK]))) < 2:  # until both have their own environment
        pass
    assert asyncio.run(sweep(MARKS[CLASS_MARK], "r1", 30.0)) == []
    assert mine.wait(30) and another.poll() is None


def test_who_is_killed_and_has_no_turn_to_die_yet_is_not_said_to_be_left(
    started: list[subprocess.Popen[bytes]],
) -> None:
    core = min(os.sched_getaffinity(0))
    for _ in range(3):
        started.append(subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]))
        os.sched_setaffinity(started[-1].pid, {core})
    own = Own.of(started[0].pid)
    assert own is not None
    os.sched_setscheduler(own.pid, os.SCHED_IDLE, os.sched_param(0))  # the others come first
    assert asyncio.run(gone([own], 0.0)) == [own] and not own.doomed
    own.kill()
    assert own.doomed or not own.alive
    assert asyncio.run(gone([own], 0.0)) == []


def test_one_that_waits_for_a_disk_or_a_driver_is_left_though_it_is_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = Own.of(os.getpid())
    assert own is not None
    monkeypatch.setattr(processes_module, "dying", lambda pid: True)
    for letter, doomed in (("R", True), ("D", False)):
        monkeypatch.setattr(processes_module, "state", lambda pid, letter=letter: letter)
        assert own.doomed is doomed
        assert asyncio.run(gone([own], 0.0)) == ([] if doomed else [own])

"""Replays a recorded run: the same events go into the same kind of store, by a clock that can be moved.

A `Replay` is a `Run` whose clock is the recording's. It can pause, go faster, and move to any second; what it
shows there is what the panel showed then. It begins with the first event of a rank, so that nobody waits
again for the fork server to warm up, and at its end it stays at its last state.
"""

from __future__ import annotations

import asyncio
import copy
import time
from bisect import bisect_right
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from runtime.catalog import registry
from runtime.catalog.params import LAUNCH_PARAMS
from runtime.catalog.registry import Launchable
from runtime.launch.device_choice import Placement
from runtime.metrics.store import RunStore
from runtime.protocol.diagnosis_message import Diagnosis
from runtime.protocol.figures import Playback, Recovery
from runtime.protocol.messages import Snapshot
from runtime.recordings import files, run_choice
from runtime.recordings.files import About
from runtime.recordings.recording import Recording, load
from runtime.supervision.failures.recovery_times import recovery
from runtime.supervision.run import OVER, Run

MAX_SPEED = 64.0
TICK_S = 0.1
EVERY = 2000  # events between two places from which a seek can start, at least
MOST_MARKS = 64  # of such places
TOGETHER_S = 0.02  # events so close are taken as one batch


def _launchable(about: About) -> Launchable:
    """Return what was launched then, with its values then, even if this version has no such demo."""
    spec = registry.find(about.demo)
    then = {n: str(v) for n, v in about.values.items() if v is not None and spec and spec.param(n)}
    if "ranks" in then and (nodes := int(then.get("nodes", "1"))) > 1:
        then["ranks"] = str(about.world // nodes)  # what is kept are those of all nodes
    checked = registry.check(about.demo, then, here=False)
    if isinstance(checked, registry.Refusal):
        strange = {p.name: p.default for p in LAUNCH_PARAMS}
        checked = Launchable(about.demo, about.demo, Path(), {}, strange, (), builtin=False)
    values = {**checked.values, "ranks": about.world}
    return replace(checked, params=about.params, values=values, steps=about.steps or checked.steps)


class _Mark(NamedTuple):
    """A copy of the store with the first `taken` events in it."""

    taken: int
    generation: int
    store: RunStore

    def copy(self) -> _Mark:
        return self._replace(store=copy.deepcopy(self.store))


class Replay(Run):
    """A recording in a block. `at_s` is where it is, `speed` how fast it goes (0: paused), `taken` how many
    of its events are in the store."""

    def __init__(self, block: str, recording: Recording, differs: tuple[str, ...] = ()) -> None:
        about = recording.about
        super().__init__(block, _launchable(about))
        self.id, self.started = about.run, about.started
        self.asked_at = recording.origin if about.asked_at is None else about.asked_at
        self.placement = Placement("REPLAY", about.backend, about.device, about.bent)
        self.phases = list(about.phases)
        self.recording, self.differs = recording, differs
        self.speed = 0.0
        self._at, self._since = 0.0, time.monotonic()
        first = recording.events[0].generation if recording.events else about.generation
        self.marks = [_Mark(0, first, RunStore(self.demo.ranks, recording.origin))]
        self.taken, self.generation, self.store = self.marks[0].copy()
        self._show(0.0)

    @property
    def at_s(self) -> float:
        """Where it is now, in seconds from the beginning of the recording."""
        return min(self.length_s, self._at + (time.monotonic() - self._since) * self.speed)

    @property
    def length_s(self) -> float:
        """Seconds from the beginning of the recording to its last event."""
        return self.recording.length_s

    def now(self) -> float:
        """The recording's own clock at what is shown: the monotonic seconds its events carry."""
        return self.recording.origin + self._at

    def seek(self, at_s: float | None, speed: float) -> None:
        """Go to `at_s` (None: from here on, or from the start where this is the end) and on at `speed`."""
        self.speed, here = min(MAX_SPEED, max(0.0, speed)), self.at_s
        if at_s is None:
            at_s = 0.0 if here >= self.length_s and self.speed > 0.0 else here
        self._show(min(self.length_s, max(0.0, at_s)))

    def advance(self) -> None:
        """Take in the events that are due by now."""
        self._show(self.at_s)

    def mark(self) -> None:
        """Go once through all events and keep copies of the store, so that a seek is quick; in a thread."""
        taken, generation, store = self.marks[0].copy()
        count = len(self.recording.events)
        every = max(EVERY, count // MOST_MARKS)
        for begin in range(0, count, every):
            if begin:
                self.marks.append(_Mark(taken, generation, store).copy())
            end = min(begin + every, count)
            generation, store = self._ingest(begin, end, generation, store)
            taken = end

    def _show(self, at_s: float) -> None:
        self._at, self._since = at_s, time.monotonic()
        want = bisect_right(self.recording.due, at_s)
        mark = self.marks[bisect_right(self.marks, want, key=lambda mark: mark.taken) - 1]
        if not mark.taken <= self.taken <= want:
            self.taken, self.generation, self.store = mark.copy()
        self.generation, self.store = self._ingest(self.taken, want, self.generation, self.store)
        self.taken = want
        if at_s < self.length_s:
            self.state, self.why, self.warning, self.ended_at = "running", "", "", None
            self.diagnosis = None
        else:
            about, self.speed = self.recording.about, 0.0
            self.state = next((state for state in OVER if state == about.state), "stopped")
            self.why, self.warning = about.why, self.recording.note
            self.diagnosis = _of_its_ranks(about.diagnosis, self.demo.ranks)
            self.ended_at = None if about.ran_s is None else self.asked_at + about.ran_s
        self.fault = self.why if self.state == "failed" else ""

    def _ingest(self, begin: int, end: int, generation: int, store: RunStore) -> tuple[int, RunStore]:
        """The events from `begin` to `end` into `store`, or into a new one where a generation follows."""
        events, due, origin = self.recording.events, self.recording.due, self.recording.origin
        while begin < end:
            if events[begin].generation > generation:
                generation, before = events[begin].generation, store
                store = RunStore(self.demo.ranks, origin + due[begin])
                store.go_on_from(before)
            upto = min(end, bisect_right(due, due[begin] + TOGETHER_S, lo=begin))
            upto = next((n for n in range(begin, upto) if events[n].generation > generation), upto)
            batch = [event for event in events[begin:upto] if event.generation == generation]
            store.ingest_all(batch, origin + due[upto - 1])
            begin = upto
        return generation, store

    def recovered(self) -> tuple[Recovery, ...]:
        """As far as it had come by then: of the generation shown step by step, of those before it in full."""
        now, about = self.now(), self.recording.about
        known = [failure for failure in about.failures if failure.noticed_at <= now]
        finished = {whole.generation: whole for whole in about.recoveries}
        return tuple(
            finished[failure.generation]
            if failure.generation < self.generation and failure.generation in finished
            else recovery(failure, self.store if failure.generation == self.generation else None, now)
            for failure in known
        )

    def snapshot(self) -> Snapshot:
        """Return the run's snapshot with where the replay is, and REPLAY for a badge."""
        about = self.recording.about
        playback = Playback(about.made, str(about.made_on), self._at, self.length_s, self.speed, self.differs)
        badge = "REPLAY of another run" if run_choice.distance(self.differs) else "REPLAY"
        return msgspec.structs.replace(super().snapshot(), badge=badge, playback=playback)


def _of_its_ranks(found: Diagnosis | None, world: int) -> Diagnosis | None:
    """A diagnosis that names ranks of this world alone: the file may say anything."""
    if found is None:
        return None
    named = {row.rank for row in found.rows} | {rank for edge in found.edges for rank in edge}
    return found if all(0 <= rank < world for rank in named) else None


class Replays:
    """The recorded runs that a class looks at, by block. `on_change(replay, urgent)` is called while one
    moves; urgent after a seek."""

    def __init__(self, on_change: Callable[[Replay, bool], None]) -> None:
        self.shown: dict[str, Replay] = {}
        self._on_change = on_change
        self._asked: dict[str, object] = {}  # the newest wish for each block
        self._tasks: set[asyncio.Task[None]] = set()
        self._ticker: asyncio.Task[None] | None = None

    async def recall(self, block: str, demo: str, params: Mapping[str, str], run: str = "") -> Replay | None:
        """Put a recorded run into `block` and play it: `run` by its id, "" for the one that fits best.

        None: something else was requested for the block meanwhile. Raises `Unreadable`.
        """
        wish = self._asked[block] = object()
        recording, differs = await asyncio.to_thread(_choose, demo, dict(params), run)
        if self._asked.get(block) is not wish:
            return None
        replay = self.shown[block] = Replay(block, recording, differs)
        replay.seek(0.0, 1.0)
        self._spawn(asyncio.to_thread(replay.mark))
        self._wake()
        return replay

    def seek(self, block: str, at_s: float | None, speed: float) -> None:
        """Move the replay in `block`, if there is one, as `Replay.seek` does, and show that at once."""
        replay = self.shown.get(block)
        if replay is not None:
            replay.seek(at_s, speed)
            self._on_change(replay, True)
            self._wake()

    def drop(self, block: str) -> None:
        """Forget the replay of a block, which shows something else from now on."""
        self.shown.pop(block, None)
        self._asked.pop(block, None)

    def close(self) -> None:
        """Cancel everything that moves or prepares a replay; for the end of the host."""
        for task in self._tasks:
            task.cancel()

    def _wake(self) -> None:
        if self._ticker is None or self._ticker.done():
            self._ticker = self._spawn(self._tick())

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _tick(self) -> None:
        while moving := [replay for replay in self.shown.values() if replay.speed > 0.0]:
            for replay in moving:
                replay.advance()
                self._on_change(replay, False)
            await asyncio.sleep(TICK_S)


def _choose(demo: str, params: Mapping[str, str], run: str) -> tuple[Recording, tuple[str, ...]]:
    """The recording, and how it differs from what was asked for.

    In a thread: disks are slow, and a long run takes a second to read.
    """
    if not run:
        found = run_choice.fitting(demo, params)
        return load(found.folder), found.differs
    recording = load(files.find(run))
    if not params or recording.about.demo != demo:
        return recording, ()
    return recording, run_choice.differing(run_choice.computed(demo, params), recording.about)

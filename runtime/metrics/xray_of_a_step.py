"""Collects the x-ray of a run: ordered, answered by every rank, its traces joined.

A rank cannot know whether it stood still for a transfer or for another rank: its `exposed` is both, until the
entries of all ranks into that step's collectives are compared here, as they are of every step.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import msgspec.structs

from runtime.metrics import perfetto_xray
from runtime.metrics.collectives.waiting_time import Entered, Interval, waiting
from runtime.protocol.events import XRay as Answer
from runtime.protocol.figures import Mark, XRay

SETTLED = 8  # of the newest steps: answers come while the ranks go on
LANES = 16  # ranks of which a screen can show one step at once


class XRays:
    """Keeps the newest x-ray of one generation. `figure` is what a snapshot carries of it."""

    def __init__(self, world: int) -> None:
        self._world = world
        self._step: int | None = None
        self._answers: dict[int, Answer] = {}
        self._gone: set[int] = set()  # ranks that have ended: nobody waits for them
        self._joining = False
        self._figure: XRay | None = None
        self._peaks: dict[int, int] = {}
        self._settled: deque[tuple[int, Mapping[int, list[Entered]]]] = deque(maxlen=SETTLED)

    @property
    def figure(self) -> XRay | None:
        """The newest x-ray as a snapshot shows it; None before the first order."""
        return self._figure

    @property
    def step(self) -> int:
        """The step that is looked at; -1 before the first order."""
        return -1 if self._step is None else self._step

    @property
    def peaks(self) -> dict[int, int]:
        """Rank -> peak bytes in the step that was looked at, as far as they are known."""
        return self._peaks

    @property
    def taking(self) -> bool:
        """Whether an x-ray was ordered and is still being taken."""
        return self._figure is not None and self._figure.state == "taking"

    def order(self, step: int) -> None:
        """Note that every rank was ordered to look at `step`."""
        self._begin(step)

    def refuse(self, why: str) -> None:
        """Note why there will be none."""
        self._figure = XRay("failed", why, self._step if self._step is not None else -1)

    def answer(self, event: Answer) -> None:
        """Take in a rank's x-ray, or why it has none."""
        if event.step != self._step:
            if self._step is not None and event.step < self._step:
                return  # of an order that a newer one has replaced
            self._begin(event.step)
        self._answers[event.rank] = event
        if event.peak is not None:
            self._peaks[event.rank] = event.peak
        self._settle()

    def settle(self, step: int, entered: Mapping[int, list[Entered]]) -> None:
        """Take in a step's compared collectives; `entered` has the ranks with all of them known."""
        self._settled.append((step, entered))
        figure = self._figure
        if step == self._step and figure is not None and figure.state == "ready":
            self._figure = msgspec.structs.replace(figure, lanes=self._lanes())

    def end(self, rank: int) -> None:
        """Note that a rank has ended: no answer of it is waited for."""
        self._gone.add(rank)
        self._settle()

    def to_join(self) -> dict[int, Path]:
        """Return rank -> file once, when all have answered and the files are not joined; else empty."""
        if self._figure is None or self._figure.state != "ready" or self._joining:
            return {}
        self._joining = True
        return {rank: Path(answer.file) for rank, answer in self._answers.items() if answer.file}

    def joined(self, trace: str, why: str = "") -> None:
        """Note the joined file of all ranks, or why there is none."""
        figure = self._figure
        if figure is not None and figure.state == "ready":
            self._figure = msgspec.structs.replace(figure, why=why, trace=trace)

    def _begin(self, step: int) -> None:
        self._step, self._answers, self._joining = step, {}, False
        self._figure = XRay("taking", step=step)

    def _settle(self) -> None:
        if not self.taking or self._step is None:
            return
        asked = set(range(self._world)) - self._gone
        if not asked <= self._answers.keys():
            return
        failed = [answer for _, answer in sorted(self._answers.items()) if answer.failed]
        if failed:
            self.refuse(f"rank {failed[0].rank}: {failed[0].failed}")
        elif not self._answers:
            self.refuse("every rank had ended before the step")
        else:
            self._figure = XRay(
                "ready",
                step=self._step,
                lanes=self._lanes(),
                span_s=max(answer.t1 for answer in self._answers.values()) - self._origin,
                peaks=tuple(
                    self._answers[rank].peak if rank in self._answers else None for rank in range(self._world)
                ),
            )

    @property
    def _origin(self) -> float:
        return min(answer.t0 for answer in self._answers.values())

    def _lanes(self) -> tuple[tuple[Mark, ...], ...]:
        compared: Mapping[int, list[Entered]] = {}
        for step, entered in self._settled:
            if step == self._step:
                compared = entered
        return tuple(
            _lane(self._answers[rank], self._origin, waiting(compared.get(rank, [])))
            if rank in self._answers
            else ()
            for rank in range(min(self._world, LANES))
        )


def _lane(answer: Answer, origin: float, waits: Sequence[Interval]) -> tuple[Mark, ...]:
    """The marks of a rank, with `wait` where it stood still for another one."""
    lane: list[Mark] = []
    for kind, t0, t1, label in answer.marks:
        if kind == "exposed":
            for a, b in waits:
                a, b = max(a, t0), min(b, t1)
                if a < b:
                    if t0 < a:
                        lane.append(Mark(kind, t0 - origin, a - origin, label))
                    lane.append(Mark("wait", a - origin, b - origin, label))
                    t0 = b
        if t0 < t1 or kind != "exposed":
            lane.append(Mark(kind, t0 - origin, t1 - origin, label))
    return tuple(lane)


def join(files: dict[int, Path], groups: Collection[Collection[int]], world: int) -> str:
    """Join `files` into `xray-STEP.json` beside them and remove them; returns its path. Blocks for a while.

    Raises `perfetto_xray.NotJoined`. `groups`: the members of every process group that was seen.
    """
    one = next(iter(files.values()))
    out = one.with_name(one.name.split("-rank-")[0] + ".json")
    # Arrows need to know which collective is which: with one group of all ranks their order says it.
    linked = len(files) == world and all(len(group) == world for group in groups)
    perfetto_xray.join(files, out, linked=linked)
    for file in files.values():
        file.unlink(missing_ok=True)
    return str(out)

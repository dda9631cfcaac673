"""Recorded runs for tests, written by the recorder itself: a few ranks whose figures are known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from runtime.protocol.events import Beat, Boot, Check, Collective, Done, Event, Hello, Log, Step
from runtime.protocol.figures import Curve
from runtime.recordings.files import About, Figures
from runtime.recordings.recorder import Recorder

T0 = 1000.0  # the first word of a rank, by the clock of the events
ASKED = T0 - 5.0  # five seconds for a stage to warm
STEP_S = 0.5


def loss(rank: int, step: int) -> float:
    return 3.0 - 0.1 * step + rank


def events(run: str, world: int = 2, steps: int = 8, generation: int = 1, t0: float = T0) -> list[Event]:
    """Each rank says hello, trains (a step of `STEP_S` with one collective of 1000 bytes) and is done."""
    made: list[Event] = []
    for rank in range(world):
        made.append(
            Hello(run, generation, rank, t0, 1, rank, 0, world, 100 + rank, "cpu", "gloo", t0, 5e8, "msgpack")
        )
        made.append(Boot(run, generation, rank, t0 + 0.01, "train"))
    for step in range(steps):
        begin = t0 + 0.1 + step * STEP_S
        end = begin + STEP_S
        for rank in range(world):
            entered = begin + 0.1 * (rank + 1)
            common = (run, generation, rank)
            made.append(
                Collective(*common, end, step, "all-reduce", "0", -1, 1000, step, entered, end, end - entered)
            )
            made.append(
                Step(*common, end, step, begin, loss(rank, step), 64, 0.0, 0.1, STEP_S - 0.1, 0.0, 0.0)
            )
            made.append(Check(*common, end, step, f"c{step}", 1.0))
            made.append(Beat(*common, end, "forward", step, step, step, 0))
    end = t0 + 0.2 + steps * STEP_S
    made += [Log(run, generation, 0, end, "out", "/home/somebody said \x1b[31mthis")]
    return made + [Done(run, generation, rank, end, 0, None, {"ok": True}) for rank in range(world)]


def about(run: str, **changed: Any) -> About:
    """A run of two ranks that went well."""
    fields: dict[str, Any] = {
        "run": run, "demo": "ddp", "block": "b", "params": {"ranks": "2", "steps": "8"},
        "ranks": 2, "steps": 8, "started": 1.6e9, "asked_at": ASKED, "badge": "LIVE CPU", "backend": "gloo",
        "device": "cpu", "state": "done", "ran_s": 9.5, "figures": Figures(steps=8, loss=2.8),
        "curve": Curve(-2, [0, 1], [3.5, 3.4]),
    }  # fmt: skip
    return About(**fields | changed)


def record(
    runs: Path, run: str, made: list[Event] | None = None, *, flushes: int = 4, **changed: Any
) -> Path:
    """A run on disk, in `flushes` gzip members."""
    made = events(run) if made is None else made
    said = about(run, **changed)
    recorder = Recorder(runs, said)
    for n in range(flushes):
        recorder.take(made[n * len(made) // flushes : (n + 1) * len(made) // flushes])
        recorder.flush()
    recorder.close(said).result()
    assert recorder.note == ""
    return recorder.folder

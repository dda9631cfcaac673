"""A recorded run in the formats of experiment trackers, written by their own libraries.

TensorBoard: a folder of event files for each rank, `rank-N`. Weights & Biases: an offline run, for which no
account is asked and nothing is sent; `wandb sync FOLDER` uploads it, if somebody wants that.
Names of figures are the columns of `runtime.recordings.summary`, in seconds and bytes, by group:
`seconds/compute`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from runtime.protocol.events import Step
from runtime.recordings.recording import Recording
from runtime.recordings.summary import Row

_HELD = ("params", "grads", "optimizer", "activations", "gathered", "temporary", "buffers", "peak")
_GROUPS = {f"{kind}_bytes": f"memory/{kind}" for kind in _HELD}


def figures(row: Row) -> Iterator[tuple[str, float]]:
    """What is known of a rank's step: name and value. A loss that is not a number stays one."""
    for column, value in row.items():
        if column in ("generation", "rank", "step") or isinstance(value, str | None):
            continue
        if column in _GROUPS:
            yield _GROUPS[column], value
        elif column.endswith("_s"):
            yield f"seconds/{column.removesuffix('_s')}", value
        elif column.endswith("_bytes"):
            yield f"bytes/{column.removesuffix('_bytes')}", value
        else:
            yield column, value


def _wall(recording: Recording) -> dict[tuple[int, int, int], float]:
    """When each rank ended each step, by the wall clock of the machine (seconds)."""
    about = recording.about
    zero = recording.origin if about.asked_at is None else about.asked_at
    return {
        (e.generation, e.step, e.rank): about.started + e.t - zero
        for e in recording.events
        if isinstance(e, Step)
    }


def tensorboard(recording: Recording, rows: list[Row], folder: Path) -> int:
    """Event files under `folder`; how many figures they hold. Raises `ImportError` without tensorboardX,
    `OSError`."""
    from tensorboardX import SummaryWriter

    wall, written = _wall(recording), 0
    for rank in sorted({row["rank"] for row in rows if row["rank"] is not None}):
        writer = SummaryWriter(logdir=str(folder / f"rank-{rank}"))
        try:
            for row in rows:
                if row["rank"] != rank:
                    continue
                when = wall.get((row["generation"], row["step"], rank))
                for name, value in figures(row):
                    writer.add_scalar(name, value, row["step"], walltime=when)
                    written += 1
        finally:
            writer.close()
    return written


def wandb(recording: Recording, rows: list[Row], folder: Path) -> int:
    """An offline run in `folder`; how many figures it holds. Raises `ImportError` without wandb, `OSError`.

    Of the machine, its programs and its code nothing is taken along.
    """
    os.environ |= {"WANDB_MODE": "offline", "WANDB_ERROR_REPORTING": "false", "WANDB_SILENT": "true"}
    import wandb as library

    about = recording.about
    settings = library.Settings(
        mode="offline", silent=True, console="off", save_code=False, disable_git=True,
        x_disable_stats=True, x_disable_meta=True, x_disable_machine_info=True, x_save_requirements=False,
    )  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    config: Mapping[str, Any] = {"demo": about.demo, "ranks": about.world, **about.params}
    run = library.init(
        project="teachrun", name=about.run, dir=str(folder), config=dict(config), settings=settings
    )
    written = 0
    try:
        run.define_metric("step", hidden=True)
        run.define_metric("*", step_metric="step")
        together: dict[tuple[int, int], dict[str, float]] = {}
        for row in rows:
            if row["rank"] is not None:
                found = {f"rank{row['rank']}/{name}": value for name, value in figures(row)}
                together.setdefault((row["generation"], row["step"]), {}).update(found)
        for (generation, step), values in together.items():
            known = {name: value for name, value in values.items() if math.isfinite(value)}
            run.log({"step": step, "generation": generation, **known})
            written += len(known)
    finally:
        run.finish()
    return written

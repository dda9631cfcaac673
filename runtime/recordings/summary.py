"""Summarises a run: the few figures that `run.json` keeps, and a row per rank and step.

Seconds end in `_s`, bytes in `_bytes`; None is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isnan
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from runtime.metrics.checksums import Checks
from runtime.metrics.collectives.waiting_time import Entered
from runtime.metrics.steps.step_breakdown import Parts
from runtime.metrics.store import RunStore
from runtime.protocol.events import Check, Event, Memory, Step, XRay
from runtime.recordings.files import Figures

if TYPE_CHECKING:
    from runtime.protocol.messages import Snapshot


# --- what `run.json` keeps ------------------------------------------------------------------------------


def key_figures(shown: Snapshot) -> Figures:
    """Return the few figures by which runs are compared in a list."""
    rows = shown.rows
    reached = [row.step for row in rows]
    tokens = _known(row.tokens_s for row in rows)
    return Figures(
        steps=min((-1 if step is None else step for step in reached), default=-1) + 1,
        loss=_over(fmean, (row.loss for row in rows)),
        tokens_per_s=sum(tokens) if tokens and len(tokens) == len(rows) else None,
        step_s=_over(median, (row.step_s for row in rows)),
        overlap=shown.overlap,
        exposed_s=_over(median, (row.exposed for row in rows)),
        equal=shown.equal,
        memory_bytes=max(_known(row.held_sum for row in rows), default=None),
        peak_bytes=max(_known(row.peak for row in rows), default=None),
        collective_bytes=shown.collective_bytes,
        payload_bytes_step=shown.payload,
        wire_bytes_step=shown.wire,
        theory_bytes_step=shown.theory,
    )


def _known(values: Iterable[Any]) -> list[Any]:
    return [value for value in values if value is not None]


def _over(of: Any, values: Iterable[float | None]) -> float | None:
    known = _known(values)
    return float(of(known)) if known else None


# --- a row per rank and step ----------------------------------------------------------------------------

COLUMNS = (
    "generation", "rank", "step", "loss", "tokens", "step_s", "data_s", "compute_s", "hidden_s", "exposed_s",
    "wait_s", "optimizer_s", "other_s", "collectives", "payload_bytes", "wire_bytes", "theory_bytes",
    "params_bytes", "grads_bytes", "optimizer_bytes", "activations_bytes", "gathered_bytes",
    "temporary_bytes", "buffers_bytes", "peak_bytes", "checksum", "grad_norm",
)  # fmt: skip
Row = dict[str, Any]


def _whole(size: float) -> int | None:
    return None if isnan(size) else round(size)


def step_rows(events: Iterable[Event], world: int, least: float | None = None) -> list[Row]:
    """Every step that a rank reported, by generation, step and rank, as `COLUMNS`.

    `least` is the theory of its method, where that is not the one of its collectives (`params.DemoSpec`).

    The parts of a step are those of the panel (`runtime.metrics.steps.step_breakdown`), of this one step;
    they are unknown where not all ranks were heard on it. Memory and checksum are in the rows of the steps
    that were looked at.
    """
    rows: dict[tuple[int, int, int], Row] = {}

    def row(generation: int, step: int, rank: int) -> Row:
        return rows.setdefault((generation, step, rank), dict.fromkeys(COLUMNS))

    def compared(step: Step, entered: Sequence[Entered], parts: Parts) -> None:
        payload, theory, wire = store.bytes_of_step(step.rank, step.step, [one.collective for one in entered])
        row(step.generation, step.step, step.rank).update(
            data_s=parts.data,
            compute_s=parts.compute,
            hidden_s=parts.hidden,
            exposed_s=parts.exposed,
            wait_s=parts.wait,
            optimizer_s=parts.optimizer,
            other_s=parts.other,
            collectives=len(entered),
            payload_bytes=payload,
            wire_bytes=wire,
            theory_bytes=_whole(theory if least is None else least),
        )

    store, checks, generation = RunStore(world, 0.0, compared), Checks(world, 1), None
    for event in events:
        if not 0 <= event.rank < world:
            continue
        if event.generation != generation:
            store, checks = RunStore(world, 0.0, compared), Checks(world, 32)
            generation = event.generation
        match event:
            case Step() as e:
                row(e.generation, e.step, e.rank).update(
                    generation=e.generation,
                    rank=e.rank,
                    step=e.step,
                    loss=e.loss,
                    tokens=e.tokens,
                    step_s=e.t - e.t0,
                )
            case Memory() as e:
                kinds = (
                    "params",
                    "grads",
                    "optimizer",
                    "activations",
                    "gathered",
                    "temporary",
                    "buffers",
                    "peak",
                )
                known = {f"{kind}_bytes": getattr(e, kind) for kind in kinds}
                seen = row(e.generation, e.step, e.rank)
                seen.update(known, peak_bytes=e.peak or seen["peak_bytes"])
            case XRay(peak=int() as peak) as e if not e.failed:
                seen = row(e.generation, e.step, e.rank)
                seen["peak_bytes"] = seen["peak_bytes"] or peak
            case Check() as e:
                whole = e.share is None and not e.part
                row(e.generation, e.step, e.rank).update(
                    checksum=e.checksum or None, grad_norm=e.grad_norm if whole else None
                )
                norm = checks.add(e)
                for rank in range(world) if norm is not None else ():
                    row(e.generation, e.step, rank).update(grad_norm=norm)
            case _:
                pass
        store.ingest(event, 0.0)
    return [rows[key] for key in sorted(rows) if rows[key]["step"] is not None]

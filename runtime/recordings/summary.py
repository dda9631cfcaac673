"""A run in figures: what `run.json` keeps of it, its loss beside later runs, a row per rank and step.

Seconds end in `_s`, bytes in `_bytes`; None is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from math import isnan
from statistics import fmean, median
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from runtime.catalog.params import printable
from runtime.metrics.checksums import Checks
from runtime.metrics.loss_curves import CURVE_POINTS, MEDIAN, middle_curve
from runtime.metrics.step_breakdown import Entered, Parts
from runtime.metrics.store import RunStore
from runtime.protocol.events import Check, Event, Memory, Step, XRay
from runtime.protocol.figures import Curve, Earlier
from runtime.recordings import files
from runtime.recordings.files import About, Figures

if TYPE_CHECKING:
    from runtime.protocol.messages import Snapshot
    from runtime.supervision.run import Run

EARLIER = 2  # so many runs before this one are laid under its loss


# --- run.json -------------------------------------------------------------------------------------------


def begun(run: Run) -> About:
    """What is known of a run before its first rank speaks."""
    return About(
        run=run.id,
        demo=run.demo.name,
        block=run.block,
        params=run.demo.params,
        values=dict(run.demo.values),
        ranks=run.demo.ranks,
        steps=run.demo.steps,
        started=run.started,
        asked_at=run.asked_at,
        badge=run.placement.badge,
        backend=run.placement.backend,
        device=run.placement.device,
        bent=run.placement.bent,
    )


def ended(run: Run) -> About:
    """The same with what became of it."""
    shown = run.snapshot()
    return replace(
        begun(run),
        badge=shown.badge,
        backend=shown.backend,
        device=shown.device,
        bent=shown.bent,
        state=run.state,
        why=run.why,
        ran_s=run.ran_s,
        generation=run.generation,
        faulted=run.faulted,
        phases=tuple(run.phases),
        figures=key_figures(shown),
        failures=tuple(recovering.failure for recovering in run.recoveries),
        recoveries=shown.recoveries,
        curve=middle_curve(shown.curves),
    )


def key_figures(shown: Snapshot) -> Figures:
    """The few figures by which runs are told apart."""
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


# --- the loss of earlier runs ---------------------------------------------------------------------------


class Past(NamedTuple):
    """An earlier run as a later one of its block remembers it."""

    run: str
    values: Mapping[str, Any]  # those that decide what is computed
    curve: Curve


def remember(run: Run, before: Run | None) -> None:
    """Give a run that starts the loss of those before it: of its block, else of its demo from the disk.

    `before` is the last run of the block, and over. Reads files: for a thread.
    """
    values = files.computed(run.demo.name, run.demo.params)
    run.past = _past(before) if before is not None and before.demo.name == run.demo.name else []
    if not run.past:
        run.past = list(islice(_recorded(run.demo.name), EARLIER))
    run.earlier = tuple(Earlier(past.run, _differs(past.values, values), past.curve) for past in run.past)


def _past(run: Run) -> list[Past]:
    """A run that is over, and what it remembers itself."""
    curve = middle_curve(run.snapshot().curves)
    known = [Past(run.id, files.computed(run.demo.name, run.demo.params), curve)] if curve else []
    return [*known, *run.past][:EARLIER]


def _recorded(demo: str) -> Iterator[Past]:
    for about in files.done(demo):
        if about.curve is not None and about.curve.steps:
            yield Past(about.run, files.computed(demo, about.params), bounded(about.curve))


def bounded(curve: Curve) -> Curve:
    """At most `CURVE_POINTS` of it: a file may hold more than any of ours."""
    every = -(-len(curve.steps) // CURVE_POINTS)
    steps, losses = curve.steps[::every], curve.losses[::every]
    return Curve(MEDIAN, steps[: len(losses)], losses[: len(steps)])


def _differs(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> str:
    """`lr=0.01`, `lr=0.01 batch=4`; `same parameters` where nothing differs."""
    differ = [f"{name}={_brief(value)}" for name, value in theirs.items() if value != ours.get(name, value)]
    return printable(" ".join(differ)) or "same parameters"


def _brief(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


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

    The parts of a step are those of the panel (`runtime.metrics.step_breakdown`), of this one step; they are
    unknown where
    not all ranks were heard on it. Memory and checksum are in the rows of the steps that were looked at.
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

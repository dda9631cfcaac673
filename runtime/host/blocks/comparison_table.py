"""The table of a comparison: a row of medians for each strategy, and which of them reach the same loss."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

from msgspec.structs import replace

from runtime.catalog import registry
from runtime.catalog.registry import Launchable
from runtime.protocol.figures import Strategy
from runtime.protocol.messages import Snapshot

SAME = 2e-3  # relative difference of two losses that count as one: sums are taken in another order


class Sample(NamedTuple):
    """One run that ended well."""

    step_s: float | None
    tokens_s: float | None
    exposed: float | None
    loss: float | None
    payload: int | None
    wire: int | None
    theory: int | None
    no_wire: str
    costs: tuple[str, ...]
    memory: dict[str, int]
    peak: int | None
    crossing: int | None


def _known(values: Sequence[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _middle(values: Sequence[float | None]) -> float | None:
    known = _known(values)
    return median(known) if known else None


def sample(snapshot: Snapshot, median_step_s: float | None) -> Sample:
    """Return the figures of a finished run for the table."""
    rows = snapshot.rows
    tokens = [row.tokens_s for row in rows]
    shares = [row.exposed / row.step_s if row.exposed is not None and row.step_s else None for row in rows]
    exposed, losses = _known(shares), _known([row.loss for row in rows])
    return Sample(
        median_step_s,
        sum(_known(tokens)) or None,
        sum(exposed) / len(exposed) if exposed else None,
        sum(losses) / len(losses) if losses else None,
        snapshot.payload,
        snapshot.wire,
        snapshot.theory,
        snapshot.no_wire,
        snapshot.costs,
        max((row.held for row in rows), key=lambda kinds: sum(kinds.values()), default={}),
        max((row.peak for row in rows if row.peak is not None), default=None),
        snapshot.crossing,
    )


def row(label: str, demo: Launchable, state: str, why: str, samples: Sequence[Sample]) -> Strategy:
    """Return a strategy's row; `why` its run failed, "" where none did."""
    steps = _known([s.step_s for s in samples])
    newest = samples[-1] if samples else None
    return Strategy(
        label,
        demo.name,
        state,
        why,
        len(samples),
        sum(newest.memory.values()) if newest and newest.memory else None,
        newest.memory if newest else {},
        _middle(steps),
        min(steps, default=None),
        max(steps, default=None),
        _middle([s.tokens_s for s in samples]),
        payload=newest.payload if newest else None,
        wire=newest.wire if newest else None,
        theory=newest.theory if newest else None,
        no_wire=newest.no_wire if newest else "",
        crossing=newest.crossing if newest else None,
        costs=newest.costs if newest else (),
        exposed=_middle([s.exposed for s in samples]),
        loss=_middle([s.loss for s in samples]),
        when=spec.when if (spec := registry.find(demo.name)) is not None else "",
        peak_bytes=next((s.peak for s in samples if s.peak is not None), None),
    )


def with_same_loss(rows: Sequence[Strategy]) -> tuple[Strategy, ...]:
    """Say of each row whether its loss is that of the first."""
    first = rows[0].loss
    return tuple(_beside(row, first) for row in rows)


def _beside(row: Strategy, first: float | None) -> Strategy:
    if row.loss is None or first is None:
        return row
    return replace(row, same=abs(row.loss - first) <= SAME * abs(first))

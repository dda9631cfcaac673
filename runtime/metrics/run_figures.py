"""Reads the figures that a panel shows out of a run's store (`runtime.metrics.store`)."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import msgspec

from runtime.metrics.collectives.byte_counts import whole
from runtime.metrics.loss_curves import last_loss
from runtime.metrics.rank_output import is_complaint
from runtime.metrics.steps.ranks_on_one_time_axis import MOST_RANKS
from runtime.metrics.steps.stragglers import slowest_of
from runtime.metrics.store import LOG_LINES, RunStore
from runtime.protocol.snapshot import RunFigures

TAIL_SHOWN = 160  # lines of all ranks together
UNSURE = 0.02  # of a step: from here on a bar shows by how much the clocks are apart


def figures(
    store: RunStore, backend: str, least: tuple[float, str] | None = None, now: float | None = None
) -> RunFigures:
    """Read what is known by now.

    Args:
        store: What the ranks have said.
        backend: What carries their collectives.
        least: Bytes a step and rank that the method needs as published, where that is not the theory of its
            collectives, and what its library calls instead.
        now: Seconds by the clock of the events; None: the machine's.
    """
    rows = store.rows(now, None if least is None else least[0])
    hidden = [row.hidden for row in rows if row.hidden is not None]
    exposed = [row.exposed for row in rows if row.exposed is not None]
    moved = sum(hidden) + sum(exposed)
    slowest_by_s, slowest = slowest_of(rows, [rank.late for rank in store.ranks])
    newest = store.timeline.settled
    seen = newest and not store.ranks[newest[0][0].rank].blind and not store.is_partial(newest[0][0].step)
    first = newest[0] if seen else None
    issued = [entered.collective for entered in first[1]] if first is not None else None
    ops = {c.op for c in issued or ()}
    equal, equal_step = store.checks.equal({rank.rank for rank in store.ranks if rank.state != "dead"})
    timeline, timeline_s = store.timeline.newest()
    curves = store.trainings.losses.curves()
    kinds = store.traffic.rows(store.entries.groups, store.world)
    volume = whole(rows, (row.op for row in kinds), backend, store.volume.on_wire, least)
    return RunFigures(
        rows=rows,
        curves=curves,
        remarks=store.caveats.said(
            store.settled,
            sees_all=not any(r.blind or r.drops for r in store.ranks),
            over=all(r.ended for r in store.ranks) and not store.faults,
        ),
        trainings=store.caveats.trainings(store.reached, last_loss(curves) if store.trainings.past else None),
        timeline=timeline,
        timeline_s=timeline_s,
        film=store.film.newest(),
        placement=store.placement.newest(),
        values=store.values.named(),
        pipeline=store.pipeline.newest(),
        slowest=slowest,
        slowest_by_s=slowest_by_s,
        collectives=len(issued) if issued is not None else None,
        collective_bytes=sum(c.bytes for c in issued) if issued is not None else None,
        collective_op=_common_name(ops),
        bytes_by_op={op: sum(c.bytes for c in issued or () if c.op == op) for op in sorted(ops)},
        ops=kinds,
        payload=volume.payload,
        wire=volume.wire,
        theory=volume.theory,
        no_wire=volume.no_wire,
        costs=volume.costs,
        overlap=sum(hidden) / moved if moved > 0 else None,
        equal=equal,
        equal_step=equal_step,
        logs=_logs(store),
        tails=_tails(store),
        xray=store.xrays.figure,
        between=_between(store),
        routes=store.routes.told(),
    )


def _between(store: RunStore) -> tuple[tuple[int, int, int], ...]:
    """Return the bytes a step from each node to each other one that gets any (of two nodes, and where none
    does, to each); () while a rank's are not known."""
    nodes = [rank.node for rank in store.ranks]
    every = sorted(set(nodes))
    if len(every) == 1:
        return ()
    sums: Counter[tuple[int, int]] = Counter()
    for rank in store.ranks:
        links = store.volume.on_wire.links(rank.rank)
        if links is None:
            return ()
        for peer, size in links.items():
            if nodes[peer] != rank.node:
                sums[rank.node, nodes[peer]] += round(size)
    pairs = sorted(+sums) if len(every) > 2 and any(sums.values()) else permutations(every, 2)
    return tuple((a, b, sums[a, b]) for a, b in pairs)


def as_sure_as(figures: RunFigures, within_s: float) -> RunFigures:
    """Return the same where the clocks of two ranks' machines may be `within_s` apart: who is the slowest by
    less than that is not known, and where waits are as short as that, it is said."""
    slowest_by_s = figures.slowest_by_s or 0.0
    if slowest_by_s < within_s:
        figures = msgspec.structs.replace(figures, slowest=None, slowest_by_s=None)
    waits = [(row.wait, row.step_s) for row in figures.rows if row.wait is not None and row.step_s]
    if not any(wait < within_s and within_s > UNSURE * step_s for wait, step_s in waits):
        return figures
    said = f"waits and lateness below {1000 * within_s:.2g} ms are not known: so far apart the clocks may be"
    return msgspec.structs.replace(figures, remarks=(*figures.remarks, said))


def _common_name(ops: set[str]) -> str | None:
    """Return the common name of a step's collectives, None if they are of several kinds."""
    if len(ops) > 1 and ops <= {"send", "receive"}:
        return "transfers"
    return next(iter(ops)) if len(ops) == 1 else None


def _logs(store: RunStore) -> tuple[str, ...]:
    """Return the last lines of all ranks together; when all have ended, with what was held back of them."""
    if not all(rank.ended for rank in store.ranks):
        return tuple(store.logs)
    victims = {number for number, fault in store.faults.items() if is_complaint(fault.what)}
    failed = {rank.rank for rank in store.ranks if rank.state == "dead"} | store.faults.keys()
    rest = store.output.rest(explained=bool(failed - victims))
    return (*store.logs, *(f"rank {number}: {line}" for number, line in rest))[-LOG_LINES:]


def _tails(store: RunStore) -> tuple[tuple[str, ...], ...]:
    """Return the last lines of each rank: the fewer ranks write, the more lines."""
    if store.world > MOST_RANKS:
        return ()
    each = max(8, TAIL_SHOWN // max(1, sum(bool(rank.tail) for rank in store.ranks)))
    return tuple(tuple(rank.tail)[-each:] for rank in store.ranks)

"""A run as one JSON object; seconds end in `_s`, bytes in `_bytes`, unknown is null."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tui.reports.diagnosis_report import as_object
from tui.reports.runs.run_table import tokens_s

if TYPE_CHECKING:
    from runtime.protocol.messages import Snapshot


def _xray_summary(snapshot: Snapshot) -> dict[str, Any] | None:
    taken = snapshot.xray
    if taken is None:
        return None
    return {
        "state": taken.state,
        "why": taken.why,
        "step": taken.step,
        "span_s": taken.span_s,
        "peak_bytes": list(taken.peaks),
        "formula_bytes": snapshot.formula.get("peak"),
        "trace": taken.trace,
    }


def _pipeline(snapshot: Snapshot) -> dict[str, Any] | None:
    """The newest step; `theory_` is what its schedule promises."""
    seen = snapshot.pipeline
    if seen is None:
        return None
    return {
        "schedule": seen.schedule or None,
        "step": seen.step,
        "span_s": seen.span_s,
        "bubble": seen.bubble,
        "bubble_ideal": seen.bubble_ideal,
        "theory_bubble": seen.theory_bubble,
        "theory_bubble_ideal": seen.theory_bubble_ideal,
        "live_counts": seen.counted,
        "live": list(seen.live),
        "theory_live": list(seen.theory_live),
    }


def summary(snapshot: Snapshot) -> dict[str, Any]:
    """All that is known of a run at its end."""
    return {
        "run": snapshot.run,
        "demo": snapshot.demo,
        "params": snapshot.params,
        "state": snapshot.state,
        "why": snapshot.why,
        "unshown": snapshot.unshown,
        "diagnosis": as_object(snapshot.diagnosis),
        "badge": snapshot.badge,
        "bent": list(snapshot.bent),
        "left_out": snapshot.left_out,
        "backend": snapshot.backend,
        "device": snapshot.device,
        "world": snapshot.world,
        "ran_s": snapshot.ran_s,
        "launch_s": dict(snapshot.phases),
        "tokens_per_s": tokens_s(snapshot),
        "overlap": snapshot.overlap,
        "pipeline": _pipeline(snapshot),
        "recoveries": [
            {
                "generation": recovery.generation,
                "why": recovery.what,
                "phases_s": dict(recovery.phases),
                "lost_steps": recovery.lost_steps,
            }
            for recovery in snapshot.recoveries
        ],
        "xray": _xray_summary(snapshot),
        "remarks": list(snapshot.remarks),
        "trainings": [
            {"first_step": t.first_step, "steps": t.steps, "loss": t.loss} for t in snapshot.trainings
        ],
        "clocks_within_s": snapshot.within_s,
        "slowest": snapshot.slowest,
        "slowest_by_s": snapshot.slowest_by_s,
        "collectives": snapshot.collectives,
        "collective_bytes": snapshot.collective_bytes,
        "bytes_by_collective": snapshot.bytes_by_op,
        "payload_bytes_step": snapshot.payload,
        "wire_bytes_step": snapshot.wire,
        "theory_bytes_step": snapshot.theory,
        "wire_unknown": snapshot.no_wire,
        "link": snapshot.link or None,
        "crossing_bytes_step": snapshot.crossing,
        "between_nodes": [{"from": a, "to": b, "wire_bytes_step": size} for a, b, size in snapshot.between],
        "wire_costs": list(snapshot.costs),
        "by_collective": [
            {
                "collective": row.op,
                "group": row.group,
                "members": row.members,
                "calls_step": row.calls,
                "payload_bytes_step": row.bytes,
                "theory_bytes_step": row.theory,
            }
            for row in snapshot.ops
        ],
        "equal": snapshot.equal,
        "equal_step": snapshot.equal_step,
        "values": {
            named.name: {"unit": named.unit, "step": named.step, "ranks": named.ranks}
            for named in snapshot.values
        },
        "ranks": [
            {
                "rank": row.rank,
                "node": row.node,
                "state": row.state,
                "steps": row.step + 1 if row.step is not None else 0,
                "loss": row.loss,
                "tokens_per_s": row.tokens_s,
                "step_s": row.step_s,
                "data_s": row.data,
                "compute_s": row.compute,
                "hidden_s": row.hidden,
                "exposed_s": row.exposed,
                "wait_s": row.wait,
                "optimizer_s": row.optimizer,
                "other_s": row.other,
                "late_s": row.late_s,
                "params_bytes": row.params,
                "grads_bytes": row.grads,
                "optimizer_bytes": row.optimizer_bytes,
                "activations_bytes": row.activations,
                "gathered_bytes": row.gathered,
                "temporary_bytes": row.temporary,
                "buffers_bytes": row.buffers,
                "sum_bytes": row.held_sum,
                "peak_bytes": row.peak,
                "checksum": row.checksum,
                "checksum_step": row.checksum_step,
                "grad_norm": row.grad_norm,
                "grad_norm_step": row.grad_norm_step,
                "payload_bytes_step": row.payload,
                "wire_bytes_step": row.wire,
                "theory_bytes_step": row.theory,
                "wire_bytes_step_to": {str(peer): size for peer, size in row.links.items()},
                "drops": row.drops,
                "result": row.result,
            }
            for row in snapshot.rows
        ],
    }


def finite(value: Any) -> Any:
    """JSON has no NaN and no infinity: they become null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return value

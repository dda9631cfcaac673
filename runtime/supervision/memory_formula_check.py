"""A demo run on this machine to hold its memory by formula against the ledger and the allocator's peak.

The formulas are the demo's own (`DemoSpec.memory`), the ledger counts tensors by kind, and the peak is what
the allocator gave in one profiled step.
"""

from __future__ import annotations

from typing import NamedTuple

from runtime.catalog import registry
from runtime.catalog.params import Refusal
from runtime.catalog.registry import Launchable
from runtime.estimate.inputs.layout import Layout
from runtime.protocol.messages import Snapshot
from runtime.supervision.supervisor import Supervisor

KINDS = ("params", "grads", "optimizer_bytes", "activations", "gathered")
AT_STEP = 12  # after a step whose memory was weighed
ALIKE = 0.99  # of what the fullest rank holds: where ranks differ, a formula is of the fullest
MOST = 4  # ranks of a demo that is run for an estimate
MOST_CHUNKS = 8  # stages on a rank of it
# For those that torch has not, the next kin: a backward in halves, and the same laid out as a V.
TORCH_SCHEDULES = {"gpipe": "gpipe", "zb-h1": "zero-bubble", "zb-h2": "zero-bubble", "dualpipe": "zbv"}


class Term(NamedTuple):
    """Bytes of one kind; None: not known."""

    kind: str
    formula: int | None
    found: int | None

    @property
    def apart(self) -> float | None:
        """How far the formula is off, as a share of what was found."""
        return self.formula / self.found - 1 if self.formula is not None and self.found else None


class MemoryCheck(NamedTuple):
    """Of the fullest rank: terms of the ledger, then `peak` of the allocator.

    That is the rank with the median peak among those that hold most; without a ledger, the one with
    the highest.

    `highest` is the highest peak of all ranks, `peaks` those of each. `counted`: the formula took what this
    rank counted in the run, as the data decides it.
    """

    line: str
    rank: int
    world: int
    terms: tuple[Term, ...]
    peak: Term
    highest: int | None
    badge: str
    peaks: tuple[int | None, ...] = ()  # of each rank
    counted: bool = False


def matching(layout: Layout) -> str:
    """The demo that splits states as `layout` does, in as many ranks as a small machine can have.

    Where data parallel ranks are several, it is their way; else that of tensor parallel ones, else what is
    recomputed.
    """
    ranks = min(MOST, max(2, layout.replicas))
    if layout.ep > 1 and layout.devices == layout.ep and not layout.zero:
        return "expert ranks=2"  # both experts see every token, so that what comes is known
    if layout.cp > 1 and layout.devices == layout.cp:
        return f"context ranks={2 if layout.cp < MOST else MOST}"
    if layout.pp > 1 and layout.replicas == layout.tp == 1:
        return _pipeline(2 if layout.pp < MOST else MOST, layout)
    if layout.replicas == layout.tp == 1 and layout.recompute != "none":
        return f"checkpointing ranks=1 mode={layout.recompute}"
    if layout.replicas == 1:
        return f"tensor ranks={2 if layout.tp < MOST else MOST}" if layout.tp > 1 else "single"
    if layout.zero == 3:
        return f"hsdp ranks={MOST}" if layout.shards < layout.replicas else f"fsdp ranks={ranks}"
    return f"zero stage={layout.zero} ranks={ranks}" if layout.zero else f"ddp ranks={ranks}"


def _pipeline(ranks: int, layout: Layout) -> str:
    schedule = TORCH_SCHEDULES.get(layout.schedule, "1f1b")
    if schedule != "1f1b" or layout.interleave == 1:
        return f"pipeline ranks={ranks} schedule={schedule}"
    chunks = min(layout.interleave, MOST_CHUNKS)
    layers = f" layers={ranks * chunks}" if chunks > 2 else ""  # one for each stage
    return f"pipeline ranks={ranks} schedule=interleaved chunks={chunks}{layers}"


def launchable(line: str) -> Launchable | Refusal:
    """A demo's line with as many steps as its check needs; what a formula takes counts of is the last."""
    parsed = registry.parse_line(line)
    demo = parsed if isinstance(parsed, Refusal) else registry.check(*parsed)
    if isinstance(demo, Launchable):
        spec = registry.find(demo.name)
        more = 1 if spec is not None and spec.counted is not None else 3
        return registry.check(demo.name, demo.params | {"steps": str(looked_at(demo) + more)})
    return demo


def looked_at(demo: Launchable) -> int:
    """The step that is profiled: where ranks are to be killed, one that those started again come to."""
    kill_at = demo.values.get("kill_at")
    return max(AT_STEP, kill_at + 1) if isinstance(kill_at, int) else AT_STEP


async def check(supervisor: Supervisor, line: str) -> MemoryCheck | Refusal:
    """Run the demo of `line` to its end, with one step profiled. Refusal: it does not run here, or failed."""
    demo = launchable(line)
    if not isinstance(demo, Launchable):
        return demo
    run = await supervisor.launch("memory", demo)
    run.store.xrays.order(looked_at(demo))
    await run.over.wait()
    shown = run.snapshot()
    if shown.state != "done" or shown.xray is None or shown.xray.state != "ready":
        why = shown.why or (shown.xray.why if shown.xray else "") or f"the run is {shown.state}"
        return Refusal(f"{line} did not finish: {why}", "`teachrun doctor` says what is missing here")
    return read(line, shown, demo)


def read(line: str, shown: Snapshot, demo: Launchable) -> MemoryCheck:
    """What a finished run with a profiled step gave."""
    assert shown.xray is not None
    peaks, formula = shown.xray.peaks, shown.formula
    held = [sum(getattr(row, kind) or 0 for kind in KINDS) for row in shown.rows]
    by_peak = sorted(range(shown.world), key=lambda rank: peaks[rank] or 0)
    fullest = [rank for rank in by_peak if held[rank] >= ALIKE * max(held)]
    # Stages differ by little, and the formula is of one of them.
    fullest = [rank for rank in fullest if shown.rows[rank].params == formula.get("params")] or fullest
    rank = fullest[(len(fullest) - 1) // 2] if max(held) else by_peak[-1]
    row, spec = shown.rows[rank], registry.find(demo.name)
    counted = spec.counted(demo.values, shown, rank) if spec is not None and spec.counted is not None else {}
    # What was counted gives a peak of the CPU's kernels, which says nothing of a GPU.
    counted = {} if formula.get("peak") or shown.device.startswith("cuda") else counted
    formula = {**formula, **counted}
    terms = tuple(Term(kind, formula.get(kind), getattr(row, kind)) for kind in KINDS)
    peak = Term("peak", formula.get("peak"), peaks[rank])
    highest = peaks[by_peak[-1]]
    return MemoryCheck(
        line, rank, shown.world, terms, peak, highest, shown.badge, tuple(peaks), bool(counted)
    )

"""What holds a layout back, and what to change first: every single change is estimated, none is a rule
of thumb."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from runtime.estimate.estimate import Estimate, estimate
from runtime.estimate.inputs.layout import Layout, Recompute, divisors, possible
from runtime.estimate.quantities import engineering
from runtime.estimate.request import Request

RECOMPUTE: tuple[Recompute, ...] = ("none", "selective", "full")
DEAR = 1.4  # times of a step that memory is worth at most
MOST = 3  # pieces of advice


class Change(NamedTuple):
    """A key that could be set otherwise, and the estimate it leads to."""

    words: str
    estimate: Estimate


def binding(e: Estimate) -> str:
    """The term that binds: memory where it does not fit (and what fills it), else the largest part of a
    step."""
    if e.fits is False or e.time is None:
        return f"memory: {_most(e)}"
    spent = {"compute": e.time.compute, "pipeline idle": e.time.idle, **e.time.exposed}
    return max(spent, key=lambda name: spent[name])


def changes(request: Request) -> Iterator[tuple[str, Request]]:
    """Each single change that can be made to a layout, in words that give it when they are written."""
    layout, model = request.layout, request.subject.model
    for words, other in _layouts(layout, model is not None):
        if possible(model, other, bool(request.values.get("uneven"))):
            yield f"{words} {_batch_of(request, other)}".strip(), replace(request, layout=other)
    if model is not None and model.experts and layout.replicas % (2 * layout.ep) == 0:
        other = replace(layout, ep=2 * layout.ep)
        if possible(model, other):
            yield f"ep={other.ep}", replace(request, layout=other)
    if request.optimizer in ("adam", "adamw"):
        yield "optimizer=adamw8bit", replace(request, optimizer="adamw8bit")


def _batch_of(request: Request, other: Layout) -> str:
    """What has to be written of micro-batches besides: by the key that was used for them."""
    if "global_batch" in request.values:
        changed = other.sequences != request.layout.sequences
        return f"global_batch={other.sequences}" if changed else ""
    changed = other.micro_batches != request.layout.micro_batches or other.pp != request.layout.pp
    return f"micro_batches={other.micro_batches}" if changed else ""


def _layouts(layout: Layout, shaped: bool) -> Iterator[tuple[str, Layout]]:
    if shaped:
        for name in RECOMPUTE:
            if name != layout.recompute:
                yield f"recompute={name}", replace(layout, recompute=name)
        if not layout.flash:
            yield "flash=1", replace(layout, flash=True)
        if layout.tp > 1 and not layout.sp:
            yield "sp=1", replace(layout, sp=True)
        if layout.batch > 1:
            half = max(n for n in divisors(layout.batch) if n < layout.batch)
            more = layout.micro_batches * (layout.batch // half)
            yield f"batch={half}", replace(layout, batch=half, micro_batches=more)
        yield from _degrees(layout)
    if layout.replicas > 1:
        for zero in range(4):
            if zero != layout.zero:
                yield f"zero={zero}", replace(layout, zero=zero)
    if layout.pp > 1:
        yield "", replace(layout, micro_batches=2 * layout.micro_batches)


def _degrees(layout: Layout) -> Iterator[tuple[str, Layout]]:
    """Ranks moved from data parallelism to another way, or back; the tokens of a step stay."""
    for name in ("tp", "pp", "cp"):
        degree: int = getattr(layout, name)
        dp, many = layout.dp, layout.micro_batches
        if dp % 2 == 0 and layout.shard == 0:
            more = replace(layout, dp=dp // 2, micro_batches=2 * many)
            yield f"{name}={2 * degree} dp={dp // 2}", _with(more, name, 2 * degree)
        if degree % 2 == 0 and many % 2 == 0:
            less = replace(layout, dp=dp * 2, micro_batches=many // 2)
            yield f"{name}={degree // 2} dp={dp * 2}", _with(less, name, degree // 2)
        if dp == 1 and degree == 1:
            busy = 2 * many if name == "pp" else many  # or the second stage waits for the first alone
            yield f"{name}=2", _with(replace(layout, micro_batches=busy), name, 2)


def _with(layout: Layout, name: str, degree: int) -> Layout:
    changed = {"tp": layout.tp, "pp": layout.pp, "cp": layout.cp} | {name: degree}
    return replace(layout, tp=changed["tp"], pp=changed["pp"], cp=changed["cp"])


def advice(e: Estimate) -> list[str]:
    """What to change first, the best first, each with what it frees and what it costs."""
    tried = [Change(words, estimate(request)) for words, request in changes(e.request)]
    if e.fits is False:
        fullest = _most(e)
        smaller = [c for c in tried if c.estimate.memory.total < e.memory.total]
        # What leaves the fullest term as it is only helps where nothing else does.
        helping = [c for c in smaller if c.estimate.fits or _part(c.estimate, fullest) < _part(e, fullest)]
        best = sorted(
            helping or smaller,
            key=lambda c: (
                not c.estimate.fits,
                _seconds(c.estimate) if c.estimate.fits else c.estimate.memory.total,
            ),
        )
        if not best:
            return [f"no single change makes it fit: {_most(e)} is the largest term"]
        return [_said(e, c) for c in best[:MOST]]
    if e.time is None:
        best = sorted(tried, key=lambda c: c.estimate.memory.total)
        said = [_said(e, c) for c in best[:1] if c.estimate.memory.total < e.memory.total]
        return said or ["no single change takes less memory"]
    now = _seconds(e)
    better = sorted((c for c in tried if c.estimate.fits is not False and _seconds(c.estimate) < 0.99 * now),
                    key=lambda c: _seconds(c.estimate))  # fmt: skip
    if better:
        return [_said(e, c) for c in better[:MOST]]
    roomier = [c for c in tried if c.estimate.fits and _seconds(c.estimate) < DEAR * now]
    least = min(roomier, key=lambda c: c.estimate.memory.total, default=None)
    found = ["no single change makes a step shorter"]
    if least is not None and least.estimate.memory.total < 0.9 * e.memory.total:
        found.append(f"for room: {_said(e, least)}")
    return found


def _seconds(e: Estimate) -> float:
    """Of a token: changes may alter how many a step has."""
    return e.time.step / e.request.layout.tokens * e.request.layout.devices if e.time else 0.0


def _part(e: Estimate, name: str) -> float:
    return float(getattr(e.memory, name))


def _most(e: Estimate) -> str:
    return max(e.memory._fields, key=lambda name: _part(e, name))


def _said(before: Estimate, change: Change) -> str:
    after = change.estimate
    freed = before.memory.total - after.memory.total
    parts = []
    if abs(freed) > 0.005 * before.memory.total:
        parts.append(f"{'frees' if freed > 0 else 'takes'} {engineering(abs(freed), 'B')}")
    if before.time and after.time:
        ratio = _seconds(after) / _seconds(before) - 1
        if abs(ratio) >= 0.005:
            parts.append(
                f"costs {ratio:.0%} more time a token"
                if ratio > 0
                else f"saves {-ratio:.0%} of the time a token"
            )
    if (many := after.request.layout.devices) != before.request.layout.devices:
        parts.append(f"needs {many} devices")
    if before.fits is False:
        parts.append("fits then" if after.fits else "does not fit yet")
    return f"{change.words}: {', '.join(parts) or 'changes little'}"

"""The strategy table: every way to split one model over the same devices, with the batch of a step kept.

DP is torch.nn.DataParallel: one process, whose first device copies the weights out before each forward and
adds the gradients up behind each backward, with nothing to hide either behind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from runtime.estimate.estimate import Estimate, estimate, links, node_of
from runtime.estimate.formulas.activations import LOGIT
from runtime.estimate.formulas.collective_times import ring_s
from runtime.estimate.inputs.layout import STRATEGIES, Layout, possible
from runtime.estimate.request import Refused, Request, Values
from runtime.estimate.strategies import AS_GIVEN, SAID, Strategy, strategies

ALONE, NONE_LEFT = "there is one device", "no data parallel ranks are left"
SPLIT = {  # what has to share a factor with the ranks
    "TP": "heads and ranks share no factor",
    "PP": "layers and ranks share no factor",
    "CP": "tokens and ranks share no factor",
    "EP": "experts and ranks share no factor",
}


class Row(NamedTuple):
    """Bytes on the fullest device and bytes it sends a step, seconds of a step. None: not known, or `why` it
    cannot be. `new`: marked as not in an earlier table."""

    name: str
    complexity: str
    when: str
    memory: float | None = None
    traffic: float | None = None
    step: float | None = None
    fits: bool | None = None
    chosen: bool = False
    why: str = ""
    new: bool = False


def table(request: Request) -> list[Row]:
    """A row for each of `STRATEGIES` up to `until=`, in that order, whether it can be or not, those from
    `new=` on marked. What was asked for is always among them, above all others where it is none of them."""
    found = {row.name: row for row in strategies(request)}
    chosen = next(name for name, row in found.items() if row.chosen)
    names = [name.lower() for name in STRATEGIES]
    last = names.index(request.values.get("until", names[-1]))
    new = names.index(request.values["new"]) if "new" in request.values else len(names)
    rows = [_row(AS_GIVEN, found[AS_GIVEN].estimate, chosen=True)] if AS_GIVEN in found else []
    for n, name in enumerate(STRATEGIES):
        if n <= last or name == chosen:
            rows.append(_named(request, name, found)._replace(new=n >= new))
    return rows


def only_of_a_table(values: Values) -> None:
    """Refused: a key that says which rows a strategy table has, where there is none."""
    for key in ("until", "new"):
        if key in values:
            raise Refused(
                f"{key}= is of a strategy table", "write it in `::: strategies`, or add --strategies"
            )


def _named(request: Request, name: str, found: Mapping[str, Strategy]) -> Row:
    if name == "DP":
        return _of_one_process(request, found["DDP"].estimate if "DDP" in found else None)
    if name in SPLIT:
        return _split(request, name)
    if name in found:
        return _row(name, found[name].estimate, chosen=found[name].chosen)
    return Row(name, *SAID[name], why=_missing(name, request))


def _missing(name: str, request: Request) -> str:
    return (
        "only above 8 data parallel ranks" if name == "HSDP" else f"not with {request.layout.devices} devices"
    )


def _row(name: str, e: Estimate, *, chosen: bool = False, title: str = "") -> Row:
    step = e.time.step if e.time else None
    return Row(title or name, *SAID[name], e.memory.total, e.traffic.total, step, e.fits, chosen)


def _of_one_process(request: Request, ddp: Estimate | None) -> Row:
    """What device 0 of DataParallel holds and sends: as under DDP, and what all others put out."""
    layout, said = request.layout, SAID["DP"]
    if ddp is None or layout.devices != layout.dp or not 1 < layout.dp <= node_of(request):
        return Row("DP", *said, why=ALONE if layout.devices == 1 else "one process, so one machine")
    model, n = request.subject.model, layout.dp
    others = (n - 1) * LOGIT * layout.local_tokens * model.vocab if model else 0.0
    weights = request.subject.total * request.precision.weight
    gradients = request.subject.total * request.precision.gradient
    total = ddp.memory.total + others
    step, linked = None, links(request)
    if ddp.time is not None and linked is not None:
        each = ring_s("broadcast", weights, n, *linked[0]) + ring_s("reduce", gradients, n, *linked[0])
        step = ddp.time.compute + layout.micro_batches * each
    fits = None if ddp.limit is None else total <= ddp.limit
    return Row("DP", *said, total, layout.micro_batches * (weights + gradients), step, fits)


def _split(request: Request, name: str) -> Row:
    """One way to split as wide as a node allows, without sharded states; what is left of the ranks are
    copies."""
    model = request.subject.model
    if request.layout.dp == 1:
        return Row(name, *SAID[name], why=ALONE if request.layout.devices == 1 else NONE_LEFT)
    if name == "EP" and (model is None or model.experts is None):
        return Row(name, *SAID[name], why="the model has no experts")
    for layout, by in _layouts(request.layout, name, min(8, node_of(request))):
        if possible(model, layout, bool(request.values.get("uneven"))):
            made = estimate(replace(request, layout=layout))
            return _row(name, made, title=f"{name} {by}")
    return Row(name, *SAID[name], why=SPLIT[name])


def _layouts(base: Layout, name: str, most: int) -> Iterator[tuple[Layout, int]]:
    whole = replace(base, zero=0, shard=0)
    for by in (8, 4, 2):
        if by > most or base.dp % by:
            continue
        less = replace(whole, dp=base.dp // by, micro_batches=by * base.micro_batches)
        if name == "TP":
            yield replace(less, tp=by * base.tp, sp=True), by * base.tp
        elif name == "PP":
            yield replace(less, pp=by * base.pp), by * base.pp
        elif name == "CP":
            yield replace(less, cp=by * base.cp), by * base.cp
        else:  # experts lie on the ranks of data parallelism: each keeps its batch
            yield replace(whole, ep=by * base.ep), by * base.ep

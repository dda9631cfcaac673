"""How a model and its batch are laid over devices, and which layouts there can be at all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import gcd
from typing import Any, Literal, NamedTuple

from runtime.estimate.inputs.models import Model

Recompute = Literal["none", "selective", "full"]
Schedule = Literal["1f1b", "gpipe", "zb-h1", "zb-h2", "dualpipe"]
Offload = Literal["none", "optimizer", "all"]
SCHEDULES: tuple[Schedule, ...] = ("1f1b", "gpipe", "zb-h1", "zb-h2", "dualpipe")
STRATEGIES = ("DP", "DDP", "ZeRO-1", "ZeRO-2", "FSDP", "HSDP", "TP", "PP", "CP", "EP")
"""Ways to split a training, in the order in which a strategy table has them."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Degrees of each way to split, and what a device does in a step.

    `batch` is the micro-batch of a device (sequences), `micro_batches` so many of them a step. `shard` ranks
    of `dp` x `cp` share the states (0: all of them; fewer: HSDP). `interleave` stages on a device. `offload`:
    what waits in the host's memory.
    """

    seq: int = 2048
    batch: int = 1
    micro_batches: int = 1
    dp: int = 1
    tp: int = 1
    pp: int = 1
    cp: int = 1
    ep: int = 1
    zero: int = 0
    shard: int = 0
    interleave: int = 1
    schedule: Schedule = "1f1b"
    recompute: Recompute = "none"
    flash: bool = False
    sp: bool = False
    fused_mlp: bool = False
    offload: Offload = "none"

    @property
    def devices(self) -> int:
        """Devices in all; experts live on those of data parallel."""
        return self.dp * self.tp * self.pp * self.cp

    @property
    def replicas(self) -> int:
        """Ranks with the same parameters of their own: data and context parallel ones."""
        return self.dp * self.cp

    @property
    def shards(self) -> int:
        """Ranks that share states among them."""
        return (self.shard or self.replicas) if self.zero else 1

    @property
    def sequences(self) -> int:
        """Of a step, on all devices."""
        return self.dp * self.batch * self.micro_batches

    @property
    def tokens(self) -> int:
        """Tokens of a step over all devices."""
        return self.sequences * self.seq

    @property
    def local_tokens(self) -> float:
        """Of one micro-batch on one device, before sequence parallelism."""
        return self.batch * self.seq / self.cp


class Misfit(NamedTuple):
    """`why` a layout cannot be, and `mend`: the nearest values that work."""

    why: str
    mend: str


def divisors(number: int) -> list[int]:
    """All divisors of a number, in order."""
    small = [n for n in range(1, int(number**0.5) + 1) if number % n == 0]
    return sorted({*small, *(number // n for n in small)})


def nearest(value: int, allowed: list[int]) -> str:
    """The allowed values next to `value`, below and above, in words."""
    below = [n for n in allowed if n < value][-1:]
    above = [n for n in allowed if n > value][:1]
    return " or ".join(map(str, below + above))


class _Broken(NamedTuple):
    """`why` a layout cannot be: the degree `word` has to be one of `allowed`; or the `mend` in words."""

    why: str
    word: str = ""
    allowed: list[int] = []
    mend: str = ""


def misfit(model: Model | None, layout: Layout, uneven: bool = False) -> Misfit | None:
    """Why `layout` cannot be; None: it can. `uneven`: stages may differ by a layer.

    Of the values that meet the constraint those are named which meet every other one too, if there are any.
    """
    found = _broken(model, layout, uneven)
    if found is None or not found.word:
        return found and Misfit(found.why, found.mend)
    word, value = found.word, getattr(layout, found.word)
    works = [n for n in found.allowed if possible(model, _with(layout, word, n), uneven)]
    also = f", or {found.mend}" if found.mend else ""
    if word == "ep" and set(works) <= {1}:
        works, also = found.allowed, also or ", and dp a multiple of it"
    return Misfit(found.why, f"write {word}={nearest(value, works or found.allowed)}{also}")


def _with(layout: Layout, word: str, value: int) -> Layout:
    changed: dict[str, Any] = {word: value}
    return replace(layout, **changed)


def possible(model: Model | None, layout: Layout, uneven: bool = False) -> bool:
    """Whether `misfit` finds nothing; this does not look for what would work instead."""
    return _broken(model, layout, uneven) is None


def _broken(model: Model | None, layout: Layout, uneven: bool) -> _Broken | None:
    """The first constraint that `layout` does not meet."""
    if (found := _of_ranks(layout)) is not None or model is None:
        return found
    for word, value, whole, what in (
        ("tp", layout.tp, model.heads, f"{model.heads} heads"),
        ("pp", layout.pp, 0 if uneven else model.layers, f"{model.layers} layers"),
        ("ep", layout.ep, model.experts.count if model.experts else 0,
         f"{model.experts.count} experts" if model.experts else ""),
    ):  # fmt: skip
        if whole and whole % value:
            also = "uneven=1" if word == "pp" and value < whole else ""
            return _Broken(f"{word}={value} does not divide {what}", word, divisors(whole), also)
    if layout.ep > 1 and model.experts is None:
        return _Broken(f"ep={layout.ep}: the model has no experts", mend="write ep=1, or leave ep out")
    if layout.pp > model.layers:
        return _Broken(
            f"pp={layout.pp} is more stages than the {model.layers} layers", mend=f"write pp={model.layers}"
        )
    if gcd(model.kv_heads, layout.tp) != min(model.kv_heads, layout.tp):
        both = [n for n in divisors(model.heads) if gcd(model.kv_heads, n) == min(model.kv_heads, n)]
        return _Broken(f"tp={layout.tp} does not divide {model.kv_heads} key and value heads", "tp", both)
    if layout.interleave > 1 and not uneven and model.layers % (layout.pp * layout.interleave):
        allowed = divisors(model.layers // layout.pp)
        return _Broken(
            f"interleave={layout.interleave} does not divide the {model.layers // layout.pp} layers "
            "of a stage",
            "interleave",
            allowed,
        )
    return None


def _of_ranks(layout: Layout) -> _Broken | None:
    if layout.seq % layout.cp:
        return _Broken(
            f"cp={layout.cp} does not divide a sequence of {layout.seq}",
            "cp",
            divisors(layout.seq),
        )
    if layout.sp and (layout.seq // layout.cp) % layout.tp:
        return _Broken(
            f"with sp=1, tp={layout.tp} does not divide the {layout.seq // layout.cp} tokens of a sequence",
            "tp",
            divisors(layout.seq // layout.cp),
            "sp=0",
        )
    if layout.replicas % layout.ep:
        return _Broken(
            f"ep={layout.ep} does not divide dp x cp = {layout.replicas}: experts are spread over "
            "those ranks",
            "ep",
            divisors(layout.replicas),
            f"dp={layout.ep}" if layout.cp == 1 else "",
        )
    if layout.shard and layout.replicas % layout.shard:
        return _Broken(
            f"shard={layout.shard} does not divide dp x cp = {layout.replicas}",
            "shard",
            divisors(layout.replicas),
        )
    needed = {"none": 0, "optimizer": 1, "all": 3}[layout.offload]
    if layout.zero < needed:
        return _Broken(
            f"offload={layout.offload} is of sharded states: zero={layout.zero} does not shard "
            f"{'weights' if needed == 3 else 'any'}",
            mend=f"write zero={max(2, needed)}, or leave offload out",
        )
    if layout.schedule == "dualpipe" and (layout.pp % 2 or layout.micro_batches % 2):
        stages, many = layout.pp + layout.pp % 2, layout.micro_batches + layout.micro_batches % 2
        return _Broken(
            f"dualpipe has two ends: pp={layout.pp}, micro_batches={layout.micro_batches} must be even",
            mend=f"write pp={stages} micro_batches={many}",
        )
    if layout.interleave > 1 and layout.pp == 1:
        return _Broken("interleave needs a pipeline", mend="write pp=2 or more, or leave interleave out")
    if layout.interleave > 1 and layout.micro_batches % layout.pp:
        low = layout.micro_batches // layout.pp * layout.pp
        choices = " or ".join(str(n) for n in (low, low + layout.pp) if n)
        return _Broken(
            f"interleaved stages need whole rounds: micro_batches={layout.micro_batches} is not a multiple "
            f"of pp={layout.pp}",
            mend=f"write micro_batches={choices}",
        )
    return None


def stage_layers(model: Model, layout: Layout) -> int:
    """Layers of the fullest stage."""
    return -(-model.layers // layout.pp)

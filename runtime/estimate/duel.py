"""Two sides of a class lay the same training out over the same devices: what fits, whose step is shorter.

Words such as `model=llama3-70b gpu=h100 gpus=64 a.tp=8 b.pp=4` say what both have and what each side chose.
Ranks of data parallelism are what the other ways leave of `gpus`, micro-batches what they leave of the batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from runtime.estimate.advice import binding
from runtime.estimate.estimate import Estimate, estimate, node_of
from runtime.estimate.inputs.layout import divisors, nearest
from runtime.estimate.keys import meant
from runtime.estimate.planner import NothingFits, Plan, plan, usual_batch
from runtime.estimate.quantities import engineering
from runtime.estimate.request import Refused, Request, read, request
from runtime.estimate.sliders import SLIDERS, Slider
from runtime.estimate.strategies import LONG
from runtime.estimate.strategy_table import only_of_a_table

SIDES = ("a", "b")
CHOICES = ("tp", "pp", "cp", "ep", "zero", "batch", "recompute")  # keys that a side may give
BEST = "best"  # the word that shows the planner's layout beside them
DRAW = 0.01  # of a step: sides that are so near are level
_REST = ("dp", "micro_batches", "params", "layers", "collective", "step_s", "achieved")  # keys of neither
_TERMS = {
    "compute": "arithmetic", "idle": "idle pipeline stages", "tp": "waiting for tensor parallelism",
    "cp": "waiting for context parallelism", "ep": "waiting for experts", "pp": "sends between stages",
    "dp": "gradients and weights that nothing hides",
}  # fmt: skip


class Terms(NamedTuple):
    """What both sides have, what each chose, and whether the best known layout is shown."""

    common: Mapping[str, Any]
    chosen: Mapping[str, Mapping[str, Any]]
    best: bool


class Duel(NamedTuple):
    """`winner` is a side of `SIDES`; None: level, or neither fits. `why` in sentences. `best` is the
    planner's with how many layouts it tried; None: nothing that it knows fits, or nobody asked."""

    asked: Request
    sides: Mapping[str, Estimate]
    winner: str | None
    why: list[str]
    best: Plan | None


def terms(words: Iterable[str]) -> Terms:
    """Read the words of a duel. Refused: what is none, or belongs to neither side."""
    common: list[str] = []
    own: dict[str, list[str]] = {side: [] for side in SIDES}
    best = False
    for word in words:
        side, dot, rest = word.partition(".")
        if dot and side.lower() in SIDES:
            own[side.lower()].append(rest)
        elif word.partition("=")[0] == BEST:
            best = word.partition("=")[2] in ("1", "true", "yes")
        else:
            common.append(word)
    shared = read(common)
    only_of_a_table(shared)
    chosen = {side: read(given) for side, given in own.items()}
    for side, given in chosen.items():
        for key in given:
            if key not in CHOICES:
                raise Refused(f"{side}.{key}= is not a choice of a side", meant(key, CHOICES))
    for key in shared:
        if key in CHOICES or key in _REST:
            mend = (
                f"write a.{key}= and b.{key}="
                if key in CHOICES
                else "it follows from gpus= and global_batch="
            )
            raise Refused(f"{key}= is not the same for both sides", mend)
    for key, example in (("model", "llama3-70b"), ("gpu", "h100"), ("gpus", "64")):
        if key not in shared:
            raise Refused(f"a duel needs {key}=", f"write {key}={example}")
    return Terms(shared, chosen, best)


def of_side(found: Terms, side: str) -> Request:
    """The request of a side's layout. Refused: it cannot be, and the nearest that can."""
    own, gpus = found.chosen[side], int(found.common["gpus"])
    split = 1
    for key in ("tp", "pp", "cp"):
        degree = int(own.get(key, 1))
        if gpus % (split * degree):
            near = nearest(degree, divisors(gpus // split))
            raise Refused(
                f"{side}.{key}={degree} does not divide {gpus // split} devices", f"write {key}={near}"
            )
        split *= degree
    values = {key: value for key, value in found.common.items() if key != "gpus"} | dict(own)
    values |= {"dp": gpus // split, "global_batch": batch(found)}
    values.setdefault("sp", int(values.get("tp", 1) > 1))
    try:
        return request(values)
    except Refused as refused:
        raise Refused(f"side {side.upper()}: {refused.why}", refused.mend) from None


def batch(found: Terms) -> int:
    """Sequences of a step, the same for both sides: as given, or the planner's usual."""
    base = request({key: value for key, value in found.common.items() if key not in ("gpus", "global_batch")})
    usual = usual_batch(base.layout.seq, int(found.common["gpus"]), node_of(base))
    return int(found.common.get("global_batch", usual))


def duel(found: Terms) -> Duel:
    """Both sides estimated. Refused as `of_side`."""
    asked = {side: of_side(found, side) for side in SIDES}
    sides = {side: estimate(one) for side, one in asked.items()}
    winner = _winner(sides)
    best = known(tuple(sorted(found.common.items()))) if found.best else None
    return Duel(asked["a"], sides, winner, _why(sides, winner, best), best)


@lru_cache(maxsize=8)
def known(common: tuple[tuple[str, Any], ...]) -> Plan | None:
    """The shortest step that the planner finds of the same training on the same devices; None: none fits."""
    values = dict(common)
    values["global_batch"] = batch(Terms(values, {}, True))
    try:
        return plan(request(values), int(values["gpus"]), 1)
    except NothingFits:
        return None


def score(e: Estimate) -> float:
    """Model FLOPs utilization of what fits; 0 of what does not."""
    return (e.mfu or 0.0) if e.fits else 0.0


def _step(e: Estimate) -> float:
    return e.time.step if e.time else 0.0


def _winner(sides: Mapping[str, Estimate]) -> str | None:
    a, b = (sides[side] for side in SIDES)
    if a.fits != b.fits:
        return "a" if a.fits else "b"
    if not a.fits or abs(_step(a) - _step(b)) <= DRAW * max(_step(a), _step(b)):
        return None
    return "a" if _step(a) < _step(b) else "b"


def _why(sides: Mapping[str, Estimate], winner: str | None, best: Plan | None) -> list[str]:
    said = [_unfit(side, e) for side, e in sides.items() if not e.fits]
    if winner is None:
        said.append("Neither fits: nobody wins." if len(said) == 2 else "Level: the steps are within 1 %.")
    else:
        other = SIDES[1 - SIDES.index(winner)]
        won, lost = sides[winner], sides[other]
        if lost.fits:
            share = 1 - _step(won) / _step(lost)
            said.append(
                f"{winner.upper()} wins: a step of {engineering(_step(won), 's')} is {share:.0%} shorter "
                f"than {engineering(_step(lost), 's')}."
            )
            said.append(_difference(won, lost, other))
        else:
            said.append(
                f"{winner.upper()} wins: it fits, with {engineering(_step(won), 's')} a step; "
                f"most of that is {binding_words(won)}."
            )
    if best is not None:
        reached = [
            f"{side.upper()} reached {_step(best.best[0]) / _step(e):.0%} of it" if e.fits else ""
            for side, e in sides.items()
        ]
        said.append(
            f"Best of {best.tried} layouts that the planner tried: {chosen_words(best.best[0])}, "
            f"{engineering(_step(best.best[0]), 's')} a step. {', '.join(filter(None, reached))}".rstrip(". ")
            + "."
        )
    return said


def _unfit(side: str, e: Estimate) -> str:
    most = max(e.memory._fields, key=lambda name: float(getattr(e.memory, name)))
    return (
        f"{side.upper()} does not fit: {engineering(e.memory.total, 'B')} of "
        f"{engineering(e.limit or 0, 'B')}, and {engineering(getattr(e.memory, most), 'B')} of it {most}."
    )


def _parts(e: Estimate) -> dict[str, float]:
    assert e.time is not None
    return {"compute": e.time.compute, "idle": e.time.idle, **e.time.exposed}


def _difference(won: Estimate, lost: Estimate, name: str) -> str:
    """The term in which the loser takes longest beyond the winner."""
    mine, theirs = _parts(won), _parts(lost)
    most = max(theirs, key=lambda term: theirs[term] - mine.get(term, 0.0))
    less = mine.get(most, 0.0)
    here = f"{engineering(theirs[most], 's')} against {engineering(less, 's') if less else 'none'}"
    again = lost.recomputed > won.recomputed and most == "compute"
    return f"{name.upper()} loses most by {_TERMS[most]}{', part of it done twice' if again else ''}: {here}."


def binding_words(e: Estimate) -> str:
    """The term that binds, in words."""
    term = binding(e)
    return _TERMS.get({"pipeline idle": "idle"}.get(term, term), term)


def chosen_words(e: Estimate) -> str:
    """A layout in a few words: `tp 8, pp 2, dp 4, ZeRO-1, micro-batch 1`."""
    layout = e.request.layout
    ways = [f"{key} {getattr(layout, key)}" for key in ("tp", "pp", "cp", "ep") if getattr(layout, key) > 1]
    shard = ("DDP", "ZeRO-1", "ZeRO-2", "FSDP")[layout.zero]
    rest = [f"dp {layout.dp}", shard, f"micro-batch {layout.batch} x {layout.micro_batches}"]
    if layout.interleave > 1:
        rest.append(f"{layout.interleave} stages a device")
    if layout.recompute != "none":
        rest.append(f"{layout.recompute} recompute")
    return ", ".join([*ways, *rest])


def sliders(found: Terms) -> list[tuple[str, Slider]]:
    """What sides can turn, first those of A. Context and experts only where there is use for them."""
    base = of_side(Terms(found.common, {side: {} for side in SIDES}, False), "a")
    model = base.subject.model
    unused = {"cp"} if base.layout.seq < LONG else set()
    if model is None or model.experts is None:
        unused.add("ep")
    by_key = {slider.key: slider for slider in SLIDERS}
    return [(side, by_key[key]) for side in SIDES for key in CHOICES if key not in unused]


def turned(words: tuple[str, ...], side: str, slider: Slider, by: int) -> tuple[str, ...]:
    """The words with a side's slider at the next notch on (`by` 1) or back with which its layout can be; the
    same words at an end. Another layout hides the best again."""
    found = terms(words)
    now = getattr(of_side(found, side).layout, slider.key)
    begin = slider.notches.index(now) if now in slider.notches else -1
    for notch in slider.notches[begin + 1 :] if by > 0 else reversed(slider.notches[: max(0, begin)]):
        kept = [w for w in words if w.partition("=")[0].lower() not in (f"{side}.{slider.key}", BEST)]
        tried = (*kept, f"{side}.{slider.key}={notch}")
        try:
            of_side(terms(tried), side)
        except Refused:
            continue
        return tried
    return words


def values(words: tuple[str, ...], side: str, slider: Slider) -> tuple[Any, ...]:
    """The notches of a side's slider with which its layout can be, as everything else of it is now."""
    kept = [word for word in words if word.partition("=")[0].lower() != f"{side}.{slider.key}"]

    def can(notch: Any) -> bool:
        try:
            of_side(terms([*kept, f"{side}.{slider.key}={notch}"]), side)
        except Refused:
            return False
        return True

    return tuple(notch for notch in slider.notches if can(notch))


def shown(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words with the best known layout shown, or hidden where it was."""
    kept = tuple(word for word in words if word.partition("=")[0] != BEST)
    return kept if terms(words).best else (*kept, f"{BEST}=1")


def as_object(found: Duel) -> dict[str, Any]:
    """The duel as JSON: each side's layout, bytes, seconds, score and what binds it."""
    best = found.best.best[0] if found.best else None
    return {
        "kind": "duel",
        "sides": {side: _side(e) for side, e in found.sides.items()},
        "winner": found.winner,
        "why": found.why,
        "best": _side(best) | {"tried": found.best.tried} if best is not None and found.best else None,
        "fits": any(e.fits for e in found.sides.values()),
    }


def _side(e: Estimate) -> dict[str, Any]:
    from runtime.estimate.report import layout_of

    return {
        "layout": layout_of(e), "words": chosen_words(e), "memory": e.memory.total,
        "limit": e.limit, "fits": e.fits,
        "step_s": e.time.step if e.time else None, "mfu": e.mfu, "score": score(e), "binding": binding(e),
    }  # fmt: skip

"""A duel of two layouts: what they share, who wins and why, and what no side can choose."""

from __future__ import annotations

import json

import pytest

from runtime.estimate import duel
from runtime.estimate.planner import plan
from runtime.estimate.request import Refused, read, request

COMMON = ("model=llama3-70b", "gpu=h100", "gpus=64")
WIDE = (*COMMON, "a.tp=8", "a.zero=1", "a.recompute=full", "b.zero=3", "b.recompute=full")


def fought(*words: str) -> duel.Duel:
    return duel.duel(duel.terms(words))


def test_both_sides_train_the_same_tokens_on_the_same_devices() -> None:
    a, b = fought(*WIDE).sides.values()
    assert a.request.layout.devices == b.request.layout.devices == 64
    assert a.request.layout.tokens == b.request.layout.tokens == 4 * 2**20
    assert (a.request.layout.dp, a.request.layout.sp) == (8, True) and b.request.layout.dp == 64


def test_the_shorter_step_wins_and_it_says_by_which_term() -> None:
    found = fought(*WIDE)
    a, b = found.sides.values()
    assert a.time is not None and b.time is not None and a.fits and b.fits
    assert found.winner == "b" and b.time.step < a.time.step
    apart = {key: a.time.exposed[key] - b.time.exposed.get(key, 0) for key in a.time.exposed}
    assert max(apart, key=lambda key: apart[key]) == "tp"
    assert any("A loses most by waiting for tensor parallelism" in said for said in found.why)
    assert duel.score(b) == b.mfu and found.best is None


def test_what_does_not_fit_cannot_win() -> None:
    found = fought(*COMMON, "a.tp=8", "a.zero=3", "a.recompute=full", "b.zero=3")
    assert found.winner == "a" and duel.score(found.sides["b"]) == 0
    assert any(said.startswith("B does not fit") and "activations" in said for said in found.why)
    neither = fought(*COMMON)
    assert neither.winner is None and neither.why[-1] == "Neither fits: nobody wins."
    assert fought(*COMMON, "a.tp=8", "a.zero=3", "b.tp=8", "b.zero=3").winner is None


def test_the_best_is_the_planner_s_own() -> None:
    found = fought(*WIDE, "best=1")
    planned = plan(request(read([*COMMON[:2], "global_batch=512"])), 64, 1)
    assert found.best is not None and planned.best[0].time is not None
    assert found.best.best[0].request.layout == planned.best[0].request.layout
    assert f"Best of {planned.tried} layouts" in found.why[-1] and "B reached" in found.why[-1]


def test_a_notch_on_goes_to_what_can_be_and_hides_the_best() -> None:
    every = {f"{side}.{slider.key}": (side, slider) for side, slider in duel.sliders(duel.terms(WIDE))}
    assert list(every)[:2] == ["a.tp", "a.pp"] and "a.cp" not in every and "b.ep" not in every
    on = duel.turned((*WIDE, "best=1"), *every["a.pp"], 1)
    assert "a.pp=2" in on and "best=1" not in on and len(on) == len(WIDE) + 1
    assert duel.turned(WIDE, *every["b.tp"], -1) == WIDE  # it is at its end
    back = duel.turned(on, *every["a.pp"], -1)
    assert (
        "a.pp=1" in back
        and fought(*back).sides["a"].request.layout == fought(*WIDE).sides["a"].request.layout
    )
    assert duel.shown(duel.shown(WIDE)) == WIDE
    experts = duel.sliders(duel.terms(("model=mixtral", "gpu=h100", "gpus=64", "seq=65536")))
    assert {"cp", "ep"} <= {slider.key for _, slider in experts}


@pytest.mark.parametrize(
    ("words", "why", "mend"),
    [
        ("model=llama3-70b gpu=h100", "a duel needs gpus=", "gpus=64"),
        ("model=llama3-70b gpus=64", "a duel needs gpu=", "gpu=h100"),
        ("model=llama3-70b gpu=h100 gpus=64 tp=8", "tp= is not the same for both", "a.tp= and b.tp="),
        ("model=llama3-70b gpu=h100 gpus=64 dp=8", "dp= is not the same", "follows from gpus="),
        ("model=llama3-70b gpu=h100 gpus=64 a.tp=7", "a.tp=7 does not divide 64", "tp=4 or 8"),
        ("model=llama3-70b gpu=h100 gpus=64 b.pp=32 b.tp=4", "b.pp=32 does not divide 16", "pp=16"),
        ("model=llama3-70b gpu=h100 gpus=64 a.seq=8", "a.seq= is not a choice", "tp pp"),
        ("model=llama3-70b gpu=h100 gpus=64 c.tp=8", "no key 'c.tp'", "tp"),
        ("model=llama3-70b gpu=h100 gpus=64 a.zero=9", "zero=9", "0 1 2 3"),
        ("model=llama3-70b gpu=h100 gpus=64 b.pp=64", "pp=64 does not divide 80 layers", "pp=40 or 80"),
        ("model=llama3-70b gpu=h100 gpus=0", "gpus=0", "gpus=1"),
        (
            "model=llama3-70b gpu=h100 gpus=64 global_batch=63",
            "not a multiple of dp x batch",
            "global_batch=64",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_what_can(words: str, why: str, mend: str) -> None:
    with pytest.raises(Refused) as raised:
        fought(*words.split())
    assert why in raised.value.why and mend in raised.value.mend, raised.value


def test_as_json() -> None:
    found = duel.as_object(fought(*WIDE, "best=1"))
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["winner"] == "b" and found["fits"] and found["sides"]["a"]["layout"]["tp"] == 8
    assert found["best"]["step_s"] <= found["sides"]["b"]["step_s"] and found["best"]["tried"] > 100

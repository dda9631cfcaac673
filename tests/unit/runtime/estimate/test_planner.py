"""Layouts that fit, and what to change first."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from made_estimates import estimated

from runtime.estimate.estimate import estimate, held
from runtime.estimate.planner import NothingFits, Plan, plan
from runtime.estimate.request import Refused, read, request


def planned(words: str) -> Plan:
    asked = request(read(words.split()))
    return plan(asked, asked.values["gpus"])


LARGE = "model=llama3-405b gpu=h100 gpus=16384"


@pytest.mark.parametrize("more", ["", " uneven=1 global_batch=4096", " seq=131072 uneven=1"])
def test_16384_devices_take_less_than_a_second_of_processor_time(more: str) -> None:
    begun = time.process_time()
    found = planned(LARGE + more)
    assert time.process_time() - begun < 1
    assert found.fitting and all(e.request.layout.devices == 16384 for e in found.best)


def test_every_layout_fits_and_the_shortest_step_is_first() -> None:
    found = planned("model=llama3-70b gpu=h100 gpus=256 global_batch=512")
    steps = [e.step_s for e in found.best]
    assert steps == sorted(steps)  # type: ignore[type-var]
    for e in found.best:
        assert e.fits and e.request.layout.devices == 256 and e.request.layout.sequences == 512
        assert held(e.request, e.request.layout)[0] == e.memory


def test_what_was_given_is_kept() -> None:
    found = planned("model=llama3-70b gpu=h100 gpus=256 global_batch=512 tp=4 zero=1 recompute=full")
    assert {(e.request.layout.tp, e.request.layout.zero, e.request.layout.recompute) for e in found.best} == {
        (4, 1, "full")
    }


def test_nothing_fits() -> None:
    with pytest.raises(NothingFits, match=r"states alone need 8\d devices"):
        planned("model=llama3-405b gpu=h100 gpus=8 global_batch=8")
    with pytest.raises(Refused, match="a plan needs a GPU"):
        planned("model=llama3-8b gpus=8")
    with pytest.raises(Refused, match="a plan needs a model's shape"):
        planned("params=8e9 gpu=h100 gpus=8")


def test_advice_is_the_estimate_of_that_change() -> None:
    """Each piece of advice names words; with them the estimate says what the advice said."""
    words = "model=llama3-8b gpu=a100-40 dp=8 zero=3 seq=8192"
    found = estimated(words)
    assert found["fits"] is False and found["binding"] == "memory: activations"
    change, _, said = found["advice"][0].partition(":")
    changed = {word.partition("=")[0] for word in change.split()}
    kept = [word for word in words.split() if word.partition("=")[0] not in changed]
    after = estimated(" ".join([*kept, change]))
    assert after["fits"] is True and "fits then" in said
    freed = found["memory"]["total"] - after["memory"]["total"]
    assert f"frees {freed / 1e9:.4g} GB" in said


ADVISED = (
    "model=llama3-8b gpu=b200 dp=32 pp=4 zero=2 micro_batches=8 seq=2048 bandwidth=1e10",
    "model=qwen3-30b-a3b gpu=b200 dp=8 tp=4 pp=4 zero=1 micro_batches=8 batch=2 seq=2048",
    "model=gpt3 gpu=a100-40 dp=2 tp=4 zero=2 micro_batches=16 recompute=full bandwidth=1e9",
    "model=mixtral gpu=v100 dp=2 tp=4 pp=2 zero=1 micro_batches=16 recompute=full",
    "model=llama3-8b gpu=h100 dp=8 pp=2 batch=4 global_batch=128 zero=1", "model=gpt2 gpu=h100 pp=12",
    "model=llama3-8b gpu=h100 zero=0", "model=gpt-7.5b gpu=a100-40 dp=2 zero=1 micro_batches=8",
)  # fmt: skip


@pytest.mark.parametrize("words", ADVISED)
def test_advice_that_is_followed_does_what_it_says(words: str) -> None:
    """Written as it stands: micro-batches that go with it are among its words, or nothing is gained."""
    before = estimated(words)
    fullest = before["binding"].removeprefix("memory: ")
    followed = 0
    for line in before["advice"]:
        change, _, said = line.removeprefix("for room: ").partition(": ")
        if "=" not in change:
            continue
        changed = {word.partition("=")[0] for word in change.split()}
        kept = [word for word in words.split() if word.partition("=")[0] not in changed]
        after = estimated(" ".join([*kept, change]))
        followed += 1
        if "saves" in said:
            saved = float(said.partition("saves ")[2].partition("%")[0]) / 100
            rates = [e["time"]["tokens_per_s"] / e["layout"]["devices"] for e in (before, after)]
            assert 1 - rates[0] / rates[1] == pytest.approx(saved, abs=0.006), line
        if before["fits"] is False:
            assert after["fits"] or after["memory"][fullest] < before["memory"][fullest], line
            assert after["memory"]["total"] < before["memory"]["total"]
    assert followed


@pytest.mark.parametrize("model", ["llama3-8b", "mixtral", "gpt3"])
def test_more_of_anything_is_never_slower(model: str) -> None:
    """Devices, their memory, and the link: the best layout of less is still there."""
    words = f"model={model} gpu=h100 global_batch=2048"
    for ever_more in (
        [f"gpus={n}" for n in (64, 128, 256, 512, 1024, 2048)],
        [f"gpus=256 memory={n}e9" for n in (60, 80, 120, 160)],
        [f"gpus=256 bandwidth={n}e9" for n in (5, 25, 50, 100)],
    ):
        steps = [planned(f"{words} {more}").best[0].step_s for more in ever_more]
        assert all(after <= before * (1 + 1e-9) for before, after in pairwise(steps)), ever_more  # type: ignore[operator]


@pytest.mark.parametrize(
    ("words", "binds"),
    [
        ("model=llama3-8b gpu=h100 zero=0", "memory: optimizer"),
        ("model=llama3-8b gpu=h100 dp=8 zero=3 seq=2048", "compute"),
        ("model=llama3-8b gpu=h100 dp=16 zero=1 seq=2048 bandwidth=1e9", "dp"),
        ("model=gpt2 gpu=h100 pp=12 micro_batches=1", "pipeline idle"),
    ],
)
def test_the_binding_term(words: str, binds: str) -> None:
    assert estimated(words)["binding"] == binds


def test_every_figure_of_the_object_has_a_formula_and_a_source() -> None:
    found = estimated(
        "model=mixtral gpu=h100 dp=8 ep=8 tp=2 pp=2 zero=1 recompute=selective tokens=1e12 price=2"
    )
    explained = found["explain"]
    for group in ("memory", "pipeline"):
        for name, value in found[group].items():
            if name not in ("margin", "stage", "live"):
                assert explained[f"{group}.{name}"]["value"] == pytest.approx(value), name
    for name in ("params", "flops", "flops_hardware", "mfu", "hfu", "days", "activations.per_layer",
                 "activations.first_stage", "traffic.dp", "traffic.ep", "traffic.tp", "traffic.pp",
                 "time.step_s", "time.compute_s", "time.exposed_s"):  # fmt: skip
        assert explained[name]["formula"] and explained[name]["source"], name
        outer, _, inner = name.partition(".")
        assert explained[name]["value"] == pytest.approx(found[outer][inner] if inner else found[outer]), name


def test_a_step_that_was_measured_is_never_called_an_estimate() -> None:
    asked = request(read(["model=gpt2", "gpu=h100", "step_s=0.5"]))
    found = estimate(asked)
    assert found.measured and found.step_s == 0.5 and found.time is not None and found.time.step != 0.5


@pytest.mark.parametrize("devices", [3, 7, 12, 100, 1000])
def test_any_number_of_devices_shares_a_batch_that_nobody_gave(devices: int) -> None:
    found = planned(f"model=gpt2 gpu=h100 gpus={devices}")
    assert found.best[0].request.layout.devices == devices


def test_what_cannot_be_split_names_what_keeps_it() -> None:
    with pytest.raises(NothingFits, match=r"write gpus=4 or 8, a multiple of tp=4"):
        planned("model=gpt2 gpu=h100 gpus=6 tp=4")
    with pytest.raises(NothingFits, match="global_batch=8 has to be a multiple"):
        planned("model=gpt2 gpu=h100 gpus=7 tp=1 pp=1 global_batch=8")


@pytest.mark.parametrize("gpus", [24, 96, 384, 1536, 3072, 1000])
def test_devices_of_an_odd_part_are_split_as_others_are(gpus: int) -> None:
    """Nobody named a batch: one is taken that data, tensor and pipeline parallelism can all divide."""
    found = planned(f"model=llama3-70b gpu=h100 gpus={gpus}")
    assert found.tried > 50 and found.best[0].request.layout.devices == gpus
    assert found.best[0].request.layout.dp > 1


@pytest.mark.parametrize(
    ("model", "gpus"), [("gpt-1t", 6), ("gpt-1t", 213), ("llama3-70b", 15), ("llama3-8b", 1)]
)
def test_too_few_devices_are_refused_with_a_number_that_works(model: str, gpus: int) -> None:
    with pytest.raises(NothingFits) as refused:
        planned(f"model={model} gpu=h100 gpus={gpus}")
    enough = int(refused.value.mend.rpartition("gpus=")[2])
    assert enough > gpus and planned(f"model={model} gpu=h100 gpus={enough}").fitting

"""`ddp_mistakes` on real ranks: each mistake has its consequence, and none ends the run."""

from __future__ import annotations

import pytest
from demo_run import Ran, Run, as_promised

from runtime.catalog import registry
from runtime.catalog.specs.data_parallel import ddp_mistakes as spec

pytest.importorskip("torch")
pytestmark = pytest.mark.slow


def samples(ran: Ran) -> list[tuple[float, ...]]:
    [value] = [v for v in ran.snapshot.values if v.name == "samples"]
    return list(value.ranks)


def test_script_and_description_agree() -> None:
    script = spec.SPEC.file.read_text("utf-8").splitlines()
    mistakes = ", ".join(f'"{mistake}"' for mistake in spec.MISTAKES)
    assert f"MISTAKES = ({mistakes})" in script and f"STEPS_IN_EPOCH = {spec.STEPS_IN_EPOCH}" in script


@pytest.mark.parametrize("mistake", ["none", *spec.MISTAKES])
def test_two_ranks(run: Run, mistake: str) -> None:
    ran = run("ddp_mistakes", ranks=2, steps=9, mistake=mistake)
    as_promised(ran)
    own, other = samples(ran)
    assert (own == other) is (mistake == "sampler")
    assert ran.snapshot.equal is (mistake != "seed")  # the panel's checksums


@pytest.mark.parametrize("mistake", ["none", "sampler", "seed"])
def test_four_ranks(run: Run, mistake: str) -> None:
    ran = run("ddp_mistakes", ranks=4, steps=9, mistake=mistake)
    as_promised(ran)
    assert len(set(samples(ran))) == (1 if mistake == "sampler" else 4)


def test_a_sample_of_the_small_batch_weighs_four_times_as_much(run: Run) -> None:
    ran = run("ddp_mistakes", ranks=4, steps=2, mistake="unequal")
    as_promised(ran)
    assert [len(numbers) for numbers in samples(ran)] == [8, 8, 8, 2]
    assert [ran.figures(rank)["sample_weight"] for rank in range(4)] == [1, 1, 1, 4]
    assert ran.figures()["same_order"] is None  # two epochs were not read


def test_what_cannot_be_wrong_is_refused() -> None:
    for params in ({"ranks": "1"}, {"mistake": "unequal", "batch": "6"}, {"mistake": "model"}):
        assert isinstance(registry.check("ddp_mistakes", params), registry.Refusal), params

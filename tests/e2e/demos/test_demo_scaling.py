"""`scaling` on real ranks: the same training on more of them, and the arithmetic of what that brings."""

from __future__ import annotations

import pytest
from demo_run import Run, as_promised
from msgspec.structs import replace

from runtime.catalog import registry
from runtime.launch.device_choice import cores, place
from runtime.protocol.events import Step

pytest.importorskip("torch")
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("ranks", [2, 4])
def test_speedup_is_a_ratio_of_rates_and_efficiency_its_share(run: Run, ranks: int) -> None:
    ran = run("scaling", ranks=ranks, steps=3, batch=4)
    as_promised(ran)
    values = {v.name: v.ranks[0] for v in ran.snapshot.values}
    sizes = [1, 2, 4][: ranks.bit_length()]
    for kind in ("strong", "weak"):
        rates, speedup = values[f"{kind}_tokens"], values[f"{kind}_speedup"]
        assert len(rates) == len(sizes) and all(rate > 0 for rate in rates)
        assert speedup == pytest.approx([rate / rates[0] for rate in rates])
        efficiency = values[f"{kind}_efficiency"]
        assert efficiency == pytest.approx([s / n for s, n in zip(speedup, sizes, strict=True)])
    assert ran.snapshot.equal is None  # who does not take part has another model, and that is no fault
    assert all(len(set(v.ranks)) == 1 for v in ran.snapshot.values)  # all ranks say the same


def test_only_the_ranks_that_take_part_exchange_gradients(run: Run) -> None:
    ran = run("scaling", ranks=4, steps=3, batch=4)
    for leg, members in enumerate((1, 2, 4, 2, 4)):  # alone, strong, weak
        for rank in range(4):
            calls, size = ran.issued(step=3 * leg + 1, rank=rank)
            assert (size["all-reduce"] > 0) is (rank < members), (leg, rank)
            assert calls["barrier"] == 1


def test_what_is_measured_is_computing(run: Run) -> None:
    """No sleep stands for it: a rank alone spends its steps in forward, backward and optimizer."""
    ran = run("scaling", ranks=2, steps=3, batch=16)
    assert not any("padded" in word for word in place(ran.demo).bent)
    alone = [e for e in ran.events if isinstance(e, Step) and e.rank == 0 and e.step == 2]
    [step] = alone
    tokens = {v.name: v.ranks[0] for v in ran.snapshot.values}["strong_tokens"][0]
    assert step.tokens == 16 * 64 and step.forward + step.backward > 0.5 * (step.t - step.t0)
    assert tokens > 0
    values = {v.name: v.ranks[0] for v in ran.snapshot.values}
    assert values["weak_possible"] == (1.0, float(min(2, cores())))


def test_what_it_cannot_show_it_says(run: Run) -> None:
    ran, unshown = run("scaling", ranks=2, steps=3, batch=4), registry.DEMOS["scaling"].unshown

    def told(**figures: float) -> str:
        rows = tuple(replace(row, result={**(row.result or {}), **figures}) for row in ran.snapshot.rows)
        return unshown(ran.demo.values, replace(ran.snapshot, rows=rows))

    assert told(cores=2, weak_speedup=1.7) == ""
    assert "1.05 x as fast as one, and 2 cores allow 2" in told(cores=2, weak_speedup=1.05)
    assert "share one core" in told(cores=1, weak_speedup=0.9)


def test_what_cannot_be_shared_is_refused() -> None:
    for params in ({"ranks": "3"}, {"ranks": "4", "batch": "6"}):
        assert isinstance(registry.check("scaling", params), registry.Refusal), params

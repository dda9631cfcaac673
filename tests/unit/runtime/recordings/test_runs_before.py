"""The runs of the same demo before a run lie under its loss."""

from __future__ import annotations

from pathlib import Path

from made_runs import T0, events, record

from runtime.catalog import registry
from runtime.catalog.registry import Launchable
from runtime.metrics.loss_curves import middle_curve
from runtime.protocol.events import Hello
from runtime.protocol.figures import Curve
from runtime.recordings.run_choice import TRIAL
from runtime.supervision.run import Run

A, B, C = "20261121-041000-aaaa", "20261121-041001-bbbb", "20261121-051002-cccc"


def ran(run: str, params: dict[str, str], losses: dict[int, float], block: str = "b") -> Run:
    """A run as it is remembered: some losses of one rank."""
    demo = registry.check("ddp", {"ranks": "1", **params})
    assert isinstance(demo, Launchable)
    made = Run(block, demo)
    made.id = run
    made.store.ingest(Hello(run, 1, 0, T0, 1, 0, 0, 1, 1, "cpu", "gloo", T0, 5e8, "msgpack"))
    for event in events(run, world=1, steps=len(losses)):
        made.store.ingest(event)
    return made


def test_the_two_runs_before_it_lie_under_its_loss(home: Path) -> None:
    one = ran(A, {"lr": "0.01"}, dict.fromkeys(range(3), 1.0))
    one.remember(None)
    assert one.earlier == ()
    two = ran(B, {"lr": "0.02", "batch": "4"}, dict.fromkeys(range(3), 1.0))
    two.remember(one)
    three = ran(C, {"lr": "0.02", "budget": "9s"}, {})
    three.remember(two)
    assert [(e.run, e.label, e.curve.rank) for e in three.snapshot().earlier] == [
        (B, "batch=4", -2),
        (A, "lr=0.01", -2),
    ]
    assert three.earlier[0].curve.steps == [0, 1, 2]
    four = ran("d", {"lr": "0.02"}, {})
    four.remember(three)  # which never had a loss
    assert [e.run for e in four.earlier] == [B, A]
    same = ran("e", {"lr": "0.02", "batch": "4"}, {})
    same.remember(two)
    assert [e.label for e in same.earlier] == ["same parameters", "batch=8 lr=0.01"]


def test_without_one_in_the_class_the_very_same_ones_come_from_the_disk(home: Path) -> None:
    same, longer = {"ranks": "2"}, Curve(0, list(range(4000)), [1.0] * 4000)
    record(home, A, params=same)
    record(home, B, params=same, curve=longer, state="done")
    record(home, C, params=same, state="failed")
    record(home, "20261121-061000-dddd", params={**same, "lr": "0.5"})
    record(home, "20261121-061001-eeee", params={**same, "steps": "3"})
    record(home, "20261121-061002-ffff", params=same, block=TRIAL)  # `check --run` has tried a deck
    new = ran("n", same, {})
    new.remember(None)
    assert [(e.run, e.label) for e in new.earlier] == [(B, "same parameters"), (A, "same parameters")]
    assert len(new.earlier[0].curve.steps) <= 256
    other = registry.check("zero", {})
    assert isinstance(other, Launchable)
    (another := Run("b", other)).remember(new)
    assert another.earlier == ()


def test_many_ranks_give_their_median() -> None:
    curves = [
        Curve(0, [0, 1, 2], [1.0, 2.0, 3.0]),
        Curve(1, [0, 2], [3.0, 9.0]),
        Curve(2, [0, 2, 3], [2.0, 4.0, 0.0]),
    ]
    assert middle_curve(curves) == Curve(-2, [0, 2], [2.0, 4.0])
    assert middle_curve([*curves, Curve(-2, [5], [6.0])]) == Curve(-2, [5], [6.0])
    assert middle_curve([]) is None

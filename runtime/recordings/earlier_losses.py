"""The losses of earlier runs, shown beneath that of a later one of the same demo."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from runtime.catalog.params import printable
from runtime.metrics.loss_curves import CURVE_POINTS, MEDIAN
from runtime.protocol.figures import Curve
from runtime.recordings import run_choice

EARLIER = 2  # so many runs before this one are laid under its loss


class Past(NamedTuple):
    """An earlier run as a later one of its block shows it."""

    run: str
    values: Mapping[str, Any]  # those that decide what is computed
    curve: Curve


def recorded(demo: str, values: Mapping[str, Any]) -> list[Past]:
    """Return the newest runs of a demo on disk with these very `values`, at most `EARLIER`.

    What another deck asked for, or somebody tried, is no picture of this class. Reads files: call it in a
    thread.
    """
    return list(islice(_recorded(demo, values), EARLIER))


def _recorded(demo: str, values: Mapping[str, Any]) -> Iterator[Past]:
    for about in run_choice.done(demo):
        if about.curve is not None and about.curve.steps and not run_choice.differing(values, about):
            yield Past(about.run, run_choice.computed(demo, about.params), bounded(about.curve))


def bounded(curve: Curve) -> Curve:
    """Thin a curve to `CURVE_POINTS`: a foreign file may hold more."""
    every = -(-len(curve.steps) // CURVE_POINTS)
    steps, losses = curve.steps[::every], curve.losses[::every]
    return Curve(MEDIAN, steps[: len(losses)], losses[: len(steps)])


def difference(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> str:
    """Describe the difference: `lr=0.01 batch=4`, or `same parameters`."""
    differ = [f"{name}={_brief(value)}" for name, value in theirs.items() if value != ours.get(name, value)]
    return printable(" ".join(differ)) or "same parameters"


def _brief(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)

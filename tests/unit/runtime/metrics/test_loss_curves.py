"""The curve that is kept of a run."""

from __future__ import annotations

from math import inf, nan

import msgspec
import pytest

from runtime.metrics.loss_curves import MEDIAN, middle_curve
from runtime.protocol.figures import Curve


@pytest.mark.parametrize("lost", [nan, inf, -inf])
def test_a_training_that_falls_apart_is_kept_as_far_as_it_went(lost: float) -> None:
    """JSON has no NaN: with one in it, `run.json` could not be read again."""
    several = (Curve(0, [0, 1, 2], [5.0, 4.0, lost]), Curve(1, [0, 1, 2], [5.0, 2.0, lost]))
    for curves in (several, (Curve(MEDIAN, [0, 1, 2], [5.0, 3.0, lost]),)):
        kept = middle_curve(curves)
        assert kept == Curve(MEDIAN, [0, 1], [5.0, 3.0])
        assert msgspec.json.decode(msgspec.json.encode(kept), type=Curve) == kept
    assert middle_curve((Curve(0, [0], [lost]),)) is None

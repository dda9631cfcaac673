"""`buckets`: parameters and key figures."""

from __future__ import annotations

import math

from runtime.catalog.params import (
    DEMOS_DIR,
    LAUNCH_PARAMS,
    DemoSpec,
    Param,
    Values,
    exactly,
    number,
    training,
)
from runtime.catalog.specs import shown
from runtime.catalog.specs.data_parallel.replicated import replica
from runtime.catalog.specs.sizes import activations, replicated, tinylm_parameters
from runtime.protocol.messages import Snapshot

LEAST_HIDDEN = 0.2  # of the time in transfers: less is what one bucket is beside seven
SCHEDULES = ("per_parameter", "flat", "buckets")


def _expects(values: Values) -> dict[str, tuple[float, float]]:
    """The gradients of one large batch but for rounding, in as many messages as there are buckets.

    TinyLM has 12 tensors a block and 5 around them. A bucket closes when it has reached its size.
    """
    tensors = 12 * number(values["layers"]) + 5
    size = values["bucket_mb"]
    assert isinstance(size, float)
    most = min(tensors, math.ceil(4 * tinylm_parameters(values) / (size * 2**20)))
    messages = {"per_parameter": (tensors, tensors), "flat": (1, 1), "buckets": (1, most)}
    expected = exactly({**replica(values), "activations": activations(values)})
    return expected | {"gradient_difference": (0, 1e-4), "buckets": messages[str(values["schedule"])]}


def _unshown(values: Values, ran: Snapshot) -> str:
    """A good part of the all-reduces goes behind backward."""
    if values["schedule"] != "buckets" or number(values["ranks"]) == 1 or ran.overlap is None:
        return ""  # of the other schedules nothing can
    if ran.collectives == 1:
        return "one bucket holds all gradients, and is full when backward ends: a smaller bucket_mb has more"
    if ran.overlap >= LEAST_HIDDEN:
        return ""
    busy = shown.crowded(ran) or "computing is short beside the bytes"
    return (
        f"{ran.overlap:.0%} of the time in all-reduces was hidden behind backward: {busy}, and a larger "
        "batch or seq gives backward more to hide them behind"
    )


SPEC = DemoSpec(
    "buckets",
    "Data parallel by hand: gradients one by one, all in one, or in buckets during backward",
    DEMOS_DIR / "buckets.py",
    (
        *LAUNCH_PARAMS,
        Param("schedule", "choice", "buckets", "when gradients travel", choices=SCHEDULES, rank_arg=True),
        Param("bucket_mb", "float", 0.25, "size of a bucket in MiB", 0.001, 1024, rank_arg=True),
        *training(steps=100, layers=2),
    ),
    expects=_expects,
    unshown=_unshown,
    memory=replicated,
    view="timeline",
    watch="how many all-reduces there are, and how much of them is hidden behind backward",
    when="never by hand: it is what DDP does inside",
    gpu="shared",
)

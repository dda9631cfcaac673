"""`single`: parameters and key figures."""

from __future__ import annotations

from dataclasses import replace

from runtime.catalog.params import (
    DEMOS_DIR,
    LAUNCH_PARAMS,
    DemoSpec,
    Param,
    Values,
    exactly,
    training,
)
from runtime.catalog.specs.data_parallel.replicated import replica
from runtime.catalog.specs.sizes import replicated

# Numbers of state a parameter has: momentum averages its gradients, Adam their squares as well.
STATES = {"sgd": 0, "momentum": 1, "adam": 2, "adamw": 2}


def _held(values: Values) -> dict[str, int]:
    return replica(values, STATES[str(values["optimizer"])])


def _expects(values: Values) -> dict[str, tuple[float, float]]:
    held = _held(values)
    between_steps = held["params"] + held["optimizer_bytes"]
    return exactly({**held, "state_before_first_step": 0, "rest_bytes": between_steps})


def _memory(values: Values) -> dict[str, int]:
    adam = values["optimizer"] in ("adam", "adamw")
    return replicated(values, _held(values)["optimizer_bytes"], adam=adam, buckets=False)


SPEC = DemoSpec(
    "single",
    "One process: what its memory is full of, through one step",
    DEMOS_DIR / "single.py",
    (
        replace(LAUNCH_PARAMS[0], default=1, help="processes; each trains alone, all the same"),
        *LAUNCH_PARAMS[1:],
        Param("optimizer", "choice", "adamw", "what steps", choices=tuple(STATES), rank_arg=True),
        *training(steps=50, layers=2, width=256, seq=32, batch=4),
    ),
    expects=_expects,
    memory=_memory,
    view="memory",
    watch="the optimizer's state comes with the first step and stays; activations grow with batch and seq",
    when="the model trains fast enough on one device",
    gpu="shared",
)

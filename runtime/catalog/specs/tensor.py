"""`tensor`: parameters and key figures."""

from __future__ import annotations

import math

from runtime.catalog.params import (
    DEMOS_DIR,
    LAUNCH_PARAMS,
    DemoSpec,
    Refusal,
    Values,
    exactly,
    number,
    training,
)
from runtime.catalog.specs.sizes import tinylm_parameters


def _heads_left_over(values: Values) -> Refusal | None:
    ranks, heads = number(values["ranks"]), math.gcd(number(values["width"]), 4)
    if heads % ranks == 0:
        return None
    fits = max(n for n in range(1, ranks + 1) if heads % n == 0)
    return Refusal(f"{heads} attention heads cannot be dealt out to {ranks} ranks", f"write ranks={fits}")


def _parameters(values: Values) -> int:
    """Of one rank: 1/W of every matrix of a block and of the bias of `up`; the rest of the model is whole."""
    width, layers, ranks = (number(values[name]) for name in ("width", "layers", "ranks"))
    cut = 12 * width**2 + 4 * width
    return tinylm_parameters(values) - layers * (cut - cut // ranks)


def _memory(values: Values) -> dict[str, int]:
    share = 4 * _parameters(values)
    return {"params": share, "grads": share, "optimizer_bytes": 2 * share, "gathered": 0}


def _expects(values: Values) -> dict[str, tuple[float, float]]:
    same = {f"{what}_difference": (0.0, 1e-5) for what in ("loss", "logits", "gradient")}
    share = {name: size for name, size in _memory(values).items() if name != "gathered"}
    return exactly(share) | same


SPEC = DemoSpec(
    "tensor",
    "Tensor parallelism: every matrix cut by columns, then by rows, and the result of one rank",
    DEMOS_DIR / "tensor.py",
    (*LAUNCH_PARAMS, *training(steps=100, layers=2)),
    steps=lambda values: number(values["steps"]),
    unfit=_heads_left_over,
    expects=_expects,
    memory=_memory,
    view="collectives",
    watch="two all-reduces forward and two backward a layer, each of a whole activation, hardly hidden",
    alike=lambda values: {"batch": str(number(values["ranks"]) * number(values["batch"]))},  # one for all
    when="a layer is too large for one rank, and the ranks share a node: every layer waits for the links",
)

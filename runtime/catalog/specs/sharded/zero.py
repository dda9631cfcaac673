"""`zero`: parameters and key figures."""

from __future__ import annotations

from runtime.catalog.params import (
    DEMOS_DIR,
    LAUNCH_PARAMS,
    DemoSpec,
    Param,
    Values,
    exactly,
    number,
    stateful,
)
from runtime.catalog.specs.sizes import replicated, tinylm_parameters
from runtime.catalog.specs.slices import fully_sharded, sharded


def _zero_expects(values: Values) -> dict[str, tuple[float, float]]:
    """4N, 4N and 8N bytes and their shares (Rajbhandari et al., 2020, table 1, for fp32)."""
    stage, ranks, whole = number(values["stage"]), number(values["ranks"]), 4 * tinylm_parameters(values)
    if stage >= 2:
        return sharded(values, ranks, reshard=stage == 3)
    expected = exactly({"params": whole, "grads": whole, "optimizer_bytes": 2 * whole, "gathered": 0})
    if stage == 1:
        # Whole tensors are dealt out, the largest first, to the rank with least: off by one tensor at most.
        share, width = 2 * whole / ranks, number(values["width"])
        largest = 8 * width * max(4 * width, 256, number(values["seq"]))
        expected["optimizer_bytes"] = (max(0.0, share - largest), share + largest)
    return expected


def _zero_memory(values: Values) -> dict[str, int]:
    stage, ranks = number(values["stage"]), number(values["ranks"])
    if stage >= 2:
        return fully_sharded(values, ranks, reshard=stage == 3)
    return replicated(values, 8 * tinylm_parameters(values) / (ranks if stage == 1 else 1))


def _zero_least(values: Values) -> tuple[float, str] | None:
    """A reduce-scatter and an all-gather of all parameters (Rajbhandari et al., 2020, section 7)."""
    ranks = number(values["ranks"])
    if values["stage"] != 1:
        return None
    return 2 * (ranks - 1) / ranks * 4 * tinylm_parameters(values), (
        "ZeRO-1 needs a reduce-scatter and an all-gather; ZeroRedundancyOptimizer is DDP's all-reduce "
        "plus a broadcast from every rank"
    )


SPEC = DemoSpec(
    "zero",
    "ZeRO stages 0 to 3: the same training with less and less state on every rank",
    DEMOS_DIR / "zero.py",
    (
        *LAUNCH_PARAMS,
        Param("stage", "int", 3, "0: DDP, 1: optimizer state sharded, 2: + gradients, 3: + parameters", 0, 3,
              rank_arg=True),
        *stateful(),
    ),
    expects=_zero_expects,
    memory=_zero_memory,
    least=_zero_least,
    watch="the loss is the same; the bars lose optimizer state, then gradients, then parameters",
    when="beside the model its optimizer state (stage 1), its gradients (2) or its parameters (3) do not fit "
    "on a rank",
    gpu="own",
)  # fmt: skip

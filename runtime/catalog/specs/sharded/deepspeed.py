"""`deepspeed`: parameters and key figures."""

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
from runtime.catalog.specs.sizes import activations, even_shards, tinylm_parameters


def _expects(values: Values) -> dict[str, tuple[float, float]]:
    """Optimizer: Adam's 8 bytes of a parameter and, sharded, the 4 of its copy. Gathered in stage 3 is one
    layer at a time, the widest at some moment; of a narrow model that is both embeddings."""
    stage, ranks, width = (number(values[name]) for name in ("stage", "ranks", "width"))
    whole = 4 * tinylm_parameters(values)
    largest = 4 * width * max(4 * width + 4, 256 + number(values["seq"]))
    if stage == 0:
        return exactly({"params": whole, "grads": whole, "optimizer_bytes": 2 * whole, "gathered": 0})
    if not even_shards(values, 2 * ranks):
        return {}  # shares are padded
    share = whole / ranks
    expected = exactly({"params": whole if stage < 3 else share, "optimizer_bytes": 3 * share})
    # Up to stage 2 a share begins and ends within a tensor, of which the whole gradient is kept.
    expected["grads"] = (share, share + (2 * largest if stage < 3 else 0))
    expected["gathered"] = (16 * width**2, largest) if stage == 3 and ranks > 1 else (0, 0)
    return expected


def _memory(values: Values) -> dict[str, int]:
    stage, ranks, whole = number(values["stage"]), number(values["ranks"]), 4 * tinylm_parameters(values)
    share = whole // ranks
    return {
        "params": share if stage == 3 else whole,
        "grads": share if stage else whole,
        "optimizer_bytes": 3 * share if stage else 2 * whole,
        "activations": activations(values),
    }


SPEC = DemoSpec(
    "deepspeed",
    "ZeRO stages 0 to 3 by DeepSpeed itself: an engine in place of model and optimizer",
    DEMOS_DIR / "zero_deepspeed.py",  # a script of the package's name would be imported in its place
    (
        *LAUNCH_PARAMS,
        Param("stage", "int", 3, "0: none, 1: optimizer state sharded, 2: + gradients, 3: + parameters", 0, 3,
              rank_arg=True),
        *stateful(),
    ),
    expects=_expects,
    memory=_memory,
    watch="the losses of zero, with more traffic: all-reduce up to stage 2, every layer gathered twice in 3",
    when="a model too large for one GPU in a stateful loop that has DeepSpeed's engine already",
    needs="deepspeed",
    stays="DeepSpeed compiles parts of its own for a GPU, with the compiler of CUDA",
)  # fmt: skip

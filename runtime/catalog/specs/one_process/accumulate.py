"""`accumulate`: parameters and key figures."""

from __future__ import annotations

from runtime.catalog.params import DEMOS_DIR, LAUNCH_PARAMS, DemoSpec, Param, Values, number
from runtime.catalog.specs.data_parallel.replicated import uneven_batch
from runtime.catalog.specs.sizes import replicated, tinylm_parameters


def _accumulate_expects(values: Values) -> dict[str, tuple[float, float]]:
    """Equal gradients but for rounding; with the 1/k forgotten they are k times, off by k - 1."""
    off = number(values["micro_batches"]) - 1 if values["forget_divide"] else 0
    parameters = 4 * tinylm_parameters(values)
    return {
        "gradient_difference": (max(0.0, 0.99 * off - 1e-4), 1.01 * off + 1e-4),
        "params": (parameters, parameters),
        "grads": (parameters, parameters),
        "optimizer_bytes": (0, 0),  # plain SGD
    }


def _memory(values: Values) -> dict[str, int]:
    """Plain SGD has no state."""
    batch, k = number(values["batch"]), number(values["micro_batches"])
    return replicated(values, 0, adam=False, samples=batch // k, no_sync=k > 1 and not values["sync_every"])


SPEC = DemoSpec(
    "accumulate",
    "Gradient accumulation: k micro-batches give the gradient of one large batch",
    DEMOS_DIR / "accumulate.py",
    (
        *LAUNCH_PARAMS,
        Param("steps", "int", 50, "optimizer steps", 1, 1_000_000, rank_arg=True),
        Param("seed", "int", 0, "seed of data and parameters", 0, 2**31 - 1, rank_arg=True),
        Param("batch", "int", 16, "sequences per rank and optimizer step", 1, 1024, rank_arg=True),
        Param("micro_batches", "int", 4, "pieces the batch is cut into (k)", 1, 1024, rank_arg=True),
        Param(
            "forget_divide", "int", 0, "1: the mistake of adding losses not divided by k", 0, 1, rank_arg=True
        ),
        Param("sync_every", "int", 0, "1: the mistake of k all-reduces a step", 0, 1, rank_arg=True),
        Param("seq", "int", 64, "tokens per sequence", 2, 1024, rank_arg=True),
        Param("width", "int", 128, "model width", 8, 2048, rank_arg=True),
        Param("layers", "int", 2, "transformer blocks", 1, 64, rank_arg=True),
        Param("lr", "float", 0.3, "learning rate of SGD", 0, 10, rank_arg=True),
    ),
    unfit=uneven_batch,
    expects=_accumulate_expects,
    memory=_memory,
    watch="the gradient difference is rounding error; with forget_divide=1 it is k - 1",
    when="the batch that learns best does not fit on a rank at once",
    gpu="shared",
)

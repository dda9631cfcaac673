"""`ddp_mistakes`: parameters and key figures."""

from __future__ import annotations

from runtime.catalog.params import DEMOS_DIR, LAUNCH_PARAMS, DemoSpec, Param, Refusal, Values, number
from runtime.catalog.specs.sizes import AS_IT_IS, replicated

MISTAKES = ("sampler", "set_epoch", "seed", "unequal")
STEPS_IN_EPOCH = 4


def _unfit(values: Values) -> Refusal | None:
    ranks, batch = number(values["ranks"]), number(values["batch"])
    if ranks < 2:
        return Refusal("a rank alone cannot disagree with anybody", "write ranks=2 or more")
    if values["mistake"] == "unequal" and batch % 4:
        quarters = max(4, batch // 4 * 4)
        return Refusal(f"a quarter of batch={batch} is not a number of samples", f"write batch={quarters}")
    return None


def _expects(values: Values) -> dict[str, tuple[float, float]]:
    """What each mistake does, and what it leaves right: that is why nobody notices."""
    mistake, ranks = values["mistake"], number(values["ranks"])
    fair = {"sampler", "set_epoch", "none"}
    expected: dict[str, tuple[float, float]] = {
        "read_by_several": (1, 1) if mistake == "sampler" else (0, 0),
        "copies": (ranks, ranks) if mistake == "seed" else (1, 1),
        "sample_weight": (1, 4) if mistake == "unequal" else (1, 1),
        "gradient_off": (0, 1e-4) if mistake in fair else (0.01, 10),
    }
    if number(values["steps"]) >= 2 * STEPS_IN_EPOCH and mistake != "unequal":
        expected["same_order"] = (1, 1) if mistake == "set_epoch" else (0, 0)
    return expected


def _memory(values: Values) -> dict[str, int]:
    """DDP's buckets stand beside the gradients, and for the check at the end the model as it was before
    training and the gradients of the first step: three times the parameters."""
    held = replicated({**values, **AS_IT_IS}, buckets=False)
    return held | {"peak": held["peak"] + 3 * held["params"]}


SPEC = DemoSpec(
    "ddp_mistakes",
    "Four mistakes in data parallel training that raise no error, and how each shows",
    DEMOS_DIR / "ddp_mistakes.py",
    (
        *LAUNCH_PARAMS,
        Param("mistake", "choice", "sampler", "what is forgotten",
              choices=("none", *MISTAKES), rank_arg=True),
        Param("steps", "int", 40, "optimizer steps; 4 are an epoch", 1, 1_000_000, rank_arg=True),
        Param("seed", "int", 0, "seed of data and parameters", 0, 2**31 - 1, rank_arg=True),
        Param("batch", "int", 8, "sequences per rank and step", 1, 64, rank_arg=True),
    ),
    unfit=_unfit,
    expects=_expects,
    memory=_memory,
    view="buffers",
    watch="the numbers of the samples on each rank, and the checksums: nothing else tells right from wrong",
    gpu="shared",
)  # fmt: skip

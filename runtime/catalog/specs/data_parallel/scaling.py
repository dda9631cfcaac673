"""`scaling`: parameters and key figures."""

from __future__ import annotations

from runtime.catalog.params import DEMOS_DIR, LAUNCH_PARAMS, DemoSpec, Param, Refusal, Values, number
from runtime.catalog.specs import shown
from runtime.catalog.specs.sizes import AS_IT_IS, replicated
from runtime.protocol.messages import Snapshot


def _unfit(values: Values) -> Refusal | None:
    ranks, batch = number(values["ranks"]), number(values["batch"])
    if ranks & (ranks - 1):
        return Refusal(f"{ranks} ranks are not 1, 2, 4, ...", f"write ranks={1 << (ranks.bit_length() - 1)}")
    if batch % ranks:
        return Refusal(f"{ranks} ranks cannot share batch={batch} evenly", f"write batch={ranks}")
    return None


def _expects(values: Values) -> dict[str, tuple[float, float]]:
    """How fast is the machine's to say."""
    ranks = number(values["ranks"])
    return {"loss_difference": (0, 1e-3), "ranks": (ranks, ranks)}


def _memory(values: Values) -> dict[str, int]:
    """The most that the first rank has (`peak`): alone, or with others that have a batch each. DDP's buckets
    stand beside the gradients, and plain SGD has no state."""
    held = replicated({**values, **AS_IT_IS}, 0, adam=False, buckets=False)
    return {"peak": held["peak"] + held["params"]}


def _unshown(values: Values, ran: Snapshot) -> str:
    """More ranks are faster: that needs cores for them, and a machine with nothing else to do."""
    ranks, cores = number(values["ranks"]), shown.result(ran, "cores")
    weak = shown.result(ran, "weak_speedup")
    if ranks == 1 or cores is None or weak is None:
        return ""
    if cores == 1:
        return f"{ranks} ranks share one core: more ranks cannot be faster than one"
    possible = min(ranks, cores)
    if weak >= 0.6 * possible:
        return ""
    return (
        f"{ranks} ranks are {weak:.2f} x as fast as one, and {cores:g} cores allow {possible:g}: they did "
        "other work as well, or the bytes cost as much as the computing, of which a larger batch has more"
    )


SPEC = DemoSpec(
    "scaling",
    "Strong and weak scaling: 1, 2, 4 ranks measured in turn, speed-up and efficiency",
    DEMOS_DIR / "scaling.py",
    (
        *LAUNCH_PARAMS,
        Param("steps", "int", 10, "of every measurement", 2, 100_000, rank_arg=True),
        Param("batch", "int", 32, "sequences a step; strong: of all, weak: of each", 1, 1024, rank_arg=True),
        Param("seed", "int", 0, "seed of data and parameters", 0, 2**31 - 1, rank_arg=True),
    ),
    # Of one rank, then strong and weak with 2, 4, ... ranks.
    steps=lambda values: number(values["steps"]) * (2 * number(values["ranks"]).bit_length() - 1),
    unfit=_unfit,
    expects=_expects,
    unshown=_unshown,
    memory=_memory,
    view="buffers",
    watch="speed-up beside ranks and cores: what is lost is exposed, waited for, or a core that is shared",
    gpu="own",
)  # fmt: skip

"""`dp`: parameters and key figures."""

from __future__ import annotations

from dataclasses import replace

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
from runtime.catalog.specs.sizes import moments, tinylm_parameters
from runtime.protocol.messages import Snapshot

LOST = 0.75  # of the speed that the cores allow: below, something else takes its share


def _held(values: Values) -> dict[str, int]:
    """Every replica has parameters and gradients, the first alone the state of AdamW: all in one process."""
    whole, threads = 4 * tinylm_parameters(values), number(values["threads"])
    return {"params": threads * whole, "grads": threads * whole, "optimizer_bytes": 2 * whole}


def _memory(values: Values) -> dict[str, int]:
    """With the most that can be at once (`peak`): all threads at their own highest moment; one thread on the
    whole batch, before a step, has almost as much. Or gradients of all replicas, and those of the widest
    weight in one tensor to take their mean. The gradients that one thread found are kept beside."""
    whole, threads, batch = 4 * tinylm_parameters(values), number(values["threads"]), number(values["batch"])
    alone = max(moments(values, threads * batch, 1))
    together = threads * max(moments(values, batch, 1))
    mean = threads * whole + (threads + 1) * 4 * 4 * number(values["width"]) ** 2
    return _held(values) | {"peak": (threads + 3) * whole + max(alone, together, mean)}


def _unshown(values: Values, ran: Snapshot) -> str:
    """Threads are not as fast as there are of them, and it is not for want of cores."""
    threads, cores = number(values["threads"]), shown.result(ran, "cores")
    speedup = shown.result(ran, "speedup")
    if threads == 1 or cores is None or speedup is None or speedup < LOST * min(threads, cores):
        return ""
    if cores < threads:
        told = f"{threads} threads share {cores:g} core{'s' * (cores != 1)}"
        return f"{told} and were {speedup:.2f} x as fast as one: it is the cores that let them be no faster"
    return (
        f"{threads} threads were {speedup:.2f} x as fast as one: computing took so long that Python's lock "
        "and the copies are little beside it. A smaller width or batch shows them"
    )


SPEC = DemoSpec(
    "dp",
    "Data parallel by threads in one process: what came before DDP, and why nobody uses it",
    DEMOS_DIR / "dp.py",
    (
        replace(LAUNCH_PARAMS[0], default=1, help="processes; each does the same alone"),
        *LAUNCH_PARAMS[1:],
        Param("threads", "int", 4, "replicas, each with a thread", 1, 32, rank_arg=True),
        *training(steps=30, layers=2),
    ),
    expects=lambda values: {**exactly(_held(values)), "gradient_difference": (0, 1e-4)},
    unshown=_unshown,
    memory=_memory,
    view="buffers",
    watch="the speedup beside the number of threads, and the memory of all replicas in one process",
    when="never: DDP does the same with a process for each replica, and hides its communication",
    gpu="own",
)

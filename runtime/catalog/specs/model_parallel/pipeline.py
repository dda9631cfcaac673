"""`pipeline`: parameters and key figures."""

from __future__ import annotations

from runtime.catalog.params import (
    DEMOS_DIR,
    LAUNCH_PARAMS,
    DemoSpec,
    Param,
    Refusal,
    Values,
    number,
    training,
)
from runtime.catalog.specs import shown
from runtime.catalog.specs.model_parallel.pipeline_memory import (
    rank_bytes,
    rank_peak,
    saved_bytes,
    shape,
)
from runtime.metrics.steps.pipeline_schedules import SCHEDULES, exists
from runtime.protocol.messages import Snapshot


def _unfit(values: Values) -> Refusal | None:
    """What `torch.distributed.pipelining` or an equal cut of the model and the batch would not allow."""
    name, wanted = str(values["schedule"]), shape(values)
    ranks, microbatches, chunks = wanted
    layers, sequences = number(values["layers"]), ranks * number(values["batch"])
    stages = ranks * chunks
    if name == "zbv" and chunks != 2:
        return Refusal("a V is two stages on each rank", "write chunks=2")
    if name == "1f1b" and microbatches < ranks:
        return Refusal(
            f"1f1b on {ranks} ranks needs a micro-batch for each of them", f"write micro_batches={ranks}"
        )
    if not exists(name, wanted):
        whole = microbatches // ranks * ranks
        return Refusal(
            f"{microbatches} micro-batches do not fall into equal rounds on {ranks} ranks",
            f"write micro_batches={whole}",
        )
    if layers < stages:
        return Refusal(f"{layers} layers are too few for {stages} stages", f"write layers={stages}")
    if sequences % microbatches:
        return Refusal(
            f"{sequences} sequences ({ranks} ranks with {number(values['batch'])}) do not fall into "
            f"{microbatches} equal micro-batches",
            f"write batch={-(-number(values['batch']) // microbatches) * microbatches}",
        )
    return None


def _memory(values: Values) -> dict[str, int]:
    """The rank that holds most, as the panel takes it: parameters, gradients, Adam's two moments, what
    autograd saves, and the most at once (`peak`)."""
    shares, saved = rank_bytes(values), saved_bytes(values)
    most = max(range(len(shares)), key=lambda rank: 4 * shares[rank] + saved[rank])
    share = shares[most]
    kinds = {"params": share, "grads": share, "optimizer_bytes": 2 * share, "gathered": 0}
    return kinds | {"activations": saved[most], "peak": rank_peak(values, most)}


def _expects(values: Values) -> dict[str, tuple[float, float]]:
    ranks = rank_bytes(values)
    least, most = min(ranks), max(ranks)
    saved = saved_bytes(values)
    return {
        "activations": (0.99 * min(saved), 1.01 * max(saved)),
        "gradient_difference": (0, 1e-4),
        "params": (least, most),
        "grads": (least, most),
        "optimizer_bytes": (2 * least, 2 * most),
        "gathered": (0, 0),
    }


# The bubbles of 1F1B, interleaved and zero-bubble on 4 ranks with 8 micro-batches are 27, 16 and 9 %.
_TOLD_APART = 0.07


def _unshown(values: Values, ran: Snapshot) -> str:
    """The bubble of the schedule, so nearly that one of another schedule is told from it."""
    seen = ran.pipeline
    if seen is None or seen.bubble is None or seen.theory_bubble is None:
        return ""
    if seen.bubble - seen.theory_bubble < _TOLD_APART:
        return ""
    padded = shown.result(ran, "pad_ms") or 0.0
    busy = shown.crowded(ran) or "computing is short beside handing over"
    return (
        f"ranks were idle {seen.bubble:.0%} of the time, and by the schedule {seen.theory_bubble:.0%}: "
        f"{busy}, and the picture is of the queue for the cores. pad_ms={max(50, 3 * padded):.0f} shows it"
    )


SPEC = DemoSpec(
    "pipeline",
    "Pipeline parallelism: each rank has some of the layers, micro-batches pass through all of them",
    DEMOS_DIR / "pipeline.py",
    (
        *LAUNCH_PARAMS,
        Param("schedule", "choice", "1f1b", "what a rank does next", choices=tuple(SCHEDULES), rank_arg=True),
        Param("micro_batches", "int", 8, "pieces the batch of a step is cut into", 1, 64, rank_arg=True),
        Param("chunks", "int", 2, "stages on a rank; gpipe and 1f1b have one", 1, 8, rank_arg=True),
        Param(
            "pad_ms", "float", "auto", "sleep added to a forward, twice that to a backward; auto: as the "
            "computing asks for where ranks share cores", 0, 10_000, choices=("auto",), rank_arg=True,
        ),
        *training(steps=30, layers=8, width=64, seq=32),  # small beside the pad
    ),
    unfit=_unfit,
    expects=_expects,
    unshown=_unshown,
    memory=_memory,
    view="pipeline",
    watch="count the gaps of a rank: they are the bubble, and it does not get larger with more micro-batches",
    when="the model does not fit on the GPUs of one node, and the links between nodes are slow",
    alike=lambda values: {"pad_ms": "0"},  # beside strategies that fight for the cores as well
    gpu="own",
)  # fmt: skip

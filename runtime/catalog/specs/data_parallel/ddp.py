"""`ddp`: parameters and key figures."""

from __future__ import annotations

from runtime.catalog.params import (
    DEMOS_DIR,
    LAUNCH_PARAMS,
    DemoSpec,
    Param,
    Refusal,
    Values,
    exactly,
    number,
    training,
)
from runtime.catalog.specs import shown
from runtime.catalog.specs.data_parallel.replicated import replica, uneven_batch
from runtime.catalog.specs.sizes import replicated
from runtime.protocol.messages import Snapshot


def _unfit(values: Values) -> Refusal | None:
    if values["static_graph"] and values["no_sync"] and number(values["micro_batches"]) > 1:
        # In the first step it counts how often each gradient is made, and no_sync keeps it from counting.
        return Refusal("static_graph=1 does not learn the graph inside no_sync", "write no_sync=0")
    return uneven_batch(values)


def _memory(values: Values) -> dict[str, int]:
    batch, k = number(values["batch"]), number(values["micro_batches"])
    return replicated(values, samples=batch // k, no_sync=k > 1 and values["no_sync"] == 1)


def _unshown(values: Values, ran: Snapshot) -> str:
    """A rank that is slowed comes last, and by a good part of what it sleeps."""
    rank, ms = values["slow_rank"], values["slow_ms"]
    slept_s = shown.slept_s(ran, number(rank), float(ms or 0))
    if slept_s == 0 or number(rank) < 0 or number(values["ranks"]) < 2 or ran.slowest is None:
        return ""
    by, step = ran.slowest_by_s or 0.0, shown.step_s(ran) or 0.0
    if ran.slowest == rank and by > 0.2 * slept_s:
        return ""
    busy = shown.crowded(ran) or "the processor was busy"
    return (
        f"rank {rank} slept {shown.ms(slept_s)} in a step of {shown.ms(step)}, and rank {ran.slowest} came "
        f"last, by {shown.ms(by)}: {busy}, and who sleeps leaves a core to the others. slow_factor=2 shows it"
    )


SPEC = DemoSpec(
    "ddp",
    "Distributed data parallel: one small transformer, a replica per rank",
    DEMOS_DIR / "ddp.py",
    (
        *LAUNCH_PARAMS,
        *training(steps=200, layers=2),
        Param("bucket_mb", "float", 25.0, "size of a gradient bucket in MiB", 0.001, 1024, rank_arg=True),
        Param("micro_batches", "int", 1, "pieces the batch is cut into (k)", 1, 1024, rank_arg=True),
        Param("no_sync", "int", 0, "1: no all-reduce before the last piece", 0, 1, rank_arg=True),
        Param("static_graph", "int", 0, "1: every step uses the same parameters", 0, 1, rank_arg=True),
        Param("hook", "choice", "none", "what else is done to a bucket of gradients",
              choices=("none", "fp16", "bf16", "timed"), rank_arg=True),
        Param("shuffle", "int", 1, "0: deal the samples in their own order", 0, 1, rank_arg=True),
        Param("slow_rank", "int", -1, "rank to slow down (-1: none)", -1, 63, rank_arg=True),
        Param("slow_ms", "float", 0.0, "by how many milliseconds a step", 0, 10_000, rank_arg=True),
        Param("slow_factor", "float", 0.0, "by how many of its own steps, as they are before", 0, 100,
              rank_arg=True),
    ),
    unfit=_unfit,
    expects=lambda values: exactly(replica(values)),
    unshown=_unshown,
    memory=_memory,
    watch="the losses differ, for every rank reads its own samples; the checksums agree",
    when="the model, its optimizer state and a batch fit on every device: nothing is simpler or faster",
    alike=lambda values: {"shuffle": "0"},
    gpu="shared",
)  # fmt: skip

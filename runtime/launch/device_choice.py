"""Choose where ranks compute; `run_badge.py` says what the panel says about it.

The ladder goes down: a GPU for each rank, ranks that share a GPU, the CPU. What a demo can do is in its spec
(`DemoSpec.gpu`). That a GPU is there and not used, or shared, is said beside the badge.

Ranks on a GPU are never forked: CUDA does not survive a fork. Which rung is taken is tested without GPUs;
what then happens on a GPU is verified only by `tests/e2e/launch/test_gpu.py`, on a machine with one.
"""

from __future__ import annotations

import os
import sys
from typing import Literal, NamedTuple

from runtime.catalog import registry
from runtime.catalog.params import DemoSpec, Gpu, Refusal
from runtime.catalog.registry import Launchable
from runtime.launch import run_badge

CPU_AND_GPU = "cpu:gloo,cuda:nccl"  # NCCL has no collectives for what stays on the CPU
# A script of somebody's own that is to do without GPUs (`runtime.ranks.on_cpu`), even where there are some.
ON_CPU = (("TEACHRUN_ON_CPU", "1"), ("CUDA_VISIBLE_DEVICES", ""))
# Of every demo of ours; who has run one there takes it away.
UNTRIED = "not yet run on a GPU by its authors"
# From this version on NCCL takes several ranks on one GPU, where it is told to (its release notes).
NCCL_SHARES = (2, 30)


# Every node counts its ranks, and so its GPUs, from 0.
_ONE_MACHINES_GPUS = Refusal(
    "nodes that are played on one machine would take the same GPUs", "write device=cpu, or nodes=1"
)


class Placement(NamedTuple):
    """The badge of a run, the backend and device of its ranks, and what was bent, in words.

    `env` is what the ranks must find in their environment for it, `refusal` why there is no such place.
    """

    badge: str
    backend: str
    device: str
    bent: tuple[str, ...]
    env: tuple[tuple[str, str], ...] = ()
    refusal: Refusal | None = None


class Rung(NamedTuple):
    """A step of the ladder; `why` is what people should know about the choice, "" if nothing."""

    device: Literal["cpu", "cuda"]
    backend: str
    why: str = ""
    env: tuple[tuple[str, str], ...] = ()


def choose(
    ranks: int,
    gpu: Gpu,
    gpus: int,
    asked: str = "auto",
    *,
    nccl: tuple[int, ...] = (),
    system: str = sys.platform,
    stays: str = "",
) -> Rung | Refusal:
    """Where `ranks` ranks compute on a machine with `gpus` GPUs. `asked` is auto, cpu or gpu; `stays` as in
    the spec of a demo.

    Of several GPUs too few for all ranks none is used but by a demo that can share one: ranks of different
    speed would show the machine and not the idea.
    """
    there = f"{gpus} GPU{'s' if gpus != 1 else ''}"
    if asked == "cpu":
        return Rung("cpu", "gloo", f"{there} not asked for" if gpus else "")
    usable = gpus if system == "linux" else 0  # neither CUDA nor NCCL elsewhere
    if usable == 0:
        if asked == "gpu":
            return Refusal("there is no GPU here that ranks can use", "write device=cpu or leave it out")
        return Rung("cpu", "gloo")
    if gpu == "no":
        why = f"this demo computes on the CPU{stays and f': {stays}'}"
        if asked == "gpu":
            return Refusal(why, "write device=cpu or leave it out")
        return Rung("cpu", "gloo", f"{there} not used: {why}")
    if usable >= ranks:
        return Rung("cuda", CPU_AND_GPU)
    shared = f"{ranks} ranks share {there}"
    if gpu == "shared":
        return Rung("cuda", "gloo", f"{shared}, through memory of the CPU")
    if asked == "gpu":
        if nccl >= NCCL_SHARES:
            return Rung("cuda", CPU_AND_GPU, f"{shared}, an experiment of NCCL's",
                        (("NCCL_MULTI_RANK_GPU_ENABLE", "1"),))  # fmt: skip
        return Refusal(f"this demo needs a GPU for each rank, and here are {usable}", f"write ranks={usable}")
    return Rung("cpu", "gloo", f"{there} not used: too few for {ranks} ranks")


def cores() -> int:
    """Count the CPU cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_words(spec: DemoSpec) -> str:
    """What a demo does with GPUs."""
    if spec.gpu == "no":
        return f"no{spec.stays and f': {spec.stays}'}"
    can = "one for each rank" + (", or one that ranks share" if spec.gpu == "shared" else "")
    return f"{can}; {UNTRIED}" if untried(spec) else can


def untried(spec: DemoSpec | None) -> bool:
    """Whether a demo is one of ours; what others bring they have tried themselves."""
    return spec is not None and registry.DEMOS.get(spec.name) is spec


def may_use_gpu(demo: Launchable) -> bool:
    """Whether the GPUs have to be counted before `demo` is placed."""
    return demo.machines is None and (_can(demo) != "no" or demo.values.get("device") == "gpu")


def computes_on_gpus(demo: Launchable) -> bool:
    """Whether ranks of `demo` compute on the GPUs of a machine, this one or another, that has enough."""
    return _can(demo) != "no" and demo.values.get("device") != "cpu"


def place(demo: Launchable, gpus: int = 0, nccl: tuple[int, ...] = ()) -> Placement:
    """How `demo` will run on a machine with so many GPUs. A script of somebody's own chooses for itself."""
    if demo.launcher == "simulated":
        return Placement(run_badge.SIMULATED, "", "", ("no rank is real",))
    bent = [] if demo.builtin else ["your script"]
    if demo.machines is not None:  # each machine places its own
        return Placement(run_badge.live("cpu"), "gloo", "cpu", tuple(bent))
    asked = str(demo.values.get("device") or "auto") if demo.builtin else "cpu"
    one = demo.node
    if one is None and demo.nodes > 1 and asked == "gpu":
        return Placement(run_badge.live("cpu"), "gloo", "cpu", tuple(bent), refusal=_ONE_MACHINES_GPUS)
    theirs = gpus if demo.builtin and (one is not None or demo.nodes == 1) else 0
    ranks = demo.ranks if one is None else one.ranks  # of this machine
    spec = registry.find(demo.name) if demo.builtin else None
    stays = spec.stays if spec is not None else ""
    rung = choose(ranks, _can(demo), theirs, asked, nccl=nccl, stays=stays)
    if isinstance(rung, Refusal):
        return Placement(run_badge.live("cpu"), "gloo", "cpu", tuple(bent), refusal=rung)
    bent += [UNTRIED] if rung.device == "cuda" and untried(spec) else []
    bent += run_badge.bent(demo, rung.device, ranks, rung.why, cores())
    if not demo.builtin and demo.values.get("device") == "cpu":
        rung = rung._replace(env=ON_CPU)
    return Placement(run_badge.live(rung.device), rung.backend, rung.device, tuple(bent), rung.env)


def _can(demo: Launchable) -> Gpu:
    spec = registry.find(demo.name) if demo.builtin else None
    return spec.gpu if spec is not None else "no"

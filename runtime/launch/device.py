"""Choose where ranks compute, and what the panel says about it.

The ladder goes down: a GPU for each rank, ranks that share a GPU, the CPU. What a demo can do is in its spec
(`DemoSpec.gpu`). That a GPU is there and not used, or shared, is said beside the badge.

Ranks on a GPU are never forked: CUDA does not survive a fork. Which rung is taken is tested without GPUs;
what then happens on a GPU is verified only by `tests/e2e/launch/test_gpu.py`, on a machine with one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Literal, NamedTuple

from runtime.catalog import registry
from runtime.catalog.params import Gpu, Refusal
from runtime.catalog.registry import Launchable
from runtime.protocol.figures import Named
from runtime.protocol.link_speeds import UNLIMITED, in_words

PADDED = "padded as measured"  # a pad that a script finds by its own steps

CPU_AND_GPU = "cpu:gloo,cuda:nccl"  # NCCL has no collectives for what stays on the CPU
# A script of somebody's own that is to do without GPUs (`runtime.ranks.on_cpu`), even where there are some.
ON_CPU = (("TEACHRUN_ON_CPU", "1"), ("CUDA_VISIBLE_DEVICES", ""))
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
) -> Rung | Refusal:
    """Where `ranks` ranks compute on a machine with `gpus` GPUs. `asked` is auto, cpu or gpu.

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
        if asked == "gpu":
            return Refusal("this demo computes on the CPU", "write device=cpu or leave it out")
        return Rung("cpu", "gloo", f"{there} not used: this demo computes on the CPU")
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


def may_use_gpu(demo: Launchable) -> bool:
    """Whether the GPUs have to be counted before `demo` is placed."""
    return demo.machines is None and (_can(demo) != "no" or demo.values.get("device") == "gpu")


def place(demo: Launchable, gpus: int = 0, nccl: tuple[int, ...] = ()) -> Placement:
    """How `demo` will run on a machine with so many GPUs. A script of somebody's own chooses for itself."""
    if demo.launcher == "simulated":
        return Placement("SIMULATED", "", "", ("no rank is real",))
    bent = [] if demo.builtin else ["your script"]
    if demo.machines is not None:  # each machine places its own
        return Placement("LIVE CPU", "gloo", "cpu", tuple(bent))
    asked = str(demo.values.get("device") or "auto") if demo.builtin else "cpu"
    one = demo.node
    if one is None and demo.nodes > 1 and asked == "gpu":
        return Placement("LIVE CPU", "gloo", "cpu", tuple(bent), refusal=_ONE_MACHINES_GPUS)
    theirs = gpus if demo.builtin and (one is not None or demo.nodes == 1) else 0
    ranks = demo.ranks if one is None else one.ranks  # of this machine
    rung = choose(ranks, _can(demo), theirs, asked, nccl=nccl)
    if isinstance(rung, Refusal):
        return Placement("LIVE CPU", "gloo", "cpu", tuple(bent), refusal=rung)
    if rung.why:
        bent.append(rung.why)
    if rung.device == "cpu" and ranks > cores():
        bent.append(f"{ranks} ranks on {cores()} core{'s' if cores() > 1 else ''}")
    if one is not None:
        bent.append(one.note)
    elif demo.nodes > 1:
        why = f": {demo.stays}" if demo.stays else ""
        bent.append(f"{demo.nodes} nodes x {demo.ranks // demo.nodes} ranks, on one machine{why}")
    if demo.network == "netns":
        shaped = f" shaped to {in_words(demo.link)}" if demo.link != UNLIMITED else ""
        late = f", {demo.latency_s * 1000:g} ms each way" if demo.latency_s else ""
        bent.append(f"nodes in network namespaces, joined by a link{shaped}{late}")
    rank = demo.values.get("slow_rank")
    if isinstance(rank, int) and rank >= 0:
        slowed = ((demo.values.get("slow_ms"), "ms"), (demo.values.get("slow_factor"), "of its steps"))
        much = [f"{by:g} {unit}" for by, unit in slowed if isinstance(by, int | float) and by > 0]
        bent += [f"rank {rank} slowed {' and '.join(much)}"] if much else []
    pad_ms, pause_ms = demo.values.get("pad_ms"), demo.values.get("pause_ms")
    if pad_ms == "auto" and ranks > cores():  # as the script decides it (`demos.padded`)
        bent.append(PADDED)
    if isinstance(pad_ms, int | float) and pad_ms > 0:
        bent.append(f"padded {pad_ms:g} ms")
    if isinstance(pause_ms, int | float) and pause_ms > 0:
        bent.append(f"paused {pause_ms:g} ms")  # to look at; no work is lengthened
    link_mbit = demo.values.get("link_mbit")
    if isinstance(link_mbit, int | float) and link_mbit > 0:
        can = sys.platform == "linux"  # as the script decides it (`demos.links`)
        bent.append(f"links paced to {link_mbit:g} Mbit/s" if can else "links not paced: only Linux can")
    if not demo.builtin and demo.values.get("device") == "cpu":
        rung = rung._replace(env=ON_CPU)
    badge = "LIVE GPU" if rung.device == "cuda" else "LIVE CPU"
    return Placement(badge, rung.backend, rung.device, tuple(bent), rung.env)


def as_measured(bent: tuple[str, ...], said: Iterable[Named]) -> tuple[str, ...]:
    """What was bent, with the figures that the ranks have found for it meanwhile."""
    for named in said:
        ms = {rank: own[-1] for rank, own in enumerate(named.ranks) if own}
        if named.name == "padded" and ms:
            bent = tuple(f"padded {max(ms.values()):.0f} ms" if word == PADDED else word for word in bent)
        elif named.name == "slowed":
            for rank, slept in ms.items():
                start = f"rank {rank} slowed "
                bent = tuple(f"{start}{slept:.0f} ms" if w.startswith(start) else w for w in bent)
    return bent


def _can(demo: Launchable) -> Gpu:
    spec = registry.find(demo.name) if demo.builtin else None
    return spec.gpu if spec is not None else "no"

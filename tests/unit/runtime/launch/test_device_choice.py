"""The ladder from a GPU for each rank down to the CPU, with no GPU at hand; and how GPUs are counted."""

from __future__ import annotations

import stat
import sys
import types
from dataclasses import replace
from pathlib import Path

import pytest

from runtime.catalog import registry
from runtime.catalog.machines import Machines
from runtime.catalog.params import Gpu, Refusal
from runtime.catalog.registry import Launchable
from runtime.launch import device_choice, gpus
from runtime.launch.device_choice import CPU_AND_GPU, Rung, choose, place
from runtime.protocol.events import Hello
from runtime.supervision.run import Run


@pytest.mark.parametrize(
    ("ranks", "gpu", "there", "asked", "rung"),
    [
        (4, "shared", 0, "auto", ("cpu", "gloo", "")),
        (4, "shared", 4, "auto", ("cuda", CPU_AND_GPU, "")),
        (4, "own", 8, "auto", ("cuda", CPU_AND_GPU, "")),
        (1, "own", 1, "auto", ("cuda", CPU_AND_GPU, "")),
        (4, "shared", 1, "auto", ("cuda", "gloo", "4 ranks share 1 GPU, through memory of the CPU")),
        (4, "own", 1, "auto", ("cpu", "gloo", "1 GPU not used: too few for 4 ranks")),
        (4, "own", 2, "auto", ("cpu", "gloo", "2 GPUs not used: too few for 4 ranks")),
        (4, "no", 8, "auto", ("cpu", "gloo", "8 GPUs not used: this demo computes on the CPU")),
        (4, "shared", 8, "cpu", ("cpu", "gloo", "8 GPUs not asked for")),
        (4, "shared", 0, "cpu", ("cpu", "gloo", "")),
    ],
)
def test_the_rungs(ranks: int, gpu: Gpu, there: int, asked: str, rung: tuple[str, str, str]) -> None:
    found = choose(ranks, gpu, there, asked, system="linux")
    assert isinstance(found, Rung) and found[:3] == rung


@pytest.mark.parametrize(
    ("ranks", "gpu", "there", "system", "why", "mend"),
    [
        (4, "shared", 0, "linux", "there is no GPU here", "device=cpu"),
        (4, "shared", 1, "darwin", "there is no GPU here", "device=cpu"),
        (4, "no", 1, "linux", "this demo computes on the CPU", "device=cpu"),
        (4, "own", 2, "linux", "here are 2", "ranks=2"),
    ],
)
def test_a_gpu_that_cannot_be_had_is_refused_in_words(
    ranks: int, gpu: Gpu, there: int, system: str, why: str, mend: str
) -> None:
    found = choose(ranks, gpu, there, "gpu", system=system)
    assert isinstance(found, Refusal) and why in found.why and mend in found.mend


def test_nccl_shares_a_gpu_only_when_asked_to_and_able() -> None:
    found = choose(4, "own", 1, "gpu", nccl=(2, 30, 7), system="linux")
    assert isinstance(found, Rung) and found.env == (("NCCL_MULTI_RANK_GPU_ENABLE", "1"),)
    assert "experiment" in found.why
    assert isinstance(choose(4, "own", 1, "gpu", nccl=(2, 29, 3), system="linux"), Refusal)
    auto = choose(4, "own", 1, "auto", nccl=(2, 30, 7), system="linux")
    assert isinstance(auto, Rung) and auto.device == "cpu"


def demo(name: str, **params: str) -> Launchable:
    checked = registry.check(name, params)
    assert isinstance(checked, Launchable)
    return checked


def test_a_placement_says_what_was_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_choice, "cores", lambda: 2)
    monkeypatch.setattr(sys, "platform", "linux")
    fsdp = demo("fsdp", ranks="4")
    assert place(fsdp) == ("LIVE CPU", "gloo", "cpu", ("4 ranks on 2 cores",), (), None)
    assert place(fsdp, 4) == ("LIVE GPU", CPU_AND_GPU, "cuda", (device_choice.UNTRIED,), (), None)
    assert place(fsdp, 1).bent == ("1 GPU not used: too few for 4 ranks", "4 ranks on 2 cores")
    refused = place(demo("fsdp", device="gpu"))
    assert refused.refusal is not None and refused.badge == "LIVE CPU"
    assert device_choice.may_use_gpu(fsdp) and not device_choice.may_use_gpu(demo("ringtree"))
    assert device_choice.may_use_gpu(demo("ringtree", device="gpu"))


def test_a_demo_that_stays_on_the_cpu_says_why() -> None:
    """On GPUs nobody has run one yet, and that is said too."""
    for name, spec in registry.DEMOS.items():
        assert (spec.gpu == "no") == bool(spec.stays), name
        assert device_choice.in_words(spec).endswith(spec.stays or device_choice.UNTRIED)
    refused = place(demo("ringtree", device="gpu"), 8).refusal
    assert refused is not None and refused.why == (
        "this demo computes on the CPU: NCCL goes past the sockets whose rate it sets"
    )


def test_what_only_holds_on_the_cpu_is_not_promised_of_a_gpu() -> None:
    run = Run("b", demo("single"))
    assert {"params", "peak", "activations"} <= set(run.formula)
    run.placement = place(run.demo, 1)
    assert run.placement.device == "cuda" and set(run.formula) == {"params", "grads", "optimizer_bytes"}
    assert run.snapshot().bent.count(device_choice.UNTRIED) == 1


def test_ranks_of_other_machines_say_that_they_compute_on_gpus() -> None:
    """Where each machine places its own, the CPU is what is planned here."""
    machines = Machines(("a", "b"), "a", 29400)
    run = Run("b", replace(demo("ringtree"), machines=machines))
    assert device_choice.UNTRIED not in run.snapshot().bent
    run = Run("b", replace(demo("single"), machines=machines))
    assert "peak" in run.snapshot().formula and device_choice.UNTRIED not in run.snapshot().bent
    run.store.ingest(
        Hello(run.id, 1, 0, run.now(), 1, 0, 0, 1, 4711, "cuda:0", "nccl", run.now(), 0.0, ""), run.now()
    )
    shown = run.snapshot()
    assert (shown.badge, set(shown.formula)) == ("LIVE GPU", {"params", "grads", "optimizer_bytes"})
    assert shown.bent.count(device_choice.UNTRIED) == 1


def test_who_stays_on_the_cpu_does_not_mind_what_gpus_there_are() -> None:
    assert device_choice.computes_on_gpus(demo("fsdp")) and not device_choice.computes_on_gpus(
        demo("fsdp", device="cpu")
    )
    for name in ("ringtree", "interconnect", "deepspeed"):
        stays = registry.check(name, {}, here=False)
        assert isinstance(stays, Launchable) and not device_choice.computes_on_gpus(stays), name


def test_nobody_is_asked_where_there_is_no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    monkeypatch.setattr(gpus, "counted", None)
    monkeypatch.setattr(gpus, "DRIVER", ("/nowhere/nvidia",))
    monkeypatch.setattr(gpus, "ask", lambda: pytest.fail("somebody was asked"))
    assert asyncio.run(gpus.count()) == 0


def test_a_driver_that_hangs_costs_three_seconds_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import asyncio
    import time

    asked = []

    def hangs() -> int:
        asked.append(1)
        time.sleep(0.3)
        return 8

    monkeypatch.setattr(gpus, "counted", None)
    monkeypatch.setattr(gpus, "DRIVER", (str(tmp_path),))
    monkeypatch.setattr(gpus, "TIMEOUT_S", 0.05)
    monkeypatch.setattr(gpus, "ask", hangs)

    async def twice() -> list[int]:
        return [await gpus.count(), await gpus.count()]

    assert asyncio.run(twice()) == [0, 0] and asked == [1]


def test_two_runs_that_ask_at_once_are_told_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio

    monkeypatch.setattr(gpus, "counted", None)
    monkeypatch.setattr(gpus, "DRIVER", (str(tmp_path),))
    monkeypatch.setattr(gpus, "ask", lambda: 4)

    async def both() -> list[int]:
        return await asyncio.gather(gpus.count(), gpus.count())

    assert asyncio.run(both()) == [4, 4]


def test_the_management_library_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    nvml = types.SimpleNamespace(
        nvmlInit=lambda: None, nvmlDeviceGetCount=lambda: 3, nvmlShutdown=lambda: None
    )
    monkeypatch.setitem(sys.modules, "pynvml", nvml)  # type: ignore[arg-type]
    assert gpus.ask() == 3


def test_nvidia_smi_comes_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)  # type: ignore[arg-type]
    program = tmp_path / "nvidia-smi"
    program.write_text("#!/bin/sh\necho 'GPU 0: NVIDIA H100 (UUID: GPU-1)'\necho 'GPU 1: NVIDIA H100'\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert gpus.ask() == 2
    program.write_text("#!/bin/sh\necho 'NVIDIA-SMI has failed'\nexit 9\n")
    assert gpus.ask() == 0
    program.unlink()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert gpus.ask() == 0


def test_a_listing_is_a_line_a_gpu() -> None:
    assert gpus.listed_gpus("No devices found.\n") == 0
    assert gpus.listed_gpus("GPU 0: A\n  MIG 1g.5gb Device 0: (UUID: MIG-1)\nGPU 1: B\n") == 2

"""What one GPU can check of all that is said of GPUs: `pytest -m gpu tests/e2e/launch/test_gpu.py`.

Only torch, pytest, msgspec and psutil are needed: no screen. What takes several GPUs (NCCL between them) is
unverified.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from folders import own_folders

torch = pytest.importorskip("torch")

from runtime import paths  # noqa: E402
from runtime.catalog import registry  # noqa: E402
from runtime.catalog.registry import Launchable  # noqa: E402
from runtime.launch import device_choice, gpus  # noqa: E402
from runtime.launch.device_choice import CPU_AND_GPU, place  # noqa: E402
from runtime.protocol.events import AnyEvent, Event, Gpu, Memory, Step, XRay  # noqa: E402
from runtime.protocol.messages import Snapshot  # noqa: E402
from runtime.supervision.run import Run  # noqa: E402
from runtime.supervision.supervisor import Supervisor  # noqa: E402

pytestmark = [pytest.mark.gpu, pytest.mark.slow, pytest.mark.timeout(300)]
STEPS = 40


@pytest.fixture(scope="module", autouse=True)
def home() -> Iterator[Path]:
    if not torch.cuda.is_available():
        pytest.skip("no GPU here")
    with own_folders() as home:
        yield home


def demo(name: str = "ddp", **params: object) -> Launchable:
    wanted = {"ranks": 1, "steps": STEPS, **params}
    checked = registry.check(name, {key: str(value) for key, value in wanted.items()})
    assert isinstance(checked, Launchable), checked
    return checked


async def _ran(wanted: Launchable, xray: int | None) -> tuple[Snapshot, list[Event]]:
    seen: list[Event] = []

    def take(run: Run, events: object) -> None:
        seen.extend(events)  # type: ignore[arg-type]

    supervisor = Supervisor("gpu", paths.rank_socket("gpu"), on_events=take)
    await supervisor.start()
    try:
        run = await supervisor.launch("b", wanted)
        if xray is not None:
            run.store.xrays.order(xray)
        await asyncio.wait_for(run.over.wait(), 240)
        return run.snapshot(), seen
    finally:
        assert await supervisor.close() == 0


def ran(wanted: Launchable, xray: int | None = None) -> tuple[Snapshot, list[Event]]:
    shown, seen = asyncio.run(_ran(wanted, xray))
    assert shown.state == "done", (shown.why, shown.logs)
    return shown, seen


@pytest.fixture(scope="module")
def on_gpu(home: Path) -> tuple[Snapshot, list[Event]]:
    return ran(demo(device="gpu"), xray=20)


@pytest.fixture(scope="module")
def on_cpu(home: Path) -> tuple[Snapshot, list[Event]]:
    return ran(demo(device="cpu"))


def losses(events: list[AnyEvent] | list[Event]) -> list[float]:
    return [e.loss for e in events if isinstance(e, Step) and e.loss is not None]


def test_the_gpus_are_counted_without_torch() -> None:
    assert gpus.ask() == torch.cuda.device_count() >= 1
    assert asyncio.run(gpus.count()) >= 1


def test_the_ladder_puts_one_rank_on_the_gpu_and_says_so(on_gpu: tuple[Snapshot, list[Event]]) -> None:
    placed = place(demo(), torch.cuda.device_count())
    assert (placed.badge, placed.backend, placed.device) == ("LIVE GPU", CPU_AND_GPU, "cuda")
    shown, _ = on_gpu
    assert shown.badge == "LIVE GPU" and shown.device.startswith("cuda")
    assert device_choice.may_use_gpu(demo())


def test_the_losses_are_those_of_the_cpu(
    on_gpu: tuple[Snapshot, list[Event]], on_cpu: tuple[Snapshot, list[Event]]
) -> None:
    """The same seeds, model and samples; another order of additions."""
    gpu, cpu = losses(on_gpu[1]), losses(on_cpu[1])
    assert len(gpu) == len(cpu) == STEPS
    assert gpu[:10] == pytest.approx(cpu[:10], rel=1e-3)
    assert gpu[-1] == pytest.approx(cpu[-1], rel=0.05)


def test_memory_is_the_allocators(on_gpu: tuple[Snapshot, list[Event]]) -> None:
    shown, events = on_gpu
    weighed = [e for e in events if isinstance(e, Memory)]
    assert weighed and all(e.peak and e.reserved and e.limit for e in weighed)
    assert all(e.peak <= e.reserved <= e.limit for e in weighed)  # type: ignore[operator]
    row = shown.rows[0]
    held = (row.params or 0) + (row.grads or 0) + (row.optimizer_bytes or 0) + (row.activations or 0)
    assert row.peak is not None and 0.8 * held <= row.peak <= 2.0 * held
    assert row.params == shown.formula["params"]
    total = torch.cuda.get_device_properties(0).total_memory
    assert {e.limit for e in weighed} == {total}


def test_phases_are_timed_on_the_device_and_sum_to_the_step(on_gpu: tuple[Snapshot, list[Event]]) -> None:
    steps = [e for e in on_gpu[1] if isinstance(e, Step)][5:]
    for step in steps:
        parts = step.data + step.forward + step.backward + step.optimizer + step.other
        assert parts == pytest.approx(step.t - step.t0)
        assert min(step.forward, step.backward, step.optimizer) > 0
        assert step.other >= -1e-3


def test_device_time_is_the_time_of_the_work() -> None:
    """A product of known work, twice as often, takes twice as long on the device, and no time to ask for."""
    from runtime.ranks.sensors.gpu_timing import DeviceTime

    a = torch.ones(4096, 4096, device="cuda")
    clock = DeviceTime()
    for _ in range(3):
        a @ a
    clock.settle()
    for phase, times in (("forward", 10), ("backward", 20)):
        begun = clock.begin()
        for _ in range(times):
            a @ a
        clock.end(phase, begun)
    spent = clock.settle()
    assert spent["backward"] / spent["forward"] == pytest.approx(2, rel=0.15)


def test_the_x_ray_shows_kernels_and_the_peak_of_the_device(on_gpu: tuple[Snapshot, list[Event]]) -> None:
    shown, events = on_gpu
    assert shown.xray is not None and shown.xray.state == "ready", shown.xray
    (seen,) = [e for e in events if isinstance(e, XRay)]
    kinds = {mark[0] for mark in seen.marks}
    assert {"forward", "backward", "optimizer"} <= kinds
    assert all(seen.t0 - 0.01 <= t0 <= t1 <= seen.t1 + 0.01 for _, t0, t1, _ in seen.marks)
    assert seen.peak is not None and seen.peak == pytest.approx(shown.rows[0].peak, rel=0.5)
    trace = json.loads(Path(shown.xray.trace).read_text())["traceEvents"]
    assert any(event.get("cat") == "kernel" for event in trace)
    names = {e["args"]["name"] for e in trace if e["name"] == "process_name"}
    assert "rank 0" in names and any(name.startswith("rank 0 device") for name in names)


def test_the_gauges_are_read_where_there_is_a_library(on_gpu: tuple[Snapshot, list[Event]]) -> None:
    pytest.importorskip("pynvml")
    read = [e for e in on_gpu[1] if isinstance(e, Gpu)]
    assert read and all(e.memory and e.memory > 0 for e in read)
    assert all(e.util is None or 0 <= e.util <= 1 for e in read)
    assert on_gpu[0].rows[0].gpu is not None


def test_two_ranks_share_the_gpu_through_gloo() -> None:
    if torch.cuda.device_count() != 1:
        pytest.skip("more than one GPU: nothing is shared")
    shown, events = ran(demo(ranks=2))
    assert shown.badge == "LIVE GPU" and "2 ranks share 1 GPU, through memory of the CPU" in shown.bent
    assert len(losses(events)) == 2 * STEPS


@pytest.mark.parametrize("name", sorted(name for name, spec in registry.DEMOS.items() if spec.gpu != "no"))
def test_every_demo_that_may_goes_through_its_steps_on_as_many_gpus_as_there_are(name: str) -> None:
    """One rank on one GPU, else two and as many as a power of two allows; what it checks itself is right."""
    gpu_count = torch.cuda.device_count()
    for ranks in sorted({1, 1 << (gpu_count.bit_length() - 1)} | ({2} if gpu_count > 1 else set())):
        asked = {"ranks": str(ranks), "device": "gpu"}
        asked |= {"pause_ms": "0"} if registry.DEMOS[name].param("pause_ms") is not None else {}
        asked |= {"kill_rank": "-1"} if name == "failover" else {}
        checked = registry.check(name, asked)
        if not isinstance(checked, Launchable):
            continue  # such as a mesh of too few
        shown, _ = ran(checked)
        assert shown.badge == "LIVE GPU" and device_choice.UNTRIED in shown.bent
        for row in shown.rows:
            said = row.result or {}
            off = [said[what] for what in ("gradient_difference", "max_difference") if what in said]
            assert all(isinstance(much, float | int) and much < 1e-2 for much in off), (ranks, said)
            assert not said.get("wrong")


def test_the_script_alone_finds_the_gpu() -> None:
    script = Path(registry.DEMOS["ddp"].file)
    env = {name: value for name, value in os.environ.items() if not name.startswith("TEACHRUN")}
    done = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=1", str(script),
         "--steps", "11"],
        env=env, capture_output=True, text=True, timeout=200,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "step   10" in done.stdout

"""The x-ray of a real run: one step of all ranks, the allocator's peak beside the formula, one trace file."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from live_run import BLOCK, Live, demo, launch
from teachrun_process import teachrun
from waiting import until

from runtime.catalog.specs.sizes import tinylm_block
from runtime.protocol.figures import XRay
from runtime.protocol.messages import TakeXRay
from runtime.supervision.supervisor import Supervisor

pytestmark = pytest.mark.slow
in_one_loop = pytest.mark.asyncio(loop_scope="session")
NARROW = {"width": 128, "layers": 4}
WITHIN = 0.05  # of the formula for memory against the allocator


async def looked_at(supervisor: Supervisor, name: str, **params: object) -> tuple[Live, XRay]:
    """A demo that trains, its first steps behind it, and the x-ray of one of the next."""
    live = await launch(supervisor, demo(name, steps=1_000_000, **params))
    await live.trains(3)
    assert supervisor.control.obey(TakeXRay(BLOCK)) is None
    await until(lambda: live.shown.xray is not None and live.shown.xray.state != "taking", "the x-ray")
    found = live.shown.xray
    assert found is not None and found.state == "ready", found
    await until(lambda: bool(live.shown.xray and live.shown.xray.trace), "the joined trace")
    assert live.shown.xray is not None
    return live, live.shown.xray


@pytest.mark.parametrize(
    ("name", "params"),
    [
        # (ddp and single at their own size: closer, in `test_memory_check`.)
        ("ddp", {"ranks": 2, "micro_batches": 4}),
        ("single", {"width": 256, "batch": 2, "optimizer": "momentum"}),
        ("zero", {"ranks": 2, "stage": 1, **NARROW}),
        ("zero", {"ranks": 2, "stage": 2, **NARROW}),
        ("zero", {"ranks": 2, "stage": 3, **NARROW}),
        ("hsdp", {"ranks": 4, **NARROW}),
    ],
)
@in_one_loop
async def test_the_formula_is_what_the_allocator_gives(
    supervisor: Supervisor, name: str, params: dict[str, object]
) -> None:
    """Each kind by itself is what the ledger finds; all together at once is the allocator's peak.

    Where every block's gradients are sent on their own, gloo's threads decide how many of them are there at
    once: none waits for another, so that a rank ahead of the others may hold some of each.
    See `fully_sharded`.
    """
    live, seen = await looked_at(supervisor, name, **params)
    formula = live.shown.formula
    least = most = 0
    if formula["gathered"]:
        values = live.run.demo.values
        least, most = tinylm_block(values) * 4, tinylm_block(values) * 4 * int(str(values["layers"]))
    for rank, peak in enumerate(seen.peaks):
        assert peak is not None
        low, high = (formula["peak"] - least) * (1 - WITHIN), (formula["peak"] + most) * (1 + WITHIN)
        assert low <= peak <= high, rank
    for row in live.shown.rows:
        for kind in ("params", "grads", "optimizer_bytes", "activations", "gathered"):
            slack = WITHIN if kind != "optimizer_bytes" or params.get("stage") != 1 else 0.2
            assert getattr(row, kind) == pytest.approx(formula[kind], rel=slack), (row.rank, kind)
    await live.stop()


@in_one_loop
async def test_one_step_of_every_rank_in_one_file(supervisor: Supervisor) -> None:
    live, seen = await looked_at(supervisor, "ddp", ranks=3, width=64, bucket_mb=0.1)
    assert len(seen.lanes) == 3 and all(seen.lanes)
    for lane in seen.lanes:
        kinds = {mark.kind for mark in lane}
        assert {"forward", "backward", "optimizer", "all-reduce"} <= kinds and len(lane) <= 300
        assert all(-0.05 <= mark.t0 <= mark.t1 <= seen.span_s + 0.05 for mark in lane)
    # The same all-reduce on all ranks ends after the last of them has begun it: one clock, true spans.
    reduces = [[m for m in lane if m.kind == "all-reduce"] for lane in seen.lanes]
    assert len({len(lane) for lane in reduces}) == 1
    for same in zip(*reduces, strict=True):
        assert max(mark.t0 for mark in same) <= min(mark.t1 for mark in same)
    run = supervisor.runs[BLOCK]
    folder = run.log_dir.parent
    assert seen.trace == str(folder / f"xray-{seen.step}.json")
    assert [file.name for file in folder.glob("xray-*")] == [f"xray-{seen.step}.json"]
    events = json.loads(Path(seen.trace).read_text())["traceEvents"]
    names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    assert names == {0: "rank 0", 1: "rank 1", 2: "rank 2"}
    arrows = [e for e in events if e.get("cat") == "collective"]
    assert len(arrows) == 3 * len(reduces[0])
    # The profiler left nothing in the logs, and the class goes on.
    assert not any("USDT" in line or "Memory block" in line for line in live.shown.logs)
    await live.trains(3)
    assert (await live.stop()).state == "stopped"


@in_one_loop
async def test_a_run_that_ends_before_the_step_says_that_there_is_none(supervisor: Supervisor) -> None:
    live = await launch(supervisor, demo("ddp", ranks=2, width=32, layers=1, steps=40))
    await live.trains(1)
    supervisor.control.obey(TakeXRay(BLOCK))
    supervisor.runs[BLOCK].store.xrays.order(10_000)  # nobody gets there
    await until(lambda: live.shown.state == "done", "its end")
    assert live.shown.xray is not None and live.shown.xray.state in ("failed", "ready")
    await asyncio.sleep(0)


def test_headless_at_a_step_named_before(home: Path) -> None:
    demo = ["ddp", "ranks=2", "width=32", "layers=1", "seq=16", "batch=2", "steps=6"]
    code, out, err = teachrun("run", *demo, "--xray", "3", "--json")
    assert code == 0, err
    seen = json.loads(out)["xray"]
    assert (seen["state"], seen["step"]) == ("ready", 3)
    assert len(seen["peak_bytes"]) == 2 and seen["formula_bytes"] > 0
    assert json.loads(Path(seen["trace"]).read_text())["traceEvents"]

"""Scripts as users bring them, unchanged, heard by ranks of the warm fork server: true figures in the panel.

What torchrun adds to it, a process a rank and none of our names on its path, is in `test_scripts.py`, which
has one of these scripts and others started by `teachrun run`. Here only their start is another
(`tests/scripts/heard.py`): what hears them, the supervisor and what is told of the run are the program's own.
"""

from __future__ import annotations

import math
import shlex
from pathlib import Path

import pytest
from live_run import Heard, demo, forked, launch
from told import PARTS, THEIRS, Told

from runtime.protocol.events import as_dict
from runtime.supervision.supervisor import Supervisor
from tui.reports.runs.run_json import finite, summary

pytest.importorskip("torch")
pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]


class Ranks:
    """Runs scripts on two ranks each."""

    def __init__(self, supervisor: Supervisor, heard: Heard) -> None:
        self._supervisor, self._heard = supervisor, heard

    async def ran(self, script: str, *words: str) -> Told:
        """What was told of the run, which has ended well."""
        asked = demo(str(THEIRS / script), ranks=2, args=shlex.join(words))
        events = self._heard.events = []
        try:
            run = await (await launch(self._supervisor, forked(asked))).ended()
        finally:
            self._heard.events = None
        assert run.state == "done", (run.why, run.snapshot().logs)
        return Told(finite(summary(run.snapshot())), [finite(as_dict(event)) for event in events])


@pytest.fixture
def ranks(supervisor: Supervisor, heard: Heard) -> Ranks:
    return Ranks(supervisor, heard)


async def test_a_server_and_workers_without_an_optimizer(ranks: Ranks) -> None:
    ran = await ranks.ran("parameter_server.py")
    size = 4 * (64 * 128 + 128 + 128 + 1)
    server, worker = ran.ranks
    assert [row["steps"] for row in ran.ranks] == [20, 20]
    assert (server["loss"], server["optimizer_bytes"], worker["optimizer_bytes"]) == (None, 2 * size, 0)
    assert worker["params_bytes"] == worker["grads_bytes"] == size and worker["activations_bytes"] > 0
    assert ran.bytes_of(7) == ran.bytes_of(7, rank=1) == {"send": size, "receive": size}
    printed = [float(line.split()[-1]) for line in ran.log(1).splitlines() if line.startswith("step")]
    assert printed == pytest.approx(ran.losses(1)[::5], abs=1e-6)
    # A reply is the end of a worker's step and the begin of the server's next, which knows who waited.
    assert sum(server[part] for part in PARTS) == pytest.approx(server["step_s"])


async def test_a_small_gpt_with_accumulation_and_checkpoints(ranks: Ranks, tmp_path: Path) -> None:
    ran = await ranks.ran("small_gpt.py", "--out", str(tmp_path), "--steps", "12", "--accumulate", "4")
    ran.fills_the_panel(steps=12)  # of the optimizer, not of its 48 micro-batches
    row = ran.ranks[0]
    assert row["optimizer_bytes"] == 2 * row["params_bytes"] and row["grads_bytes"] == 2 * row["params_bytes"]
    for step in (2, 11):
        assert ran.bytes_of(step) == {"all-reduce": row["params_bytes"]}  # once for four micro-batches
    assert ran.found["equal"] is True
    losses = [loss for loss in ran.losses() if loss is not None]
    assert len(losses) == 12 and losses[-1] < losses[0] / 2  # the mean of the four, not a quarter of it
    assert row["loss"] == pytest.approx(float(ran.log().rsplit(maxsplit=1)[-1]), rel=0.5)
    assert row["data_s"] == 0  # no DataLoader: its own `get_batch` is `other`
    assert (tmp_path / "checkpoint.pt").stat().st_size > 3 * row["params_bytes"]


async def test_fully_sharded_data_parallel(ranks: Ranks) -> None:
    ran = await ranks.ran("sharded.py")
    ran.fills_the_panel(steps=8)
    layer = 4 * 2 * 256 * 512
    whole = 3 * layer
    for row in ran.ranks:
        assert row["params_bytes"] == row["grads_bytes"] == whole // 2
        assert row["optimizer_bytes"] == whole
        assert layer <= row["gathered_bytes"] <= whole
        assert row["checksum"] is None  # shards are not compared
    # All layers forward; backward gathers again what was freed. The gradients once.
    assert ran.bytes_of(5) == {"all-gather": 2 * whole, "reduce-scatter": whole}
    assert ran.found["equal"] is None
    printed = [float(line.split()[-1]) for line in ran.log().splitlines()]
    assert printed == pytest.approx(ran.losses(), abs=1e-4)


async def test_a_pipeline(ranks: Ranks) -> None:
    ran = await ranks.ran("pipelined.py")
    ran.fills_the_panel(steps=6, has_loss=(1,))  # the last stage has it
    printed = [float(line.split()[-1]) for line in ran.log(1).splitlines()]
    assert printed == pytest.approx(ran.losses(1), abs=1e-5)  # the mean of its micro-batches
    assert ran.found["equal"] is None  # the stages are different by design
    for rank, first in ((0, "send"), (1, "receive")):
        assert ran.ranks[rank]["params_bytes"] == ran.ranks[rank]["grads_bytes"] == 4 * 2 * (64 * 64 + 64)
        second = "receive" if first == "send" else "send"
        # Four micro-batches of 4 x 64 numbers there, their gradients back.
        assert ran.bytes_of(3, rank) == {first: 4 * 4 * 64 * 4, second: 4 * 4 * 64 * 4}
        spans = [(span["kind"], span["microbatch"]) for span in ran.of("span", rank) if span["step"] == 3]
        assert sorted(spans) == [(kind, n) for kind in "BF" for n in range(4)]
        assert {span["stage"] for span in ran.of("span", rank)} == {rank}


@pytest.mark.parametrize(("late", "lr"), [(1, "0.1"), (0, "1e30")])
async def test_one_training_after_the_other(ranks: Ranks, late: int, lr: str) -> None:
    ran = await ranks.ran("one_after_other.py", "--late", str(late), "--lr", lr)
    first, second = ran.found["trainings"]
    # Two that were there from the begin: the first three steps of the second are heard as one.
    lost = 0 if late else 2
    assert (first["first_step"], first["steps"]) == (0, 6)
    assert (second["first_step"], second["steps"]) == (6, 8 - lost)
    assert [row["steps"] for row in ran.ranks] == [14 - lost] * 2
    printed = [line.split() for line in ran.log().splitlines() if line.startswith(("first", "second"))]
    told = [float(words[2]) for words in printed]
    numbers = [math.nan if loss is None else loss for loss in ran.losses()]  # JSON has no word for it
    known = [loss if math.isfinite(loss) else math.nan for loss in told]
    assert known[:6] + known[6 + lost :] == pytest.approx(numbers, abs=1e-4, nan_ok=True)
    assert first["loss"] == pytest.approx(told[5], abs=1e-4)
    for row in ran.ranks:
        # The memory of the second alone: BatchNorm's mean, variance and count of steps are no parameters.
        assert row["params_bytes"] == 4 * (256 + 1 + 2)
        assert row["buffers_bytes"] == 4 * 2 + 8
    assert {event["training"] for event in ran.of("step")} == {0, 1}
    assert f"training 2 of this script began with step {6}" in ran.found["remarks"]
    if lr == "1e30":  # a loss that is not a number is said first
        since = next(n for n, loss in enumerate(numbers) if math.isnan(loss))
        remark = ran.found["remarks"][0]
        assert remark.startswith("loss is ") and remark.endswith(f"since step {since}")
        assert ran.ranks[0]["loss"] is None


async def test_ranks_that_train_alone_with_a_closure(ranks: Ranks) -> None:
    ran = await ranks.ran("closure.py")
    for rank, row in enumerate(ran.ranks):
        assert row["steps"] == 6
        printed = [float(line) for line in ran.log(rank).splitlines() if line[:1].isdigit()]
        # What LBFGS returns is the loss at the begin of the step, of some five that it looks at.
        assert printed == pytest.approx(ran.losses(rank), abs=1e-5)
        assert row["params_bytes"] == row["grads_bytes"] == 4 * (10 * 32 + 32 + 32 + 1)
        assert row["activations_bytes"] > 0 and row["buffers_bytes"] == 0
        told = ran.of("step", rank)
        assert all(e["forward"] > 0 and e["backward"] > 0 and e["optimizer"] > 0 for e in told)
    assert ran.found["remarks"] == ["the ranks do not communicate: no collective so far, each trains alone"]
    assert (ran.found["slowest"], ran.found["equal"]) == (None, None)


async def test_worker_processes_of_loaders(ranks: Ranks) -> None:
    ran = await ranks.ran("workers.py")
    ran.fills_the_panel(steps=2 * 6)
    assert "4 forked workers" in ran.log()
    assert len({event["pid"] for event in ran.of("hello")}) == 1  # the workers say nothing
    assert ran.ranks[0]["data_s"] > 0
    assert ran.bytes_of(7)["all-reduce"] == ran.ranks[0]["params_bytes"] == 4 * (32 * 64 + 64 + 64 * 4 + 4)
    assert ran.found["equal"] is True

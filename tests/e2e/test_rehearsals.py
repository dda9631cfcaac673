"""What the stage rehearses is what ranks then do: nothing fails unseen, little is left for a first step."""

from __future__ import annotations

from pathlib import Path

import pytest
from stage_host import Receiver, StageHost

from runtime import catalog
from runtime.orders import Warming

pytest.importorskip("torch")
pytestmark = pytest.mark.slow

# Runs a demo and writes down how often DTensor had to find out how an operator is split.
COUNTING = """
import os, runpy, sys
from torch.distributed.tensor._sharding_prop import ShardingPropagator
sys.argv = sys.argv[1:]
sys.path.insert(0, os.path.dirname(sys.argv[0]))
found_out = []
plain = ShardingPropagator.propagate_op_sharding_non_cached
def counting(self, schema):
    found_out.append(schema.op)
    return plain(self, schema)
ShardingPropagator.propagate_op_sharding_non_cached = counting
runpy.run_path(sys.argv[0], run_name="__main__")
print("found out", len(found_out), flush=True)
"""


def found_out(stage: StageHost, folder: Path, line: str, *more: str) -> int:
    """How often some rank of `line`, as the demo comes but for `more`, had to in its first step."""
    name, _, param = line.partition(" ")
    demo = catalog.check(name, dict([param.split("=")]) if param else {})
    assert not isinstance(demo, catalog.Refusal)
    counting = folder / "counting.py"
    counting.write_text(COUNTING)
    receiver = Receiver(folder / "events")
    try:
        run = " ".join(("counting", line, *more))
        stage.fork(run, receiver, str(demo.script), *demo.argv, "--steps", "1", *more, script=str(counting))
        assert [exited.code for exited in stage.exits(run).values()] == [0] * 4
    finally:
        receiver.close()
    logs = "".join(stage.printed(run, rank) for rank in range(4))
    said = [line for line in logs.splitlines() if line.startswith("found out ")]
    assert len(said) == 4
    return max(int(line.removeprefix("found out ")) for line in said)


def test_every_rehearsal_succeeds_and_leaves_one_thread(stage: StageHost) -> None:
    said = [order.what for order in stage.orders if isinstance(order, Warming)]
    assert len(said) > 5 and not [what for what in said if "could not" in what]
    assert stage.ready().fork_ok, stage.ready().why
    assert (stage.folder / "stage.log").read_text() == ""


@pytest.mark.parametrize("line", ["zero stage=2", "zero stage=3", "fsdp", "hsdp", "tensor"])
def test_a_demo_as_it_comes_finds_torchs_caches_full(stage: StageHost, tmp_path: Path, line: str) -> None:
    assert found_out(stage, tmp_path, line) <= 4


def test_of_another_width_nothing_was_rehearsed(stage: StageHost, tmp_path: Path) -> None:
    assert found_out(stage, tmp_path, "fsdp", "--width", "96") > 20

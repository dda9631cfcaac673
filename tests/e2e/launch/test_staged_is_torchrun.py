"""A rank forked from the warm stage computes what a rank of plain torchrun computes, demo by demo.

The oracle is torchrun alone, which knows nothing of a stage. Demos have the sizes they come with: torch's
caches go by shape, and what a rehearsal could leave there shows at those sizes only.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from stage_host import Receiver, StageHost

from runtime.catalog import registry
from runtime.metrics.store import RunStore

pytest.importorskip("torch")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
WITNESS = str(Path(__file__).parents[2] / "scripts" / "witness.py")
# ZeRO-2 is `fully_shard` as in stage 3, but for what it frees: its figures are held in `test_demos.py`.
SHARDED = ("zero stage=3", "fsdp", "hsdp", "tensor")
FOUR = (*SHARDED, "zero stage=0", "zero stage=1", "ddp", "buckets", "checkpointing", "pipeline", "context",
        "expert", "accumulate", "ddp_mistakes", "failover", "collectives", "ranks", "allreduce")  # fmt: skip
# Those that step once a step, all of whose ranks have one model in common.
NORMED = (*SHARDED, "zero stage=0", "ddp", "buckets", "checkpointing", "pipeline")
ONE = ("single", "dp")
# What comes of these is times, which nobody can compare; one needs a library, one is three of the others.
LEFT_OUT = {"ringtree", "scaling", "deepspeed", "interconnect"}
Found = dict[int, dict[str, Any]]


def command(line: str, ranks: int) -> tuple[str, str, tuple[str, ...]]:
    """(key, script, its arguments) of a demo as it comes, but for two steps."""
    name, *params = line.split()
    asked = dict(param.split("=") for param in params)
    asked |= {"ranks": str(ranks)} if ranks > 1 else {}
    short = {"collectives": {"pause_ms": "0"}, "allreduce": {"pause_ms": "0"}}
    demo = registry.check(name, asked | short.get(name, {"steps": "2"}))
    assert not isinstance(demo, registry.Refusal), demo
    return line.replace(" ", "-"), str(demo.script), demo.argv


def read(folder: Path, key: str, ranks: int) -> Found:
    return {rank: json.loads((folder / key / f"rank-{rank}.json").read_text()) for rank in range(ranks)}


def by_torchrun(folder: Path, lines: tuple[str, ...], ranks: int) -> dict[str, Found]:
    asked = [
        (key, shlex.join((key, script, *argv))) for key, script, argv in (command(li, ranks) for li in lines)
    ]
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(ranks)]
    environ = {name: it for name, it in os.environ.items() if not name.startswith("TEACHRUN")}
    environ |= {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    words = [*launch, WITNESS, str(folder), *(line for _, line in asked)]
    done = subprocess.run(words, cwd=folder, env=environ, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr[-4000:]
    return {line: read(folder, key, ranks) for line, (key, _) in zip(lines, asked, strict=True)}


@pytest.fixture(scope="module")
def torchrun(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Found]:
    folder = tmp_path_factory.mktemp("torchrun")
    return by_torchrun(folder, FOUR, 4) | by_torchrun(folder, ONE, 1)


def staged(stage: StageHost, folder: Path, line: str, ranks: int) -> tuple[Found, RunStore]:
    key, script, argv = command(line, ranks)
    receiver = Receiver(folder / "events")
    run = f"witness {line} {ranks}"
    try:
        words = shlex.join((key, script, *argv))
        stage.fork(run, receiver, str(folder), words, world=ranks, script=WITNESS)
        exits = stage.exits(run, world=ranks, timeout_s=120)
        logs = "".join(stage.printed(run, rank)[-2000:] for rank in exits)
        assert [exited.code for exited in exits.values()] == [0] * ranks, logs
    finally:
        receiver.close()
    store = RunStore(ranks)
    store.ingest_all(receiver.events)
    return read(folder, key, ranks), store


def test_every_demo_is_compared() -> None:
    assert {line.split()[0] for line in (*FOUR, *ONE)} | LEFT_OUT == set(registry.DEMOS)


@pytest.mark.parametrize("line", [*FOUR, *ONE])
def test_a_forked_rank_computes_what_torchrun_computes(
    stage: StageHost, tmp_path: Path, torchrun: dict[str, Found], line: str
) -> None:
    expected = torchrun[line]
    found, store = staged(stage, tmp_path, line, len(expected))
    for rank, theirs in expected.items():
        for what in theirs:
            assert found[rank][what] == theirs[what], f"{what} of rank {rank}"
    if line in SHARDED:
        of_a_block = {
            rank: [p for n, p in it["places"].items() if ".up.weight" in n] for rank, it in found.items()
        }
        rows = [[0, 0], [0, 1], [1, 0], [1, 1]] if line == "hsdp" else [[0], [1], [2], [3]]
        assert [places[0][0] for places in of_a_block.values()] == rows
        assert all(it["loaded"] for it in found.values())
        assert all(len({str(chunk[0]) for chunk in chunks}) == len(chunks)
                   for chunks in found[0]["slices"].values())  # fmt: skip
    if line in NORMED:  # both steps were looked at
        squares = [it["norms"][1] ** 2 for it in found.values()]
        whole = sum(squares) ** 0.5 if line == "pipeline" else squares[0] ** 0.5
        norms = dict.fromkeys(found, whole)
        assert {row.rank: row.grad_norm for row in store.rows(0.0)} == pytest.approx(norms, rel=1e-4)

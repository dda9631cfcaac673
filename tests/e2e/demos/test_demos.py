"""Every demo on real ranks: its maths is right and its key figures are what the catalog promises."""

from __future__ import annotations

import socket
from collections import Counter

import pytest
from demo_run import Run, as_promised, known
from warm_python import WarmPython

from runtime.catalog import registry
from runtime.catalog.specs import sizes
from runtime.protocol.events import Collective, Group

pytest.importorskip("torch")
pytestmark = pytest.mark.slow

# --- accumulate -------------------------------------------------------------------------------------------


def test_accumulated_micro_batches_are_one_batch(run: Run) -> None:
    ran = run("accumulate", ranks=2, steps=4)
    as_promised(ran)
    assert ran.snapshot.equal is True
    calls, size = ran.issued(step=3)
    assert size == {"all-reduce": 4 * 469_504} and calls["all-reduce"] <= 2  # buckets of one exchange


def test_the_two_samples_to_their_digits(run: Run) -> None:
    values = {v.name: v.ranks[1] for v in run("accumulate", ranks=2, steps=4).snapshot.values}
    assert [round(v, 4) for v in values["example_losses"]] == [93.1804, 55.1455]
    first, both = values["example_gradients"][:3], values["example_gradients"][3:]
    assert [round(v, 3) for v in first] == [-57.918, -19.306, -9.653]
    assert [round(v, 3) for v in both] == [-95.048, -34.158, -17.079]
    assert [round(v, 4) for v in values["example_weights"]] == [0.868, 0.3552, 0.0841]


def test_a_forgotten_division_makes_the_gradient_k_times_too_large(run: Run) -> None:
    for k in (4, 8):
        ran = run("accumulate", ranks=2, steps=2, micro_batches=k, forget_divide=1)
        as_promised(ran)
        assert ran.figures()["gradient_difference"] == pytest.approx(k - 1, rel=1e-3)


def test_syncing_every_micro_batch_is_k_exchanges_of_the_same_result(run: Run) -> None:
    once, always = run("accumulate", ranks=2, steps=4), run("accumulate", ranks=2, steps=4, sync_every=1)
    as_promised(always)
    assert always.issued(step=3)[1]["all-reduce"] == 4 * once.issued(step=3)[1]["all-reduce"]
    assert always.losses(0) == pytest.approx(once.losses(0), abs=1e-4)


def test_memory_follows_the_micro_batch(run: Run) -> None:
    whole = run("accumulate", ranks=2, steps=2, micro_batches=1).figures()["activations"]
    quarter = run("accumulate", ranks=2, steps=4).figures()["activations"]
    assert isinstance(whole, int) and isinstance(quarter, int)
    assert whole / quarter == pytest.approx(4, rel=0.02)


STATEFUL = {"width": 256, "layers": 8, "seq": 16}  # what `stateful` demos train
SMALLER = {"width": 128, "layers": 4, "seq": 64, "batch": 8}  # where a formula is checked with activations

# --- zero -------------------------------------------------------------------------------------------------


def test_all_stages_learn_the_same_with_the_memory_of_the_formula(run: Run) -> None:
    """(Of two ranks the x-ray's test holds it.)"""
    ranks, steps = 4, 3
    n = sizes.tinylm_parameters(SMALLER)
    stages = [run("zero", ranks=ranks, steps=steps, stage=stage, **SMALLER) for stage in range(4)]
    for ran in stages:
        as_promised(ran)
        for rank in range(ranks):
            assert ran.losses(rank) == pytest.approx(stages[0].losses(rank), abs=1e-4)
    # What a rank stores between two steps only falls: 16N, then 8N + 8N/W, then 16N/W.
    stored = [[known(r.params) + known(r.grads) + known(r.optimizer_bytes) for r in ran.snapshot.rows]
              for ran in stages]  # fmt: skip
    assert stored[0] == [16 * n] * ranks
    assert sum(stored[1]) == (8 * ranks + 8) * n and max(stored[1]) < 1.05 * (8 + 8 / ranks) * n
    assert stored[2] == stored[3] == [16 * n // ranks] * ranks
    # Activations are each rank's own, in every stage.
    assert len({row.activations for ran in stages for row in ran.snapshot.rows}) == 1
    assert [ran.snapshot.equal for ran in stages] == [True, True, None, None]  # shards are not compared


def test_at_its_own_size_each_stage_takes_a_bar_away(run: Run) -> None:
    """States dominate: from stage to stage a rank holds visibly less (16N, 8N + 8N/W, 16N/W)."""
    held = []
    for stage in range(4):
        ran = run("zero", ranks=4, steps=2, stage=stage)
        as_promised(ran)
        held.append(max(sum(row.held.values()) for row in ran.snapshot.rows))
    assert [round(size / 1e6) for size in held] == pytest.approx([105, 67, 57, 35], abs=2)
    n = 4 * sizes.tinylm_parameters(STATEFUL)
    assert 4 * n / held[0] > 0.95  # weights, gradients, both moments: nearly all there is


def test_bytes_per_step_by_collective(run: Run) -> None:
    """2N elements a step up to stage 2; stage 3 gathers the blocks, not the rest, a second time."""
    n = sizes.tinylm_parameters(SMALLER)
    blocks = 4 * sizes.tinylm_block(SMALLER)
    size = [run("zero", ranks=4, steps=3, stage=stage, **SMALLER).issued(step=2)[1] for stage in range(4)]
    stage_3 = run("zero", ranks=4, steps=3, stage=3, **SMALLER).snapshot
    assert stage_3.bytes_by_op == size[3] and stage_3.collective_bytes == size[3].total()
    assert size == [
        {"all-reduce": 4 * n},
        {"all-reduce": 4 * n, "broadcast": 4 * n},
        {"all-gather": 4 * n, "reduce-scatter": 4 * n},
        {"all-gather": 4 * (n + blocks), "reduce-scatter": 4 * n},
    ]


# --- fsdp, hsdp -------------------------------------------------------------------------------------------


def test_a_rank_holds_its_shard_and_the_largest_gathered_units(run: Run) -> None:
    ranks = 2
    freed, kept = (run("fsdp", ranks=ranks, steps=2, reshard=reshard) for reshard in (1, 0))
    block = 4 * sizes.tinylm_block(STATEFUL)
    whole = 4 * sizes.tinylm_parameters(STATEFUL)
    for ran, gathered in ((freed, whole - 6 * block), (kept, whole + block)):
        as_promised(ran)
        for row in ran.snapshot.rows:
            assert row.gathered == gathered
            assert known(row.params) + gathered == ran.figures(row.rank)["upper_bound_bytes"]
            # Without streams `fully_shard` calls its collectives synchronously: nothing hides behind compute.
            assert row.hidden == 0 and row.exposed is not None and row.exposed > 0
        film = ran.snapshot.film  # within a step what is gathered comes up to that, and is freed
        assert film is not None and len(film.ranks) == ranks
        for row, step in zip(ran.snapshot.rows, film.ranks, strict=True):
            held = [moment.gathered for moment in step.moments]
            assert max(held) == gathered and held[-1] == 0
            assert max(moment.grads for moment in step.moments) == row.grads
            assert max(moment.activations for moment in step.moments) <= known(row.activations)
            assert all(set(transfer.ranks) == set(range(ranks)) for transfer in step.transfers)
    [bound] = [v for v in freed.snapshot.values if v.name == "upper_bound"]
    assert bound.unit == "bytes" and bound.ranks == ((float(whole // ranks + whole - 6 * block),),) * ranks
    # The same training; what resharding costs is one more all-gather of every block.
    assert freed.losses(1) == pytest.approx(kept.losses(1), abs=1e-4)
    assert freed.issued(step=1)[1]["all-gather"] - kept.issued(step=1)[1]["all-gather"] == 8 * block


def test_of_a_narrow_model_most_is_gathered_outside_the_blocks(run: Run) -> None:
    for reshard in (0, 1):
        ran = run("fsdp", ranks=2, steps=2, width=8, layers=1, seq=64, reshard=reshard)
        as_promised(ran)
        assert ran.figures()["gathered"] == 2 * 4 * 8 * (2 * 256 + 64 + 2)


def test_hybrid_sharding_learns_the_same_and_sends_only_slices_across(run: Run) -> None:
    whole = 4 * sizes.tinylm_parameters(SMALLER)
    blocks = 4 * 4 * sizes.tinylm_block(SMALLER)
    ran, replicas = (
        run("hsdp", ranks=4, steps=3, **SMALLER),
        run("zero", ranks=4, steps=3, stage=0, **SMALLER),
    )
    as_promised(ran)
    for rank in range(4):
        assert ran.losses(rank) == pytest.approx(replicas.losses(rank), abs=1e-4)
        assert (ran.figures(rank)["replica"], ran.figures(rank)["slice"]) == divmod(rank, 2)
        by_group: Counter[tuple[tuple[int, ...], str]] = Counter()
        members = {e.id: tuple(e.ranks) for e in ran.events if isinstance(e, Group) and e.rank == rank}
        for e in ran.events:
            if isinstance(e, Collective) and (e.rank, e.step) == (rank, 2):
                by_group[members[e.group], e.op] += e.bytes
        row, column = (rank // 2 * 2, rank // 2 * 2 + 1), (rank % 2, rank % 2 + 2)
        assert by_group == {
            (row, "all-gather"): whole + blocks,
            (row, "reduce-scatter"): whole,
            (column, "all-reduce"): whole // 2,
        }


# --- all of them ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name, spec in registry.DEMOS.items() if spec.param("steps")])
def test_it_fits_beside_a_slide(name: str) -> None:
    lines = registry.DEMOS[name].file.read_text().splitlines()
    assert len(lines) <= 125 and max(map(len, lines)) <= 110


PLAIN = """
import os, runpy, sys, warnings
sys.modules["runtime"] = None  # as if it were not there
warnings.simplefilter("default")
warnings.filterwarnings("ignore", message="`torch.jit")  # torch's own affair
world, script, *arguments = sys.argv[1:]
rank, others = 0, []
for other in range(1, int(world)):
    others.append(os.fork())
    if others[-1] == 0:
        rank, others = other, []
        break
os.environ |= {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": world, "LOCAL_WORLD_SIZE": world}
sys.argv = [script, *arguments]
sys.path.insert(0, os.path.dirname(script))
try:
    runpy.run_path(script, run_name="__main__")
except SystemExit as stop:
    assert not stop.code, stop.code
for other in others:
    assert os.waitpid(other, 0)[1] == 0
"""
FEW = ["--steps", "2"]
NARROW = ["--width", "32", "--layers", "2"]
ARGUMENTS = {
    **{name: [*FEW, *NARROW] for name in ("single", "fsdp", "hsdp", "zero", "tensor", "accumulate", "dp")},
    "ranks": [], "allreduce": ["--rounds", "2", "--pause_ms", "0"],
    "collectives": ["--pause_ms", "0", "--largest_kib", "4"], "ringtree": ["--large_kib", "64"],
    "ddp": [*FEW, "--hook", "fp16"],
}  # fmt: skip


@pytest.mark.parametrize("name", [name for name in registry.DEMOS if name != "failover"])
def test_it_is_a_plain_script_and_warns_of_nothing(warm_python: WarmPython, name: str) -> None:
    """Without teachrun, as torchrun starts it. (failover wants a folder for its checkpoints.)"""
    if (missing := registry.DEMOS[name].missing) is not None:
        pytest.skip(missing.why)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    world = {"hsdp": 4, "single": 1, "dp": 1, "checkpointing": 1}.get(name, 2)
    arguments = ARGUMENTS.get(name, FEW)
    words = ["", str(world), str(registry.DEMOS[name].file), *arguments]
    done = warm_python.run(
        f"import sys; sys.argv = {words}\n{PLAIN}", MASTER_ADDR="127.0.0.1", MASTER_PORT=port
    )
    assert done.returncode == 0, done.stderr
    assert "deprecated" not in done.stderr and done.stdout
    assert name not in ("ddp", "zero") or "step    0  loss 5." in done.stdout

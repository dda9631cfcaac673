"""`interconnect`: hybrid sharding sends the fewest bytes between nodes. Nobody asks how long it took."""

from __future__ import annotations

import sys

import pytest
from demo_run import Run, as_promised, known

from runtime.catalog import registry

pytest.importorskip("torch")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts the bytes of a connection"),
]


def test_hybrid_sharding_sends_least_between_nodes(run: Run) -> None:
    """Against the closed formulas, by what its own script counts, and by the counters of all ranks."""
    ran = run("interconnect", nodes=2, ranks=2, steps=3, link="unlimited")
    as_promised(ran)
    crossing = {way: ran.figures()[f"{way}_crossing_bytes"] for way in ("ddp", "fsdp", "hsdp")}
    sizes = [size for size in crossing.values() if isinstance(size, int)]
    ddp, fsdp, hsdp = sizes
    assert hsdp < ddp < fsdp and fsdp / hsdp > 2.5
    # The probe of each rank counts all its connections, the host joins their ends: the last steps are hsdp's.
    assert known(ran.snapshot.crossing) > 0
    (told,) = [value for value in ran.snapshot.values if value.labels]
    assert told.labels == ("ddp", "fsdp", "hsdp") and [round(size) for size in told.ranks[0]] == sizes


def test_it_asks_for_two_nodes_and_a_slow_link() -> None:
    usual = registry.check("interconnect", {})
    assert isinstance(usual, registry.Launchable)
    assert (usual.nodes, usual.ranks, usual.link) == (2, 4, "100mbit")
    alone = registry.check("interconnect", {"ranks": "1"})
    assert isinstance(alone, registry.Refusal) and "nobody to share with" in alone.why

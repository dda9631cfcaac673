"""`ranks`: processes dealt to nodes know who they are."""

from __future__ import annotations

import pytest
from demo_run import Run, as_promised

from runtime.catalog import registry
from runtime.launch.device_choice import place
from runtime.protocol.events import Hello

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("ranks", "nodes"), [(2, 1), (4, 2), (4, 1)])
def test_every_rank_knows_its_node_and_its_place_there(run: Run, ranks: int, nodes: int) -> None:
    pytest.importorskip("torch")
    ran = run("ranks", ranks=ranks // nodes, nodes=nodes, steps=2, pause_ms=0)
    as_promised(ran)
    hellos = {e.rank: e for e in ran.events if isinstance(e, Hello)}
    for rank in range(ranks):
        node, local = divmod(rank, ranks // nodes)
        figures = ran.figures(rank)
        assert (figures["node"], figures["local_rank"], figures["rank"]) == (node, local, rank)
        assert (ran.snapshot.rows[rank].node, hellos[rank].local_rank) == (node, local)
        assert figures["pid"] == hellos[rank].pid == ran.snapshot.rows[rank].pid
    values = {v.name: [int(numbers[0]) for numbers in v.ranks] for v in ran.snapshot.values}
    assert values["node"] == [rank // (ranks // nodes) for rank in range(ranks)]
    assert len(set(values["pid"])) == ranks


def test_nodes_that_are_played_are_said() -> None:
    played = registry.check("ranks", {"nodes": "2", "ranks": "2"})
    assert isinstance(played, registry.Launchable) and (played.nodes, played.ranks) == (2, 4)
    assert "2 nodes x 2 ranks, on one machine" in place(played).bent
    alone = registry.check("ranks", {})
    assert isinstance(alone, registry.Launchable) and not any("node" in said for said in place(alone).bent)

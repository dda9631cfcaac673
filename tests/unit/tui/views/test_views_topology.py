"""The view of nodes and links: every byte has its label, the thickness is its share, every size is whole."""

from __future__ import annotations

import re

import made_snapshots as made
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from test_views_panel import text
from test_views_panel_sizes import check

from runtime.protocol.figures import OpRow
from runtime.protocol.messages import Snapshot
from tui.views import registry
from tui.views.run.topology import THICK, topology

CROSSING = ((0, 1, 20_900_000), (1, 0, 10_450_000))


def shown(*links: dict[int, int], world: int = 4, link: str = "100mbit") -> Snapshot:
    plain = made.running(world)
    rows = plain.rows
    if links:
        rows = tuple(replace(row, links=sent) for row, sent in zip(rows, links, strict=True))
    return replace(plain, rows=rows, link=link, between=CROSSING)


@given(st.integers(1, 200), st.integers(1, 60), st.sampled_from([1, 2, 4, 8, 16]))
def test_it_is_exactly_the_size_asked_for(width: int, height: int, world: int) -> None:
    check(topology(shown(world=world), width, height), width, height)
    check(topology(replace(made.running(1), rows=made.running(4).rows), width, height), width, height)


@pytest.mark.parametrize(("width", "height"), [(156, 36), (96, 18), (76, 11)])
def test_every_link_and_what_crosses_is_said(width: int, height: int) -> None:
    said = text(topology(shown(), width, height))
    assert said.count("20.9 MB") == 4  # the ring: two within nodes, two between them
    assert "node A" in said and "node B" in said and all(f"rank {rank}" in said for rank in range(4))
    assert "31.4 MB of the mean step between nodes, at most 100 Mbit/s a connection" in said
    assert "as fast as they go" in text(topology(shown(link="unlimited"), width, height))


def test_the_thickness_is_the_share_of_the_most() -> None:
    said = text(topology(shown({2: 8000}, {3: 4000}, {0: 1000}, {1: 30}), 76, 9)).splitlines()
    (most,), (half,), (least,) = (
        [line for line in said if size in line] for size in ("8.0 kB", "4.0 kB", "1.0 kB")
    )
    assert THICK[7] in most and THICK[3] in half and THICK[0] in least
    assert "30 B" not in "".join(said)  # a greeting is no traffic


def test_of_many_nodes_each_pair_is_a_line() -> None:
    many = replace(
        shown(world=8),
        rows=tuple(replace(row, node=row.rank // 2) for row in made.running(8).rows),
        between=((0, 1, 7000), (1, 2, 7000), (3, 0, 2000)),
    )
    said = text(topology(many, 90, 12))
    assert "node D" in said and "2.0 kB" in said and said.count("7.0 kB") == 2


@pytest.mark.parametrize(("nodes", "height"), [(128, 36), (64, 12), (3, 5), (2, 36), (2, 12)])
def test_what_has_no_room_is_counted(nodes: int, height: int) -> None:
    """Pairs of nodes, or the ranks of two large nodes: shown and counted are all of them."""
    ranks = 1024 // nodes
    plain = made.running(8)
    rows = (
        replace(plain.rows[rank % 8], rank=rank, node=rank // ranks, links={(rank + 1) % 1024: 7_000_000})
        for rank in range(nodes * ranks)
    )
    between = tuple((node, (node + 1) % nodes, 1_000_000 * (node + 1)) for node in range(nodes))
    many = replace(plain, rows=tuple(rows), between=between, timeline=())
    said = text(topology(many, 156, height))
    check(topology(many, 156, height), 156, height)
    if nodes == 2:
        shown = len(set(re.findall(r"rank (\d+)", said)))
        assert shown + sum(int(left) for left in re.findall(r"and (\d+) more", said)) == 1024
        assert said.count("┘") == 2  # both are closed
    else:
        left = re.findall(r"and (\d+) more that carry less", said)
        assert said.count("→ node") + int(left[0]) == nodes


def test_it_is_in_the_list_when_somebody_counted() -> None:
    view = registry.OURS["topology"]
    assert view.has(shown()) and not view.has(shown({}, {}, {}, {}))
    early = replace(shown({}, {}, {}, {}), between=())
    assert "known after the first steps" in text(topology(early, 80, 12))


@pytest.mark.parametrize(("width", "height"), [(156, 20), (76, 5), (40, 3)])
def test_where_nobody_counts_bytes_the_ways_of_nccl_are_shown(width: int, height: int) -> None:
    routes = ((0, 1, "P2P/CUMEM"), (1, 2, "NET/IB/0"), (2, 3, "P2P/\x1b[31mCUMEM"), (3, 0, "NET/IB/0"))
    gpus = replace(shown({}, {}, {}, {}), between=(), routes=routes)
    assert registry.OURS["topology"].has(gpus)
    lines = topology(gpus, width, height)
    check(lines, width, height)
    said = text(lines)
    assert "how NCCL goes from rank to rank" in said and "\x1b" not in said
    left = re.findall(r"and (\d+) more", said)
    assert len(re.findall(r"rank \d .*→ rank \d", said)) + sum(map(int, left)) == 4
    counted = text(topology(replace(shown(), routes=routes), 156, 30))
    assert "NCCL goes by P2P/CUMEM (2), NET/IB/0 (2)" in counted and "20.9 MB" in counted


def test_each_kind_of_collective_says_its_bytes() -> None:
    """By its group where there are several; what does not fit is counted, not cut."""
    sharded = replace(
        shown(),
        ops=(
            OpRow("all-reduce", "replicate", 2, 1.0, 3_475_000),
            OpRow("all-gather", "shard", 2, 5.0, 6_950_000),
            OpRow("barrier", "world", 4, 1.0, 0),
        ),
    )
    said = text(topology(sharded, 156, 20))
    assert "payload of a step and rank: all-gather in shard 7.0 MB, all-reduce in replicate 3.5 MB" in said
    assert "barrier" not in said
    assert "all-gather in shard 7.0 MB, 1 more" in text(topology(sharded, 80, 20))
    one = replace(shown(), ops=(OpRow("all-reduce", "world", 4, 3.0, 13_900_000),))
    assert "payload of a step and rank: all-reduce 13.9 MB" in text(topology(one, 80, 20))


def test_links_of_one_thickness_are_not_one_block() -> None:
    one = replace(made.running(4), timeline=())
    links = [{(rank + 1) % 4: 38_000_000} for rank in range(4)]
    rows = (replace(row, node=0, links=sent) for row, sent in zip(one.rows, links, strict=True))
    one = replace(one, rows=tuple(rows))
    for height in (12, 24):
        said = [line for line in text(topology(one, 100, height)).splitlines() if "rank " in line]
        assert len(said) == 4 and all("▇▇ 38.0 MB ▇▇" in line for line in said)


def test_on_a_large_screen_the_first_bar_does_not_touch_what_is_said_over_it() -> None:
    said = text(topology(shown(), 156, 36)).splitlines()
    assert "bytes on the wire" in said[0] and not said[1].strip()


def test_what_a_link_carried_stands_in_the_middle_of_its_bar() -> None:
    rows = text(topology(shown(), 156, 36)).splitlines()
    middle = next(row.index("20.9 MB", 60) for row in rows if "20.9 MB" in row[60:100])
    assert "".join(row[middle : middle + 1] for row in rows[2:11]).strip() == "█2█ █2█"

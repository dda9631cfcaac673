"""What ranks are told of the links between their nodes, and when it is news."""

from __future__ import annotations

import json

from runtime.metrics.run_figures import figures
from runtime.metrics.store import RunStore
from runtime.protocol.events import Hello, Links, Step, Wire
from runtime.protocol.framing import frame
from runtime.ranks.rank_orders import MAX_ORDER
from runtime.supervision.steering.link_speed_orders import MOST_ENDS, NodeLinks

R, G = "run", 1


def port(rank: int, other: int, group: int = 0) -> int:
    return 10_000 + 100 * group + 10 * rank + other


def ends(rank: int, other: int, group: int = 0) -> tuple[str, str]:
    return f"127.0.0.1:{port(rank, other, group)}", f"127.0.0.1:{port(other, rank, group)}"


def ports(rank: int, other: int, group: int = 0) -> tuple[int, int]:
    return port(rank, other, group), port(other, rank, group)


def links(rank: int, groups: int = 1) -> Links:
    others = [other for other in range(4) if other != rank]
    return Links(R, G, rank, 0.0, [ends(rank, other, group) for group in range(groups) for other in others])


def store(nodes: int = 2, groups: int = 1) -> RunStore:
    """Four ranks, of which each has a connection with every other."""
    found = RunStore(4)
    for rank in range(4):
        hello = Hello(R, G, rank, 0.0, 1, rank % 2, rank * nodes // 4, 4, 1, "cpu", "gloo", 0.0, 0.0, "json")
        found.ingest_all([hello, links(rank, groups)])
    return found


def test_only_connections_with_another_node_are_named() -> None:
    orders = NodeLinks(2, "100mbit", "linux").orders(store())
    assert {rank: order["ends"] for rank, order in orders} == {
        0: (ports(0, 2), ports(0, 3)),
        1: (ports(1, 2), ports(1, 3)),
        2: (ports(2, 0), ports(2, 1)),
        3: (ports(3, 0), ports(3, 1)),
    }
    assert {order["bytes_s"] for _, order in orders} == {12_500_000}


def test_what_was_told_is_told_again_only_when_it_is_news() -> None:
    between = NodeLinks(2, "100mbit", "linux")
    two = store()
    assert between.orders(two) and not between.orders(two)
    two.ingest(links(0, groups=2))  # a new group: more connections
    two.ingest(links(2, groups=2))
    told = dict(between.orders(two))
    assert told[0]["ends"] == (ports(0, 2), ports(0, 3), ports(0, 2, 1))
    between.speed = "unlimited"
    assert {order["bytes_s"] for _, order in between.orders(two)} == {0}
    assert between.standing(0)[0]["bytes_s"] == 0
    between.begin_again()
    assert between.standing(0) == []


def test_links_that_were_never_paced_are_left_alone() -> None:
    assert NodeLinks(2, "unlimited", "linux").orders(store()) == []
    assert NodeLinks(1, "unlimited", "linux").orders(store(nodes=1)) == []


def test_an_order_fits_into_what_a_rank_reads() -> None:
    between = NodeLinks(2, "1gbit", "linux")
    between.told[0] = "1gbit", ((65_000, 65_001),) * (2 * MOST_ENDS + 1)
    orders = between.standing(0)
    assert sum(len(order["ends"]) for order in orders) == 2 * MOST_ENDS + 1
    assert all(len(frame(json.dumps(order).encode())) <= MAX_ORDER for order in orders)


def test_what_cannot_be_is_refused_and_what_is_not_done_is_said() -> None:
    alone = NodeLinks(1).refusal("1gbit")
    assert alone is not None and alone.mend == "start it with nodes=2"
    strange = NodeLinks(2, system="linux").refusal("1 baud")
    assert strange is not None and "100mbit" in strange.mend
    assert NodeLinks(2, system="linux").refusal("1gbit") is None
    assert NodeLinks(2, "1gbit", "linux").bent == ("links between nodes paced to 1 Gbit/s a connection",)
    assert NodeLinks(2, "unlimited", "linux").bent == ()


def test_where_no_kernel_paces_a_link_is_simulated_and_says_so() -> None:
    """Every rank that is there is told the speed and how many ranks a node has, again when that changes."""
    mac = NodeLinks(2, "1gbit", "darwin")
    assert mac.simulated and mac.bent == ("collectives between nodes held back as by 1 Gbit/s",)
    assert mac.refusal("100mbit") is None
    four = store()
    held = [{"do": "hold back", "bytes_s": 125_000_000, "each": 2, "latency_s": 0.0}] * 4
    assert mac.orders(four) == list(enumerate(held))
    assert mac.orders(four) == [] and mac.standing(3) == [held[0]]
    mac.speed = "unlimited"
    assert {order["bytes_s"] for _, order in mac.orders(four)} == {0}
    assert (mac.simulated, mac.bent) == (False, ())
    assert NodeLinks(2, "unlimited", "darwin").orders(four) == []  # what was never held back is left alone
    mac.begin_again()
    assert mac.standing(0) == []
    assert not NodeLinks(2, "1gbit", "linux").simulated
    late = NodeLinks(2, "unlimited", "simulated", latency_s=0.005)
    assert late.simulated and late.bent == ("collectives between nodes held back as by 5 ms",)
    assert {(order["bytes_s"], order["latency_s"]) for _, order in late.orders(four)} == {(0, 0.005)}
    late.speed = "100mbit"
    assert late.bent == ("collectives between nodes held back as by 100 Mbit/s and 5 ms",)


def test_the_bytes_that_cross_are_those_between_ranks_of_two_nodes() -> None:
    found = store()
    for step in range(-1, 3):
        for rank in range(4):
            others = [other for other in range(4) if other != rank]
            # to the next rank of a ring 1000 bytes a step, to the others a greeting
            sent = [(step + 1) * (1000 if other == (rank + 1) % 4 else 1) for other in others]
            found.ingest(Wire(R, G, rank, 0.0, step, sent))
            if step >= 0:
                found.ingest(Step(R, G, rank, step + 1.0, step, float(step), 0.0, 0, 0, 0, 0, 0, 1.0))
    shown = figures(found, "gloo")
    assert shown.between == ((0, 1, 1003), (1, 0, 1003)) and shown.crossing == 2006
    assert figures(store(nodes=1), "gloo").crossing is None

"""How long a collective takes: latency a message plus bytes over bandwidth, by algorithm.

`latency` (alpha) is seconds a message takes to start, `bandwidth` (beta) bytes a second one way of a rank.
`size` is the bytes of the whole buffer as nccl-tests count it: what a rank has after an all-gather, before a
reduce-scatter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

OPS = ("all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "all_to_all", "send")
ALIASES = {"allreduce": "all_reduce", "allgather": "all_gather", "reducescatter": "reduce_scatter",
           "alltoall": "all_to_all", "p2p": "send"}  # fmt: skip


def rounds(ranks: int) -> int:
    """ceil(log2 n), in whole numbers."""
    return (ranks - 1).bit_length()


def ring_s(op: str, size: float, ranks: int, bandwidth: float, latency: float = 0.0) -> float:
    """Seconds around a ring: n - 1 messages of size / n, twice for an all-reduce (Patarasuk and Yuan, 2009).

    A broadcast or a reduce goes along it in a pipeline of many small pieces: n - 1 starts and the buffer
    once.
    """
    n = ranks
    if op == "send":
        return latency + size / bandwidth
    if n < 2:
        return 0.0
    once = (n - 1) * latency + (n - 1) / n * size / bandwidth
    if op == "all_reduce":
        return 2 * once
    if op in ("broadcast", "reduce"):
        return (n - 1) * latency + size / bandwidth
    return once


def tree_s(op: str, size: float, ranks: int, bandwidth: float, latency: float = 0.0) -> float:
    """Seconds by a binomial tree, whole buffers a message; an all-reduce goes up and down it.

    All-gather and reduce-scatter have the same number of rounds by recursive doubling and halving, with
    (n-1)/n of the buffer in all (Thakur et al., 2005); an all-to-all half of the buffer a round (Bruck et
    al., 1997).
    """
    if op == "send" or ranks < 2:
        return ring_s(op, size, ranks, bandwidth, latency)
    if op == "all_to_all":
        return rounds(ranks) * (latency + size / 2 / bandwidth)
    if op in ("all_gather", "reduce_scatter"):
        return rounds(ranks) * latency + (ranks - 1) / ranks * size / bandwidth
    down = rounds(ranks) * (latency + size / bandwidth)
    return 2 * down if op == "all_reduce" else down


def one_by_one_s(size: float, ranks: int, bandwidth: float, latency: float = 0.0) -> float:
    """Seconds of a broadcast or a reduce in which one rank sends to, or hears, every other in turn."""
    return (ranks - 1) * ring_s("send", size, 2, bandwidth, latency)


def pipelined_tree_s(op: str, size: float, ranks: int, bandwidth: float, latency: float = 0.0) -> float:
    """Seconds by trees, with the buffer in many pieces and two trees at once, as NCCL does (Sanders, Speck
    and Träff, 2009): rounds of latency, bytes once."""
    if op not in ("all_reduce", "broadcast", "reduce") or ranks < 2:
        return tree_s(op, size, ranks, bandwidth, latency)
    once = rounds(ranks) * latency + size / bandwidth
    return 2 * once if op == "all_reduce" else once


def hierarchical_s(op: str, size: float, inside: int, nodes: int, near: Link, far: Link) -> float:
    """Seconds in two levels: `inside` ranks of a node reduce their parts among them, the parts travel between
    `nodes`, and are gathered inside again. Each rank has a link of its own to the other nodes."""
    if nodes < 2:
        return ring_s(op, size, inside, *near)
    if inside < 2:
        return ring_s(op, size, nodes, *far)
    if op == "all_to_all":
        n = inside * nodes
        return max(
            ring_s(op, size * inside / n, inside, *near),
            (n - inside) * far.latency + size * (n - inside) / n / far.bandwidth,
        )
    if op == "all_reduce":
        within = ring_s("reduce_scatter", size, inside, *near) + ring_s("all_gather", size, inside, *near)
        return within + ring_s(op, size / inside, nodes, *far)
    if op in ("all_gather", "reduce_scatter"):
        return ring_s(op, size, inside, *near) + ring_s(op, size / inside, nodes, *far)
    return ring_s(op, size, inside, *near) + ring_s(op, size, nodes, *far)


class Link(NamedTuple):
    """One-way bytes a second of a rank, and seconds a message takes to start."""

    bandwidth: float
    latency: float


def bus_factor(op: str, ranks: int) -> float:
    """What nccl-tests multiply algorithm bandwidth by to get bus bandwidth (doc/PERFORMANCE.md)."""
    n = ranks
    if n < 2 or op in ("broadcast", "reduce", "send"):
        return 1.0
    return 2 * (n - 1) / n if op == "all_reduce" else (n - 1) / n


def sent(op: str, size: float, ranks: int) -> float:
    """Bytes a rank sends at least on average; the same bounds as `runtime.metrics.collectives.theory`."""
    from runtime.metrics.collectives.theory import least

    return least(op.replace("_", "-"), 1, ranks) * size if ranks > 1 else 0.0  # type: ignore[operator]


def crossover(op: str, ranks: int, bandwidth: float, latency: float) -> float | None:
    """Bytes from which a ring is faster than a tree; None: it never is, or always."""
    if latency <= 0 or ranks < 3:
        return None
    start = _slope(lambda size: ring_s(op, size, ranks, bandwidth, latency))
    tree = _slope(lambda size: tree_s(op, size, ranks, bandwidth, latency))
    if tree[1] <= start[1]:
        return None
    return max(0.0, (start[0] - tree[0]) / (tree[1] - start[1]))


def _slope(time: Callable[[float], float]) -> tuple[float, float]:
    return time(0.0), time(1.0) - time(0.0)

"""The nodes of a run and what goes over each link in a step: the more bytes, the thicker the line.

Bytes are those that left a rank for another one, as its kernel counted them. Two nodes stand beside each
other, with every link between them in the gap; of more, and of many ranks, each pair of nodes is a line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from runtime.protocol.link_speeds import UNLIMITED
from runtime.protocol.messages import Snapshot
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.figures import link_words, numbers
from tui.views.parts.frame import DIM, framed, nothing
from tui.views.run.timeline import timeline

THICK = "▁▂▃▄▅▆▇█"
_THICKEST = 7 / 8  # of a row
_GREETING = 200  # a link with less than this part of the most has carried no data
_BOX = (21, 30)  # least and most cells of a node
_GAP = 24  # cells that the links between two nodes need at least
_MOST_ROWS = 3  # of the thickest line
_BY_KIND = 14  # rows from which on there is one for the kinds of collectives
_APART_FROM = 30  # rows from which on the first bar does not touch what is said over it
NAME, NODE, TEXT = Style("heading", bold=True), Style("line"), Style("text")
WITHIN, BETWEEN = Style("accent"), Style("exposed")


class Link(NamedTuple):
    """What one end sends the other in a step. Ends are ranks, or nodes."""

    sender: int
    receiver: int
    size: int


def topology(snapshot: Snapshot, width: int, height: int) -> list[Line]:
    """Exactly `height` lines of exactly `width` cells."""
    links = _links(snapshot)
    if not links and not snapshot.between and snapshot.routes:
        return framed(_routes(snapshot, width, height), width, height)
    if not links and not snapshot.between:
        why = snapshot.no_wire or "known after the first steps"
        return nothing("what goes over each link in a step", why, width, height)
    node_of = {row.rank: row.node for row in snapshot.rows}
    nodes = len(set(node_of.values()))
    foot = _foot(snapshot, width)
    if height >= _BY_KIND:
        kinds = _by_collective(snapshot, width)
        foot += [*[()] * bool(kinds and not foot), *kinds]
    foot += _ways(snapshot, width)
    apart: list[Line] = [()] * (height >= _APART_FROM)
    room = height - 1 - len(apart) - len(foot)
    steps = len(snapshot.timeline) + 3 if snapshot.timeline else 0
    if nodes == 2 and links and width >= 2 * _BOX[0] + _GAP:
        body = _two(links, node_of, width, room)
    elif nodes > 1:
        pairs = [Link(*it) for it in snapshot.between]
        body = _listed(lambda node: f"node {numbers.node(node)}", pairs, width, room, BETWEEN, steps)
    else:
        body = _listed(lambda rank: f"rank {rank}", links, width, room, WITHIN, steps)
    lines = [_head(width, nodes > 1), *apart, *body[: max(0, room)], *foot]
    left = height - len(lines) - 1
    if snapshot.timeline and left >= len(snapshot.timeline) + 2:  # its title and its axis
        lines += [(), *timeline(snapshot, width, left)]
    return framed(lines, width, height)


def _routes(snapshot: Snapshot, width: int, height: int) -> list[Line]:
    """The ways that NCCL has said, a line each: how much goes over them nobody counts."""
    node_of = {row.rank: row.node for row in snapshot.rows}
    lines: list[Line] = [cells.clip((Span("how NCCL goes from rank to rank, by its own words", DIM),), width)]
    shown = snapshot.routes if len(snapshot.routes) < height else snapshot.routes[: max(0, height - 2)]
    for sender, receiver, way in shown:
        style = WITHIN if node_of.get(sender) == node_of.get(receiver) else BETWEEN
        left, right, said = f"rank {sender}", f"rank {receiver}", f" {cells.clean(way)} "
        rule = max(2, min(60, width - 4 - cells.width(left + said + right)))
        stroke = "─" * (rule // 2)
        arrow = (Span(f" {stroke}", style), Span(said, TEXT), Span(f"{stroke}→ ", style))
        lines.append(cells.clip((Span(left, NAME), *arrow, Span(right, NAME)), width))
    if rest := len(snapshot.routes) - len(shown):
        lines.append((Span(f"and {rest:,} more", DIM),))
    return lines


def _ways(snapshot: Snapshot, width: int) -> list[Line]:
    """By what NCCL goes, and how many pairs each: beside the bytes, where those are counted."""
    pairs = Counter(cells.clean(way) for _, _, way in snapshot.routes)
    said = ", ".join(f"{way} ({count})" for way, count in pairs.most_common())
    return [cells.clip((Span("NCCL goes by ", DIM), Span(said, TEXT)), width)] if said else []


def _links(snapshot: Snapshot) -> list[Link]:
    every = [Link(row.rank, to, size) for row in snapshot.rows for to, size in sorted(row.links.items())]
    most = max((link.size for link in every), default=0)
    return [link for link in every if link.size > most / _GREETING]


def _largest(links: list[Link], rows: int) -> list[Link]:
    """As many as there are rows for, those that carry most; in their order."""
    kept = sorted(links, key=lambda link: -link.size)[: max(1, rows)]
    return [link for link in links if link in kept]


def _head(width: int, between: bool) -> Line:
    spans = [Span("mean bytes on the wire a step   ", DIM), Span(f"{THICK[0]}{THICK[3]}{THICK[7]} ", WITHIN)]
    spans.append(Span("within a node   " if between else "between ranks", DIM))
    if between:
        spans += [Span(f"{THICK[0]}{THICK[3]}{THICK[7]} ", BETWEEN), Span("between nodes", DIM)]
    return cells.clip(tuple(spans), width)


def _foot(snapshot: Snapshot, width: int) -> list[Line]:
    """What crosses nodes, and how fast it may."""
    if not snapshot.between:
        return []
    total = f"{numbers.size(snapshot.crossing)} of the mean step between nodes"
    speed = link_words.held_to(snapshot)
    most = ", links as fast as they go" if snapshot.link == UNLIMITED else f", at most {speed}" * bool(speed)
    return [(), cells.clip((Span(total, NAME), Span(most, TEXT)), width)]


def _by_collective(snapshot: Snapshot, width: int) -> list[Line]:
    """What of a step each kind of collective was handed, in which group; of as many as there is room for."""
    kinds = sorted(((row.bytes, row.op, row.group) for row in snapshot.ops if row.bytes), reverse=True)
    groups = len({group for _, _, group in kinds}) > 1  # else it tells nothing
    line: Line = (Span("payload of a step and rank: ", DIM),)
    for n, (size, op, group) in enumerate(kinds):
        where = f" in {cells.clean(group)}" if groups else ""
        longer = (*line, Span(", " * bool(n), DIM), Span(f"{cells.clean(op)}{where} "))
        longer = (*longer, Span(numbers.size(size), TEXT))
        rest = len(kinds) - n - 1
        more = cells.width(f", {rest} more") if rest else 0
        if cells.line_width(longer) + more > width:
            line = (*line, Span(f"{', ' * bool(n)}{len(kinds) - n} more", DIM))
            break
        line = longer
    return [cells.clip(line, width)] if kinds else []


def _listed(
    name: Callable[[int], str], links: list[Link], width: int, height: int, style: Style, beside: int
) -> list[Line]:
    """A line each, of as many as there are rows for: none as thick as its row, or all of them were one
    block, and apart where there is room."""
    most = max((link.size for link in links), default=0)
    found: list[Line] = []
    shown = links if len(links) <= height else _largest(links, height - 1)
    below = beside if len(shown) + beside <= height else 0  # what is drawn below, if there is room for it
    rest = len(links) - len(shown)
    apart = height >= 2 * len(shown) + below + bool(rest)
    for a, b, size in shown:
        share = _THICKEST * size / most if most else 0.0
        found += [*_band(name(a), name(b), share, size, width, style), *[()] * apart]
    if rest:
        found.append((Span(f"and {rest:,} more that carry less", DIM),))
    return found


def _band(
    left: str,
    right: str,
    share: float,
    size: int,
    width: int,
    style: Style,
    back: bool = False,
    rows: int = 1,
) -> list[Line]:
    """`rank 1 ▅▅▅ 20.9 MB ▅▅▅→ rank 2`, as thick as `share` of `rows` rows, the words in the middle of those
    that are whole; `back`: to the left."""
    words, start, end = f" {numbers.size(size)} ", "←" if back else " ", " " if back else "→"
    ends = cells.width(left) + cells.width(right) + 4
    room = max(2, width - ends)
    full, part = divmod(max(1, round(8 * rows * share)), 8)
    middle = max(0, full - 1) // 2  # of the whole rows, counted from the lowest
    # Words on a whole row are on its ground.
    said = Style("background", style.ink, bold=True) if full else TEXT
    lines: list[Line] = []
    for row in range(rows - 1, -1, -1):
        thick = "█" if row < full else THICK[part - 1] if row == full and part else " "
        if row != middle:
            lines.append((Span(" " * (cells.width(left) + 2)), Span(thick * room, style)))
            continue
        first = max(0, room - cells.width(words)) // 2
        last = max(0, room - cells.width(words) - first)
        lines.append((
            Span(left, NAME), Span(f" {start}", style), Span(thick * first, style), Span(words, said),
            Span(thick * last, style), Span(f"{end} ", style), Span(right, NAME),
        ))  # fmt: skip
    return lines


def _two(links: list[Link], node_of: dict[int, int], width: int, height: int) -> list[Line]:
    """Two nodes side by side: in each its ranks with what they send each other, between them what crosses."""
    most = max(link.size for link in links)
    wide = min(_BOX[1], max(_BOX[0], (width - _GAP) // 3))
    gap = width - 2 * wide
    nodes = sorted(set(node_of.values()))
    crossing = [link for link in links if node_of[link.sender] != node_of[link.receiver]]
    thick = min(_MOST_ROWS, max(1, (height - 2) // max(1, len(crossing)) - 1))
    boxes = [_node(node, links, node_of, most, wide, height, thick) for node in nodes]
    middle: list[Line] = [()]
    for link in _largest(crossing, height - 2):
        back = node_of[link.sender] != nodes[0]
        left, right = (link.receiver, link.sender) if back else (link.sender, link.receiver)
        share = link.size / most
        middle += _band(f" {left}", f"{right} ", share, link.size, gap, BETWEEN, back, thick)
        middle += [()] * (height > 2 + 2 * len(crossing))
    rows = max(len(middle), *(len(box) + 1 for box in boxes))
    left_box, right_box = (_closed(box, wide, rows) for box in boxes)
    return [(*a, *b, *c) for a, b, c in zip(left_box, framed(middle, gap, rows), right_box, strict=True)]


def _node(
    node: int, links: list[Link], node_of: dict[int, int], most: int, width: int, height: int, thick: int
) -> list[Line]:
    """The lines of a node, its lower edge not drawn: its ranks, below each what it sends within the node."""
    inner = width - 4
    ranks = [rank for rank, at in node_of.items() if at == node]
    within = [link for link in links if node_of[link.sender] == node == node_of[link.receiver]]
    there = height - 2 - len(ranks)
    thick = min(thick, there // len(within)) if within else 0
    airy = there >= len(ranks) + len(within) * thick
    lines: list[Line] = []
    for n, rank in enumerate(ranks):
        lines += [()] * bool(n and airy)
        lines.append((Span(f"rank {rank}", NAME),))
        for link in within if thick else ():
            if link.sender == rank:
                share = link.size / most
                lines += _band("", str(link.receiver), share, link.size, inner, WITHIN, rows=thick)
    title = f" node {numbers.node(node)} "
    top = (Span("┌─", NODE), Span(title, DIM), Span("─" * (width - 3 - len(title)) + "┐", NODE))
    if len(lines) > max(1, height - 2):
        named = (span for line in lines[: max(0, height - 3)] for span in line if span.style is NAME)
        seen = sum(span.text.startswith("rank ") for span in named)
        lines = [*lines[: max(0, height - 3)], (Span(f"and {len(ranks) - seen} more", DIM),)]
    return [top, *((Span("│ ", NODE), *cells.fit(line, inner), Span(" │", NODE)) for line in lines)]


def _closed(box: list[Line], width: int, rows: int) -> list[Line]:
    """The same with its lower edge as the last of so many rows."""
    blank = (Span("│", NODE), Span(" " * (width - 2)), Span("│", NODE))
    body = [*box, *[blank] * max(0, rows - 1 - len(box))][: rows - 1]
    return [*body, (Span("└" + "─" * (width - 2) + "┘", NODE),)]

"""The room of a run from above, flat: for a terminal of characters, in which nothing in space can be read.

Machines stand side by side, the ranks of each one below the other. A rank has a row for each kind of memory,
or one for all of them where rows are few; widths are proportional to bytes, on one scale for all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from runtime.protocol.figures import RankRow
from slides.drawing import cells
from slides.scenes.shapes import AnyShape, Box, Label, Packet, Point, State
from tui.classroom.runs.slow_motion import Playing
from tui.figures import numbers
from tui.views.parts.ranks import step_moment

WIDE, HIGH = 160.0, 60.0
MOST_BESIDE = 4  # machines; more stand below
KINDS = (
    ("params", "params", "parameters"),
    ("grads", "grads", "gradients"),
    ("optimizer_bytes", "optimizer", "optimizer"),
    ("activations", "activations", "activations"),
)
"""Field, ink, and a word of what has a row of its own. `gathered` goes on behind `params`."""
_GAP, _EDGE, _MIDDLE = 4.0, 2.0, 0.48
_WORDS = 15  # cells of a kind's name
_PACKET = 3.0


class _Grid(NamedTuple):
    """Where ranks stand: `row` units high rows, `each` of them a rank, machines `across` in a line."""

    nodes: Sequence[int]
    ranks: Mapping[int, Sequence[RankRow]]
    across: int
    deep: int  # rows of a machine, with its edge
    each: int
    row: float

    @property
    def wide(self) -> float:
        """The width of a machine."""
        return (WIDE - _GAP * (self.across - 1)) / self.across

    def corner(self, node: int) -> Point:
        """Return the upper left corner of a machine."""
        at = self.nodes.index(node)
        return (at % self.across) * (self.wide + _GAP), (at // self.across) * self.deep * self.row

    def top(self, rank: RankRow) -> Point:
        """Return where the first row of a rank begins."""
        x, y = self.corner(rank.node)
        at = self.ranks[rank.node].index(rank)
        return x + _EDGE, y + (1 + at * self.each) * self.row


def flat(
    rows: Sequence[RankRow], playing: Playing | None, between: Sequence[tuple[int, int, int]] = ()
) -> State:
    """Return the run as a flat scene; one of fewer rows stands in its place where those are missing."""
    kinds = [kind for kind in KINDS if any(_size(row, kind[0], playing) for row in rows)] or [KINDS[0]]
    long = _state(rows, playing, kinds, between, whole=True)
    short = _state(rows, playing, kinds, between, whole=False)
    return State(long.shapes, apart=long.apart, needs=long.needs, instead=(short,))


def _state(
    rows: Sequence[RankRow],
    playing: Playing | None,
    kinds: Sequence[tuple[str, str, str]],
    between: Sequence[tuple[int, int, int]],
    *,
    whole: bool,
) -> State:
    """`whole`: a row for each kind, and one between ranks."""
    nodes = sorted({row.node for row in rows})
    ranks = {node: [row for row in rows if row.node == node] for node in nodes}
    most = max(map(len, ranks.values()))
    each = len(kinds) + 2 if whole else 2
    across = min(len(nodes), MOST_BESIDE)
    down = -(-len(nodes) // across)
    deep = most * each + (1 if whole else 2)
    grid = _Grid(nodes, ranks, across, deep, each, HIGH / (down * deep))
    shapes: list[AnyShape] = []
    for node in nodes:
        shapes += _machine(grid, node, {b: size for a, b, size in between if a == node and size})
    left = min(0.5 * grid.wide, (_WORDS if whole else 0) * WIDE / 100)
    room = grid.wide - 2 * _EDGE - left - 2 * _PACKET
    scale = room / max((_width(row, kinds, None, whole) for row in rows), default=0) if rows else 0.0
    for row in rows:
        shapes += _rank(grid, row, playing, kinds, (left, scale), whole=whole)
    if playing is not None:
        shapes += _under_way(grid, rows, playing)
    return State(tuple(shapes), size=(WIDE, HIGH), apart=grid.row, needs=(60.0 * across / 2, HIGH / grid.row))


def _size(row: RankRow, field: str, playing: Playing | None) -> int:
    held = step_moment.held(row, playing)
    most = step_moment.held(row, None)
    return max(held[field], most[field]) + (most["gathered"] if field == "params" else 0)


def _width(row: RankRow, kinds: Sequence[tuple[str, str, str]], playing: Playing | None, whole: bool) -> int:
    """The most bytes that stand in one row of a rank; at least 1."""
    sizes = [_size(row, field, playing) for field, _, _ in kinds]
    return max(max(sizes) if whole else sum(sizes), 1)


def _machine(grid: _Grid, node: int, sent: Mapping[int, int]) -> list[AnyShape]:
    """A machine's outline and its name, with the bytes that leave it in a step by its kernel's count."""
    x, y = grid.corner(node)
    size = (grid.wide, (grid.deep - 0.2) * grid.row)
    name = f" machine {numbers.node(node)} " if len(grid.nodes) > 1 else " one machine "
    words = name
    if sent:
        whom = numbers.node(next(iter(sent))) if len(sent) == 1 else f"{len(sent)} machines"
        words = f"{name}· {numbers.size(sum(sent.values()))} a step to {whom} "
    return [
        Box(id=f"machine{node}", at=(x, y + 0.4 * grid.row), size=size, ink="line", hollow=True),
        Label(
            id=f"name{node}",
            at=(x + grid.wide / 2, y + 0.5 * grid.row),
            text=words,
            short=name,
            ink="dim",
            layer=1,
        ),
    ]


def _rank(
    grid: _Grid,
    row: RankRow,
    playing: Playing | None,
    kinds: Sequence[tuple[str, str, str]],
    bars: tuple[float, float],
    *,
    whole: bool,
) -> list[AnyShape]:
    """A rank's name, what it is at and sends, and its bars, which begin `bars[0]` from its left edge."""
    x, y = grid.top(row)
    left, scale = bars
    held = step_moment.held(row, playing)
    gone = row.state in ("dead", "lost")
    total = sum(held.values()) if playing is not None else row.peak if row.peak is not None else row.held_sum
    size = f"  {numbers.size(total)}" if total else ""
    words = cells.clean(f"rank {row.rank}{size}  {step_moment.doing(row, playing)}").rstrip()
    middle = y + _MIDDLE * grid.row
    name = Label(id=f"rank {row.rank}", at=(x, middle), text=words, short=f"rank {row.rank}", anchor="left",
                 ink="bad" if gone else "heading", bold=True)  # fmt: skip
    found: list[AnyShape] = [name]
    if sent := _sent(row):
        at = (x + grid.wide - 2 * _EDGE - _PACKET, middle)
        found.append(Label(id=f"sent by {row.rank}", at=at, text=sent, anchor="right", ink="dim", layer=-1))
    start, line = x + left, y
    for field, ink, word in kinds:
        if whole:
            start, line = x + left, line + grid.row
            at = (x, line + _MIDDLE * grid.row)
            found.append(Label(id=f"{field} of {row.rank}", at=at, text=word, anchor="left", ink="dim"))
        else:
            line = y + grid.row
        for part in (field, "gathered") if field == "params" else (field,):
            wide = held[part] * scale
            if wide:
                alpha = 0.25 if gone else 0.5 if part == "gathered" else 1.0
                found.append(Box(id=f"{part}@{row.rank}", at=(start, line), size=(wide, grid.row), ink=ink,
                                 alpha=alpha, whole=True))  # fmt: skip
            start += wide
    return found


def _sent(row: RankRow) -> str:
    """The bytes that left it for others in a step, as its kernel counted them."""
    sizes = {other: size for other, size in row.links.items() if size}
    if not sizes:
        return ""
    most = max(sizes.values())
    others = [other for other, size in sizes.items() if size > most / 200]  # less is a greeting
    whom = f"rank {others[0]}" if len(others) == 1 else f"{len(others)} ranks"
    return cells.clean(f"{numbers.size(sum(sizes.values()))} a step to {whom}")


def _under_way(grid: _Grid, rows: Sequence[RankRow], playing: Playing) -> list[AnyShape]:
    """A packet for each transfer, at the right edge of its machine or from machine to machine."""
    by_rank = {row.rank: row for row in rows}
    found: list[AnyShape] = []
    for n, sent in enumerate(step_moment.sending(playing)):
        if sent.source not in by_rank or sent.target not in by_rank:
            continue
        ends = []
        for rank in (sent.source, sent.target):
            x, y = grid.top(by_rank[rank])
            ends.append((x + grid.wide - 2 * _EDGE - _PACKET / 2, y + 1.5 * grid.row))
        ink = "params" if sent.transfer.op == "all-gather" else "grads"
        found.append(Packet(id=f"sent{n}", points=tuple(ends), size=(_PACKET, grid.row), along=sent.share,
                            ink=ink, layer=2))  # fmt: skip
    return found

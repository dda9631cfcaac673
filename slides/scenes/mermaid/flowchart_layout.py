"""The layout of a flowchart: layers, their order, and boxes with edges between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

from slides.drawing.cells import width
from slides.scenes.mermaid import flowchart_chain
from slides.scenes.mermaid.box_words import NARROWEST, WIDEST, box, lines_of
from slides.scenes.mermaid.flowchart_parts import Chart, Edge
from slides.scenes.shapes import AnyShape, Box, Label, Path, Point, State

ASPECTS = (4.2, 5.6, 7.5, 10.0)  # columns a row of the pictures that slides have room for
_BESIDE = 3.0  # cells between boxes of a layer
_SWEEPS = 6


@dataclass(slots=True)
class _Cell:
    """A node, or the place where an edge passes a layer: where it stands, in cells across and along."""

    name: str
    layer: int
    lines: list[str]
    across: float = 0.0  # its size
    along: float = 0.0
    middle: float = 0.0  # its place across
    before: list[_Cell] = field(default_factory=list)
    after: list[_Cell] = field(default_factory=list)


def states(chart: Chart, stepwise: bool) -> Iterator[State]:
    """Return the picture of a chart, or one a layer."""
    level = chart.direction in ("LR", "RL")
    drawn = _Layout(chart, level)
    others = [_Layout(chart, level, tight=True), _Layout(chart, not level, tight=True)]
    others += [_Layout(chart, False, tight=True, closed=True)]
    names_of_chain = flowchart_chain.order(chart) if not drawn.backwards else []
    steps = range(len(drawn.rows)) if stepwise else [len(drawn.rows) - 1]
    for last in steps:
        names = [" ".join(cell.lines) for cell in drawn.rows[last] if cell.lines]
        lead = ", ".join(names) if stepwise else ""
        unseen = "" if stepwise else drawn.told()
        first, *instead = (
            *(drawn.state(last, aspect) for aspect in ASPECTS),
            *flowchart_chain.folded(chart, names_of_chain, last, ASPECTS),
            *(one.state(last, aspect) for one in others for aspect in ASPECTS),
        )
        yield replace(first, lead=lead, unseen=unseen, instead=tuple(instead))


class _Layout:
    """`level`: its layers stand side by side; `tight`: without frames, with little air; `closed`: with none
    but for the heads of arrows."""

    def __init__(self, chart: Chart, level: bool, tight: bool = False, closed: bool = False) -> None:
        self.chart, self.level, self.tight, self.closed = chart, level, tight, closed
        self.backwards = chart.direction in ("BT", "RL")
        self.forward, self.turned = _acyclic(chart)
        depth = _depths(chart, self.forward)
        _beside_their_group(chart, depth)
        most = NARROWEST if tight else WIDEST
        self.cells = {
            name: _Cell(name, depth[name], lines_of(node.words, most)) for name, node in chart.nodes.items()
        }
        self.rows: list[list[_Cell]] = [[] for _ in range(max(depth.values()) + 1)]
        for cell in self.cells.values():
            self.rows[cell.layer].append(cell)
        self.ways = [self._way(edge, n) for n, edge in enumerate(chart.edges)]
        self._order()
        self._sized()

    def _way(self, edge: Edge, number: int) -> list[_Cell]:
        """The cells that an edge passes, from the layer nearer to the first one on."""
        ends = (edge.target, edge.source) if number in self.turned else (edge.source, edge.target)
        first, last = self.cells[ends[0]], self.cells[ends[1]]
        way = [first]
        for layer in range(first.layer + 1, last.layer):
            passed = _Cell(f"{number} at {layer}", layer, [])
            self.rows[layer].append(passed)
            way.append(passed)
        way.append(last)
        if first is not last:
            for a, b in pairwise(way):
                a.after.append(b)
                b.before.append(a)
        return way

    def _order(self) -> None:
        for sweep in range(_SWEEPS):
            down = sweep % 2 == 0
            for row in self.rows if down else reversed(self.rows):
                place = {id(cell): n for other in self.rows for n, cell in enumerate(other)}

                def mean(cell: _Cell, place: dict[int, int] = place, down: bool = down) -> float:
                    near = cell.before if down else cell.after
                    return sum(place[id(one)] for one in near) / len(near) if near else place[id(cell)]

                row.sort(key=mean)

    def _sized(self) -> None:
        """Sizes and places of all cells, and of the picture."""
        for cell in self.cells.values():
            wide, high = max(map(width, cell.lines)) + 2.0, float(len(cell.lines))
            if not self.tight:
                wide, high = wide + 2.0, high + 2.0
                ports = max(len(cell.before), len(cell.after))
                if self.level and ports > 1:  # a row of the frame for each edge, and one in the middle
                    high = max(high, ports + 3.0 - ports % 2)
            cell.across, cell.along = (high, wide) if self.level else (wide, high)
        beside = 1.0 if self.level else _BESIDE
        spans = [sum(max(cell.across, 1.0) + beside for cell in row) - beside for row in self.rows]
        across = max(spans)
        for row, span in zip(self.rows, spans, strict=True):
            at = (across - span) / 2
            for cell in row:
                cell.middle = at + max(cell.across, 1.0) / 2
                at += max(cell.across, 1.0) + beside
        self._straighten(across, beside)
        words = max((width(edge.words) for edge in self.chart.edges), default=0)
        least = 4.0 if self.tight else 6.0
        if self.level:
            gap = max(least, words + least if words else 0)
        else:
            gap = 1.0 if self.closed else 3.0 if words and not self.tight else 2.0
        gap += 2.0 if self.chart.groups else 0.0
        self.gap, self.starts, at = gap, [], 0.0
        self.thick = [max((cell.along for cell in row), default=1.0) for row in self.rows]
        for thick in self.thick:
            self.starts.append(at)
            at += thick + gap
        self.along = at - gap
        wide, high = (self.along, across) if self.level else (across, self.along)
        self.extent = wide, high

    def state(self, last: int, aspect: float) -> State:
        """Return everything up to layer `last`, for a surface of so many columns a row.

        A unit is at least a cell there: in less, frames and words would lie on each other.
        """
        margin = 2.0 if self.chart.groups else 0.0
        looped = 2.0 if any(edge.source == edge.target for edge in self.chart.edges) and self.level else 0.0
        wide, high = self.extent[0] + 2 * margin, self.extent[1] + 2 * max(margin, looped)
        size = max(wide, aspect * high), max(high, wide / aspect)
        self.shift = (size[0] - self.extent[0]) / 2, (size[1] - self.extent[1]) / 2
        return State(tuple(self.shapes(last)), size=size, apart=1.0, needs=size)

    def _straighten(self, across: float, beside: float) -> None:
        """Move cells towards the middle of their neighbours, as far as those beside them let them."""
        for sweep in range(_SWEEPS):
            for row in self.rows if sweep % 2 == 0 else reversed(self.rows):
                for n, cell in enumerate(row):
                    near = [*cell.before, *cell.after] if sweep > 1 else (cell.before or cell.after)
                    if not near:
                        continue
                    half = max(cell.across, 1.0) / 2
                    low = (
                        half
                        if n == 0
                        else row[n - 1].middle + max(row[n - 1].across, 1.0) / 2 + beside + half
                    )
                    high = across - half
                    if n + 1 < len(row):
                        high = row[n + 1].middle - max(row[n + 1].across, 1.0) / 2 - beside - half
                    if low <= high:
                        wanted = sum(one.middle for one in near) / len(near)
                        cell.middle = min(max(wanted, low), high)

    # --- the picture --------------------------------------------------------------------------------------

    def _at(self, across: float, along: float) -> Point:
        """A place in the picture; turned round for charts from below and from the right."""
        if self.backwards:
            along = self.along - along
        x, y = (along, across) if self.level else (across, along)
        return x + self.shift[0], y + self.shift[1]

    def shapes(self, last: int) -> list[AnyShape]:
        """Everything up to layer `last`."""
        found: list[AnyShape] = []
        for n, (title, names) in enumerate(self.chart.groups.items()):
            found += self._group(
                n, title, [self.cells[name] for name in names if self.cells[name].layer <= last]
            )
        for cell in self.cells.values():
            if cell.layer <= last:
                low, size = self._corner(cell)
                found += box(
                    cell.name, cell.lines, low, size, self.chart.nodes[cell.name].ink, not self.tight
                )
        outs: dict[tuple[int, bool], int] = {}
        for n, (edge, way) in enumerate(zip(self.chart.edges, self.ways, strict=True)):
            if way[0] is way[-1]:
                if way[0].layer <= last:
                    found.append(self._loop(n, edge, way[0]))
            elif max(way[0].layer, way[-1].layer) <= last:
                found += self._edge(n, edge, way, outs)
        return found

    def _loop(self, n: int, edge: Edge, cell: _Cell) -> Label:
        """An edge from a node to itself: a sign beside it, or above it where others are beside it."""
        (x, y), (wide, high) = self._corner(cell)
        words = f"↻ {' '.join(lines_of(edge.words))}".strip() if edge.words else "↻"
        if self.level:
            return Label(id=f"edge {n}", at=(x + wide / 2, y - 0.5), text=words, ink="text", layer=3)
        at = (x + wide + 1.0, y + high / 2)
        return Label(id=f"edge {n}", at=at, text=words, anchor="left", ink="text", layer=3)

    def _corner(self, cell: _Cell) -> tuple[tuple[float, float], tuple[float, float]]:
        start = self.starts[cell.layer] + (self.thick[cell.layer] - cell.along) / 2
        a = self._at(cell.middle - cell.across / 2, start)
        b = self._at(cell.middle + cell.across / 2, start + cell.along)
        low = (min(a[0], b[0]), min(a[1], b[1]))
        return low, (abs(a[0] - b[0]), abs(a[1] - b[1]))

    def _group(self, n: int, title: str, cells: list[_Cell]) -> list[AnyShape]:
        corners = [self._corner(cell) for cell in cells]
        if not corners:
            return []
        x0, y0 = min(at[0] for at, _ in corners) - 1.5, min(at[1] for at, _ in corners) - 1.0
        x1 = max(at[0] + size[0] for at, size in corners) + 1.5
        y1 = max(at[1] + size[1] for at, size in corners) + 1.0
        frame = Box(id=f"group {n}", at=(x0, y0), size=(x1 - x0, y1 - y0), ink="faint", hollow=True)
        name = Label(
            id=f"group name {n}", at=(x0 + 2, y0 + 0.5), text=f" {title} ", ink="dim", anchor="left", layer=3
        )
        return [frame, name]

    def _edge(
        self, n: int, edge: Edge, way: list[_Cell], used: dict[tuple[int, bool], int]
    ) -> list[AnyShape]:
        first, last = way[0], way[-1]
        points: list[Point] = []
        leaves = self._port(first, way[1], True, used)
        at, along = leaves, self._end(first) - (0.0 if self.level else 0.3)
        points.append(self._at(at, along))
        for cell in way[1:]:
            to = self._port(cell, first, False, used) if cell is last else cell.middle
            turn = self.starts[cell.layer] - self.gap + (1.5 if self.level else 0.3 if self.closed else 0.5)
            start = self._start(cell) if cell is last else self.starts[cell.layer]
            if abs(to - at) > 0.4:
                points += [self._at(at, turn), self._at(to, turn)]
            else:
                to = at
            points.append(self._at(to, start - 0.5 if cell is last else start))
            if cell is not last:
                points.append(self._at(to, self.starts[cell.layer] + self.thick[cell.layer]))
            at = to
        if n in self.turned:
            points = [
                self._at(leaves, self._end(first) + 0.5),
                *points[1:-1],
                self._at(at, self._start(last) + 0.3),
            ]
            points.reverse()
        found: list[AnyShape] = [
            Path(id=f"edge {n}", points=tuple(points), ink="dim", head=edge.head, dashed=edge.dashed)
        ]
        if edge.words:
            words = " ".join(lines_of(edge.words))
            if self.level:
                # Between the corner at the beginning of the gap and the head at its end.
                place = self._at(at, self._start(last) - 1.6 - (width(words) + 2) / 2)
                label = Label(id=f"says {n}", at=place, text=f" {words} ", ink="text", layer=4)
            else:
                x, y = self._at(at, self._start(last) - (0.5 if self.tight else 1.5))
                label = Label(id=f"says {n}", at=(x + 1.5, y), text=words, ink="text", anchor="left", layer=4)
            found.append(label)
        return found

    def _end(self, cell: _Cell) -> float:
        return self.starts[cell.layer] + (self.thick[cell.layer] + cell.along) / 2

    def _start(self, cell: _Cell) -> float:
        return self.starts[cell.layer] + (self.thick[cell.layer] - cell.along) / 2

    def _port(self, cell: _Cell, other: _Cell, leaves: bool, used: dict[tuple[int, bool], int]) -> float:
        """Where an edge meets a box: those of a side stand beside each other, in the order they are said."""
        near = cell.after if leaves else cell.before
        ranked = sorted(range(len(near)), key=lambda n: near[n].middle)
        key = (id(cell), leaves)
        place = ranked.index(used.get(key, 0) % len(near)) if near else 0
        used[key] = used.get(key, 0) + 1
        room = min(4.0 if not self.level else 2.0, (cell.across - 2) / max(1, len(near)))
        return cell.middle + (place - (len(near) - 1) / 2) * room

    def told(self) -> str:
        """What the chart says, for who does not see it."""
        names = {name: " ".join(cell.lines) for name, cell in self.cells.items()}
        said = []
        for edge in self.chart.edges[:12]:
            words = f" ({' '.join(lines_of(edge.words))})" if edge.words else ""
            said.append(f"{names[edge.source]} → {names[edge.target]}{words}")
        return "; ".join(said or names.values())


def _acyclic(chart: Chart) -> tuple[list[tuple[str, str]], set[int]]:
    """The edges without circles, as (from, to), and the numbers of those that were turned round for it."""
    out: dict[str, list[tuple[int, str]]] = {name: [] for name in chart.nodes}
    for n, edge in enumerate(chart.edges):
        out[edge.source].append((n, edge.target))
    turned: set[int] = set()
    colour: dict[str, int] = {}
    for root in chart.nodes:
        if root in colour:
            continue
        colour[root] = 1
        stack = [(root, iter(out[root]))]
        while stack:
            name, rest = stack[-1]
            for n, target in rest:
                if colour.get(target) == 1:
                    turned.add(n)
                elif target not in colour:
                    colour[target] = 1
                    stack.append((target, iter(out[target])))
                    break
            else:
                colour[name] = 2
                stack.pop()
    found = []
    for n, edge in enumerate(chart.edges):
        if edge.source != edge.target:
            found.append((edge.target, edge.source) if n in turned else (edge.source, edge.target))
    return found, turned


def _depths(chart: Chart, edges: list[tuple[str, str]]) -> dict[str, int]:
    """The layer of each node: one behind the last that leads to it."""
    depth = dict.fromkeys(chart.nodes, 0)
    for _ in chart.nodes:
        changed = False
        for a, b in edges:
            if depth[b] < depth[a] + 1:
                depth[b], changed = depth[a] + 1, True
        if not changed:
            break
    return depth


def _beside_their_group(chart: Chart, depth: dict[str, int]) -> None:
    """Nodes that no edge leads to or from stand where the rest of their group begins."""
    joined = {end for edge in chart.edges for end in (edge.source, edge.target)}
    for names in chart.groups.values():
        others = [depth[name] for name in names if name in joined]
        for name in names if others else ():
            if name not in joined:
                depth[name] = min(others)

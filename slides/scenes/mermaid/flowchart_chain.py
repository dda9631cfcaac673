"""A flowchart that is one chain, folded into rows: where it is too long for a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slides.drawing.cells import width
from slides.scenes.mermaid.box_words import NARROWEST, WIDEST, box, lines_of
from slides.scenes.mermaid.flowchart_parts import Chart
from slides.scenes.shapes import AnyShape, Label, Path, Point, State

_GAP, _BELOW = 6.0, 2.0  # cells between boxes of a row, and between rows
_MOST_ROWS = 4


def order(chart: Chart) -> list[str]:
    """Return the nodes of a chain in their order, one that ends where it began too; [] of other charts."""
    after = {edge.source: edge for edge in chart.edges}
    targets = {edge.target for edge in chart.edges}
    if len(after) != len(chart.edges) or len(targets) != len(chart.edges) or chart.groups:
        return []
    names = [next((name for name in chart.nodes if name not in targets), next(iter(chart.nodes)))]
    while (edge := after.get(names[-1])) is not None and edge.target != names[0]:
        names.append(edge.target)
    return names if len(names) == len(chart.nodes) else []


def folded(chart: Chart, names: Sequence[str], last: int, aspects: Sequence[float]) -> Iterator[State]:
    """Return the first `last` + 1 nodes in two rows and more, each picture for some shapes of a surface."""
    for most in (WIDEST, NARROWEST):
        for rows in range(2, _MOST_ROWS + 1):
            across = -(-len(names) // rows)
            if across > 1:
                drawn = _Folded(chart, names, across, most)
                for aspect in aspects:
                    yield drawn.state(last, aspect)


class _Folded:
    def __init__(self, chart: Chart, names: Sequence[str], across: int, most: int) -> None:
        self._chart, self._names, self._across = chart, names, across
        self._lines = [lines_of(chart.nodes[name].words, most) for name in names]
        self._edges = {edge.source: edge for edge in chart.edges}
        # Before each column but the first: the words of the edges that lead there stand in it.
        self._gaps = [0.0]
        for place in range(1, across):
            words = [
                width(self._edges[name].words) for name in names[place - 1 :: across] if name in self._edges
            ]
            self._gaps.append(max(_GAP, max(words) + 5.0 if max(words, default=0) else 0.0))
        self._wide = [
            max(max(map(width, lines)) for lines in self._lines[place::across]) + 4.0
            for place in range(across)
        ]
        self._high = [
            max(len(lines) for lines in self._lines[at : at + across]) + 2.0
            for at in range(0, len(names), across)
        ]

    def state(self, last: int, aspect: float) -> State:
        """Return it as a surface of so many columns a row has room for it."""
        wide = sum(self._wide) + sum(self._gaps)
        high = sum(self._high) + _BELOW * (len(self._high) - 1) + (self._names[-1] in self._edges)
        size = max(wide, aspect * high), max(high, wide / aspect)
        self._shift = (size[0] - wide) / 2, (size[1] - high) / 2
        shapes: list[AnyShape] = []
        for n, name in enumerate(self._names[: last + 1]):
            x, y = self._corner(n)
            extent = (self._wide[n % self._across], len(self._lines[n]) + 2.0)
            shapes += box(name, self._lines[n], (x, y), extent, self._chart.nodes[name].ink, True)
            if n:
                shapes += self._edge(n)
        ends = self._edges.get(self._names[-1])
        if ends is not None and last + 1 >= len(self._names):  # it begins anew
            (x, y), lines = self._corner(len(self._names) - 1), self._lines[-1]
            at = (x + self._wide[(len(self._names) - 1) % self._across] / 2, y + len(lines) + 2.5)
            words = " ".join(["↺", *lines_of(ends.words), *self._lines[0]])
            shapes.append(Label(id="again", at=at, text=" ".join(words.split()), ink="text", layer=4))
        return State(tuple(shapes), size=size, apart=1.0, needs=size)

    def _corner(self, n: int) -> Point:
        row, place = divmod(n, self._across)
        x = sum(self._wide[:place]) + sum(self._gaps[: place + 1])
        y = sum(self._high[:row]) + _BELOW * row + (self._high[row] - len(self._lines[n]) - 2.0) / 2
        return x + self._shift[0], y + self._shift[1]

    def _edge(self, n: int) -> list[AnyShape]:
        """The way from the node before: along its row, or round to the beginning of the next one."""
        edge = self._edges[self._names[n - 1]]
        row, place = divmod(n, self._across)
        x, y = self._corner(n)
        before_x, before_y = self._corner(n - 1)
        middle = y + len(self._lines[n]) / 2 + 1.0
        if place:
            start = before_x + self._wide[place - 1] + 0.3
            points: tuple[Point, ...] = ((start, middle), (x - 0.5, middle))
            said = (start + x) / 2, middle
        else:
            under = self._shift[1] + sum(self._high[:row]) + _BELOW * row - 0.5 - _BELOW / 2
            down = before_x + self._wide[self._across - 1] / 2
            to = x + self._wide[0] / 2
            bottom = before_y + len(self._lines[n - 1]) + 1.6
            points = ((down, bottom), (down, under), (to, under), (to, y - 0.5))
            said = (down + to) / 2, under
        found: list[AnyShape] = [
            Path(id=f"edge {n}", points=points, ink="dim", head=edge.head, dashed=edge.dashed)
        ]
        if edge.words:
            words = " ".join(lines_of(edge.words))
            found.append(Label(id=f"says {n}", at=said, text=f" {words} ", ink="text", layer=4))
        return found

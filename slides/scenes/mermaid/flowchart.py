"""`flowchart` and `graph`: nodes and edges, in layers along the direction that is asked for.

The layers are those of Sugiyama, Tagawa and Toda (1981): edges that close a circle are turned round, a node
stands a layer behind the last that leads to it, edges over several layers get places in those between, and
the order within a layer follows the mean of the neighbours' places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from slides.problems import Mistake, quoted
from slides.scenes.mermaid import flowchart_layout
from slides.scenes.mermaid.flowchart_parts import Chart, Edge, Node
from slides.scenes.shapes import State

MOST_NODES, MOST_EDGES = 60, 120
_IGNORED = ("classDef", "class ", "style ", "linkStyle", "click ", "direction ", "accTitle", "accDescr")
_ID = re.compile(r"\s*([^\W_][\w.]*(?:-(?![-.>])[\w.]+)*|_\w*)")
_SHAPES = (
    ("([", "])", "good"), ("[[", "]]", "accent"), ("[(", ")]", "activations"), ("(((", ")))", "good"),
    ("((", "))", "good"), ("{{", "}}", "accent"), ("{", "}", "warning"), ("[/", "/]", "accent"),
    ("[\\", "\\]", "accent"), ("[", "]", "accent"), ("(", ")", "accent"), (">", "]", "accent"),
)  # fmt: skip
"""How the words of a node are enclosed, and the ink that says so: in cells every node is a box."""
_ARROW = re.compile(r"\s*([<xo]?(?:--+|==+|-\.+-?)(?:[->xo]|\.->|=>)?)")
_LABELLED = re.compile(r"\s*([<xo]?(?:--|==|-\.))\s+([^|>\-=.][^|>]*?)\s*((?:--+|==+|\.-+)[>xo]?)")
_BARS = re.compile(r"\s*\|([^|]*)\|")


def states(lines: list[str], stepwise: bool) -> Iterator[State]:
    """Return the picture, or one that grows by a layer a step.

    Raises:
        Mistake: A line that cannot be read.
    """
    return flowchart_layout.states(read(lines), stepwise)


def read(lines: list[str]) -> Chart:
    """Return what the lines of a flowchart say, the first of which is its head.

    Raises:
        Mistake: A line that cannot be read, or more than is drawn.
    """
    _, *rest = re.split(r"[;\s]+", lines[0].strip(), maxsplit=2)
    chart = Chart()
    if rest and rest[0] in ("TB", "TD", "BT", "LR", "RL"):
        chart.direction = "TB" if rest[0] == "TD" else rest[0]
        rest = rest[1:]
    open_groups: list[str] = []
    within: dict[str, list[str]] = {}  # groups by the names that edges have for them
    for line in [*rest, *lines[1:]]:
        for statement in _statements(line):
            if statement.startswith("subgraph"):
                said = statement[len("subgraph") :].strip()
                open_groups.append(_title(said))
                found = chart.groups.setdefault(open_groups[-1], [])
                for name in (said.partition("[")[0].strip(), open_groups[-1]):
                    within.setdefault(name, found)
            elif statement == "end":
                if open_groups:
                    open_groups.pop()
            elif not statement.startswith(_IGNORED):
                _statement(chart, statement, open_groups)
    _to_groups(chart, within)
    if not chart.nodes:
        raise Mistake("this flowchart has no nodes", "Write `a[Load] --> b[Train]`.")
    if len(chart.nodes) > MOST_NODES or len(chart.edges) > MOST_EDGES:
        raise Mistake(f"more than {MOST_NODES} nodes or {MOST_EDGES} edges", "Cut it in two.")
    return chart


def _to_groups(chart: Chart, within: dict[str, list[str]]) -> None:
    """An edge to a group leads to its first node, one from it comes from the end of a way through it."""
    named = {name: found for name, found in within.items() if name in chart.nodes and name not in found}
    named = {name: [one for one in found if one not in named] for name, found in named.items()}
    named = {name: found for name, found in named.items() if found and chart.nodes[name].words == name}
    if not named:
        return
    ways = {(edge.source, edge.target) for edge in chart.edges}

    def end(found: list[str]) -> str:
        """The first node that an edge of the group leads to and none leads on from."""
        inner = [(a, b) for a, b in ways if a in found and b in found]
        left, met = {a for a, _ in inner}, {b for _, b in inner}
        return next((name for name in found if name in met - left), found[0])

    chart.edges[:] = [
        replace(
            edge,
            source=end(named[edge.source]) if edge.source in named else edge.source,
            target=named[edge.target][0] if edge.target in named else edge.target,
        )
        for edge in chart.edges
    ]
    for name in named:
        del chart.nodes[name]
    for names in chart.groups.values():
        names[:] = [name for name in names if name not in named]


def _statements(line: str) -> list[str]:
    """Parts of a line at `;` that are not within quotes."""
    if '"' in line:
        return [line.strip().rstrip(";")]
    return [part.strip() for part in line.split(";") if part.strip()]


def _title(text: str) -> str:
    """`one [Words]` or `Words`."""
    if text.endswith("]") and "[" in text:
        text = text[text.index("[") + 1 : -1]
    return text.strip().strip('"')


def _statement(chart: Chart, text: str, groups: list[str]) -> None:
    """`a & b --> c[Words] -->|words| d`."""
    at, before = 0, None
    edge: tuple[str, bool, bool, bool] | None = None
    while True:
        names, at = _names(chart, text, at, groups)
        if before is not None and edge is not None:
            words, head, dashed, back = edge
            for a in before:
                for b in names:
                    source, target = (b, a) if back else (a, b)
                    chart.edges.append(Edge(source, target, words, head, dashed))
        if not text[at:].strip():
            return
        before = names
        edge, at = _edge(text, at)


def _names(chart: Chart, text: str, at: int, groups: list[str]) -> tuple[list[str], int]:
    names: list[str] = []
    while True:
        match = _ID.match(text, at)
        if match is None:
            raise Mistake(
                f"{quoted(text[at:].strip() or text)} cannot be read", "Write `a[Load] --> b[Train]`."
            )
        name, at = match[1], match.end()
        ink, words, at = _shape(text, at)
        if name not in chart.nodes:
            chart.nodes[name] = Node(name)
        if words is not None:
            chart.nodes[name] = Node(words, ink)
        for group in groups[-1:]:
            if name not in chart.groups[group]:
                chart.groups[group].append(name)
        marked = re.compile(r":::[\w-]+").match(text, at)
        at = marked.end() if marked else at
        names.append(name)
        more = re.compile(r"\s*&").match(text, at)
        if more is None:
            return names, at
        at = more.end()


def _shape(text: str, at: int) -> tuple[str, str | None, int]:
    for opens, closes, ink in _SHAPES:
        if not text.startswith(opens, at):
            continue
        start = at + len(opens)
        quoted_end = text.find('"', start + 1) if text.startswith('"', start) else start
        end = text.find(closes, max(quoted_end, start))
        if end >= 0:
            return ink, text[start:end], end + len(closes)
    return "", None, at


def _edge(text: str, at: int) -> tuple[tuple[str, bool, bool, bool], int]:
    words = ""
    match = _LABELLED.match(text, at)
    if match is not None:
        sign, words, end = match[1] + match[3], match[2], match.end()
    else:
        match = _ARROW.match(text, at)
        if match is None:
            mend = "An edge is `-->`, `---`, `-.->`, `==>`, with words `-->|yes|`."
            raise Mistake(f"{quoted(text[at:].strip())} is no edge of a flowchart", mend)
        sign, end = match[1], match.end()
        bars = _BARS.match(text, end)
        if bars is not None:
            words, end = bars[1], bars.end()
    head = sign[-1] in ">xo"
    back = sign[0] == "<" and not head
    return (words.strip().strip('"'), head or back, "." in sign, back), end

"""What a flowchart says: its nodes, edges and groups."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Node:
    """A node: its words, and the ink of its shape."""

    words: str
    ink: str = "accent"


@dataclass(frozen=True, slots=True)
class Edge:
    """From node to node; `head` at its end, `dashed` where it is drawn dotted."""

    source: str
    target: str
    words: str = ""
    head: bool = True
    dashed: bool = False


@dataclass(slots=True)
class Chart:
    """What a flowchart says. Names of nodes in the order they are met; groups by their words."""

    direction: str = "TB"
    nodes: dict[str, Node] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    groups: dict[str, list[str]] = field(default_factory=dict)

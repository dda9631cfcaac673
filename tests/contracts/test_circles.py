"""No circle among the modules of a room, imports for types and inside functions included."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# Those that are left, and why; one that has become smaller is among them.
LEFT = {
    (
        "tui.deck.questions_directive",
        "tui.deck.contents",
        "tui.deck.question_files",
    ): "a deck takes questions out of files, and such a file may be a deck",
}


def modules(room: str) -> dict[str, Path]:
    found = {}
    for path in sorted((ROOT / room).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(source: str, known: set[str]) -> set[str]:
    """The modules among `known` that a source names in its imports, wherever in it they stand."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = {alias.name: f"{node.module}.{alias.name}" for alias in node.names}
            found |= {whole if whole in known else node.module for whole in names.values()}
    return found & known


def circles(graph: dict[str, set[str]]) -> list[tuple[str, ...]]:
    """Sets of modules that can all be reached from each other."""
    reach: dict[str, set[str]] = {}
    for start in graph:
        seen, todo = set[str](), list(graph[start])
        while todo:
            if (module := todo.pop()) not in seen:
                seen.add(module)
                todo += graph[module]
        reach[start] = seen
    found = {
        tuple(sorted(other for other in reach[module] if module in reach[other]))
        for module in graph
        if module in reach[module]
    }
    return sorted(found)


def test_a_circle_is_found_wherever_its_imports_stand() -> None:
    known = {"a", "a.b", "a.c", "a.d"}
    types = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from a.c import Name\n"
    graph = {
        "a": set[str](),
        "a.b": imported(types, known),
        "a.c": imported("def f():\n    from a import d\n", known),
        "a.d": imported("import a.b\n", known),
    }
    assert circles(graph) == [("a.b", "a.c", "a.d")]
    assert circles({**graph, "a.d": set()}) == []


@pytest.mark.parametrize(("room", "least"), [("tui", 200), ("quiz", 40), ("slides", 100), ("runtime", 300)])
def test_no_circle_among_the_modules_of_a_room(room: str, least: int) -> None:
    paths = modules(room)
    graph = {name: imported(path.read_text(), set(paths)) - {name} for name, path in paths.items()}
    assert len(graph) > least  # it has read them
    assert [found for found in circles(graph) if not any(set(found) <= set(known) for known in LEFT)] == []

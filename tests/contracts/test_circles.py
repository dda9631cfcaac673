"""No circle among the modules of a room, imports for types and inside functions included."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

import pytest
from sources import ROOT, Import, files, imports

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
    for path in files(room):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(statements: Iterable[Import], known: set[str]) -> set[str]:
    """The modules among `known` that import statements name."""
    found = set()
    for node in statements:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif node.module and not node.level:
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


def test_a_circle_is_found_wherever_its_imports_stand(tmp_path: Path) -> None:
    known = {"a", "a.b", "a.c", "a.d"}
    written = {
        "a.b": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from a.c import Name\n",
        "a.c": "def f():\n    from a import d\n",
        "a.d": "import a.b\n",
    }
    graph = {"a": set[str]()}
    for name, text in written.items():
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        graph[name] = imported(imports(path)[1], known)
    assert circles(graph) == [("a.b", "a.c", "a.d")]
    assert circles({**graph, "a.d": set()}) == []


@pytest.mark.parametrize(("room", "least"), [("tui", 200), ("quiz", 40), ("slides", 100), ("runtime", 300)])
def test_no_circle_among_the_modules_of_a_room(room: str, least: int) -> None:
    paths = modules(room)
    graph = {name: imported(imports(path)[1], set(paths)) - {name} for name, path in paths.items()}
    assert len(graph) > least  # it has read them
    assert [found for found in circles(graph) if not any(set(found) <= set(known) for known in LEFT)] == []

"""What several contracts read of our files, each file parsed once in a process for all of them."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = ("tui", "slides", "quiz", "runtime")

Import = ast.Import | ast.ImportFrom


@cache
def files(folder: str) -> tuple[Path, ...]:
    return tuple(sorted((ROOT / folder).rglob("*.py")))


@cache
def imports(path: Path) -> tuple[tuple[Import, ...], tuple[Import, ...]]:
    """The import statements at the top level of a file, and those anywhere in it. No tree is kept."""
    tree = ast.parse(path.read_text("utf-8"))
    top = tuple(node for node in tree.body if isinstance(node, Import))
    return top, tuple(node for node in ast.walk(tree) if isinstance(node, Import))


def packages(path: Path, top_level_only: bool = False) -> set[str]:
    """The first names of what a file imports: `torch` of `torch.distributed`."""
    found = set()
    for node in imports(path)[0 if top_level_only else 1]:
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found

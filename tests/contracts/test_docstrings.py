"""Public names have docstrings; a method may go without if a base class of ours documents it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

import pytest
from sources import ROOMS, ROOT, files

# What Textual and the standard library call, and what every command has (tui/commands/README.md).
CALLED = ("compose", "render_line", "render_lines", "render", "get_default_screen", "get_driver_class")
READERS = ("handle_starttag", "handle_endtag", "handle_data")
OF_A_COMMAND = ("configure", "main")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def classes(trees: dict[str, ast.Module]) -> dict[str, list[ast.ClassDef]]:
    found: dict[str, list[ast.ClassDef]] = {}
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(node)
    return found


def promised(one: ast.ClassDef, known: dict[str, list[ast.ClassDef]], seen: frozenset[str]) -> set[str]:
    """Names of the documented methods of a class's bases, as far as they are classes of this room."""
    names: set[str] = set()
    for written in one.bases:
        base = ast.unparse(written).rpartition(".")[2]
        for above in known.get(base, ()) if base not in seen else ():
            names |= {n.name for n in above.body if isinstance(n, Function) and ast.get_docstring(n)}
            names |= promised(above, known, seen | {base})
    return names


def undocumented(room: str) -> Iterator[str]:
    trees = {file.relative_to(ROOT).as_posix(): ast.parse(file.read_text("utf-8")) for file in files(room)}
    known = classes(trees)

    def look(body: list[ast.stmt], place: str, exempt: set[str]) -> Iterator[str]:
        for node in body:
            if not isinstance(node, Function | ast.ClassDef) or node.name.startswith("_"):
                continue
            if any(ast.unparse(by).endswith(".setter") for by in node.decorator_list):
                continue
            known_elsewhere = node.name in (*CALLED, *READERS) or node.name.startswith("on_")
            if not ast.get_docstring(node) and node.name not in exempt and not known_elsewhere:
                yield f"{place}{node.name}"
            if isinstance(node, ast.ClassDef):
                above = promised(node, known, frozenset({node.name}))
                yield from look(node.body, f"{place}{node.name}.", above)

    for name, tree in trees.items():
        exempt = set(OF_A_COMMAND) if name.startswith("tui/commands/") else set[str]()
        yield from look(tree.body, f"{name}:", exempt)


@pytest.mark.parametrize("room", ROOMS)
def test_what_is_public_has_a_docstring(room: str) -> None:
    assert list(undocumented(room)) == []


@cache
def is_there(dotted: str) -> bool:
    """Whether there is such a module, or a module above that knows the next name."""
    parts = dotted.split(".")
    for n in range(len(parts), 0, -1):
        module = ROOT.joinpath(*parts[:n])
        file = module.with_suffix(".py") if module.with_suffix(".py").exists() else module / "__init__.py"
        if file.exists() or module.is_dir():
            return n == len(parts) or (file.exists() and parts[n] in file.read_text("utf-8"))
    return False


def test_a_module_that_is_referred_to_is_there() -> None:
    """In docstrings, comments and READMEs: what was moved or renamed elsewhere is noticed here."""
    gone = set()
    for room in ROOMS:
        for file in (*(ROOT / room).rglob("*.py"), *(ROOT / room).rglob("*.md")):
            named = re.findall(r"`((?:slides|quiz|runtime|tui)(?:\.\w\w+)+)`", file.read_text("utf-8"))
            gone |= {f"{file.relative_to(ROOT)}: {name}" for name in named if not is_there(name)}
    assert gone == set()
    assert is_there("tui.keys.table.rows") and not is_there("runtime.host.no_such")


def test_a_file_that_a_readme_names_is_there() -> None:
    """A README that still says the name of before is noticed here."""
    here = {file.name for room in (*ROOMS, "tests") for file in (ROOT / room).rglob("*.py")}
    gone = set()
    for room in ROOMS:
        for file in (ROOT / room).rglob("README.md"):
            named = re.findall(r"`([a-z0-9_]+\.py)`", file.read_text("utf-8"))
            gone |= {f"{file.relative_to(ROOT)}: {name}" for name in named if name not in here}
    assert gone == set()

"""Tests speak to what they test by its public names: how many do not is counted, and may only fall."""

from __future__ import annotations

import ast
from pathlib import Path

TESTS = Path(__file__).parents[1]
MOST = 11  # lower it when a test no longer needs a private name; never raise it

# Private names of others that our code stands on; contract tests name them so that a new release is noticed.
OF_OTHERS = ("os", "sys", "torch", "argparse", "textual", "dist", "importlib")
OWN = ("self", "cls")  # a helper's own
OF_TUPLES = ("_replace", "_fields", "_asdict", "_make")


def private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in OF_TUPLES


def accesses(tree: ast.AST) -> list[int]:
    """Lines at which a private name of something else is read, set, imported or patched."""
    found = []
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=value, attr=attr) if private(attr):
                whole = ast.unparse(value)
                if whole not in OWN and whole.partition(".")[0] not in OF_OTHERS:
                    found.append(node.lineno)
            case ast.ImportFrom(module=str(module), names=names):
                if module.partition(".")[0] not in OF_OTHERS:
                    found += [node.lineno for each in names if private(each.name)]
            case ast.Call(func=ast.Attribute(attr="setattr"), args=[_, ast.Constant(value=str(name)), *_]):
                found += [node.lineno] if private(name) else []
    return found


def test_a_private_name_is_noticed_and_a_field_of_a_tuple_is_none() -> None:
    text = "from a import _b\nc._d\nself._e\npatch.setattr(x, '_f', 1)\nrow._replace(n=1)\nos._exit(0)"
    assert accesses(ast.parse(text)) == [1, 2, 4]


def test_private_names_in_tests_only_become_fewer() -> None:
    places = [
        f"{file.relative_to(TESTS)}:{line}"
        for file in sorted(TESTS.rglob("*.py"))
        for line in accesses(ast.parse(file.read_text("utf-8")))
    ]
    assert len(places) <= MOST, "\n".join(places)

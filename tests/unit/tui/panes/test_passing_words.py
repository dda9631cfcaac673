"""Passing lines are told in the language of the deck: each that is a plain sentence stands in its table."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import tui
from slides.languages.program_words import say_in

TUI = Path(tui.__file__).parent


def told(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from (*told(node.body), *told(node.orelse))


def said(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "say":
            yield from (text for arg in node.args[:1] for text in told(arg))


def test_every_passing_sentence_of_a_key_is_in_the_table() -> None:
    say = say_in("hi-Latn")
    found = {text for file in sorted((TUI / "actions").rglob("*.py")) for text in said(file)}
    assert len(found) > 30
    assert sorted(text for text in found if say(text) == text) == []

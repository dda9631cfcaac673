"""Tells people of one name apart: the second Ann of a class is `Ann 2`."""

from __future__ import annotations

from collections.abc import Container


def told_apart(name: str, taken: Container[str]) -> str:
    """Return the name, with the first number behind it that makes it nobody else's."""
    found, n = name, 2
    while found in taken:
        found, n = f"{name} {n}", n + 1
    return found

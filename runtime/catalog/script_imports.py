"""Finds the files beside a script that it imports, by reading its source within bounds, not running it."""

from __future__ import annotations

import ast
import hashlib
import warnings
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

MAX_FILES = 200
MAX_PARSED = 128 << 10  # bytes of one file that is looked into; a larger one counts as it stands
MAX_ALL_PARSED = 1 << 20  # of all of them: about a second
MAX_READ = 16 << 20  # of one file that is held to its word

Name = tuple[int, str]  # how many dots, and the dotted name behind them


def digest(script: Path, folder: Path) -> str:
    """Return a hash of paths and contents of what `script` imports from `folder` or its own; "": nothing."""
    found = sorted((str(file), hashlib.sha256(read).hexdigest()) for file, read in beside(script, folder))
    return hashlib.sha256(repr(found).encode(errors="surrogateescape")).hexdigest() if found else ""


def beside(script: Path, folder: Path) -> list[tuple[Path, bytes]]:
    """Yield those files with their content.

    Imports are followed: files, packages and their modules, relative and absolute, anywhere in a file. What a
    script loads by other means, or beyond the bounds, is not known.
    """
    roots = tuple(dict.fromkeys((_real(script).parent, _real(folder))))
    start = _real(script)
    found: dict[Path, bytes] = {}
    ahead, parsed = [start], 0
    while ahead and len(found) <= MAX_FILES:
        file = ahead.pop(0)
        if file in found:
            continue
        found[file] = _content(file)
        parsed += len(found[file])
        for level, name in imported(found[file]) if parsed <= MAX_ALL_PARSED else ():
            ahead += _files(level, name, file, roots)
    found.pop(start, None)
    return list(found.items())


@lru_cache(maxsize=256)
def imported(source: bytes) -> tuple[Name, ...]:
    """Return the modules that a source imports; none if it is not Python, or too long."""
    if len(source) > MAX_PARSED or b"import" not in source:
        return ()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return tuple(dict.fromkeys(_named(tree)))


def _named(tree: ast.AST) -> Iterator[Name]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            yield node.level, module
            yield from ((node.level, f"{module}.{alias.name}".strip(".")) for alias in node.names)


def _files(level: int, name: str, importer: Path, roots: tuple[Path, ...]) -> Iterator[Path]:
    """Return the files executed by an import of `name`: of every parent package, and of the module."""
    bases = (importer.parents[level - 1],) if 0 < level <= len(importer.parents) else () if level else roots
    for base in bases:
        place = base
        for part in name.split(".") if name else ():
            place = place / part
            for file in (place / "__init__.py", place.with_name(f"{part}.py")):
                real = _real(file)
                # Links are followed to where they lead; only what is reached from the folders counts.
                if _is_file(real) and any(file.is_relative_to(root) for root in roots):
                    yield real


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _content(file: Path) -> bytes:
    """Return the file's content; only its size if it cannot be read or is too large."""
    try:
        size = file.stat().st_size
        return file.read_bytes() if _is_file(file) and size <= MAX_READ else f"{size} bytes".encode()
    except (OSError, ValueError):
        return b""


def _real(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, ValueError, RuntimeError):  # a loop of links, a zero byte
        return path.absolute()

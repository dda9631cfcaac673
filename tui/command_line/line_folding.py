"""A command's lines in the width of the terminal. In a pipe they stay whole: for grep, cut and files."""

from __future__ import annotations

import shutil
import sys
import textwrap

LEAST = 24  # cells that are left to words, on however narrow a terminal


def columns() -> int | None:
    """Those of the terminal that is written to; None where none is."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def folded(line: str, indent: int = 0) -> str:
    """The line over as many rows as it needs; those after the first begin `indent` cells in."""
    width = columns()
    if width is None:
        return line
    rows = textwrap.wrap(
        line,
        max(width, indent + LEAST),
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(rows)

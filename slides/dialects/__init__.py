"""Translates decks written for other programs into our grammar.

A dialect turns a text into a native one that splits into just the slides its own program shows. What it has
and we do not is text that stays visible, or a comment; nothing is lost, and nothing raises.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING

from slides.deck import NATIVE
from slides.dialects.detect import detect
from slides.dialects.registry import MODULES
from slides.reading.from_disk.named_files import MayRead, never

if TYPE_CHECKING:
    from slides.dialects.native import Translation

NAMES = (NATIVE, *MODULES)

__all__ = ["NAMES", "detect", "translate"]


def translate(text: str, format: str, path: Path, may_read: MayRead = never) -> Translation:
    """Return the native text of `text` (normalised), which is at `path` and of `format`: one
    of `NAMES`, or of another package.

    It may take in other files: those in the folder of `path`, and others where `may_read` agrees.
    """
    from slides.dialects.source import Source
    from slides.dialects.translation import Text

    lines = text.split("\n")
    source, whole = Source(path, may_read), Text(lines, range(1, len(lines) + 1))
    if format not in MODULES:
        from slides.dialects import plugins

        return plugins.read(format, whole, source)
    dialect = importlib.import_module(f"slides.dialects.programs.{MODULES[format]}")
    found: Translation = dialect.read(whole, source)
    return found._replace(files=tuple(source.files))

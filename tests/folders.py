"""Folders of a test's own for the program, and the end of what runs in them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from teachrun_process import teachrun


def environ(home: Path) -> dict[str, str]:
    """What tells the program to keep everything in `home`."""
    return {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("STATE", "DATA", "CONFIG")}


def in_folders(home: Path, patch: pytest.MonkeyPatch) -> None:
    for name, folder in environ(home).items():
        patch.setenv(name, folder)


@contextmanager
def own_folders() -> Iterator[Path]:
    """A home for the program as long as the block lasts, under a short name: sockets have short names."""
    folder = tempfile.TemporaryDirectory(prefix="tr", ignore_cleanup_errors=True)
    with pytest.MonkeyPatch.context() as patch, folder as home:
        in_folders(Path(home), patch)
        yield Path(home)


def at_slide(home: Path, slide: str) -> bool:
    """Whether a class in `home` knows of this place: a screen shows its slides before there is a class."""
    return any(f'"slide":"{slide}"' in journal.read_text() for journal in home.rglob("journal*"))


def stop_all(home: Path) -> None:
    """Whatever a test did, nothing of it is left."""
    teachrun("stop", "--all", env=os.environ | environ(home))

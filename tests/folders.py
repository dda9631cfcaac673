"""Folders of a test's own for the program, and the end of what runs in them."""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from teachrun_process import teachrun

from runtime.launch.processes import marked


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


def running_in(home: Path) -> list[str]:
    """Part, pid and state of every process of ours in `home`, as a failure should name them."""
    found = []
    for m in marked():
        if m.environ.get("XDG_STATE_HOME") == environ(home)["XDG_STATE_HOME"]:
            status = Path(f"/proc/{m.own.pid}/status").read_text() if m.own.alive else "gone"
            found.append(f"{m.part} {m.own.pid} {re.findall(r'^(?:State|Threads):.*', status, re.M)}")
    return found


def none_left(home: Path, within_s: float = 20.0) -> bool:
    """The host ends after it has answered: on a busy machine that takes a while."""
    end = time.monotonic() + within_s
    while left := running_in(home):
        assert time.monotonic() < end, left
        time.sleep(0.05)
    return True

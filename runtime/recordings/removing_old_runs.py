"""The disk that recorded runs may take together: the oldest go."""

from __future__ import annotations

import shutil
from pathlib import Path

MAX_ALL_BYTES = 2 << 30


def remove_old(runs: Path, keep: str) -> None:
    """Remove the oldest runs until all of them together take at most `MAX_ALL_BYTES`."""
    sizes = []
    for folder in runs.iterdir():
        if folder.is_dir() and not folder.is_symlink() and folder.name != keep:
            try:
                files = [file.stat() for file in folder.rglob("*") if file.is_file()]
            except OSError:
                continue  # another host removes it at this moment
            newest = max((f.st_mtime for f in files), default=0.0)
            sizes.append((newest, sum(f.st_size for f in files), folder))
    total = sum(size for _, size, _ in sizes)
    for _, size, folder in sorted(sizes):
        if total <= MAX_ALL_BYTES:
            return
        shutil.rmtree(folder, ignore_errors=True)
        total -= size

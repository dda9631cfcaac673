"""A listing of a real file, `file=train.py lines=20-42`: its lines, and by a hash whether it has changed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from textwrap import dedent

from slides.problems import Mistake, quoted
from slides.reading.from_disk import named_files
from slides.reading.from_disk.named_files import Sources

_RANGE = re.compile(r"([0-9]{1,7})(?:\s*-\s*([0-9]{1,7}))?", re.ASCII)
_SHA = re.compile(r"[0-9a-f]{7,64}", re.ASCII)


def changed(given: str, sha: str) -> str:
    """Return the hash that a deck gave (`sha=`, "" for none), cut short, where the file has another one by
    now, `sha`; else ""."""
    given = given.lower()
    return given[:16] if given and not _same_hash(given, sha) else ""


def _same_hash(one: str, other: str) -> bool:
    """Whether two hashes are one file's; either may be cut short."""
    return bool(_SHA.fullmatch(one)) and (one.startswith(other) or other.startswith(one))


def read(written: str, lines: str, sources: Sources) -> tuple[str, str, str, int]:
    """Return the lines `lines` ("": all) of the file `written`, what it is called, its hash, and the number
    of the first line. Raises `Mistake`."""
    if written.startswith("demo:"):
        found = sources.demo_file(written[5:]) if sources.demo_file else None
        if found is None:
            raise Mistake(f"there is no demo {quoted(written[5:])}", "`teachrun list` names the demos.")
        file, shown = found, f"{found.parent.name}/{found.name}"
    else:
        file, shown = named_files.locate(sources.folder, written, sources.may_read), written
    text, data = named_files.read(file, written)
    rows = text.removesuffix("\n").split("\n")
    low, high = extent(lines, rows, written)
    # Lines out of the middle of a function begin at the left: a slide has no room for its indent.
    return dedent("\n".join(rows[low - 1 : high])), shown, hashlib.sha256(data).hexdigest(), low


def extent(written: str, lines: Sequence[str], file: str) -> tuple[int, int]:
    """Return the first and the last of the `lines` that `20-42` names, "": all. Raises `Mistake`."""
    if not written:
        return 1, len(lines)
    match = _RANGE.fullmatch(written)
    if not match:
        raise Mistake(f"{quoted(written)} are not lines of a file", "Write `lines=20-42`.")
    low, high = int(match[1]), int(match[2] or match[1])
    if not 1 <= low <= high <= len(lines):
        raise Mistake(
            f"{quoted(file)} has no lines {written}", f"It has {len(lines)}: write `lines=1-{len(lines)}`."
        )
    return low, high

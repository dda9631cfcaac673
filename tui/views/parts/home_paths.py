"""A path of the teacher's home is no matter of the room: it is written by its end, `~/…`."""

from __future__ import annotations

import dataclasses
import os

from msgspec.structs import replace

from runtime.protocol.messages import Snapshot
from slides.drawing.text import Line, Span


def words_without_home(snapshot: Snapshot) -> Snapshot:
    """What may be said in letters, which no later look at the lines can read."""
    home = os.environ.get("HOME", "")
    if len(home) < 2:
        return snapshot

    def short(*texts: str) -> tuple[str, ...]:
        return tuple(text.replace(home, "~") for text in texts)

    found = snapshot.diagnosis
    why, fault, warning = short(snapshot.why, snapshot.fault, snapshot.warning)
    if found is not None:
        found = dataclasses.replace(found, headline=short(found.headline)[0], details=short(*found.details))
    return replace(
        snapshot, why=why, fault=fault, warning=warning, remarks=short(*snapshot.remarks),
        tails=tuple(short(*tail) for tail in snapshot.tails), diagnosis=found,
    )  # fmt: skip


def without_home(line: Line) -> Line:
    """A path of the teacher's home by its end: what a rank has written may name it."""
    home = os.environ.get("HOME", "")
    if len(home) < 2 or not any(home in text for text, _ in line):
        return line
    return tuple(Span(text.replace(home, "~"), style) for text, style in line)

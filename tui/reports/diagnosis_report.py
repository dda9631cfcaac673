"""A diagnosis in lines and as an object: the same of an exercise, a demo and a script."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slides.drawing.cells import clean

if TYPE_CHECKING:
    from runtime.protocol.diagnosis_message import Diagnosis


def lines(found: Diagnosis, file: str = "", source: str = "") -> list[str]:
    """Return the words, the line of `file` with its text `source`, and where each rank stands."""
    said = [clean(found.headline), *(f"  {clean(line)}" for line in found.details)]
    if found.meaning:
        said.append(f"  {clean(found.meaning)}")
    if found.line and source:
        said.append(f"  {clean(found.file or file)}:{found.line}  {clean(source)}")
    if any(row.since_s is not None and row.bad for row in found.rows):
        said.append("")
        for row in found.rows:
            since = f"{row.since_s:.1f} s" if row.since_s is not None and row.line else ""
            waits = f"waits for {clean(row.partner)}" if row.partner and row.bad else clean(row.partner)
            place = f"  rank {row.rank}  line {row.line or '–':<4} {clean(row.doing):<24}"
            said.append(f"{place} {waits:<22} {since}".rstrip())
    return said


def as_object(found: Diagnosis | None) -> dict[str, Any] | None:
    """Return the same for JSON; `waits` are pairs of ranks, the first waits for the second."""
    if found is None:
        return None
    return {
        "kind": found.kind,
        "headline": found.headline,
        "details": list(found.details),
        "meaning": found.meaning,
        "line": found.line or None,
        "ranks": [
            {
                "rank": row.rank,
                "line": row.line or None,
                "doing": row.doing,
                "waits_for": row.partner,
                "since_s": row.since_s,
            }
            for row in found.rows
        ],
        "waits": [list(edge) for edge in found.edges],
    }

"""Words that a slide of Slidev gives to its layout: on one with nothing else they are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from slides.dialects import foreign_front_matter
from slides.dialects.translation import Row, plain
from slides.reading.scan import blank_comment, replace_comments, scan

_LINES = ("subtitle", "text", "description", "quote", "author", "caption", "heading")


def with_front_words(rows: list[Row], own: Mapping[str, Any], place: int) -> list[Row]:
    """Return a slide's rows; with the title and the lines of its settings where there is nothing else."""
    if not _is_empty([row.text for row in rows]):
        return rows
    titles = [key for key in own if key.lower().endswith("title") and not key.lower().endswith("subtitle")]
    found: list[str] = []
    for key in titles[:1]:
        if title := foreign_front_matter.words(own, key).strip():
            found += ["", f"# {foreign_front_matter.heading(' '.join(title.split()))}"]
    for key in own:
        if key.lower().endswith(_LINES) and (line := " ".join(foreign_front_matter.words(own, key).split())):
            found += ["", line]
    address = foreign_front_matter.words(own, "url")
    if (
        "iframe" in foreign_front_matter.words(own, "layout")
        and "://" in address
        and not set(address) & set("<> \n")
    ):
        found += ["", f"▶ <{address}>"]
    return [*rows, *(Row(plain(line), place) for line in found)]


def _is_empty(lines: Sequence[str]) -> bool:
    shown = replace_comments(lines, scan(lines).comments, blank_comment)
    return not any(line.strip() and not line.startswith((":::", "+++")) for line in shown)

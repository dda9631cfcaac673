"""Settings at the top of a foreign deck or of one of its slides: YAML of any depth, read to text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from slides.reading.front_matter import is_deep
from slides.reading.scan import scan

MAX_SIZE = 64 * 1024
_TOP = re.compile(r"^([\w$-]+)[ \t]*:(?=\s|$)", re.MULTILINE | re.ASCII)


def block(lines: Sequence[str], ends: Sequence[str] = ("---",)) -> int:
    """Count the lines of settings at the top, both marks included; 0 if none begin or end there."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    return next((at + 1 for at in range(1, len(lines)) if lines[at].rstrip() in ends), 0)


def further(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The (first, end) of settings further down: to Pandoc, `---` with a line right below begins some."""
    held = scan(lines).held
    at = 0
    while at < len(lines) - 1:
        end = at + 1
        begins = not held[at] and lines[at].rstrip() == "---" and lines[at + 1].strip()
        if begins and not (at and lines[at - 1].strip()):
            end = next((n + 1 for n in range(at + 1, len(lines)) if lines[n].rstrip() in ("---", "...")), end)
            if end > at + 1:
                yield at, end
        at = end


def title_block(lines: Sequence[str]) -> tuple[int, dict[str, Any]]:
    """Length of Pandoc's title block at the top (`% title`, `% authors`, `% date`), and what it says.

    Each goes on in lines that begin with a blank (Pandoc User's Guide, `pandoc_title_block`).
    """
    fields: list[str] = []
    count = 0
    for line in lines:
        if line.startswith("%") and len(fields) < 3:
            fields.append(line[1:].strip())
        elif line.startswith(" ") and line.strip() and fields:
            fields[-1] = f"{fields[-1]} {line.strip()}".strip()
        else:
            break
        count += 1
    names = [name.strip() for name in fields[1].split(";")] if len(fields) > 1 else []
    said = zip(
        ("title", "author", "date"), (*fields[:1], ", ".join(filter(None, names)), *fields[2:]), strict=False
    )
    return count, {key: value for key, value in said if value}


def read(text: str, unique: bool = False) -> dict[str, Any] | None:
    """The mapping in `text`, its leaves as text; {} where there is none to read, None where it is no mapping.

    Never raises. Text of only comments is an empty mapping. `unique`: one with a key twice is none.
    """
    if len(text) > MAX_SIZE or is_deep(text):
        return None
    import yaml

    try:
        found = yaml.load(text, Loader=yaml.BaseLoader)
    except Exception:  # yaml lets ValueError, RecursionError and others through beside its own
        return None
    if found is None or found == "":
        return {}
    if unique and len(_TOP.findall(text)) > len(dict.fromkeys(_TOP.findall(text))):
        return None
    return {str(key): value for key, value in found.items()} if isinstance(found, dict) else None


def words(settings: Mapping[str, Any], key: str) -> str:
    """Return the value of `key` as one text: a list is joined, a mapping is ""."""
    value = settings.get(key, "")
    if isinstance(value, list):
        return ", ".join(item for item in value if isinstance(item, str))
    return value if isinstance(value, str) else ""


def true(settings: Mapping[str, Any], key: str) -> bool:
    """Whether a setting is switched on: "true", "yes" or "on"."""
    return words(settings, key).strip().lower() in ("true", "yes", "on")


def within(settings: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return the mapping that is the value of `key`; {} if it is none."""
    value = settings.get(key)
    return {str(k): v for k, v in value.items()} if isinstance(value, dict) else {}


def heading(text: str) -> str:
    """Return a title as the text of a `#` heading: one line, without an end that would be cut off."""
    line = " ".join(text.split())
    return re.sub(r"(\s)(#+)$", r"\1\\\2", line)

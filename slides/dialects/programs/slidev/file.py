"""A file of Slidev as its own parser cuts it: by lines, knowing code only by the marks of its fences."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from slides.dialects import foreign_front_matter
from slides.dialects.translation import Row, Text

_TICKS = re.compile(r"\s*`+")
_YAML = re.compile(r"\s*```ya?ml([\s\S]*?)```")


@dataclass
class Slide:
    """As the program reads one: its settings, and the lines of its content."""

    settings: dict[str, Any]
    content: Text
    raw: str
    place: int
    front: str = ""
    """The settings as they were written."""


def parse(text: Text) -> list[Slide]:
    """Cut a file into slides with their settings, in the order of the file."""
    lines = text.lines
    slides: list[Slide] = []
    start = 0
    commented = False

    def part(end: int) -> None:
        nonlocal start
        if start != end:
            slides.append(_read(text, start, end))
            start = end + 1

    at = 0
    closes = _closes(lines)
    while at < len(lines):
        line = lines[at].rstrip()
        if commented:
            commented = _commented(lines[at], True)
        elif line.startswith("---"):
            part(at)
            following = lines[at + 1] if at + 1 < len(lines) else ""
            if line[3:4] != "-" and following.strip():
                start = at
                at = next((n for n in range(at + 1, len(lines)) if lines[n].rstrip() == "---"), len(lines))
        elif line.lstrip().startswith("```"):
            at = closes(at)
        else:
            commented = _commented(lines[at], False)
        at += 1
    if start <= len(lines) - 1:
        part(len(lines))
    return slides


def _closes(lines: list[str]) -> Callable[[int], int]:
    """For the line of a fence, the line of its end; itself where it has none."""
    hopeless: set[str] = set()

    def close(at: int) -> int:
        match = _TICKS.match(lines[at])
        mark = match[0] if match else "```"
        if mark in hopeless:
            return at
        found = next((n for n in range(at + 1, len(lines)) if lines[n].startswith(mark)), None)
        if found is None:
            hopeless.add(mark)
        return at if found is None else found

    return close


def _commented(line: str, inside: bool) -> bool:
    """Whether a comment is open at the end of the line."""
    at = 0
    while at < len(line):
        found = line.find("-->" if inside else "<!--", at)
        if found < 0:
            return inside
        at = found + (3 if inside else 4)
        inside = not inside
    return inside


def _read(text: Text, start: int, end: int) -> Slide:
    lines = text.lines
    raw = "\n".join(lines[start:end])
    place = text.places[start]
    first = start
    own: dict[str, Any] | None = {}
    written = ""
    if re.match(r"---.*\n[\s\S]*?---", raw):
        # The program looks for the next three dashes, wherever they stand.
        inner = re.match(r"---.*\n([\s\S]*?)---", raw)
        if inner:
            own, written = foreign_front_matter.read(inner[1]), inner[1].strip("\n")
            rest = raw[inner.end() :]
            first = start + inner[0].count("\n")
            lines = [*lines[:first], rest.split("\n")[0], *lines[first + 1 :]]
            if own is None or (not own and _says(inner[1])):
                # No settings: the program would show nothing of it, here it stays to be seen.
                own = {}
                kept = [Row(row, n) for n, row in enumerate(inner[1].split("\n")) if row.strip()]
                lines = [*lines[:first], *(row.text for row in kept), *lines[first:end]]
                places = [text.places[min(start + 1 + row.place, end - 1)] for row in kept]
                content = Text(lines[first:], [*places, *text.places[first:end]], text.base)
                return Slide(own, content, raw, place)
    elif match := _YAML.match(raw):
        own, written = foreign_front_matter.read(match[1]), match[1].strip("\n")
        first = start + match[0].count("\n") + 1
        if own is None:
            own, first, written = {}, start, ""
    return Slide(own or {}, Text(lines[first:end], text.places[first:end], text.base), raw, place, written)


def _says(yaml: str) -> bool:
    """Whether there is more in it than comments."""
    return any(line.strip() and not line.lstrip().startswith("#") for line in yaml.split("\n"))

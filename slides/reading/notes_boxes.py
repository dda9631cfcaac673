"""Notes in a box, `::: notes` as pandoc and Quarto have them: read as the comment that notes are here.

Line by line, so that every line keeps its number. What is no box stays as it is; one that nobody closes ends
with its slide, for words that were meant for the speaker must not stand on it.
"""

from __future__ import annotations

import re

_OPENS = re.compile(r" {0,3}(?P<colons>:{3,}) *(?:notes|\{ *\.notes *\})[ \t]*:*[ \t]*$", re.IGNORECASE)
_CLOSES = re.compile(r" {0,3}:{3,}[ \t]*$")
_INNER = re.compile(r" {0,3}:{3,} *\S")
_FENCE = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,})(?P<rest>.*)$")


def as_comments(text: str) -> str:
    """Return the text with its boxes of notes as comments; the same object where it has none."""
    if ":::" not in text or "notes" not in text.lower():
        return text
    lines = text.split("\n")
    fence, opened, depth, changed, comment = "", -1, 0, False, False
    for n, line in enumerate(lines):
        if opened < 0 and not fence and (comment or line.rfind("<!--") > line.rfind("-->")):
            comment = line.rfind("-->") <= line.rfind("<!--")  # within a comment nothing is a box
            continue
        mark = _FENCE.match(line)
        if fence:
            if mark and mark["marks"].startswith(fence) and not mark["rest"].strip():
                fence = ""
        elif mark:
            fence = mark["marks"]
        if opened < 0:
            if not fence and not mark and _OPENS.match(line):
                lines[n], opened, depth, changed = "<!-- notes:", n, 0, True
            continue
        if line.rstrip() == "---" and not lines[n - 1].strip() and not fence:
            _ended(lines, opened, n - 1)
            opened = -1
        elif not fence and not mark and _CLOSES.match(line):
            if depth:
                depth -= 1
            else:
                lines[n], opened = "-->", -1
                continue
        elif not fence and not mark and _INNER.match(line):
            depth += 1
        if opened >= 0 and "-->" in line:
            lines[n] = lines[n].replace("-->", "-- >")
    if opened >= 0:
        _ended(lines, opened, len(lines) - 1)
    return "\n".join(lines) if changed else text


def _ended(lines: list[str], opened: int, last: int) -> None:
    """Close a box that nobody closed, at the end of its slide; a box without a line of its own is empty."""
    while last > opened and not lines[last].strip():  # a line of dashes parts slides below an empty one only
        last -= 1
    if last > opened:
        lines[last] += " -->"
    else:
        lines[opened] = "<!-- notes: -->"

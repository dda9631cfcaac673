"""Slides of Obsidian (Advanced Slides): reveal.js with `--` for slides below, pictures by their names.

As there, notes begin with `note:` wherever it stands, `%% … %%` is for nobody, and an item behind a `+` or
`1)` comes with a step of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from slides.dialects.native import Translation, picture
from slides.dialects.programs.reveal import markdown
from slides.dialects.source import Source
from slides.dialects.translation import Text
from slides.reading.scan import code_spans, scan

_EMBED = re.compile(r"!\[\[([^\[\]|\n]{1,300})(?:\|([^\[\]\n]{0,200}))?\]\]")
_LINK = re.compile(r"(?<!!)\[\[([^\[\]|\n]{1,300})(?:\|([^\[\]\n]{0,200}))?\]\]")
_ASIDE = re.compile(r"%%[^%]*%%")
_STEP = re.compile(r"(\s*)(?:\+|([0-9])\))(?= )")
_SKIPPED = re.compile(r"(<!--\s{0,9}\.slide:[^\n]{0,400}?\s)skip=\"true\"")
_CALLOUT = re.compile(r"(\s*>)\s?\[!([^\[\]\n]{1,40})\][-+]?[ \t]*(.*)")
_SIGN = re.compile(r"[^\n]")
# `<!-- slide bg="red" -->` is reveal.js's `<!-- .slide: … -->`, as `element` is.
_ABOUT = re.compile(r"<!--(\s{0,9})\.?(slide|element):?(?=\s)")
# A box with a style of its own, `::: block`, or that a template has a place for: `::: left`.
_BLOCK = re.compile(r" {0,3}:::(?:[ \t]*([\w-]{1,40}))?[ \t]*")
_MOST_BESIDE = 400  # lines of two such boxes
_FRAGMENT = ' <!-- .element: class="fragment" -->'
_ICON = re.compile(r":fa[a-z]{0,2}_[a-z0-9-]{1,60}: ?")  # of Font Awesome: a letter of its set
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp")


def read(text: Text, source: Source) -> Translation:
    """Translate a deck of Advanced Slides to native text, by way of reveal.js."""
    lines = _without_asides(text.lines)
    held = scan(lines).held
    beside = _beside(lines, held)
    rows = [
        (row, place)
        for n, (line, place) in enumerate(zip(lines, text.places, strict=True))
        for row in beside.get(n) or (line if held[n] else _native(line),)
    ]
    shown = Text([row for row, _ in rows], [place for _, place in rows], text.base)
    below = (r"\r?\n---\r?\n", r"\r?\n--\r?\n")
    return markdown.read(shown, source, below, notes="note:|^notes:")


def _beside(lines: list[str], held: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Boxes `left` and `right` one below the other as columns: HTML in place of the lines that open and close
    them. Where a template puts them is its own affair, and it may be elsewhere."""
    edges = [
        (n, found[1] or "")
        for n, line in enumerate(lines)
        if ":::" in line and not held[n] and (found := _BLOCK.fullmatch(line))
    ]
    html: dict[int, tuple[str, ...]] = {}
    for four in zip(edges, edges[1:], edges[2:], edges[3:], strict=False):
        opens, closes, again, ends = (n for n, _ in four)
        named = [name for _, name in four] == ["left", "", "right", ""]
        if named and ends - opens < _MOST_BESIDE and not any(map(str.strip, lines[closes + 1 : again])):
            html[opens] = ('<div class="columns">', "<div>", "")
            html[closes], html[again] = ("", "</div>"), ("<div>", "")
            html[ends] = ("", "</div>", "</div>")
    return html


def _without_asides(lines: list[str]) -> list[str]:
    """The lines without what is between two `%%`, over however many of them; within code they are signs."""
    whole = "\n".join(lines)
    if "%%" not in whole:
        return lines
    held = scan(lines).held
    seen = "\n".join(
        " " * len(line) if held[n] else _masked(line) if "`" in line else line for n, line in enumerate(lines)
    )
    kept, at = [], 0
    for aside in _ASIDE.finditer(seen):
        kept += [whole[at : aside.start()], _SIGN.sub("", aside[0])]
        at = aside.end()
    return "".join([*kept, whole[at:]]).split("\n")


def _masked(line: str) -> str:
    for start, end in code_spans(line):
        line = f"{line[:start]}{' ' * (end - start)}{line[end:]}"
    return line


def _native(line: str) -> str:
    if ":::" in line and _BLOCK.fullmatch(line):
        return ""
    if "<!--" in line:
        line = _SKIPPED.sub(r'\1data-visibility="hidden"', _ABOUT.sub(r"<!--\1.\2:", line))
    if "[!" in line and (match := _CALLOUT.fullmatch(line)):
        line = f"{match[1]} **{match[3].strip() or match[2].capitalize()}**  "
    if match := _STEP.match(line):
        mark = f"{match[2]}." if match[2] else "-"
        line = f"{match[1]}{mark}{line[match.end() :]}" + _FRAGMENT * ("<!--" not in line)
    if ":fa" in line and (icons := list(_ICON.finditer(_masked(line)))):
        for icon in reversed(icons):
            line = f"{line[: icon.start()]}{line[icon.end() :]}"
    if "[[" in line:
        line = _LINK.sub(lambda m: m[2] or m[1], _EMBED.sub(_embedded, line))
    return line


def _embedded(match: re.Match[str]) -> str:
    """A picture; of another note only its name is known."""
    name = match[1].strip()
    return picture(name, "") if name.lower().endswith(_PICTURES) else match[2] or name

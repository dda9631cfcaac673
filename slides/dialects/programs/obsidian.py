"""Slides of Obsidian (Advanced Slides): reveal.js with `--` for slides below, pictures by their names."""

from __future__ import annotations

import re

from slides.dialects.draft import Text
from slides.dialects.native import Translation, picture
from slides.dialects.programs import revealmd
from slides.dialects.source import Source
from slides.reading.scan import scan

_EMBED = re.compile(r"!\[\[([^\[\]|\n]{1,300})(?:\|([^\[\]\n]{0,200}))?\]\]")
_LINK = re.compile(r"(?<!!)\[\[([^\[\]|\n]{1,300})(?:\|([^\[\]\n]{0,200}))?\]\]")
_ASIDE = re.compile(r"%%(?:(?!%%).){0,4000}%%")
# `<!-- slide bg="red" -->` is reveal.js's `<!-- .slide: … -->`, as `element` is.
_ABOUT = re.compile(r"<!--(\s{0,9})\.?(slide|element):?(?=\s)")
_BLOCK = re.compile(r" {0,3}:::(?:[ \t]*block)?[ \t]*")  # a box with a style of its own: `::: block`
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp")


def read(text: Text, source: Source) -> Translation:
    """Translate a deck of Advanced Slides to native text, by way of reveal.js."""
    held = scan(text.lines).held
    lines = [line if held[n] else _native(line) for n, line in enumerate(text.lines)]
    return revealmd.read(text._replace(lines=lines), source, (r"\r?\n---\r?\n", r"\r?\n--\r?\n"))


def _native(line: str) -> str:
    if ":::" in line and _BLOCK.fullmatch(line):
        return ""
    if "<!--" in line:
        line = _ABOUT.sub(r"<!--\1.\2:", line)
    if "[[" in line:
        line = _LINK.sub(lambda m: m[2] or m[1], _EMBED.sub(_embedded, line))
    return _ASIDE.sub("", line) if "%%" in line else line


def _embedded(match: re.Match[str]) -> str:
    """A picture; of another note only its name is known."""
    name = match[1].strip()
    return picture(name, "") if name.lower().endswith(_PICTURES) else match[2] or name

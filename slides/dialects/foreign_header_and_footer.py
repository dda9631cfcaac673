"""Header, footer and logo of another program's front matter, said as ours (`slides.header_and_footer`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from slides.dialects import foreign_front_matter

_IMAGE = re.compile(r"!\[[^\[\]\n]{0,200}\]\(<?([^()<>\s]{1,500})>?[^()\n]{0,200}\)")
_LINK = re.compile(r"\[([^\[\]\n]{0,200})\]\([^()\n]{0,500}\)")
_MARKS = re.compile(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}|<[^<>\n]{1,200}>")
_FIELDS = {"current_slide": "slide", "total_slides": "slides", "sub_title": "subtitle"}


def of_settings(settings: Mapping[str, Any], *keys: str) -> dict[str, str]:
    """These settings as words, Quarto's of its reveal.js too; a picture among them is the logo."""
    found: dict[str, str] = {}
    reveal: Any = settings.get("format")
    reveal = reveal.get("revealjs") if isinstance(reveal, Mapping) else None
    for key in keys:
        text = foreign_front_matter.words(settings, key)
        if not text and isinstance(reveal, Mapping):
            text = foreign_front_matter.words(reveal, key)
        if picture := _IMAGE.search(text):
            found.setdefault("logo", picture[1])
        words = text if key == "logo" else _words(text)
        if words:
            found[key] = words
    return found


def of_presenterm(settings: Mapping[str, Any]) -> dict[str, str]:
    """The footer of a theme that the front matter changes: a template of three parts, pictures among them."""
    footer: Any = settings
    for key in ("theme", "override", "footer"):
        footer = footer.get(key) if isinstance(footer, Mapping) else None
    if not isinstance(footer, Mapping) or footer.get("style") != "template":
        return {}
    found: dict[str, str] = {}
    parts: list[str] = []
    for key in ("left", "center", "right"):
        part = footer.get(key, "")
        if isinstance(part, Mapping):
            if isinstance(picture := part.get("image"), str):
                found.setdefault("logo", picture)
            part = ""
        parts.append(_words(part) if isinstance(part, str) else "")
    words = " | ".join(parts).rstrip("| ")
    for theirs, ours in _FIELDS.items():
        words = words.replace(f"{{{theirs}}}", f"{{{ours}}}")
    if words:
        found["footer"] = words
        for key in ("date", "event", "location"):
            if f"{{{key}}}" in words:
                found[key] = foreign_front_matter.words(settings, key)
    return found


def _words(text: str) -> str:
    text = _LINK.sub(r"\1", _IMAGE.sub("", text))
    fields = re.split(r"(\{\w+\})", text)
    return " ".join("".join(part if part[:1] == "{" else _MARKS.sub("", part) for part in fields).split())

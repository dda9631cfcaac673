"""Titles of slides: the words of the first heading, the id written after them, and the id they make."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from slides.deck import AnyBlock, Heading
from slides.drawing.superscripts import in_title, on_the_line

LEAST_TITLE = 3  # the smallest heading that is drawn as one
# `{#id .class}` at the end of a heading. Ids hold no `/`: that joins a slide's id and a block's number.
_ATTRIBUTES = re.compile(r"[ \t]*\{[ \t]*((?:[#.][^\s{}#/\"'=<>`\x00-\x1f\x7f-\x9f]++[ \t]*+)+)\}[ \t]*$")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+")
# Of a cloze: a list of slides does not tell what belongs there.
_GAP = re.compile(r"\{\{[^{}]*(?:\}\}|$)")
_LEAD = re.compile(r"^(?:[-*+]|[0-9]{1,9}[.)])[ \t]+")
_MARKED = re.compile(r"[][*~^`_$\\<&]")
_MARKUP = (
    (re.compile(r"(?<![`\\])<br\b[^<>]*>", re.IGNORECASE), " "),
    (
        re.compile(
            r"(?<![`\\])</?(?:a|abbr|b|big|cite|code|del|dfn|em|font|i|ins|kbd|label|mark|q|s|samp|small|span|strike"
            r"|strong|sub|sup|time|tt|u|var|wbr)(?:\s[^<>]*)?/?>(?!`)",
            re.IGNORECASE,
        ),
        "",
    ),
    (re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)(?:\{[^{}]*\})?"), r"\1"),
    (re.compile(r"\*+|~~|`+|(?<!\w)_+(?=\w)|(?<=\w)_+(?!\w)"), ""),
    (re.compile(r"(?<!\\)\$([^$]+)\$"), r"\1"),
    (re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)


def find(lines: Sequence[str], held: bytearray, start: int, end: int) -> tuple[str, bool]:
    """Return the text of the first heading of `lines[start:end]`, else the first words; and which it is."""
    words = ""
    above = ""  # the line above, if it is text that an underline would make a heading
    for at in range(start, end):
        line = "" if held[at] else lines[at].strip()
        if not line:
            above = ""
            continue
        if line[:1] == "#" and lines[at][:4] != "    ":
            text = line.lstrip("#")
            if len(line) - len(text) <= 6 and (not text or text[0] in " \t"):
                bare = text.rstrip("#")
                if bare != text and (not bare or bare[-1] in " \t"):
                    text = bare
                return text.strip(), True
        if above and line[:1] in "=-" and not line.strip(line[0]):
            return above, True
        above = line if line[0] not in "#>-+*|:<=" and lines[at][:4] != "    " else ""
        if not words and line[0] not in ">|:=$" and line != "+++":
            text = _LEAD.sub("", line)
            words = text if not text.startswith("[") else ""
    return words, False


def parted(title: str) -> tuple[str, str]:
    """Split a title from its `{#id .class}`; returns both, the id "" if there is none."""
    if not title.endswith("}") or not (attributes := _ATTRIBUTES.search(title[-200:])):
        return title, ""
    given = next((word[1:] for word in attributes[1].split() if word[0] == "#"), "")
    return title[: len(title) - len(attributes[0])], given


def tidy(title: str) -> str:
    """Return a title as one line of plain text of at most 200 characters, without Markdown or controls."""
    title = _GAP.sub("…", title[:200])
    if not _MARKED.search(title):
        return title.strip() if title.isprintable() else " ".join(_CONTROL.sub(" ", title).split())
    title = in_title(title)
    for mark, text in _MARKUP:
        title = mark.sub(text, title)
    if "&" in title:
        import html

        title = html.unescape(title)
    return " ".join(_CONTROL.sub(" ", title).split())


def slug(title: str) -> str:
    """Make the id of a title as GitHub does; the combining marks of Devanagari and others stay, and what is
    raised or lowered is as it would be on the line."""
    title = on_the_line(title)
    if title.isascii():
        return "-".join(re.sub(r"[^\w\s-]", "", title).lower().split())
    import unicodedata

    words = unicodedata.normalize("NFC", title).lower().split()
    kept = ("".join(c for c in word if c in "-_" or unicodedata.category(c)[0] in "LMN") for word in words)
    return "-".join(word for word in kept if word)


def given_id(text: str) -> str:
    """Return an id given as a setting if it has only the characters that `{#id}` takes, else ""."""
    match = _ATTRIBUTES.fullmatch(f"{{#{text}}}")
    return text if match and " " not in text and "." not in text[:1] else ""


def as_titled(blocks: list[AnyBlock]) -> list[AnyBlock]:
    """A heading that opens a slide, with no larger one below, is its title, however small it is written."""
    first, *rest = blocks or (None,)
    if not isinstance(first, Heading) or first.level <= LEAST_TITLE:
        return blocks
    if any(isinstance(block, Heading) and block.level < first.level for block in rest):
        return blocks
    return [replace(first, level=LEAST_TITLE), *rest]

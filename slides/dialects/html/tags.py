"""Finds the tags of HTML in Markdown: where each begins and ends, and its attributes.

Code, comments and escaped text have none. The end of a tag is found by its quotes, in linear time; its
attributes are read by `html.parser`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from html.parser import HTMLParser
from itertools import accumulate
from typing import NamedTuple

from slides.reading.scan import code_spans, scan

# No part of it is tried in two ways; a quote may hold `<`, `>` and line ends.
_TAG = re.compile(r"<(/?)([A-Za-z][\w.:-]*+)((?:[^\"'<>]++|\"[^\"]*+\"|'[^']*+')*+)>")
_VALUE = re.compile(r"=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s\"'=<>`]++)")  # of an attribute
_LONGEST = 200_000  # characters of one tag: a picture may be written in it
_SHORT = 2000  # what is kept of those that were read
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_BOUND = re.compile(r"(['`])([^'`$]+)\1")
# Elements that have no end.
VOID = frozenset((
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
))  # fmt: skip


# What stands in these is no HTML.
_RAW = frozenset(("script", "style"))
_SEEN = re.compile(r"[^\n]")
_WORD = re.compile(r"\w")


class Tag(NamedTuple):
    """`start` up to `end` are characters of the text, `line` and `last` the lines (from 0) they stand on."""

    name: str
    closing: bool
    written: str
    """What stands behind its name."""
    start: int
    end: int
    line: int
    last: int

    @property
    def low(self) -> str:
        """Name of the tag in small letters."""
        return self.name.lower()

    @property
    def empty(self) -> bool:
        """Whether nothing can be in it: `<br>`, `<Arrow />`."""
        return self.low in VOID or self.written.rstrip().endswith("/")

    @property
    def attributes(self) -> dict[str, str]:
        """Its attributes, read anew from the text of the tag."""
        return attributes(self.written)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found = {key: value or "" for key, value in reversed(attrs)}  # the first of a name counts


def attributes(written: str) -> dict[str, str]:
    """Return the attributes of a tag by name in small letters; one without a value has "".

    Of Vue's, `:src="'a.png'"` is `src`.
    """
    return dict(_known(written) if len(written) < _SHORT else _attributes(written))


def _attributes(written: str) -> dict[str, str]:
    if not written.strip(" \t\n/"):
        return {}
    reader = _Reader()
    reader.feed(f"<a {written.strip().removesuffix('/')}>")
    found = {key: value.strip() for key, value in reader.found.items()}
    for key in ("src", "alt"):
        if match := _BOUND.fullmatch(found.get(f":{key}", "")):
            found.setdefault(key, match[2])
    if "data-src" in found:  # reveal.js loads it when its slide is near
        found.setdefault("src", found["data-src"])
    return found


_known = lru_cache(maxsize=512)(_attributes)


class Page:
    """Lines with their tags, and which of them belong together."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.text = "\n".join(lines)
        self.starts = [0, *accumulate(len(line) + 1 for line in lines)][: len(lines)]
        self.tags: tuple[Tag, ...] = tuple(self._found()) if "<" in self.text else ()

    def line_of(self, place: int) -> int:
        """Return the line (from 0) that a character of the page stands on."""
        return bisect_right(self.starts, place) - 1

    def _found(self) -> Iterator[Tag]:
        text = _masked(self.lines)
        at = 0
        endless: set[str] = set()
        while (at := text.find("<", at)) >= 0:
            match = _TAG.match(text, at, min(at + _LONGEST, len(text)))
            if not match or not _is_tag(match) or _escaped(text, at) or _BLANK_LINE.search(match[0]):
                at += 1
                continue
            # What the mask hid may stand in an attribute.
            written = self.text[match.start(3) : match.end(3)]
            tag = Tag(
                match[2],
                bool(match[1]),
                written,
                at,
                match.end(),
                self.line_of(at),
                self.line_of(match.end() - 1),
            )
            yield tag
            at = match.end()
            low = tag.low
            if low in _RAW and not tag.closing and not tag.empty and low not in endless:
                end = re.compile(rf"</{low}\s*>", re.IGNORECASE).search(text, at)
                if end:
                    at = end.start()
                else:
                    endless.add(low)

    @cached_property
    def worded(self) -> list[int]:
        """The lines on which a word or code stands, outside tags and comments."""
        comments = scan(self.lines).comments
        hidden = [(self.starts[c.first] + c.start, self.starts[c.last] + c.end) for c in comments]
        for n, tag in enumerate(self.tags):
            within = self.partner.get(n) if tag.low in _RAW else None
            hidden.append((tag.start, tag.end if within is None else self.tags[within].end))
        lines = _blanked(self.text, sorted(hidden)).split("\n")
        return [n for n, line in enumerate(lines) if _WORD.search(line)]

    @cached_property
    def partner(self) -> dict[int, int]:
        """For each tag that begins an element the tag that ends it, both by number; others have none."""
        found: dict[int, int] = {}
        open_: dict[str, list[int]] = {}
        for n, tag in enumerate(self.tags):
            if not tag.closing:
                if not tag.empty:
                    open_.setdefault(tag.low, []).append(n)
            elif waiting := open_.get(tag.low):
                found[waiting.pop()] = n
        return found


def _masked(lines: Sequence[str]) -> str:
    """The text of `lines` with blanks for what no tag can stand in."""
    marks = scan(lines)
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    hidden = [(starts[fence.first], starts[fence.end] - 1) for fence in marks.fences]
    hidden += [(starts[c.first] + c.start, starts[c.last] + c.end) for c in marks.comments]
    text = _blanked("\n".join(lines), sorted(hidden))
    if "`" not in text:
        return text
    spans = [
        (starts[n] + start, starts[n] + end)
        for n, line in enumerate(text.split("\n"))
        if "`" in line and "<" in line
        for start, end in code_spans(line)
    ]
    return _blanked(text, spans)


def _blanked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    out, at = [], 0
    for start, end in spans:
        out += [text[at:start], _SEEN.sub(" ", text[max(at, start) : end])]
        at = max(at, end)
    return "".join([*out, text[at:]])


def _is_tag(match: re.Match[str]) -> bool:
    """Not an address, `<https://x.org>`, `<a@x.org>` or `<x.org>`, nor words between such signs."""
    name, rest = match[2], match[3]
    if (rest and rest[0] not in " \t\n/") or name.endswith(":") or "." in name:
        return False
    return (name.isascii() and rest.isascii()) or f"{name}{_VALUE.sub('', rest)}".isascii()


def _escaped(text: str, at: int) -> bool:
    count = 0
    while at - count > 0 and text[at - count - 1] == "\\":
        count += 1
    return count % 2 == 1

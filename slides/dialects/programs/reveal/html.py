"""reveal.js as its own page: every `<section>` that holds no other is a slide, Markdown in it or HTML.

A section may name a file of Markdown (`data-markdown="part.md"`), which has slides of its own. remark's page,
whose slides are Markdown in `<textarea id="source">`, is read as a deck of remark.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

from slides.dialects.html import markup
from slides.dialects.native import Translation, assemble
from slides.dialects.programs import remark
from slides.dialects.programs.reveal import markdown
from slides.dialects.source import Source
from slides.dialects.translation import Row, Text

_SEPARATOR = r"\r?\n---\r?\n"  # of Markdown in a section; downwards nothing parts slides unless it says so
_TEMPLATE = re.compile(r"\s*<(textarea|script)\b[^<>]{0,400}>(.*?)</\1\s*>\s*", re.DOTALL | re.IGNORECASE)
_MOST_NESTED = 8


@dataclass
class _Section:
    """Characters `start` up to `end` of the page lie within a section of these attributes."""

    start: int
    line: int
    known: dict[str, str]
    end: int = -1
    inner: bool = False


@dataclass
class _Page:
    title: str = ""
    sections: list[_Section] = field(default_factory=list)
    remark: _Section | None = None


class _Reader(HTMLParser):
    """Where the sections of a page begin and end, in order of their beginnings."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.starts = [0]
        for line in text.split("\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.page = _Page()
        self.open: list[_Section] = []
        self.in_title = False

    def _at(self) -> int:
        line, column = self.getpos()
        return self.starts[line - 1] + column

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        here = _Section(self._at() + len(self.get_starttag_text() or ""), self.getpos()[0], known)
        if tag == "section" and len(self.open) < _MOST_NESTED:
            if self.open:
                self.open[-1].inner = True
            self.open.append(here)
            self.page.sections.append(here)
        elif tag == "textarea" and known.get("id") == "source":
            self.page.remark = here
        self.in_title = tag == "title" and not self.open

    def handle_endtag(self, tag: str) -> None:
        if tag == "section" and self.open:
            self.open.pop().end = self._at()
        elif tag == "textarea" and self.page.remark is not None and self.page.remark.end < 0:
            self.page.remark.end = self._at()
        self.in_title = False

    def handle_data(self, data: str) -> None:
        if self.in_title:
            self.page.title += data


def read(text: Text, source: Source) -> Translation:
    """Translate a page of reveal.js, or of remark, to native text."""
    whole = "\n".join(text.lines)
    reader = _Reader(whole)
    reader.feed(whole)
    reader.close()
    page = reader.page
    if page.remark is not None and not page.sections:
        end = page.remark.end if page.remark.end >= 0 else len(whole)
        lines, first = _lines(whole, page.remark.start, end)
        written = [html.unescape(line) for line in lines]
        return remark.read(Text(written, text.places[first : first + len(lines)], text.base), source)
    slides: list[list[Row]] = []
    for section in page.sections:
        if not section.inner and section.known.get("data-visibility") != "hidden":
            slides += _slides(section, whole, text, source)
    return assemble(slides, {"title": " ".join(page.title.split())}, source.problems)


def _lines(whole: str, start: int, end: int) -> tuple[list[str], int]:
    """The lines from `start` up to `end`, without blank ones around them, and the number of the first."""
    first = whole.count("\n", 0, start)
    lines = whole[start:end].split("\n")
    while lines and not lines[0].strip():
        lines.pop(0)
        first += 1
    while lines and not lines[-1].strip():
        lines.pop()
    return lines, first


def _slides(section: _Section, whole: str, text: Text, source: Source) -> list[list[Row]]:
    end = section.end if section.end >= 0 else len(whole)
    if "data-markdown" not in section.known:
        lines, first = _lines(whole, section.start, end)
        part = Text(markup.at_margin(lines), text.places[first : first + len(lines)], text.base)
        known = section.known
        behind = known.get("data-background-image") or known.get("data-background", "")
        rows = markdown.slide(part, {"data-background": behind}, source, notes="")
        return [] if rows is None else [rows]
    if name := section.known["data-markdown"].strip():
        taken = source.take(name, text.base, section.line)
        if isinstance(taken, list):
            return [taken]
        found = _markdown(taken, section, source)
        source.done()
        return found
    inner = whole[section.start : end]
    start = section.start
    if template := _TEMPLATE.fullmatch(inner):
        start, end = section.start + template.start(2), section.start + template.end(2)
    lines, first = _lines(whole, start, end)
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    written = [html.unescape(line[margin:]) for line in lines]
    return _markdown(Text(written, text.places[first : first + len(lines)], text.base), section, source)


def _markdown(text: Text, section: _Section, source: Source) -> list[list[Row]]:
    known = section.known
    settings = {"notesSeparator": known.get("data-separator-notes", "")}
    across = known.get("data-separator") or _SEPARATOR
    down = known.get("data-separator-vertical") or known.get("data-vertical") or ""
    return markdown.parted(text, settings, (across, down), source)

"""HTML in a deck for a terminal, ours among them: the words stay, a tag that only arranges a page goes.

As of decks for browsers, a picture, a list, a table and a heading are read as what they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from slides.dialects.html import markup
from slides.dialects.source import Source
from slides.dialects.translation import Draft, Text
from slides.problems import one_line
from slides.reading.scan import blank_comment, replace_comments, scan

# Of these more is lost than an end of a line.
_ARRANGES = frozenset((
    "address", "article", "aside", "button", "center", "details", "dialog", "div", "fieldset", "footer",
    "form", "header", "input", "main", "marquee", "nav", "section", "select", "template", "textarea",
))  # fmt: skip
_SILENT = frozenset(("canvas", "noscript", "script", "style", "svg"))
_WORDS = "the words in it are shown"


class Told(NamedTuple):
    """What is not drawn, `line` counted from 0 in the lines that came in."""

    line: int
    message: str
    mend: str


class Written(NamedTuple):
    """Lines of Markdown, the line (from 0) that each was made of, and what is not drawn."""

    lines: list[str]
    rows: list[int]
    told: list[Told]


def without_tags(lines: Sequence[str]) -> Written:
    """Return `lines`, which hold no comment, with words and Markdown in place of tags.

    A tag that is none of HTML's and that nothing ends is a word, as the `<T>` of a type.
    """
    draft = Draft(Text(list(lines), range(len(lines))))
    source = Source(Path())
    met: dict[str, int] = {}

    def meet(line: int, name: str, text: str) -> bool:
        met.setdefault(name.lower(), line)
        return False

    markup.unwrap(draft, source, step=meet, strangers=False)
    rows = draft.rows(0, len(lines))
    texts = [row.text for row in rows]
    texts = replace_comments(texts, scan(texts).comments, blank_comment)  # what is kept, but not shown
    told = [*_told(lines, met), *(Told(p.line, p.message, p.mend) for p in source.problems)]
    return Written(texts, [row.place for row in rows], sorted(told))


def _told(lines: Sequence[str], met: dict[str, int]) -> Iterator[Told]:
    for name in _SILENT:
        at = next((n for n, line in enumerate(lines) if f"<{name}" in line.lower()), None)
        if at is not None and name not in met:
            yield Told(at, f"`<{name}>` does nothing here, and nothing of it is shown", "Remove it.")
    for name, line in met.items():
        if name in _ARRANGES:
            yield Told(
                line,
                f"`<{one_line(name)}>` arranges nothing here: {_WORDS}",
                "Remove the tag, or write what it does in Markdown.",
            )

"""What a newcomer writes and Markdown takes for something else: found for `check`, and harmless on a screen.

Each is a line that does not do what it looks like, so nothing else would ever tell of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from slides.deck import Deck
from slides.problems import Problem, quoted
from slides.reading import front_matter
from slides.reading.scan import scan

FRONT = (
    "title", "subtitle", "author", "event", "location", "date", "time", "minimum", "end", "theme", "lang",
    "words", "captions", "format", "header", "footer", "logo",
)  # fmt: skip
_DASHES = re.compile(r" {0,3}-{3,}\s*")
_CODE = re.compile(r"`[^`\n]{0,400}`|\$[^$\n]{0,400}\$")
_FOOTNOTE = re.compile(r"\[\^([\w-]{1,40})\]:")
_MARK = re.compile(r"(?<![\\\[])\[\^([\w-]{1,40})\](?![:\w(+*?{])")
_HEADING = re.compile(r"(#{1,3}) ")
_MANY = 4
_TIGHT = re.compile(r"(#{1,6})([^\s#!].*)")
_SPACED = re.compile(
    r"!\[[^\[\]\n]{0,400}\]\(([^()<>\s\"][^()<>\n\"]{0,400}\.(?:png|jpe?g|gif|webp|svg|bmp|tiff?))\)",
    re.IGNORECASE,
)
_ROW = re.compile(r" {0,3}\|.*\|\s*")
_UNDER_HEAD = re.compile(r"[\s:|-]*-[\s:|-]*")


def slips(deck: Deck) -> Iterator[Problem]:
    """The problems of a deck in our own grammar, in no order."""
    lines = deck.source.split("\n")
    front = front_matter.length(lines)
    held = bytearray(front) + scan(lines[front:]).held
    yield from _settings(deck, lines[:front])
    yield from _unparted(deck, lines, held)
    yield from _footnotes(deck, lines, held)
    for at in range(front, len(lines)):
        if held[at] or not lines[at].strip():
            continue
        for why in (_dashes(lines, at), _heading(lines, at), _table(lines, held, at), _picture(lines[at])):
            if why is not None:
                yield Problem(deck.path, at + 1, *why)
    for head in deck.slides:
        if not head.raw.strip() and len(deck.slides) > 1:
            mend = "Leave one `---` out, or write what it shows; `<!-- -->` where it is meant."
            yield Problem(deck.path, head.line, "there is nothing on this slide", mend)


def _unparted(deck: Deck, lines: Sequence[str], held: Sequence[int]) -> Iterator[Problem]:
    """A text of many headings that is one slide: other programs begin one at each."""
    if len(deck.slides) > 1:
        return
    levels = [
        len(match[1]) for at, line in enumerate(lines) if not held[at] and (match := _HEADING.match(line))
    ]
    count = max((levels.count(level) for level in (1, 2)), default=0)
    if count >= _MANY:
        mend = "Split it with `---`; or `--format pandoc` reads it, if headings begin its slides."
        yield Problem(deck.path, 1, f"it is one slide with {count} headings: nothing separates them", mend)


def _footnotes(deck: Deck, lines: Sequence[str], held: Sequence[int]) -> Iterator[Problem]:
    """Marks of footnotes that stand nowhere in the deck, and stay as they are written."""
    if "::: include" in deck.source:
        return  # it may stand in that file
    shown = [(at, _CODE.sub("", line)) for at, line in enumerate(lines) if not held[at] and "[^" in line]
    known = {match[1] for _, line in shown if (match := _FOOTNOTE.match(line.lstrip("> ")))}
    for at, line in shown:
        for match in _MARK.finditer(line):
            if match[1] not in known:
                known.add(match[1])
                mend = f"Write `[^{match[1]}]: what it says` on a line of its own."
                yield Problem(deck.path, at + 1, f"there is no footnote `{match[1]}`", mend)


def _settings(deck: Deck, front: Sequence[str]) -> Iterator[Problem]:
    """Settings that are nearly one of ours. Any other is the author's own."""
    for key in deck.meta:
        near = get_close_matches(key, FRONT, 1, 0.8) if key not in FRONT else ()
        if near and near[0] not in deck.meta:
            line = next((n for n, text in enumerate(front, 1) if text.startswith(f"{key}:")), 1)
            yield Problem(
                deck.path, line, f"the setting {quoted(key)} does nothing", f"Did you mean `{near[0]}`?"
            )


def _dashes(lines: Sequence[str], at: int) -> tuple[str, str] | None:
    """A rule that looks as if it ended a slide."""
    above = lines[at - 1].strip() if at else ""  # words would be a title by it
    if not _DASHES.fullmatch(lines[at]) or lines[at].rstrip() == "---" or (above and above[0] != "#"):
        return None
    return (
        "these dashes do not end the slide",
        "Write just `---` at the margin to end it, or `***` for a rule.",
    )


def _heading(lines: Sequence[str], at: int) -> tuple[str, str] | None:
    """`##Title`: more than one `#`, or one that begins a slide, is no tag of anything."""
    match = _TIGHT.match(lines[at])
    above = next((line for line in reversed(lines[:at]) if line.strip()), "---")
    if not match or (match[1] == "#" and above.rstrip() != "---"):
        return None
    return (
        f"{quoted(lines[at])} is not a heading: a space is missing",
        f"Write {quoted(f'{match[1]} {match[2]}')}.",
    )


def _table(lines: Sequence[str], held: Sequence[int], at: int) -> tuple[str, str] | None:
    """Rows of a table that has no line below its first."""
    rows = [lines[n] for n in (at - 1, at, at + 1) if 0 <= n < len(lines) and not held[n]]
    if len(rows) != 3 or _ROW.fullmatch(rows[0]) or not all(map(_ROW.fullmatch, rows[1:])):
        return None
    if _UNDER_HEAD.fullmatch(rows[2]):
        return None
    columns = max(rows[1].count("|") - 1, 1)
    return "this table has no line below its head", f"Write `{'|---' * min(columns, 8)}|` below this line."


def _picture(line: str) -> tuple[str, str] | None:
    """A picture whose path has blanks in it, which CommonMark takes for words."""
    match = _SPACED.search(_CODE.sub("", line)) if "](" in line else None
    if match is None or not re.search(r"\s", match[1]):
        return None
    return f"{quoted(match[1])} has blanks: it is no picture", f"Write {quoted(f'(<{match[1]}>)')}."

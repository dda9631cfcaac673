"""Deckset: settings are the first lines, rules part slides, a paragraph that begins with `^` is a note.

`[.build-lists: true]` and its like are settings of one slide, `[.column]` begins a column. A picture lies
behind its slide, or beside the words (`left`, `right`), unless it is `inline`. Line breaks are kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from slides.dialects import foreign_front_matter, foreign_header_and_footer
from slides.dialects.html import markup
from slides.dialects.native import (
    EMPTY,
    Snippet,
    Translation,
    aside,
    assemble,
    columns,
    note,
    picture,
    without_last_pause,
)
from slides.dialects.pictures_behind import Behind, laid_out
from slides.dialects.source import Source
from slides.dialects.translation import Draft, Row, Text

_SETTING = re.compile(r"([A-Za-z][\w-]{0,40}):[ \t]{0,9}(.*)")
_COMMAND = re.compile(r" {0,3}\[\.([a-z][\w-]{0,40})(?::[ \t]{0,9}([^\]\n]{0,400}))?\][ \t]*")
_FIT = re.compile(r"(#{1,6})[ \t]*\[fit\][ \t]*", re.IGNORECASE)
_NOTE = re.compile(r" {0,3}\^[ \t]?(.*)")
_SIZE = re.compile(r"([0-9]{1,3})%")
_KEYWORD = re.compile(
    r"left|right|inline|fit|fill|original|filtered|autoplay|loop|mute|hide|corner-radius\([0-9]{1,4}\)|[0-9]{1,4}%",
    re.IGNORECASE,
)
_IMAGE = re.compile(r"!\[([^\[\]\n]{0,400})\]\(([^()\n]{1,2000})\)")  # a path may have blanks in it
_FORMULA = re.compile(r"(?<=[^\s$])[ \t]*\$\$([^$\n]{1,400})\$\$|\$\$([^$\n]{1,400})\$\$(?=[ \t]*[^\s$])")


def read(text: Text, source: Source) -> Translation:
    """Translate a deck of Deckset to native text."""
    count, settings = _settings(text.lines)
    draft = Draft(text.part(count))
    draft.keep(draft.alone)
    draft.loosen_emphasis()
    lines = draft.shown
    built = _is_on(settings.get("build-lists", ""))
    commands: dict[int, tuple[str, str]] = {}
    for line, written in enumerate(lines):
        if draft.coded[line] or not written:
            continue
        if "[." in written and (match := _COMMAND.fullmatch(written)):
            commands[line] = (match[1], (match[2] or "").strip())
            draft.replace(line, line + 1, "")
            lines[line] = ""
        elif "[fit]" in written.lower():
            lines[line] = _FIT.sub(r"\1 ", written)
        elif written[:1] == "#" and not written.strip("#| \t") and "|" in written:
            lines[line] = ""  # a heading of nothing but a bar makes room
    notes = _notes(draft)
    for line, written in enumerate(lines):
        if "$$" in written and not draft.coded[line] and line not in draft.instead:
            lines[line] = _FORMULA.sub(lambda m: f" ${(m[1] or m[2]).strip()}$", written)
    found = _pictures(draft, source)
    _code(draft, commands)
    extents = _extents(draft, settings.get("slide-dividers", ""))
    markup.unwrap(draft, source, lambda path: source.within(path, text.base), cuts=[s for s, _ in extents])
    draft.break_lines()
    slides: list[list[Row]] = []
    for start, end in extents:
        here = {line: one for line, one in commands.items() if start <= line < end}
        steps = next((value for name, value in here.values() if name == "build-lists"), "")
        if _is_on(steps) or (built and not steps):
            _build(draft, start, end, steps)
        rows = _in_columns(draft, start, end, [line for line, (name, _) in here.items() if name == "column"])
        rows = laid_out(rows, [behind for behind in found if start <= behind.line < end])
        said = [row for line, rows_ in notes if start <= line < end for row in rows_]
        slides.append(said + without_last_pause(rows))
    if count:
        slides[0] = aside("\n".join(text.lines[:count]), 1) + (slides[0] or [Row(EMPTY, 1)])
    return assemble(slides, foreign_header_and_footer.of_settings(settings, "footer"), source.problems)


def _settings(lines: Sequence[str]) -> tuple[int, dict[str, str]]:
    """(number of lines, what they say) of the settings at the top: no blank line is among them."""
    found: dict[str, str] = {}
    if count := foreign_front_matter.block(lines):
        pairs, rest = lines[1 : count - 1], count
    else:
        end = next((n for n, line in enumerate(lines) if not _SETTING.fullmatch(line)), len(lines))
        pairs, rest = lines[:end], end
    for line in pairs:
        if match := _SETTING.fullmatch(line):
            found[match[1].lower()] = match[2].strip()
    return rest, found


def _is_on(value: str) -> bool:
    return value.lower() in ("true", "not-first")


def _notes(draft: Draft) -> list[tuple[int, list[Row]]]:
    """(line, note) of each; a line that begins with `^` ends the note before it, a blank one both."""
    found: list[tuple[int, list[Row]]] = []
    lines = draft.shown
    at = 0
    while at < len(lines):
        match = None if draft.coded[at] else _NOTE.fullmatch(lines[at])
        if not match:
            at += 1
            continue
        end = at + 1
        while (
            end < len(lines)
            and lines[end].strip()
            and not draft.coded[end]
            and lines[end].rstrip() != "---"
            and not _NOTE.fullmatch(lines[end])
        ):
            end += 1
        found.append((at, note(_said([match[1], *lines[at + 1 : end]]), draft.place(at))))
        draft.replace(at, end, "")
        draft.outlined = draft.outlined or list(draft.bare)
        for n in range(at, end):
            lines[n] = draft.outlined[n] = ""
        at = end
    return found


def _said(lines: Sequence[str]) -> str:
    """The words of a note, which some end with a `^` as they began it."""
    said = "\n".join(lines).rstrip()
    return said[:-1].rstrip() if said.endswith("^") and said.count("^") % 2 else said


def _extents(draft: Draft, dividers: str) -> list[tuple[int, int]]:
    """The lines of each slide; `slide-dividers: #, ##` has headings of these levels begin one, too."""
    levels = {len(mark.strip()) for mark in dividers.split(",") if re.fullmatch(r"\s*#{1,6}\s*", mark)}
    cuts = []
    for block in draft.outline.blocks:
        if block.kind == "hr":
            cuts.append((block.first, block.end))
        elif block.kind == "heading":
            above = cuts[-1][1] if cuts else 0
            if block.level in levels and any(line.strip() for line in draft.shown[above : block.first]):
                cuts.append((block.first, block.first))
            draft.undash(block)
    starts = [0, *(end for _, end in cuts)]
    ends = [*(first for first, _ in cuts), len(draft.shown)]
    return list(zip(starts, ends, strict=True))


def _pictures(draft: Draft, source: Source) -> list[Behind]:
    """Those of a line become ours where they are inline; the others are taken out of the text."""
    found: list[Behind] = []
    for line, written in enumerate(draft.shown):
        if "![" not in written or draft.coded[line] or line in draft.instead:
            continue

        def ours(match: re.Match[str], line: int = line) -> str:
            words = match[1].replace(",", " ").split()
            keywords = [word.lower() for word in words if _KEYWORD.fullmatch(word)]
            alt = " ".join(word for word in words if not _KEYWORD.fullmatch(word))
            path = source.within(match[2].strip(" <>"), draft.text.base)
            size = next((word for word in keywords if _SIZE.fullmatch(word)), "")
            percent = int(size[:-1]) if size else 100
            if "inline" in keywords:
                return picture(path, alt, size if 0 < percent < 100 else "")
            side = next((word for word in keywords if word in ("left", "right")), "")
            found.append(Behind(line, Row(picture(path, alt), draft.place(line)), side))
            return ""

        draft.shown[line] = _IMAGE.sub(ours, written)
    return found


def _code(draft: Draft, commands: Mapping[int, tuple[str, str]]) -> None:
    """`[.code-highlight: 2]`, one a step, are of the code that follows them."""
    frames: list[str] = []
    waiting = sorted((line, value) for line, (name, value) in commands.items() if name == "code-highlight")
    for fence in draft.marks.fences:
        while waiting and waiting[0][0] < fence.first:
            frames.append(waiting.pop(0)[1])
        spec = "|".join("all" if frame in ("all", "none", "") else frame for frame in frames)
        lang = re.split(r"[\s\[{]", fence.info, maxsplit=1)[0]
        draft.recode(fence, Snippet(lang, spec).info(draft.code(fence)))
        frames = []


def _build(draft: Draft, start: int, end: int, how: str) -> None:
    """A step for each item of the slide's lists, but for the first where they say `not-first`."""
    items = [item for item in draft.outline.items_in(start, end) if item.depth == 0]
    for item in items[1:] if how.lower() == "not-first" else items:
        draft.pause(item.line)


def _in_columns(draft: Draft, start: int, end: int, marks: list[int]) -> list[Row]:
    if len(marks) < 2:
        return draft.rows(start, end)
    bounds = [*marks, end]
    parts = [draft.rows(first, last) for first, last in pairwise(bounds)]
    return draft.rows(start, marks[0]) + columns([1] * len(parts), parts, draft.place(marks[0]))

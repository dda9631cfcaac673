"""Slides of Pandoc and Quarto: headings of one level begin slides; `:::` begins and ends boxes.

Boxes named `notes` are notes, `columns` columns; `incremental` and `fragment` come step by step. Cells of
code are shown and not run; what they would print is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from slides.dialects import foreign_front_matter, foreign_header_and_footer
from slides.dialects.html import markup
from slides.dialects.knitr_cells import NOT_RUN, RUN_BEFORE, chunk, drop_expressions, of_all
from slides.dialects.native import (
    Snippet,
    Translation,
    aside,
    assemble,
    note,
    picture,
    settings,
    without_last_pause,
)
from slides.dialects.pictures_behind import shown_alone
from slides.dialects.programs.patat.blocks import numbered, with_tables
from slides.dialects.source import Source
from slides.dialects.translation import PAUSE, Draft, Row, Text
from slides.reading.scan import Fence, code_spans

_SMART = {"---": "—", "--": "–", "...": "…"}
_DASHES = re.compile(r"(?<![-.\\<!])(?:---|--|\.\.\.)(?![-.>])")
_LETTER = re.compile(r"\w")
_FORMATS = re.compile(r"\b(when|unless)-format=[\"']?([\w:-]{1,40})")
_BOX = re.compile(r" {0,3}:{3,}[ \t]*([^:\s].*?)?[ \t]*:*[ \t]*")
_DOTS = re.compile(r"\s*\. \. \.\s*")
# LaTeX that a line is alone with and no slide shows as words; Beamer's `pause` is a pause.
_LATEX = re.compile(
    r" {0,3}\\(pause|newpage|pagebreak|clearpage|(?:big|med|small)skip|[vh]fill|centering|tiny|scriptsize"
    r"|footnotesize|small|normalsize|large|Large)[ \t]*"
)
_HEADED = re.compile(r"(#{1,6} .*?)[ \t]*\{([^{}]{0,400})\}[ \t]*")
_SPAN = re.compile(r"\[((?:[^\[\]\n]|\[[^\[\]\n]{0,200}\]){0,400})\]\{[^{}\n]{0,200}\}")
_BEHIND = re.compile(r"(?<=[)\0])\{(?![^{}\n]*\bwidth=)[.#=\w][^{}\n]{0,200}\}")  # a link, or code (hidden)
_WIDE = re.compile(r"\)\{[^{}\n]{0,200}?\bwidth=[\"']?([0-9]{1,3})(%?)[^{}\n]{0,200}\}")
_SHORTCODE = re.compile(r"\{\{<\s*([\w-]{1,40})\s*([^{}<>\n]{0,400})>\}\}")
_NAMED = re.compile(r"(?:^|\s)\.([\w-]+)")
_WIDTH = re.compile(r"width=[\"']?([0-9]{1,3})%")
_CALLOUT = re.compile(r"callout-(note|tip|important|warning|caution)")
_BACKGROUND = re.compile(r"background(?:-image)?=[\"']?([^\"'\s{}]{1,400})")
_LONGEST = 2000
_NESTED = 3  # spans in each other
_DEFAULT_LEVEL = 2


class _Box(NamedTuple):
    """A `:::` box: the lines of its two marks, its classes and what else is said of it."""

    first: int
    last: int
    names: tuple[str, ...]
    written: str
    depth: int


def read(text: Text, source: Source) -> Translation:
    """Translate a deck of Pandoc or Quarto to native text."""
    count = foreign_front_matter.block(text.lines, ("---", "..."))
    known = foreign_front_matter.read("\n".join(text.lines[1 : count - 1])) if count > 2 else None
    if known is None:
        count, known = foreign_front_matter.title_block(text.lines)
    body = text.part(count)
    lines, further = list(body.lines), list(_further(body.lines))
    for first, end, more in further:  # "the value from the second block will be taken" (Pandoc's guide)
        known = {**known, **more}
        lines[first:end] = [""] * (end - first)
    draft = Draft(Text(numbered(lines), body.places, body.base))
    for first, end, _ in further:
        draft.instead[first] = aside("\n".join(body.lines[first + 1 : end - 1]), draft.place(first))
    draft.keep(draft.alone)
    for block in draft.outline.blocks:  # indented code, boxes and tags shown as they are written among it
        if block.kind == "code_block":
            draft.coded[block.first : block.end] = b"\1" * (block.end - block.first)
    draft.loosen_emphasis()
    own = _format(known)
    boxes = _boxes(draft)
    silent = _silent(own, known, text.lines)
    for fence in draft.marks.fences:
        _code(draft, fence, silent, source)
    draft.outline = draft.outline._replace(blocks=with_tables(draft))
    stepwise = foreign_front_matter.true(own, "incremental") or foreign_front_matter.true(
        known, "incremental"
    )
    hidden, notes = _arranged(draft, boxes, stepwise)
    draft.shown = [
        line if draft.coded[n] or line_hidden(hidden, n) else _smart(_plain(line))
        for n, line in enumerate(draft.shown)
    ]
    for line, written in enumerate(draft.bare):
        if _DOTS.fullmatch(written) and not draft.coded[line]:
            draft.replace(line, line + 1, "", PAUSE, "")
        elif not draft.coded[line] and (command := _LATEX.fullmatch(written)):
            draft.replace(line, line + 1, *(("", PAUSE, "") if command[1] == "pause" else ("",)))
    cuts = _cuts(draft, boxes, _level(own, known, draft))
    for block in draft.outline.blocks:
        draft.undash(block)
    if "`r " in (written := "\n".join(body.lines)) or "`{" in written:
        drop_expressions(draft, source)
    markup.unwrap(draft, source, lambda path: source.within(path, text.base), cuts=[c[0] for c in cuts])
    slides = [_title(known)] if foreign_front_matter.words(known, "title") else []
    starts = [0, *(end for _, end in cuts)]
    ends = [*(first for first, _ in cuts), len(body.lines)]
    for first, end in zip(starts, ends, strict=True):
        attributes = _heading(draft, first)
        rows = without_last_pause(_rows(draft, first, end, hidden))
        said = [row for line, rows_ in notes if first <= line < end for row in rows_]
        if "hidden" in attributes or not (any(row.text.strip() for row in rows) or (said and slides)):
            continue
        behind = _BACKGROUND.search(attributes)
        path = source.within(behind[1], text.base) if behind else ""
        slides.append([*said, *shown_alone(rows, path, draft.place(first))])
    if count and slides and text.lines[0].startswith("---"):
        slides[0] = aside("\n".join(text.lines[1 : count - 1]), 2) + slides[0]
    meta = {key: foreign_front_matter.words(known, key) for key in ("title", "author", "date", "lang")}
    meta |= foreign_header_and_footer.of_settings(known, "footer", "logo")
    return assemble(slides, meta, source.problems)


def line_hidden(hidden: Sequence[int], line: int) -> bool:
    """Whether a line lies in a box that is not shown; `hidden` has 0 or 1 for each line."""
    return bool(hidden[line]) if line < len(hidden) else False


def _further(lines: Sequence[str]) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """The (first, end) of settings further down and what they say; what is no mapping is not one of them."""
    for first, end in foreign_front_matter.further(lines):
        if more := foreign_front_matter.read("\n".join(lines[first + 1 : end - 1])):
            yield first, end, more


def _format(known: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of the first format that makes slides."""
    for key in ("format", "output"):
        formats = foreign_front_matter.within(known, key)
        for name in formats:
            if _makes_slides(name):
                return foreign_front_matter.within(formats, name)
    return {}


def _silent(own: Mapping[str, Any], known: Mapping[str, Any], lines: Sequence[str]) -> bool:
    """Whether cells hide their code where they do not say: as it is said, else as Quarto does in slides."""
    chunks = foreign_front_matter.within(foreign_front_matter.within(known, "knitr"), "opts_chunk")
    places = (
        foreign_front_matter.within(own, "execute"),
        own,
        foreign_front_matter.within(known, "execute"),
        known,
        chunks,
    )
    said = next((word for place in places if (word := foreign_front_matter.words(place, "echo"))), "")
    if said:
        return said.lower() in ("false", "f", "no")
    if "opts_chunk$set(" in (text := "\n".join(lines)) and (set_ := of_all(text)):
        return set_ == "hidden"
    format = known.get("format")
    names = [format] if isinstance(format, str) else format if isinstance(format, dict) else []
    return any(isinstance(name, str) and _makes_slides(name) for name in names)


def _makes_slides(name: str) -> bool:
    return any(word in name for word in ("revealjs", "beamer", "slid", "pptx", "powerpoint", "presentation"))


def _level(own: Mapping[str, Any], known: Mapping[str, Any], draft: Draft) -> int:
    """The level of the headings that begin slides, as it is said; else Quarto's, or Pandoc's by the words."""
    for settings_ in (own, known):
        for key in ("slide-level", "slide_level"):
            said = foreign_front_matter.words(settings_, key)
            if said.isdecimal() and len(said) == 1:
                return int(said)
    if "format" in known:
        return _DEFAULT_LEVEL
    found = draft.outline.blocks
    levels = [
        block.level
        for block, following in pairwise(found)
        if block.kind == "heading" and following.kind != "heading"
    ]
    return min(levels, default=1)


def _title(known: Mapping[str, Any]) -> list[Row]:
    rows = [
        *settings(1, layout="title"),
        Row(f"# {foreign_front_matter.heading(_plain(foreign_front_matter.words(known, 'title')))}", 1),
    ]
    for key in ("subtitle", "author", "institute", "date"):
        value = known.get(key)
        names = value if isinstance(value, list) else [value]
        words = [n if isinstance(n, str) else n.get("name", "") if isinstance(n, dict) else "" for n in names]
        line = ", ".join(" ".join(word.split()) for word in words if isinstance(word, str) and word.strip())
        line = _plain(line).replace("\\today", "").strip(" ,")  # LaTeX's word for the day it is made on
        rows += [Row("", 1), Row(line, 1)] if line else []
    return rows


def _boxes(draft: Draft) -> list[_Box]:
    found: list[_Box] = []
    open_: list[tuple[int, str]] = []
    for line, text in enumerate(draft.bare):
        if ":::" not in text[:6] or draft.coded[line] or len(text) > _LONGEST:
            continue
        match = _BOX.fullmatch(text)
        if match is None:
            continue
        if match[1]:
            open_.append((line, match[1]))
        elif open_:
            first, written = open_.pop()
            found.append(_Box(first, line, _names(written), written, len(open_)))
    found += [_Box(line, len(draft.bare), _names(w), w, n) for n, (line, w) in enumerate(open_)]
    return sorted(found)


def _names(written: str) -> tuple[str, ...]:
    inner = written.strip("{} ")
    return tuple(_NAMED.findall(inner)) or (
        (inner.split()[0],) if inner and "=" not in inner.split()[0] else ()
    )


def _arranged(
    draft: Draft, boxes: Sequence[_Box], stepwise: bool
) -> tuple[bytearray, list[tuple[int, list[Row]]]]:
    """What becomes of boxes: which lines are not shown, and the notes by their lines."""
    lines = draft.text.lines
    hidden = bytearray(len(lines))
    notes: list[tuple[int, list[Row]]] = []
    ends = {}
    for box in boxes:
        last = min(box.last, len(lines) - 1)
        for mark in {box.first, last} if box.last < len(lines) else {box.first}:
            if mark not in draft.instead:
                draft.replace(mark, mark + 1, "")
        if "notes" in box.names or _not_here(box):
            hidden[box.first : box.last + 1] = bytes([1]) * (min(box.last + 1, len(lines)) - box.first)
            if "notes" in box.names:
                notes.append(
                    (box.first, note("\n".join(lines[box.first + 1 : box.last]), draft.place(box.first)))
                )
        elif "columns" in box.names:
            inner = [b for b in _inside(boxes, box) if "column" in b.names and b.depth == box.depth + 1]
            if len(inner) > 1 and box.last < len(lines):
                said = [m[1] if (m := _WIDTH.search(b.written)) else "" for b in inner]
                shares = (
                    ",".join(said)
                    if all(s and 0 < int(s) <= 100 for s in said)
                    else ",".join("1" * len(inner))
                )
                draft.replace(box.first, box.first + 1, "", f"::: columns {shares}", "")
                for column in inner[1:]:
                    ends[column.first] = ("", "+++", "")
                draft.replace(box.last, box.last + 1, "", ":::", "")
        elif "fragment" in box.names:
            draft.replace(box.first, box.first + 1, "", PAUSE, "")
        elif named := next((m[1] for name in box.names if (m := _CALLOUT.fullmatch(name))), ""):
            draft.replace(box.first, box.first + 1, "", f"**{named.capitalize()}**", "")
    for line, rows in ends.items():
        draft.replace(line, line + 1, *rows)
    steps = bytearray(len(lines))
    for box in boxes:
        if "incremental" in box.names or "nonincremental" in box.names:
            way = b"\1" if "incremental" in box.names else b"\2"
            steps[box.first : box.last] = way * (min(box.last, len(lines)) - box.first)
    for item in draft.outline.items:
        if steps[item.line] == 1 or (stepwise and steps[item.line] == 0):
            draft.pause(item.line)
    return hidden, notes


def _not_here(box: _Box) -> bool:
    """Whether a box is not of a presentation: Quarto's conditional content names formats."""
    if "hidden" in box.names:
        return True
    if "content-hidden" not in box.names and "content-visible" not in box.names:
        return False
    conditions = _FORMATS.findall(box.written)
    # Presentations are revealjs, and so HTML; what asks for something else than a format is not known.
    holds = all((named in ("revealjs", "html", "html:js")) == (way == "when") for way, named in conditions)
    if not conditions:
        return "content-hidden" in box.names
    return holds == ("content-hidden" in box.names)


def _inside(boxes: Sequence[_Box], outer: _Box) -> list[_Box]:
    from bisect import bisect_right

    low = bisect_right(boxes, outer.first, key=lambda box: box.first)
    found = []
    for box in boxes[low:]:
        if box.first > outer.last:
            break
        found.append(box)
    return found


def _cuts(draft: Draft, boxes: Sequence[_Box], level: int) -> list[tuple[int, int]]:
    inside = bytearray(len(draft.bare) + 1)
    for box in boxes:
        if box.depth == 0:
            inside[box.first : box.last] = b"\1" * (min(box.last, len(draft.bare)) - box.first)
    cuts: list[tuple[int, int]] = []
    for block in draft.outline.blocks:
        if inside[block.first]:
            continue
        if block.kind == "hr":
            cuts.append((block.first, block.end))
        elif block.kind == "heading" and block.level <= level and block.first:
            cuts.append((block.first, block.first))
    return cuts


def _heading(draft: Draft, first: int) -> str:
    """What is said of the slide in braces behind its title."""
    line = next((n for n in range(first, min(first + 3, len(draft.bare))) if draft.bare[n].strip()), first)
    match = _HEADED.fullmatch(draft.bare[line]) if line < len(draft.bare) else None
    return match[2] if match else ""


def _rows(draft: Draft, first: int, end: int, hidden: bytearray) -> list[Row]:
    rows: list[Row] = []
    at = first
    while at < end:
        stop = at
        while stop < end and hidden[stop] == hidden[at]:
            stop += 1
        if not hidden[at]:
            rows += draft.rows(at, stop)
        at = stop
    return rows


def _plain(line: str) -> str:
    """A line without what only says how it looks."""
    if "{" not in line or len(line) > _LONGEST:
        return line
    if line.startswith("#") and (match := _HEADED.fullmatch(line)):
        line = match[1]
    line = _SHORTCODE.sub(_shortcode, line)
    line = _WIDE.sub(lambda m: f"){{width={m[1]}{m[2]}}}" if m[2] else ")", line)
    for pattern in (*[_SPAN] * _NESTED, _BEHIND):
        hidden = line  # code is no span, but may be what one is of
        for start, stop in code_spans(line):
            hidden = hidden[:start] + "\0" * (stop - start) + hidden[stop:]
        out, at = "", 0
        for match in pattern.finditer(hidden):
            out += line[at : match.start()]
            out += line[match.start(1) : match.end(1)] if pattern is _SPAN else ""
            at = match.end()
        line = out + line[at:]
    return line


def _smart(line: str) -> str:
    """Dashes and dots as Pandoc's `smart` sets them; a line of nothing else is a rule, or of a table."""
    if not _DASHES.search(line) or "|" in line or "<!--" in line or "://" in line or not _LETTER.search(line):
        return line
    out, at = "", 0
    for start, stop in [*code_spans(line), (len(line), len(line))]:
        out += _DASHES.sub(lambda m: _SMART[m[0]], line[at:start]) + line[start:stop]
        at = stop
    return out


def _shortcode(match: re.Match[str]) -> str:
    """What Quarto puts in: of a film its address, of other things nothing is known here."""
    address = match[2].split()[0] if match[2].split() else ""
    return f"▶ <{address}>" if match[1] == "video" and "://" in address and "<" not in address else ""


def _code(draft: Draft, fence: Fence, silent: bool, source: Source) -> None:
    code, info = draft.code(fence), fence.info.strip()
    found = chunk(info, code, silent)
    if found.picture:
        path = source.within(found.picture, draft.text.base)
        draft.replace(fence.first, fence.end, "", picture(path, ""), "")
        return
    if info.startswith("{=") or found.hidden:
        draft.replace(fence.first, fence.end)
        draft.instead[fence.first] = aside("\n".join(code), draft.place(fence.first))
        if found.cell and not found.unseen:
            source.once(draft.place(fence.first), NOT_RUN, RUN_BEFORE)
        return
    lang, shown, known = found.lang, found.rows, found.known
    focus = re.search(r"code-line-numbers=[\"']?([\d,|-]+)", info) or None
    lines = focus[1] if focus else known.get("code-line-numbers", "").strip("\"'")
    draft.recode(fence, Snippet(lang, lines if re.fullmatch(r"[\d,|-]+", lines) else "").info(shown), shown)

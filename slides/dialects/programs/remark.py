"""remark: `---` parts slides, `--` their steps, `???` begins notes; the first lines say what a slide is.

A slide may be the layout or the template of others: its words then stand on theirs. `.name[words]` gives
words a class, which says nothing here but where it makes columns.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from slides.dialects import foreign_front_matter
from slides.dialects.html import markup
from slides.dialects.knitr_cells import NOT_RUN, RUN_BEFORE, chunk, drop_expressions, of_all
from slides.dialects.native import Snippet, Translation, aside, assemble, note, picture, settings, spans
from slides.dialects.source import Source
from slides.dialects.translation import PAUSE, Draft, Row, Text
from slides.reading.scan import Fence, code_spans, scan

_PROPERTY = re.compile(r"(?:<!--[ \t]*)?([A-Za-z][\w-]*):[ \t]?(.*?)(?:[ \t]*-->)?[ \t]*")
_CLASS = re.compile(r"(?:\.[A-Za-z_-][\w-]{0,60}){1,9}\[|[\[\]]|\\[\[\].]")
_MACRO = re.compile(r"!\[:[^\]\n]{0,200}\](?:\([^()\n]{0,400}\))?")
_IMAGE = re.compile(r"url\(\s*['\"]?([^'\")]{1,400})['\"]?\s*\)")
_COLUMN = re.compile(
    r"(?:left|right|pull|col|column|half|third)(?:[-_]?(?:left|right|column|col)?\w*)?", re.IGNORECASE
)
_WIDTH = re.compile(r"([0-9]{1,2})(?:-?(?:column|col|pct|percent))?")
_MOST_COLUMNS, _LONGEST = 4, 400
_CONTENT = re.compile(r"\{\{\s*content\s*\}\}")


class _Part(NamedTuple):
    """A slide as it is written: its lines, its properties, and its notes; `steps` are the lines `--`."""

    lines: list[str]
    places: Sequence[int]
    known: dict[str, str]
    notes: list[Row]
    steps: list[int]


def read(text: Text, source: Source) -> Translation:
    """Translate a deck of remark to native text; slides that only are layouts or templates are left out."""
    count = foreign_front_matter.block(text.lines)
    found = foreign_front_matter.read("\n".join(text.lines[1 : count - 1])) if count > 2 else None
    if not found or not text.lines[1].strip():  # between two `---` there may be a slide
        count, found = 0, {}
    parts = list(_parts(text.part(count)))
    slides: list[list[Row]] = []
    named: dict[str, _Part] = {}
    layout: _Part | None = None
    whole = "\n".join(text.lines)
    computed = "xaringan" in whole or "```{r" in whole
    unsaid = of_all(whole) == "hidden"
    for part in parts:
        known = part.known
        below = named.get(known.get("template", "")) or (layout if "layout" not in known else None)
        filled = _within(below, part) if below is not None else part
        if name := known.get("name", ""):
            named[name] = filled
        if known.get("layout", "").strip() == "true":
            layout = filled
        elif "layout" in known:
            layout = None
        if known.get("layout", "").strip() == "true" or known.get("exclude", "").strip() == "true":
            continue
        slides.append(_slide(filled, source, text.base, unsaid, computed))
    meta = {key: foreign_front_matter.words(found, key) for key in ("title", "author", "date")}
    if count and slides:
        slides[0] = aside("\n".join(text.lines[1 : count - 1]), 2) + slides[0]
    return assemble(slides, meta, source.problems)


def _parts(text: Text) -> Iterator[_Part]:
    held = scan(text.lines).held
    lines = text.lines
    start = 0
    cuts = [n for n, line in enumerate(lines) if not held[n] and _parts_slides(line)]
    for end in [*cuts, len(lines)]:
        yield _part(text, held, start, end)
        start = end + 1


def _parts_slides(line: str) -> bool:
    return line == "---" or (line[:4] == "<!--" and re.fullmatch(r"<!--\s*break\s*-->", line) is not None)


def _part(text: Text, held: bytearray, start: int, end: int) -> _Part:
    known: dict[str, str] = {}
    at = start
    unseen: list[int] = []
    while at < end:
        line = text.lines[at].strip()
        if (last := _unseen(text.lines, at, end)) > at:  # knitr leaves nothing of it
            unseen += range(at, last)
            at = last
            continue
        match = _PROPERTY.fullmatch(line) if 0 < len(line) < _LONGEST and not held[at] else None
        if line and not match:
            break
        if match:
            known.setdefault(match[1], match[2])
        at += 1
    notes: list[Row] = []
    steps: list[int] = []
    kept = [text.lines[n] for n in unseen]
    places = [text.places[n] for n in unseen]
    said: list[str] | None = None
    begun = 0
    fresh = False

    def put() -> None:
        nonlocal said
        if said is not None:
            notes.extend(note("\n".join(said), text.places[min(begun, len(text.places) - 1)]))
        said = None

    for n in range(at, end):
        line = text.lines[n]
        if not held[n] and line == "--":
            put()
            steps.append(len(kept))
            kept.append("")
            places.append(text.places[n])
            fresh = True
            continue
        if fresh and 0 < len(line) < _LONGEST and not held[n] and _PROPERTY.fullmatch(line.strip()):
            continue  # a step has properties of its own: they say how it looks
        if not held[n] and line == "???" and said is None:
            said, begun = [], n + 1
        elif said is not None:
            said.append(line)
        else:
            kept.append(line)
            places.append(text.places[n])
        fresh = fresh and not line.strip()
    put()
    if not places and start < len(text.places):
        places = [text.places[start]]
    return _Part(kept, places, known, notes, steps)


def _unseen(lines: Sequence[str], first: int, end: int) -> int:
    """Where a cell that begins on line `first` and of which nothing is seen ends; else `first`."""
    if lines[first][:4] != "```{" or not chunk(lines[first][3:].strip(), (), silent=False).unseen:
        return first
    return next((n + 1 for n in range(first + 1, end) if lines[n].rstrip() == "```"), first)


def _within(below: _Part, part: _Part) -> _Part:
    """`part` on the slide that is its layout or template."""
    place = part.places[0] if part.places else 1
    hole = next((n for n, line in enumerate(below.lines) if "{{" in line and _CONTENT.search(line)), None)
    lines = list(below.lines) if hole is None else below.lines[:hole]
    behind = [] if hole is None else below.lines[hole + 1 :]
    if hole is not None:
        before, _, after = _CONTENT.sub("\0", below.lines[hole], count=1).partition("\0")
        lines, behind = (
            [*lines, *([before] if before.strip() else [])],
            [*([after] if after.strip() else []), *behind],
        )
    shift = len(lines)
    return _Part(
        [*lines, *part.lines, *behind],
        [*[place] * shift, *part.places[: len(part.lines)], *[place] * len(behind)],
        {key: value for key, value in {**below.known, **part.known}.items() if key not in ("name", "layout")}
        | {key: part.known[key] for key in ("name", "layout") if key in part.known},
        part.notes,
        [n for n in below.steps if n < shift] + [shift + n for n in part.steps],
    )


def _slide(part: _Part, source: Source, base: str, unsaid: bool, computed: bool) -> list[Row]:
    place = part.places[0] if part.places else 1
    draft = Draft(Text(part.lines, part.places, base))
    draft.keep(draft.alone)
    draft.loosen_emphasis()
    for fence in draft.marks.fences:
        _code(draft, fence, source, unsaid)
    for block in draft.outline.blocks:
        draft.undash(block)
    if computed:
        drop_expressions(draft, source)
    _classes(draft)
    draft.shown = [
        _MACRO.sub("", _CONTENT.sub("", line))
        if ("![:" in line or "{{" in line) and not draft.coded[n]
        else line
        for n, line in enumerate(draft.shown)
    ]
    markup.unwrap(draft, source, lambda path: source.within(path, base))
    for line in part.steps:
        draft.replace(line, line + 1, "", PAUSE, "")
    rows = draft.rows(0, len(part.lines))
    if match := _IMAGE.search(part.known.get("background-image", "")):
        rows += [Row("", place), Row(picture(source.within(match[1].strip(), base), ""), place)]
    classes = part.known.get("class", "").replace(",", " ").split()
    titled = "title-slide" in classes or ("middle" in classes and "center" in classes)
    known = settings(place, layout="title" if titled and _is_title(part.lines) else "")
    return [*known, *part.notes, *rows]


def _is_title(lines: Sequence[str]) -> bool:
    """A heading and a few words: what such a slide is for."""
    said = [line for line in lines if line.strip()]
    return (
        bool(said) and len(said) < 7 and said[0].startswith("#") and not any("```" in line for line in said)
    )


def _code(draft: Draft, fence: Fence, source: Source, unsaid: bool) -> None:
    """Code whose lines may begin with a star: remark shows these as the ones to look at.

    xaringan's cells are run before, and so not all of them are seen.
    """
    info = fence.info.strip()
    found = chunk(info, draft.code(fence), unsaid)
    if found.picture:
        path = source.within(found.picture, draft.text.base)
        draft.replace(fence.first, fence.end, "", picture(path, ""), "")
        return
    if found.hidden:
        draft.replace(fence.first, fence.end)
        draft.instead[fence.first] = aside("\n".join(found.rows), draft.place(fence.first))
        if not found.unseen:
            source.once(draft.place(fence.first), NOT_RUN, RUN_BEFORE)
        return
    code = found.rows
    lang = found.lang if found.cell else info.split(" ")[0]
    stars = [n for n, row in enumerate(code, 1) if row.startswith("*")]
    if not stars or len(stars) == len(code) or lang in ("", "markdown", "md", "text"):
        draft.recode(fence, Snippet(lang).info(code))
        return
    code = [row[1:] if row.startswith("*") else row for row in code]
    draft.recode(fence, Snippet(lang, focus=spans(stars)).info(code), code)


class _Region(NamedTuple):
    names: list[str]
    start: int
    inner: int
    end: int
    depth: int


def _classes(draft: Draft) -> None:
    """`.name[words]` without its marks; those that stand beside each other as columns."""
    starts, text, hidden = [], [], []
    at = 0
    for n, line in enumerate(draft.shown):
        starts.append(at)
        text.append(line)
        dark = draft.coded[n] or n in draft.instead
        hidden += [(at, at + len(line))] if dark else [(at + a, at + b) for a, b in code_spans(line)]
        at += len(line) + 1
    whole = "\n".join(text)
    regions = _regions(whole, hidden)
    if not regions:
        return

    def line_of(place: int) -> int:
        return bisect_right(starts, place) - 1

    for row in _beside(regions, whole, starts):
        for n, region in enumerate(row):
            mark = ("", "+++", "") if n else ("", f"::: columns {_shares(row)}", "")
            draft.put(line_of(region.start), *mark)
        draft.put(min(line_of(row[-1].end) + 1, len(draft.shown) - 1), "", ":::", "")
    gone = sorted([(r.start, r.inner) for r in regions] + [(r.end, r.end + 1) for r in regions])
    out, at = [], 0
    for a, b in gone:
        out.append(whole[at:a])
        at = b
    shown = "".join([*out, whole[at:]]).split("\n")
    draft.shown = [
        new.strip() if new != old and new[:1] in " \t" and old.lstrip()[:1] in ".]" else new
        for old, new in zip(draft.shown, shown, strict=True)
    ]


def _regions(text: str, hidden: Sequence[tuple[int, int]]) -> list[_Region]:
    """Every `.name[words]` that has an end, in the order of their beginnings."""
    found: list[_Region] = []
    open_: list[tuple[list[str], int, int] | None] = []
    spans_, k = sorted(hidden), 0
    for match in _CLASS.finditer(text):
        while k < len(spans_) and spans_[k][1] <= match.start():
            k += 1
        if match[0][0] == "\\" or (k < len(spans_) and spans_[k][0] <= match.start()):
            continue
        if match[0] == "[":
            open_.append(None)
        elif match[0] != "]":
            open_.append((match[0][1:-1].split("."), match.start(), match.end()))
        elif open_ and (begun := open_.pop()) is not None:
            found.append(_Region(begun[0], begun[1], begun[2], match.start(), len(open_)))
    return sorted(found, key=lambda region: region.start)


def _beside(regions: Sequence[_Region], text: str, starts: Sequence[int]) -> Iterator[list[_Region]]:
    """Columns: regions named so, each on lines of its own, with nothing between them."""
    row: list[_Region] = []
    for region in regions:
        if not any(_COLUMN.fullmatch(name) or _WIDTH.fullmatch(name) for name in region.names):
            continue
        line = bisect_right(starts, region.start) - 1
        if text[starts[line] : region.start].strip() or (row and region.depth != row[-1].depth):
            continue
        if row and not text[row[-1].end + 1 : region.start].strip() and len(row) < _MOST_COLUMNS:
            row.append(region)
            continue
        if len(row) > 1:
            yield row
        row = [region]
    if len(row) > 1:
        yield row


def _shares(row: Sequence[_Region]) -> str:
    said = [next((m[1] for name in r.names if (m := _WIDTH.search(name))), "") for r in row]
    if all(said):
        return ",".join(said)
    return (
        "1,2" if [r.names[0] for r in row] == ["left-column", "right-column"] else ",".join("1" for _ in row)
    )

"""lookatme: rules part slides, or else headings of one level; `<!-- stop -->` shows a slide bit by bit.

Each bit is a slide of its own to the program, which counts and shows it so; here as well.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from slides.dialects import foreign_front_matter
from slides.dialects.html import markup
from slides.dialects.native import Snippet, Translation, aside, assemble
from slides.dialects.programs.lookatme.blocks import Met, blocks
from slides.dialects.source import Source
from slides.dialects.translation import Draft, Text, as_before_commonmark
from slides.reading.scan import Fence

_TERMINAL = re.compile(r"terminal(?:-ex|[0-9]*)")
_ADDRESS = re.compile(r"(?:https?|mailto|tel):[^\s<>()\[\]]{1,2000}")
_NO_LEVEL = 10
_MOST_AGAIN = 20_000  # lines shown again behind stops


def read(text: Text, source: Source) -> Translation:
    """Translate a deck of lookatme to native text."""
    count, settings = _front(text.lines)
    rest = text.part(count)
    met = blocks(rest.lines)
    draft = Draft(rest._replace(lines=as_before_commonmark(rest.lines)))
    stops = {block.line for block in met if block.kind == "stop"}
    draft.keep(lambda comment: comment.first not in stops)
    for fence in draft.marks.fences:
        _code(draft, fence, source)
    for block in draft.outline.blocks:
        if block.kind == "heading" and block.markup == "-":
            title = " ".join(line.strip() for line in draft.bare[block.first : block.end - 1])
            draft.replace(block.first, block.end, f"## {foreign_front_matter.heading(title)}")
    extents = _extents(met, len(draft.bare))
    markup.unwrap(draft, source, cuts=[start for start, _ in extents], strangers=False)
    slides = [draft.rows(start, end) for start, end in extents]
    if count:
        slides[0] = aside("\n".join(text.lines[1 : count - 1]), 2) + slides[0]
    meta = {
        key: " ".join(foreign_front_matter.words(settings, key).split())
        for key in ("title", "author", "date")
    }
    return assemble(slides, meta, source.problems)


def _front(lines: Sequence[str]) -> tuple[int, dict[str, Any]]:
    marks = []
    for at, line in enumerate(lines):
        if line.strip().startswith("---"):
            marks.append(at)
            if len(marks) == 2:
                found = foreign_front_matter.read("\n".join(lines[marks[0] + 1 : at]))
                return (at + 1, found) if found is not None else (0, {})
        elif not marks and line.strip():
            break
    # Settings that never end are the whole deck to the program.
    found = foreign_front_matter.read("\n".join(lines[marks[0] + 1 :])) if marks else None
    return (len(lines), found) if found else (0, {})


def _extents(met: Sequence[Met], end: int) -> list[tuple[int, int]]:
    """The lines of each slide: between rules, or else above headings of a level.

    A stop shows it up to there, all of it so far; of a hostile deck only what is new.
    """
    rules = any(block.kind == "rule" for block in met)
    level = _NO_LEVEL if rules else _level([block.level for block in met if block.kind == "heading"])
    found: list[tuple[int, int]] = []
    start, empty, again = 0, not rules, 0
    for block in met:
        if block.kind == "heading" and block.level == level:
            if not empty:  # nothing before the first of them is not a slide
                found.append((start, block.line))
                start = block.line
        elif block.kind == "rule":
            found.append((start, block.line))
            start = block.line + 1
        elif block.kind == "stop":
            found.append((start, block.line))
            again += block.line - start
            start = start if again < _MOST_AGAIN else block.line
        empty = False
    return [*found, (start, end)]


def _level(levels: Sequence[int]) -> int:
    """The level that parts slides: the highest one, but for a title's, which is there once and first."""
    counts = Counter(levels)
    if levels and counts[levels[0]] == 1:
        del counts[levels[0]]
    return min(counts, default=_NO_LEVEL)


def _code(draft: Draft, fence: Fence, source: Source) -> None:
    code = draft.code(fence)
    lang = fence.info.partition(" ")[0]
    if lang == "file" and (named := foreign_front_matter.read("\n".join(code))):
        lines = foreign_front_matter.within(named, "lines")
        low, high = foreign_front_matter.words(lines, "start"), foreign_front_matter.words(lines, "end")
        span = f"{int(low or 0) + 1}-{high}" if high.isdecimal() and (low or "0").isdecimal() else ""
        shown = foreign_front_matter.words(named, "lang").replace("auto", "")
        snippet = Snippet(
            shown, file=source.within(foreign_front_matter.words(named, "path"), draft.text.base), lines=span
        )
        draft.recode(fence, snippet.info([]), [])
    elif lang in ("qrcode", "qrcode-ex") and not fence.prefix:
        _as_links(draft, fence, "\n".join(code).strip(), source)
    elif _TERMINAL.fullmatch(lang):
        draft.recode(fence, Snippet("bash", run=True).info(code))
    else:
        draft.recode(fence, Snippet(lang).info(code))


def _as_links(draft: Draft, fence: Fence, code: str, source: Source) -> None:
    """What its extension draws as codes for phones, as the words and addresses they stand for."""
    named = foreign_front_matter.read(code) if fence.info.startswith("qrcode-ex") else None
    columns = named.get("columns") if named else None
    shown = []
    for column in columns if isinstance(columns, list) else [{"data": code}]:
        about = column if isinstance(column, dict) else {"data": str(column)}
        data, caption = (foreign_front_matter.words(about, key).strip() for key in ("data", "caption"))
        words = re.sub(r"[\[\]<>`\n]", " ", caption or data)
        shown += [f"[{words}]({data})" if _ADDRESS.fullmatch(data) else words, ""]
    draft.replace(fence.first, fence.end, "", *shown)
    place = draft.place(fence.first)
    source.say(place, "a QR code is shown as the link in it", "Save it as a picture: `![words](code.png)`.")

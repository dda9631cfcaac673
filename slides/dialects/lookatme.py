"""lookatme: rules part slides, or else headings of one level; `<!-- stop -->` shows a slide bit by bit.

Each bit is a slide of its own to the program, which counts and shows it so; here as well.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from slides.dialects import front
from slides.dialects.draft import Block, Draft, Row, Text, as_before_commonmark
from slides.dialects.native import Snippet, Translation, aside, assemble
from slides.dialects.source import Source
from slides.scan import Comment, Fence

_STOP = re.compile(r"\s*stop\s*")
_TERMINAL = re.compile(r"terminal(?:-ex|[0-9]*)")
_ITEM = re.compile(r" *(?:[*+-]|[0-9]+\.) ")
_NO_LEVEL = 10


def read(text: Text, source: Source) -> Translation:
    count, settings = _front(text.lines)
    rest = text.part(count)
    draft = Draft(rest._replace(lines=as_before_commonmark(rest.lines)))
    stops = [comment.first for comment in draft.marks.comments if _stops(draft, comment)]
    draft.keep(lambda comment: comment.first not in stops)
    for fence in draft.marks.fences:
        _code(draft, fence, source)
    extents = _extents(draft, draft.outline.blocks)
    slides: list[list[Row]] = []
    for start, end in extents:
        inside = [stop for stop in stops if start <= stop < end]
        slides += [draft.rows(start, stop) for stop in inside]
        slides.append(draft.rows(start, end))
    if count:
        slides[0] = aside("\n".join(text.lines[1 : count - 1]), 2) + slides[0]
    meta = {key: " ".join(front.words(settings, key).split()) for key in ("title", "author", "date")}
    return assemble(slides, meta, source.problems)


def _stops(draft: Draft, comment: Comment) -> bool:
    """Whether it parts a slide: alone, and above it no words that it would belong to.

    In a list it stands at the end of an item; elsewhere nothing is right below it.
    """
    lines = draft.text.lines
    at = comment.first
    before, after = lines[at][: comment.start], lines[comment.last][comment.end :]
    if not _STOP.fullmatch(comment.body) or before.strip() or after.strip():
        return False
    below = "".join(lines[comment.last + 1 : comment.last + 2])
    above = draft.outline.block_at(at - 1)
    if above is not None and above.kind == "list" and (lines[at - 1].strip() or before):
        return not below.strip() or bool(_ITEM.match(below))
    if before or below.strip():
        return False
    return (
        above is None or above.kind in ("heading", "hr", "fence", "code_block") or not lines[at - 1].strip()
    )


def _front(lines: Sequence[str]) -> tuple[int, dict[str, Any]]:
    marks = []
    for at, line in enumerate(lines):
        if line.strip().startswith("---"):
            marks.append(at)
            if len(marks) == 2:
                found = front.read("\n".join(lines[marks[0] + 1 : at]))
                return (at + 1, found) if found is not None else (0, {})
        elif not marks and line.strip():
            break
    # Settings that never end are the whole deck to the program.
    found = front.read("\n".join(lines[marks[0] + 1 :])) if marks else None
    return (len(lines), found) if found else (0, {})


def _extents(draft: Draft, blocks: Sequence[Block]) -> list[tuple[int, int]]:
    rules = [block for block in blocks if block.kind == "hr"]
    cuts = [(block.first, block.end) for block in rules]
    if not rules:
        headings = [
            block
            for above, block in zip((None, *blocks), blocks, strict=False)
            if block.kind == "heading"
            and not (above and above.kind == "list" and draft.bare[block.first - 1].strip())  # words of it
        ]
        level = _level(headings)
        at = [block.first for block in headings if block.level == level]
        # Nothing before the first of them is no slide; a title, words or a comment are one.
        empty = not at or not any(line.strip() for line in draft.text.lines[: at[0]])
        cuts = [(line, line) for line in (at[1:] if empty else at)]
    for block in blocks:
        if block.kind == "heading" and block.markup == "-":
            title = " ".join(line.strip() for line in draft.bare[block.first : block.end - 1])
            draft.replace(block.first, block.end, f"## {front.heading(title)}")
    starts = [0, *(end for _, end in cuts)]
    return list(zip(starts, [*(first for first, _ in cuts), len(draft.bare)], strict=True))


def _level(headings: Sequence[Block]) -> int:
    """The level that parts slides: the highest one, but for a title's, which is there once and first."""
    counts = Counter(heading.level for heading in headings)
    if headings and counts[headings[0].level] == 1:
        del counts[headings[0].level]
    return min(counts, default=_NO_LEVEL)


def _code(draft: Draft, fence: Fence, source: Source) -> None:
    code = draft.code(fence)
    lang = fence.info.partition(" ")[0]
    if lang == "file" and (named := front.read("\n".join(code))):
        lines = front.within(named, "lines")
        low, high = front.words(lines, "start"), front.words(lines, "end")
        span = f"{int(low or 0) + 1}-{high}" if high.isdecimal() and (low or "0").isdecimal() else ""
        shown = front.words(named, "lang").replace("auto", "")
        snippet = Snippet(shown, file=source.within(front.words(named, "path"), draft.text.base), lines=span)
        draft.recode(fence, snippet.info([]), [])
    elif _TERMINAL.fullmatch(lang):
        draft.recode(fence, Snippet("bash", run=True).info(code))
    else:
        draft.recode(fence, Snippet(lang).info(code))

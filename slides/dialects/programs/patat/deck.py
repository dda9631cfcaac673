"""patat: rules part slides, or else headings down to one level; comments are notes, `. . .` is a pause.

Pandoc reads the text for it, so a heading needs no space behind its `#`. A slide without blocks is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from slides.dialects import foreign_front_matter
from slides.dialects.html import markup
from slides.dialects.native import Snippet, Translation, aside, assemble, is_pause, note, without_last_pause
from slides.dialects.programs.patat.blocks import blocks, numbered
from slides.dialects.source import Source
from slides.dialects.translation import PAUSE, Block, Draft, Row, Text, as_before_commonmark
from slides.reading.scan import Fence

_DOTS = re.compile(r"\\?\. \\?\. \\?\.")
_QUOTED = re.compile(r" {0,3}> ?")


def read(text: Text, source: Source) -> Translation:
    """Translate a deck of patat to native text."""
    count = foreign_front_matter.block(text.lines, ("---", "..."))
    settings = (
        foreign_front_matter.read("\n".join(text.lines[1 : count - 1]))
        if count > 2 and text.lines[1].strip()
        else None
    )
    if settings is None:
        count, settings = foreign_front_matter.title_block(text.lines)
    own = foreign_front_matter.within(settings, "patat")
    lines = as_before_commonmark(text.lines[count:])
    metadata = list(foreign_front_matter.further(lines))
    for first, end in metadata:
        lines[first:end] = [""] * (end - first)
    draft = Draft(Text(numbered(lines), text.places[count:], text.base))
    for first, end in metadata:
        draft.instead[first] = aside(
            "\n".join(text.lines[count + first + 1 : count + end - 1]), draft.place(first)
        )
    draft.keep(lambda comment: comment.body.startswith("config:"))
    draft.loosen_emphasis()
    if foreign_front_matter.words(own, "wrap").lower() in ("", "false", "no", "off"):
        draft.break_lines()
    evals = foreign_front_matter.within(own, "eval")
    for fence in draft.marks.fences:
        _code(draft, fence, evals)
    draft.outline = draft.outline._replace(blocks=blocks(draft))
    rules = _rules(draft)
    slides = _by_rules(draft, rules) if rules else _by_headings(draft, _level(own, draft))
    markup.unwrap(draft, source, cuts=[part.start for part in slides], strangers=False)
    stepwise = foreign_front_matter.true(own, "incrementalLists")
    out = []
    for part in slides:
        _pauses(draft, part, stepwise)
        out.append(_rows(draft, part))
    if count and out and text.lines[0].startswith("---"):
        out[0] = aside("\n".join(text.lines[1 : count - 1]), 2) + out[0]
    meta = {
        key: " ".join(foreign_front_matter.words(settings, key).split())
        for key in ("title", "author", "date")
    }
    return assemble(out, meta, source.problems)


def _rules(draft: Draft) -> list[Block]:
    """The rules. One right under words is words to Pandoc."""
    found = draft.outline.blocks
    return [
        block
        for before, block in zip((None, *found), found, strict=False)
        if block.kind == "hr"
        and (
            before is None
            or before.kind not in ("paragraph", "list", "blockquote")
            or not draft.bare[block.first - 1].strip()
        )
    ]


class _Part:
    """A slide: its blocks, where it begins and ends, and its comments."""

    def __init__(self, start: int, end: int, blocks: Sequence[Block]) -> None:
        self.start, self.end, self.blocks = start, end, blocks


def _parted(draft: Draft, cuts: Sequence[tuple[int, int]]) -> list[_Part]:
    """The slides between `cuts`. Without a block there is none: comments alone go with the one before."""
    starts = [0, *(end for _, end in cuts)]
    ends = [*(first for first, _ in cuts), len(draft.bare)]
    found = []
    for start, end in zip(starts, ends, strict=True):
        if inside := draft.outline.blocks_in(start, end):
            found.append(_Part(start, end, inside))
    return found


def _by_rules(draft: Draft, rules: Sequence[Block]) -> list[_Part]:
    return _parted(draft, [(block.first, block.end) for block in rules])


def _by_headings(draft: Draft, level: int) -> list[_Part]:
    """A heading of the level begins a slide; one above it is a slide alone, with the comments behind it."""
    found = draft.outline.blocks
    cuts: list[tuple[int, int]] = []
    for n, block in enumerate(found):
        if block.kind != "heading" or block.level > level:
            continue
        cuts.append((block.first, block.first))
        if block.level < level:
            following = found[n + 1].first if n + 1 < len(found) else len(draft.bare)
            cuts.append((following, following))
    return _parted(draft, list(dict.fromkeys(cuts)))


def _level(own: dict[str, Any], draft: Draft) -> int:
    """The level of headings that begin slides: given, or the highest above what is not a heading."""
    given = foreign_front_matter.words(own, "slideLevel")
    if re.fullmatch(r"[1-6]", given):
        return int(given)
    return min(
        (
            block.level
            for block, following in pairwise(draft.outline.blocks)
            if block.kind == "heading" and following.kind != "heading"
        ),
        default=6,
    )


def _pauses(draft: Draft, part: _Part, stepwise: bool) -> None:
    for block in part.blocks:
        if block.kind == "paragraph" and block.end - block.first == 1:
            if _DOTS.fullmatch(draft.bare[block.first].strip()):
                draft.replace(block.first, block.end, PAUSE)
        elif block.kind == "heading" and block.markup == "-":
            title = " ".join(line.strip() for line in draft.bare[block.first : block.end - 1])
            draft.replace(block.first, block.end, f"## {foreign_front_matter.heading(title)}")
        elif block.kind == "blockquote" or (block.kind == "list" and _apart(draft, block)):
            for line in range(block.first + 1, block.end - 1):
                _pause_within(draft, line)
            _stepwise(draft, block, stepwise)


def _pause_within(draft: Draft, line: int) -> None:
    """A pause that is a paragraph of a list item."""
    words = draft.bare[line].lstrip()
    if _DOTS.fullmatch(words.rstrip()) and not (draft.bare[line - 1].strip() or draft.bare[line + 1].strip()):
        draft.replace(line, line + 1, draft.bare[line][: -len(words)] + PAUSE)


def _apart(draft: Draft, block: Block) -> bool:
    """Whether a list is one to Pandoc: words right above it take it in."""
    above = draft.outline.block_at(block.first - 1)
    return above is None or above.kind != "paragraph" or not draft.bare[block.first - 1].strip()


def _stepwise(draft: Draft, block: Block, stepwise: bool) -> None:
    """Items one by one; in a quote that holds nothing but a list it is the other way round."""
    items = draft.outline.items_in(block.first, block.end)
    quoted = [bool(_QUOTED.match(draft.bare[item.line].lstrip(" \t"))) for item in items]
    if block.kind == "blockquote":
        rows = [line for line in range(block.first, block.end) if draft.bare[line].strip()]
        if not items or items[0].line != block.first:
            return
        for line in rows:
            draft.replace(line, line + 1, _QUOTED.sub("", draft.bare[line], count=1))
        quoted = [True] * len(items)
    for item, flipped in zip(items, quoted, strict=True):
        if stepwise != flipped:
            draft.put(item.line, _margin(draft, item.line, block) + PAUSE)


def _margin(draft: Draft, line: int, block: Block) -> str:
    text = draft.bare[line]
    if block.kind == "blockquote":
        text = _QUOTED.sub("", text, count=1)
    return text[: len(text) - len(text.lstrip(" \t>"))]


def _rows(draft: Draft, part: _Part) -> list[Row]:
    """The slide, its comments as notes. A pause at the end, or right behind another one, is none."""
    rows: list[Row] = []
    waiting = False
    for comment in draft.marks.comments:
        if part.start <= comment.first < part.end and not comment.body.startswith("config:"):
            rows += note(comment.body, draft.place(comment.first))
    for row in draft.rows(part.start, part.end):
        pause = is_pause(row)
        if pause and waiting:
            continue
        waiting = pause or (waiting and not row.text.strip())
        rows.append(row)
    return without_last_pause(rows)


def _code(draft: Draft, fence: Fence, evals: dict[str, Any]) -> None:
    code = draft.code(fence)
    classes = re.findall(r"\.([\w#+-]+)", fence.info) if fence.info.startswith("{") else fence.info.split()
    lang = classes[0] if classes else ""
    numbers = any(word in ("numberLines", "number-lines") for word in classes)
    draft.recode(fence, Snippet(lang, numbers=numbers, run=bool(set(classes) & evals.keys())).info(code))

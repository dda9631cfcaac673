"""mdp: settings are lines that begin with `%`, rules part slides, `^` alone on a line is a pause."""

from __future__ import annotations

import re

from slides.dialects.html import markup
from slides.dialects.native import Snippet, Translation, aside, assemble, without_last_pause
from slides.dialects.source import Source
from slides.dialects.translation import PAUSE, Draft, Row, Text

_SETTING = re.compile(r"%\s?([A-Za-z]+):\s?(.*)")
_CENTRED = re.compile(r"\s*->\s?(.*?)(?:\s?<-)?\s*")
_INDENT = re.compile(r"^ +(?=\S)")
_ESCAPED_INDENT = re.compile(r"^\s*\\( +)")  # a backslash keeps what follows from being code
_ESCAPED_LETTER = re.compile(r"(`[^`\n]{0,400}`)|\\(?=[^\W_])")  # a backslash that Markdown would show
_COLUMNS = re.compile(r"(?<=\S) {2,}(?=\S)")
_HARD_SPACE = "\u00a0"
_FIRST_SPACE = "&nbsp;"  # in front of a line the sign itself would be stripped


def read(text: Text, source: Source) -> Translation:
    """Translate a deck of mdp to native text."""
    known: dict[str, str] = {}
    count = 0
    while count < len(text.lines) and (match := _SETTING.fullmatch(text.lines[count])):
        known.setdefault(match[1].lower(), match[2].strip())
        count += 1
    body = text.part(count)
    centred = [_CENTRED.fullmatch(line) if "->" in line else None for line in body.lines]
    lines = [match[1] if match else line for line, match in zip(body.lines, centred, strict=True)]
    draft = Draft(body._replace(lines=lines))
    draft.keep(draft.alone)
    for fence in draft.marks.fences:
        draft.recode(fence, Snippet(fence.info.partition(" ")[0]).info(draft.code(fence)))
    for line, written in enumerate(draft.shown):
        if written.strip() == "^" and not draft.coded[line]:
            draft.replace(line, line + 1, "", PAUSE, "")
    _as_typed(draft)
    cuts = [block.first for block in draft.outline.blocks if block.kind == "hr"]
    markup.unwrap(draft, source, cuts=cuts, strangers=False)
    slides: list[list[Row]] = []
    start = 0
    for block in draft.outline.blocks:
        if block.kind == "hr":
            slides.append(without_last_pause(draft.rows(start, block.first)))
            start = block.end
        else:
            draft.undash(block)
    slides.append(without_last_pause(draft.rows(start, len(lines))))
    if count:
        slides[0] = aside("\n".join(text.lines[:count]), 1) + slides[0]
    return assemble(slides, {key: known.get(key, "") for key in ("title", "author", "date")}, source.problems)


def _as_typed(draft: Draft) -> None:
    """Keep line ends and columns of words: mdp draws each line as it was typed."""
    draft.shown = list(draft.shown)
    for first, end in draft.outline.words:
        block = draft.outline.block_at(first)
        if block is None or block.kind in ("table", "heading"):
            continue
        for line in range(first, end):
            written = draft.shown[line]
            if block.kind == "paragraph" and line > first:
                written = _INDENT.sub(lambda m: _FIRST_SPACE * len(m[0]), written)
            written = _ESCAPED_INDENT.sub(lambda m: _FIRST_SPACE * len(m[1]), written)
            written = _ESCAPED_LETTER.sub(r"\1", written)
            draft.shown[line] = _COLUMNS.sub(lambda m: _HARD_SPACE * len(m[0]), written)
    draft.break_lines()

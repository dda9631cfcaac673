"""Marp: rules part slides, with `headingDivider` headings, too; comments are directives or notes."""

from __future__ import annotations

import json
import re
from typing import Any

from slides.dialects import foreign_front_matter, foreign_header_and_footer
from slides.dialects.html import markup
from slides.dialects.native import Snippet, Translation, aside, assemble, note, picture
from slides.dialects.pictures_behind import Behind, laid_out
from slides.dialects.source import Source
from slides.dialects.translation import IMAGE, Draft, Row, Text, part_formulas

_GLOBAL = frozenset((
    "headingDivider", "style", "theme", "lang", "math", "size", "marp", "title", "description",
    "author", "image", "keywords", "url",
))  # fmt: skip
_LOCAL = frozenset((
    "backgroundColor", "backgroundImage", "backgroundPosition", "backgroundRepeat", "backgroundSize",
    "class", "color", "footer", "header", "paginate", "transition",
))  # fmt: skip
_NAME = rf"[\"']?_?(?:{'|'.join((*_GLOBAL, *_LOCAL))})[\"']?[ \t]*:"
_DIRECTIVE = re.compile(rf"^{_NAME}", re.MULTILINE)
_LOOSE = re.compile(rf"^({_NAME}[ \t]*)([^\s\"'\[{{|>~&*].*)$", re.MULTILINE)
_MAGIC = re.compile(
    r"prettier-ignore(?:-(?:start|end))?|markdownlint-(?:(?:disable|enable).*|capture|restore)"
    r"|lint (?:disable|enable|ignore).*|fit"
)
_KEYWORD = re.compile(
    r"bg|cover|contain|fit|auto|cent(?:er|re)|#[a-z]{1,9}|vertical|horizontal|(?:left|right)(?::[0-9.]+%?)?|(?:w|width|h|height):\S+"
    r"|[0-9.]+%|(?:blur|brightness|contrast|drop-shadow|grayscale|hue-rotate|invert|opacity|saturate|sepia)(?::\S+)?"
)
_WIDTH = re.compile(r"(?:w|width):([0-9]{1,3})%")


def read(text: Text, source: Source) -> Translation:
    """Translate a deck of Marp to native text; what Marp itself would not show is reported."""
    count, settings, closed = _front(text.lines)
    if not closed:
        source.say(
            1, "the front matter never ends: the program shows nothing of this deck", "Close it by `---`."
        )
    rest = text.part(count)
    draft = Draft(rest, rest.lines, commonmark=True)
    divider: Any = settings.get("headingDivider")
    kept: set[int] = set()
    notes: list[tuple[int, list[Row]]] = []
    for comment in draft.marks.comments:
        body = comment.body.strip().strip("-")
        found = _read(body) if _DIRECTIVE.search(body) else None
        if found and "headingDivider" in found:
            divider = found["headingDivider"]
        if not comment.closed:
            place = draft.place(comment.first)
            source.say(
                place, "this comment never ends: the program shows nothing below it", "Close it by `-->`."
            )
        if _is_directive(found) or not comment.closed or _MAGIC.fullmatch(comment.body.strip()):
            kept.add(comment.first * 4096 + comment.start)
        else:
            notes.append((comment.first, note(comment.body.strip("-"), draft.place(comment.first))))
    draft.keep(lambda comment: comment.first * 4096 + comment.start in kept and draft.alone(comment))
    for fence in draft.marks.fences:
        code = draft.code(fence)
        draft.recode(fence, Snippet(fence.info.partition(" ")[0]).info(code))
    before = -1
    for item in draft.outline.items:
        if item.markup in ("*", ")") and item.line != before:
            draft.pause(item.line)
        before = item.line  # an item that begins on the line of the one it is in comes with it
    extents = _extents(draft, _levels(divider))
    backgrounds = _pictures(draft, source)
    cuts = [start for start, _ in extents]
    part_formulas(draft)
    markup.unwrap(draft, source, lambda path: source.within(path, text.base), cuts=cuts, strangers=False)
    draft.break_lines()
    slides = []
    for start, end in extents:
        rows = draft.rows(start, end)
        rows = laid_out(rows, [b for b in backgrounds if start <= b.line < end])
        slides.append([row for line, said in notes if start <= line < end for row in said] + rows)
    if count:
        slides[0] = aside("\n".join(text.lines[1 : count - closed]), min(2, len(text.lines))) + slides[0]
    meta = {key: foreign_front_matter.words(settings, key) for key in ("title", "author", "lang")}
    meta |= foreign_header_and_footer.of_settings(settings, "header", "footer")
    return assemble(slides, meta, source.problems)


def _front(lines: list[str]) -> tuple[int, dict[str, Any], bool]:
    """(number of lines, settings, whether it ends) of what the program takes for front matter."""
    if not lines or not lines[0].startswith("---"):
        return 0, {}, True
    dashes = len(lines[0]) - len(lines[0].lstrip("-"))
    close = re.compile(rf" {{0,3}}-{{{dashes},}}\s*")
    end = next((at for at in range(1, len(lines)) if close.fullmatch(lines[at])), len(lines))
    return min(end + 1, len(lines)), _read("\n".join(lines[1:end])) or {}, end < len(lines)


def _read(text: str) -> dict[str, Any] | None:
    """Directives. To the program, the value of one needs no quotes, whatever is in it."""
    return foreign_front_matter.read(
        _LOOSE.sub(lambda m: m[1] + json.dumps(m[2].rstrip(), ensure_ascii=False), text), unique=True
    )


def _is_directive(found: dict[str, Any] | None) -> bool:
    return bool(found) and any(
        key in _GLOBAL or key in _LOCAL or (key[:1] == "_" and key[1:] in _LOCAL) for key in found or ()
    )


def _levels(divider: Any) -> frozenset[int]:
    """The levels of headings above which a slide begins."""
    values = divider if isinstance(divider, list) else [divider]
    levels = [int(v) for v in values if isinstance(v, str) and re.fullmatch(r"\s*[1-6]\s*", v)]
    if not isinstance(divider, list):
        levels = list(range(1, levels[0] + 1)) if levels else []
    return frozenset(levels)


def _extents(draft: Draft, levels: frozenset[int]) -> list[tuple[int, int]]:
    cuts = [(block.first, block.first) for block in draft.outline.inner if block.level in levels]
    seen = False
    for block in draft.outline.blocks:
        if block.kind == "html_block" and draft.text.lines[block.first].lstrip().startswith("<!--"):
            continue
        if block.kind == "hr":
            cuts.append((block.first, block.end))
            seen = True
            continue
        if block.kind == "heading":
            if block.level in levels and seen:
                cuts.append((block.first, block.first))
            if block.markup == "-":
                title = " ".join(line.strip() for line in draft.shown[block.first : block.end - 1])
                draft.replace(block.first, block.end, f"## {foreign_front_matter.heading(title)}")
        seen = True
    cuts.sort()
    starts = [0, *(end for _, end in cuts)]
    ends = [*(first for first, _ in cuts), len(draft.bare)]
    return list(zip(starts, ends, strict=True))


def _pictures(draft: Draft, source: Source) -> list[Behind]:
    """Sizes of pictures in our words; those that lie behind a slide are taken out of its text."""
    found: list[Behind] = []
    shown = list(draft.shown)
    for line, text in enumerate(shown):
        if "](" not in text or draft.coded[line] or line in draft.instead:
            continue

        def ours(match: re.Match[str], line: int = line) -> str:
            words = match[1].split()
            keywords = [word for word in words if _KEYWORD.fullmatch(word)]
            alt = " ".join(word for word in words if word not in keywords)
            path = source.within(match[2].strip("<>"), draft.text.base)
            width = next((f"{size[1]}%" for word in keywords if (size := _WIDTH.fullmatch(word))), "")
            if "bg" not in keywords:
                return picture(path, alt, width)
            side = next((word for word in keywords if word.startswith(("left", "right"))), "")
            share = re.search(r":([0-9.]+)%", side)
            row = Row(picture(path, alt), draft.place(line))
            found.append(Behind(line, row, side.partition(":")[0], _number(share[1]) if share else 50.0))
            return ""

        shown[line] = IMAGE.sub(ours, text)
    draft.shown = shown
    return found


def _number(text: str) -> float:
    try:
        return min(max(float(text), 5.0), 95.0)
    except ValueError:
        return 50.0

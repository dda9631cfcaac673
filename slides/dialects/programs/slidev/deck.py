"""Slidev: `---` parts slides, and what follows it without a blank line are settings of the next slide."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from slides.dialects import foreign_front_matter
from slides.dialects.html import markup
from slides.dialects.native import (
    Translation,
    aside,
    assemble,
    columns,
    is_pause,
    note,
    picture,
    settings,
)
from slides.dialects.programs.slidev import comark
from slides.dialects.programs.slidev.clicks import MOST_CLICKS, Clicks
from slides.dialects.programs.slidev.code import imports, read_code
from slides.dialects.programs.slidev.file import Slide, parse
from slides.dialects.programs.slidev.front_words import with_front_words
from slides.dialects.source import Source
from slides.dialects.translation import IMAGE, PAUSE, Draft, Row, Text, part_formulas
from slides.problems import quoted
from slides.reading.scan import code_spans, scan

_CLICK = re.compile(r"\[click(?::\s*([0-9]{1,3}))?\][ \t]*")
_SLOT = re.compile(r"\s*::\s*([\w.:-]+?)\s*::\s*")
_TEMPLATE = re.compile(r"\s*<template\s+(?:v-slot:|#)([A-Za-z][\w-]*)\s*>\s*")
_FORMULA = re.compile(r"\$\$[ \t]*\{[\s0-9,|*-]*(?:(?:all|none)[\s0-9,|*-]*)*\}(?:\{[^{}]*\})?[ \t]*$")
_FRAMES = re.compile(r"\s*+(?:`{3,}+|~{3,}+)\S*+ \{[^{}]*\}")  # of our own fences; each sign in one way
_TOC = re.compile(r"\s*<Toc\b((?:[^\"'<>]++|\"[^\"]*+\"|'[^']*+')*+)>(?:\s*</Toc>)?\s*")
# What Vue computes as the slide is shown. A word written out is all of it that is known here.
_COMPUTED = re.compile(r"\{\{((?:[^{}\n]|\{(?!\{)|\}(?!\})){0,400})\}\}")
_LITERAL = re.compile(r"\s*(?:'([^'\\]*)'|\"([^\"\\]*)\"|`([^`\\$]*)`|([0-9][0-9.]{0,20}))\s*")
_HEADING = re.compile(r"(#{1,6}) (.+)")
_GIVEN = re.compile(r'<!-- slide: \{title: ("(?:[^"\\]|\\.)*"|\w+)')
_UNLISTED = re.compile(r"(?:<!-- kept: )?hideInToc:\s*true")
_DEPTHS = (("mindepth", 1), ("maxdepth", 6))
_MOST_TITLES, _MOST_SETTINGS = 200, 200
_LAYOUTS = {"cover": "title", "intro": "title", "section": "section", "quote": "quote", "fact": "big number"}
_CENTRED = ("center", "end", "statement")  # in the middle of the page, whatever stands on it
_NO_WORDS = re.compile(r"\s*+(?:[-*+>|]|\d{1,9}[.)]|`{3}|~{3}|:::|!\[|\$\$)")  # lists, code, tables, pictures


def read(text: Text, source: Source) -> Translation:
    """Translate a deck of Slidev, with the files its slides take in, to native text."""
    parsed = parse(text)
    head = parsed[0].settings if parsed else {}
    slides: list[list[Row]] = []
    _load(parsed, {}, source, slides, head)
    slides = [_with_contents(rows, slides) for rows in slides]
    meta = {key: foreign_front_matter.words(head, key) for key in ("title", "author")}
    if not meta["title"] and (title := foreign_front_matter.words(head, "name")):
        meta["title"] = title
    return assemble(slides, meta, source.problems)


def _load(
    parsed: list[Slide],
    given: Mapping[str, Any],
    source: Source,
    slides: list[list[Row]],
    head: Mapping[str, Any],
) -> None:
    for slide in parsed:
        own = slide.settings
        if _truthy(own.get("disabled")) or _truthy(own.get("hide")):
            if slides:
                slides[-1] += aside(slide.raw, slide.place)
            continue
        if foreign_front_matter.words(own, "src"):
            _imported(slide, given, source, slides, head)
            continue
        slides.append(_rows(slide, {**own, **given}, source, head))


def _imported(
    slide: Slide,
    given: Mapping[str, Any],
    source: Source,
    slides: list[list[Row]],
    head: Mapping[str, Any],
) -> None:
    written, _, span = foreign_front_matter.words(slide.settings, "src").partition("#")
    base = "" if written.startswith("/") else slide.content.base
    found = source.take(written.lstrip("/") if written.startswith("/") else written, base, slide.place)
    if not isinstance(found, Text):
        # The program shows nothing then. A box says what is missing, and makes no slide of its own.
        if slides:
            slides[-1] += found
        else:
            source.say(slide.place, f"no slides are taken from {quoted(written)}", "Check `src:`.")
        return
    parsed = parse(found)
    chosen = [parsed[n - 1] for n in _range(span, len(parsed))]
    override = {**slide.settings, **given}
    override.pop("src", None)
    _load(chosen, override, source, slides, head)
    source.done()


def _truthy(value: object) -> bool:
    return bool(value) and str(value).strip().lower() not in ("false", "null", "~", "0", "no", "off")


def _range(span: str, total: int) -> list[int]:
    """`2,5-7` of so many slides."""
    if not span or span in ("all", "*"):
        return list(range(1, total + 1))
    if span == "none":
        return []
    found: set[int] = set()
    for part in re.split("[,;]", span):
        low, dash, high = part.partition("-")
        if not re.fullmatch(r"\s*[0-9]{1,6}\s*", low):
            continue
        end = (int(high) if re.fullmatch(r"\s*[0-9]{1,6}\s*", high) else total) if dash else int(low)
        found.update(range(int(low), min(end, total) + 1))
    return sorted(n for n in found if 1 <= n <= total)


def _with_contents(rows: list[Row], slides: list[list[Row]]) -> list[Row]:
    """`rows` with a list of all titles where `<Toc>` stands alone on a line, and not in code."""
    if not any("<Toc" in row.text for row in rows):
        return rows
    fences = scan([row.text for row in rows]).fences
    out: list[Row] = []
    for n, row in enumerate(rows):
        match = _TOC.fullmatch(row.text) if "<Toc" in row.text else None
        if any(fence.first <= n < fence.end for fence in fences):
            match = None
        if match is None:
            out.append(row)
            continue
        known = markup.attributes(match[1])
        low, high = (
            int(known.get(key, "")) if known.get(key, "").isdecimal() else usual for key, usual in _DEPTHS
        )
        titles = [title for slide in slides[:_MOST_TITLES] if (title := _titled(slide))]
        found = [(level, title) for level, title in titles if low <= level <= high]
        top = min((level for level, _ in found), default=1)
        out += [Row(f"{'  ' * (level - top)}- {title}", row.place) for level, title in found]
    return out


def _titled(rows: list[Row]) -> tuple[int, str] | None:
    """(level, title) of a slide as its contents name it; None where they leave it out."""
    texts = [row.text for row in rows[:_MOST_SETTINGS]]
    if any(_UNLISTED.match(text) for text in texts):
        return None
    heading = next((match for text in texts if (match := _HEADING.match(text))), None)
    given = next((match[1] for text in texts if (match := _GIVEN.match(text))), "")
    title = str(json.loads(given)) if given.startswith('"') else given
    if not title and heading is None:
        return None
    return len(heading[1]) if heading else 1, title or (heading[2] if heading else "")


# -- a slide ---------------------------------------------------------------------------------------------


def _rows(slide: Slide, own: Mapping[str, Any], source: Source, head: Mapping[str, Any]) -> list[Row]:
    text, notes = _notes(slide.content)
    draft = Draft(text)
    draft.keep(draft.alone)
    clicks = Clicks(draft)
    numbered = foreign_front_matter.true(head, "lineNumbers")
    for fence in draft.marks.fences:
        read_code(draft, fence, numbered)
    for block in draft.outline.blocks:
        draft.undash(block)
    imports(draft, source, numbered)
    focused = sum(line.count("|") for line in draft.shown if line.startswith("$$") and _FORMULA.match(line))
    draft.shown = [_FORMULA.sub("$$", line) if line.startswith("$$") else line for line in draft.shown]
    part_formulas(draft)
    _images(draft, source)
    for line, written in enumerate(draft.shown):
        if "<Toc" in written and not draft.coded[line] and _TOC.fullmatch(written):
            draft.replace(line, line + 1, "", written.strip(), "")
    _computed(draft)
    _name_slots(draft)
    if any(foreign_front_matter.true(head, key) for key in ("comark", "mdc")):
        comark.read(draft, source, clicks)
    clicks.regions()
    markup.unwrap(draft, source, lambda path: _path(path, source, text.base), clicks.tag)
    clicks.settle()
    total = foreign_front_matter.words(own, "clicks")
    rows = _slots(draft, own)
    rows = with_front_words(_with_picture(rows, own, source, text, slide.place), own, slide.place)
    count = sum(is_pause(row) or (_FRAMES.match(row.text) or [""])[0].count("|") for row in rows)
    asked = int(total) if re.fullmatch(r"[0-9]{1,3}", total) else 0
    asked = max(asked, clicks.total, count + focused)  # of some nothing is to be seen here
    rows += [Row(PAUSE, slide.place)] * (min(asked, MOST_CLICKS) - count)
    rows = _with_notes(rows, notes)
    title = foreign_front_matter.words(own, "title") or foreign_front_matter.words(own, "name")
    known = settings(
        slide.place, title=title, layout=_layout(foreign_front_matter.words(own, "layout"), rows)
    )
    return [*known, *(aside(slide.front, slide.place) if slide.front.strip() else []), *rows]


def _layout(name: str, rows: list[Row]) -> str:
    """Ours for a layout of the program, "" for none. Words under a heading are centred as a title is; lists,
    code and pictures are larger from top to bottom."""
    if name not in _CENTRED:
        return _LAYOUTS.get(name, "")
    texts = [row.text for row in rows]
    comments = [range(comment.first, comment.last + 1) for comment in scan(texts).comments]
    seen = [
        text for n, text in enumerate(texts) if text.strip() and not any(n in lines for lines in comments)
    ]
    headed = bool(seen) and _HEADING.match(seen[0]) is not None
    return "title" if headed and not any(_NO_WORDS.match(text) for text in seen) else ""


def _notes(content: Text) -> tuple[Text, list[Row]]:
    """The content without the comment at its end, and that comment, which is notes."""
    whole = "\n".join(content.lines)
    end = len(whole.rstrip())
    start = _last_comment(whole, end)
    if start is None:
        return content, []
    line = whole.count("\n", 0, start)
    kept = [*content.lines[:line], whole[:start].rsplit("\n", 1)[-1]]
    rows = [
        Row(row, content.places[min(line + n, len(content.places) - 1)])
        for n, row in enumerate(whole[start + 4 : end - 3].split("\n"))
    ]
    return Text(kept, content.places[: line + 1], content.base), rows


def _last_comment(text: str, end: int) -> int | None:
    """Where the comment begins that reaches to `end`; a comment begins where none is open."""
    at = 0
    while (start := text.find("<!--", at, end)) >= 0:
        close = text.find("-->", start + 4, end)
        if close < 0:
            return None
        at = close + 3
        if at == end:
            return start
    return None


def _with_notes(rows: list[Row], notes: list[Row]) -> list[Row]:
    """`rows` with the notes; what a `[click]` begins stands behind the pause of that click."""
    if not notes:
        return rows
    pieces: list[tuple[int, list[Row]]] = [(0, [])]
    for row in notes:
        at = 0
        for match in _CLICK.finditer(row.text):
            if len(pieces) > MOST_CLICKS:
                break
            before = row.text[at : match.start()]
            if before.strip(" \t-*+"):
                pieces[-1][1].append(row._replace(text=before))
            elif before.strip():
                pass  # the mark of an item goes with what it is the mark of
            pieces.append((pieces[-1][0] + int(match[1] or 1), []))
            at = match.end()
        pieces[-1][1].append(row._replace(text=row.text[at:]))
    out = list(rows)
    for click, piece in reversed(pieces):
        made = note("\n".join(row.text for row in piece), piece[0].place if piece else 1)
        pauses = [n for n, row in enumerate(out) if is_pause(row)]
        if click and click <= len(pauses):
            # Behind the pause, above what it lets in.
            out[pauses[click - 1] + 1 : pauses[click - 1] + 1] = made
        elif click:
            out += [Row("", piece[0].place if piece else 1), *made]
        else:
            out = [*made, *out]
    return out


def _computed(draft: Draft) -> None:
    """What stands between `{{` and `}}`: a word of it stays, what is computed is not known and goes."""
    for line, text in enumerate(draft.shown):
        if "{{" not in text or draft.coded[line] or line in draft.instead or "v-pre" in text:
            continue
        out, at = "", 0
        for start, end in [*code_spans(text), (len(text), len(text))]:
            out += _COMPUTED.sub(_literal, text[at:start]) + text[start:end]
            at = end
        draft.shown[line] = out


def computed(text: str) -> Iterator[str]:
    """Each `{{ … }}` of a line in whose place nothing is left."""
    code = code_spans(text)
    for match in _COMPUTED.finditer(text) if "v-pre" not in text else ():
        if not _LITERAL.fullmatch(match[1]) and not any(s <= match.start() < e for s, e in code):
            yield "{{ " + " ".join(match[1].split()) + " }}"


def _literal(match: re.Match[str]) -> str:
    found = _LITERAL.fullmatch(match[1])
    return next((word for word in found.groups() if word is not None), "") if found else ""


def _name_slots(draft: Draft) -> None:
    """`<template v-slot:right>` as `::right::`, which the program takes for it."""
    opened = False
    for line, text in enumerate(draft.shown):
        if draft.coded[line] or "template" not in text:
            continue
        if match := _TEMPLATE.fullmatch(text):
            draft.shown[line] = f"::{match[1]}::"
            opened = True
        elif opened and text.strip() == "</template>":
            draft.shown[line] = ""
            opened = False


def _slots(draft: Draft, own: Mapping[str, Any]) -> list[Row]:
    """`::right::` and its like as columns, where left and right are what there is."""
    marks = [
        (line, match[1])
        for line, text in enumerate(draft.shown)
        if not draft.coded[line] and text.lstrip()[:2] == "::" and (match := _SLOT.fullmatch(text))
    ]
    end = len(draft.text.lines)
    layout = foreign_front_matter.words(own, "layout")
    if not marks:
        return draft.rows(0, end)
    bounds = [*(line for line, _ in marks), end]
    parts: dict[str, list[Row]] = {"default": draft.rows(0, bounds[0])}
    for n, (line, name) in enumerate(marks):
        parts.setdefault(name, []).extend(draft.rows(line + 1, bounds[n + 1]))
    place = draft.place(marks[0][0])
    sides = {"left", "right"} if "left" in parts or "header" in layout else {"default", "right"}
    if "right" not in parts:
        return [row for part in parts.values() for row in (*part, Row("", place))]
    left = parts.get("left", []) if "left" in sides else parts["default"]
    names = list(parts)
    above = names[: min(names.index(side) for side in sides if side in parts)]
    out = [row for name in above for row in (*parts[name], Row("", place))]
    out += columns((1, 1), (left, parts["right"]), place)
    for name in names:
        if name not in sides and name not in above:
            out += parts[name]
    return out


def _with_picture(
    rows: list[Row], own: Mapping[str, Any], source: Source, text: Text, place: int
) -> list[Row]:
    """A layout's picture beside the text, or below."""
    layout, path = foreign_front_matter.words(own, "layout"), foreign_front_matter.words(own, "image")
    if not path or not layout.startswith("image"):
        return rows
    shown = [Row(picture(_path(path, source, text.base), ""), place)]
    if layout == "image-left":
        return columns((1, 1), (shown, rows), place)
    if layout == "image-right":
        return columns((1, 1), (rows, shown), place)
    return [*rows, Row("", place), *shown]


def _path(path: str, source: Source, base: str) -> str:
    """A picture's path: one from the root is in the folder `public`."""
    if path.startswith("/") and not path.startswith("//"):
        return f"public{path}"
    return source.within(path, base)


def _images(draft: Draft, source: Source) -> None:
    shown = list(draft.shown)
    for line, text in enumerate(shown):
        if "](" in text and not draft.coded[line] and line not in draft.instead:
            shown[line] = IMAGE.sub(
                lambda m: picture(_path(m[2].strip("<>"), source, draft.text.base), m[1]), text
            )
    draft.shown = shown

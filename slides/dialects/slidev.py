"""Slidev: `---` parts slides, and what follows it without a blank line are settings of the next slide.

Its parser goes line by line, and knows of code only as far as it knows the marks of its fences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from slides import files
from slides.dialects import front, html
from slides.dialects.draft import PAUSE, Draft, Row, Text
from slides.dialects.native import (
    Snippet,
    Translation,
    aside,
    assemble,
    columns,
    is_pause,
    note,
    picture,
    settings,
)
from slides.dialects.source import Source
from slides.problems import Mistake, quoted
from slides.scan import Fence

_TICKS = re.compile(r"\s*`+")
_YAML = re.compile(r"\s*```ya?ml([\s\S]*?)```")
_CLICK = re.compile(r"\[click(?::\s*([0-9]{1,3}))?\][ \t]*")
_SLOT = re.compile(r"\s*::\s*([\w.:-]+?)\s*::\s*")
_IMPORT = re.compile(r"<<<[ \t]*(\S.*?)(?:#([\w*-]+))?(?:[ \t]+([^\s{\[]\S*))?[ \t]*((?:[\[{].*)?)")
_FORMULA = re.compile(r"\$\$[ \t]*\{[\s0-9,|*-]*(?:(?:all|none)[\s0-9,|*-]*)*\}(?:\{[^{}]*\})?[ \t]*$")
_BRACES = re.compile(r"\{([^{}]*)\}")
_IMAGE = re.compile(
    r"!\[([^\[\]\n]{0,400})\]\([ \t]{0,9}(<[^<>\n]{0,2000}>|[^()\s]{1,2000})"
    r"(?:[ \t]{1,9}(?:\"[^\"\n]{0,400}\"|'[^'\n]{0,400}'))?[ \t]{0,9}\)"
)
_LAYOUTS = {"cover": "title", "intro": "title", "section": "section", "quote": "quote", "fact": "big number"}
_STEPS = frozenset(["v-click", "vclick", "v-after", "vafter", "v-clicks", "vclicks"])
_MOST_CLICKS = 40


@dataclass
class _Slide:
    """As the program reads one: its settings, and the lines of its content."""

    settings: dict[str, Any]
    content: Text
    raw: str
    place: int
    front: str = ""
    """The settings as they were written."""


def read(text: Text, source: Source) -> Translation:
    parsed = _parse(text)
    head = parsed[0].settings if parsed else {}
    slides: list[list[Row]] = []
    _load(parsed, {}, source, slides, head)
    meta = {key: front.words(head, key) for key in ("title", "author")}
    if not meta["title"] and (title := front.words(head, "name")):
        meta["title"] = title
    return assemble(slides, meta, source.problems)


def _load(
    parsed: list[_Slide],
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
        if front.words(own, "src"):
            _imported(slide, given, source, slides, head)
            continue
        slides.append(_rows(slide, {**own, **given}, source, head))


def _imported(
    slide: _Slide,
    given: Mapping[str, Any],
    source: Source,
    slides: list[list[Row]],
    head: Mapping[str, Any],
) -> None:
    written, _, span = front.words(slide.settings, "src").partition("#")
    base = "" if written.startswith("/") else slide.content.base
    found = source.take(written.lstrip("/") if written.startswith("/") else written, base, slide.place)
    if not isinstance(found, Text):
        # The program shows nothing then. A box says what is missing, and makes no slide of its own.
        if slides:
            slides[-1] += found
        else:
            source.say(slide.place, f"no slides are taken from {quoted(written)}", "Check `src:`.")
        return
    parsed = _parse(found)
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


# -- the parser ------------------------------------------------------------------------------------------


def _parse(text: Text) -> list[_Slide]:
    lines = text.lines
    slides: list[_Slide] = []
    start = 0
    commented = False

    def part(end: int) -> None:
        nonlocal start
        if start != end:
            slides.append(_read(text, start, end))
            start = end + 1

    at = 0
    closes = _closes(lines)
    while at < len(lines):
        line = lines[at].rstrip()
        if commented:
            commented = _commented(lines[at], True)
        elif line.startswith("---"):
            part(at)
            following = lines[at + 1] if at + 1 < len(lines) else ""
            if line[3:4] != "-" and following.strip():
                start = at
                at = next((n for n in range(at + 1, len(lines)) if lines[n].rstrip() == "---"), len(lines))
        elif line.lstrip().startswith("```"):
            at = closes(at)
        else:
            commented = _commented(lines[at], False)
        at += 1
    if start <= len(lines) - 1:
        part(len(lines))
    return slides


def _closes(lines: list[str]) -> Callable[[int], int]:
    """For the line of a fence, the line of its end; itself where it has none."""
    hopeless: set[str] = set()

    def close(at: int) -> int:
        match = _TICKS.match(lines[at])
        mark = match[0] if match else "```"
        if mark in hopeless:
            return at
        found = next((n for n in range(at + 1, len(lines)) if lines[n].startswith(mark)), None)
        if found is None:
            hopeless.add(mark)
        return at if found is None else found

    return close


def _commented(line: str, inside: bool) -> bool:
    """Whether a comment is open at the end of the line."""
    at = 0
    while at < len(line):
        found = line.find("-->" if inside else "<!--", at)
        if found < 0:
            return inside
        at = found + (3 if inside else 4)
        inside = not inside
    return inside


def _read(text: Text, start: int, end: int) -> _Slide:
    lines = text.lines
    raw = "\n".join(lines[start:end])
    place = text.places[start]
    first = start
    own: dict[str, Any] | None = {}
    written = ""
    if re.match(r"---.*\n[\s\S]*?---", raw):
        # The program looks for the next three dashes, wherever they stand.
        inner = re.match(r"---.*\n([\s\S]*?)---", raw)
        if inner:
            own, written = front.read(inner[1]), inner[1].strip("\n")
            rest = raw[inner.end() :]
            first = start + inner[0].count("\n")
            lines = [*lines[:first], rest.split("\n")[0], *lines[first + 1 :]]
            if own is None or (not own and _says(inner[1])):
                # No settings: the program would show nothing of it, here it stays to be seen.
                own = {}
                kept = [Row(row, n) for n, row in enumerate(inner[1].split("\n")) if row.strip()]
                lines = [*lines[:first], *(row.text for row in kept), *lines[first:end]]
                places = [text.places[min(start + 1 + row.place, end - 1)] for row in kept]
                content = Text(lines[first:], [*places, *text.places[first:end]], text.base)
                return _Slide(own, content, raw, place)
    elif match := _YAML.match(raw):
        own, written = front.read(match[1]), match[1].strip("\n")
        first = start + match[0].count("\n") + 1
        if own is None:
            own, first, written = {}, start, ""
    return _Slide(own or {}, Text(lines[first:end], text.places[first:end], text.base), raw, place, written)


def _says(yaml: str) -> bool:
    """Whether there is more in it than comments."""
    return any(line.strip() and not line.lstrip().startswith("#") for line in yaml.split("\n"))


# -- a slide ---------------------------------------------------------------------------------------------


def _rows(slide: _Slide, own: Mapping[str, Any], source: Source, head: Mapping[str, Any]) -> list[Row]:
    text, notes = _notes(slide.content)
    draft = Draft(text)
    draft.keep(lambda comment: _alone(text, comment.first, comment.start, comment.last, comment.end))
    clicks = _Clicks(draft)
    numbered = front.true(head, "lineNumbers")
    for fence in draft.marks.fences:
        _code(draft, fence, clicks, numbered)
    for block in draft.outline.blocks:
        if block.kind == "hr":
            draft.replace(block.first, block.end, "***")
        elif block.kind == "heading" and block.markup == "-":
            title = " ".join(line.strip() for line in draft.bare[block.first : block.end - 1])
            draft.replace(block.first, block.end, f"## {front.heading(title)}")
    _imports(draft, source, numbered)
    draft.shown = [_FORMULA.sub("$$", line) if line.startswith("$$") else line for line in draft.shown]
    _images(draft, source)
    clicks.regions()
    html.unwrap(draft, source, lambda path: _path(path, source, text.base), clicks.tag)
    clicks.settle()
    total = front.words(own, "clicks")
    rows = _slots(draft, own)
    rows = _with_picture(rows, own, source, text, slide.place)
    count = sum(is_pause(row) for row in rows)
    if total.isdecimal() and count < int(total) <= _MOST_CLICKS:
        rows += [Row(PAUSE, slide.place)] * (int(total) - count)
    rows = _with_notes(rows, notes)
    title = front.words(own, "title") or front.words(own, "name")
    layout = _LAYOUTS.get(front.words(own, "layout"), "")
    known = settings(slide.place, title=title, layout=layout)
    return [*known, *(aside(slide.front, slide.place) if slide.front.strip() else []), *rows]


def _alone(text: Text, first: int, start: int, last: int, end: int) -> bool:
    return not (text.lines[first][:start].strip() or text.lines[last][end:].strip())


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
            if len(pieces) > _MOST_CLICKS:
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


def _slots(draft: Draft, own: Mapping[str, Any]) -> list[Row]:
    """`::right::` and its like as columns, where left and right are what there is."""
    marks = [
        (line, match[1])
        for line, text in enumerate(draft.shown)
        if not draft.coded[line] and text.lstrip()[:2] == "::" and (match := _SLOT.fullmatch(text))
    ]
    end = len(draft.text.lines)
    layout = front.words(own, "layout")
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
    out = [] if "default" in sides else list(parts["default"])
    out += columns((1, 1), (left, parts["right"]), place)
    for name, part in parts.items():
        if name not in sides and name != "default":
            out += part
    return out


def _with_picture(
    rows: list[Row], own: Mapping[str, Any], source: Source, text: Text, place: int
) -> list[Row]:
    """A layout's picture beside the text, or below."""
    layout, path = front.words(own, "layout"), front.words(own, "image")
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
            shown[line] = _IMAGE.sub(
                lambda m: picture(_path(m[2].strip("<>"), source, draft.text.base), m[1]), text
            )
    draft.shown = shown


# -- clicks ----------------------------------------------------------------------------------------------


class _Come(NamedTuple):
    """What comes with a click: the block on `line`, at the click that `at` says, or with the one before."""

    line: int
    at: str
    after: bool = False


@dataclass
class _Clicks:
    """All that comes with a click of its own, in whatever order it was met."""

    draft: Draft
    found: list[_Come] = field(default_factory=list)

    def tag(self, line: int, name: str, text: str) -> bool:
        low = name.lower().lstrip("/")
        if low in _STEPS:
            if not name.startswith("/") and low not in ("v-clicks", "vclicks"):
                self.found.append(_Come(line, html.attributes(text).get("at", ""), "after" in low))
            return True
        known = html.attributes(text) if "v-" in text else {}
        key = next((key for key in known if re.fullmatch(r"v-(?:click|after)(?:\.\w+)*", key)), "")
        if key:
            self.found.append(_Come(line, known[key], "after" in key))
        return False

    def settle(self) -> None:
        """Pauses above each, so many that it comes at its click."""
        last = most = 0  # the last click that another one is counted from, and the last of all
        for line, at, after in sorted(self.found, key=lambda come: come.line):
            match = re.fullmatch(r"([+-]?)([0-9]{1,3})", at.strip("[]' ").split(",")[0].strip("' "))
            click = last + (0 if after else 1)
            if match and not after:
                by = int(match[2]) * (-1 if match[1] == "-" else 1)
                click = last + by if match[1] else by
            if not match or match[1]:
                last = max(last, click)
            click = min(click, most + _MOST_CLICKS)
            for _ in range(click - most):
                self.draft.pause(line)
            most = max(most, click)

    def regions(self) -> None:
        """The children of each `<v-clicks>`: items to the depth asked for, or else blocks."""
        lines = self.draft.shown
        opened: tuple[int, dict[str, str]] | None = None
        for line, text in enumerate(lines):
            if self.draft.coded[line] or "<" not in text:
                continue
            match = re.search(r"<(?:v-clicks|VClicks)\b([^<>]*)>|<\w+\s[^<>]*\bv-clicks\b([^<>]*)>", text)
            if match and opened is None:
                opened = (line, html.attributes(match[1] or match[2] or ""))
            elif opened is not None and re.search(r"</(?:v-clicks|VClicks|div|ul|ol)>", text):
                self._children(opened[0] + 1, line, opened[1])
                opened = None

    def _children(self, start: int, end: int, known: Mapping[str, str]) -> None:
        depth = int(known["depth"]) if known.get("depth", "").isdecimal() else 1
        every = int(known["every"]) if known.get("every", "").isdecimal() else 1
        items = self.draft.outline.items_in(start, end)
        least = min((item.depth for item in items), default=0)
        lines = [item.line for item in items if item.depth - least < depth]
        held = {line for item in items for line in range(item.line, item.end)}
        blocks = [b.first for b in self.draft.outline.blocks if start <= b.first < end]
        lines += [line for line in blocks if line not in held and self.draft.bare[line].strip()]
        for n, line in enumerate(sorted(set(lines))):
            if n % max(every, 1) == 0:
                self.found.append(_Come(line, "" if n else known.get("at", "")))


# -- code ------------------------------------------------------------------------------------------------


def _code(draft: Draft, fence: Fence, clicks: _Clicks, numbered: bool) -> None:
    code = draft.code(fence)
    if re.match(r"md\s+magic-move", fence.info):
        _magic(draft, fence, code, numbered)
        return
    lang = re.split(r"[\s\[{]", fence.info, maxsplit=1)[0]
    draft.recode(fence, _snippet(lang, fence.info, numbered).info(code))


def _snippet(lang: str, info: str, numbered: bool, **more: str) -> Snippet:
    """`{2-3|5|all}{lines:true,startLine:5}` and what else may stand behind a language."""
    focus, first, numbers, run = "", 1, numbered, False
    for group in _BRACES.findall(info):
        if re.match(r"\s*monaco", group):
            run = run or "monaco-run" in group
        elif re.fullmatch(r"[\s0-9,|*-]*(?:(?:all|none|hide)[\s0-9,|*-]*)*", group) and group.strip():
            focus = focus or group
        else:
            if found := re.search(r"\blines\s*:\s*(true|false)", group):
                numbers = found[1] == "true"
            if found := re.search(r"\bstartLine\s*:\s*([0-9]{1,6})", group):
                first = max(int(found[1]), 1)
    if first > 1:
        focus = re.sub(r"[0-9]+", lambda m: str(max(int(m[0]) - first + 1, 0)), focus)
    return Snippet(lang, focus, first, numbers, run, **more)


def _magic(draft: Draft, fence: Fence, code: list[str], numbered: bool) -> None:
    """Code that changes from step to step: each state comes below the one before."""
    inner = Draft(Text(code, [draft.place(fence.first)] * len(code)))
    out: list[str] = []
    for n, state in enumerate(inner.marks.fences):
        if n:
            out += ["", PAUSE, ""]
        body = inner.code(state)
        lang = re.split(r"[\s\[{]", state.info, maxsplit=1)[0]
        info = _snippet(lang, f"{state.info} {fence.info}", numbered).info(body)
        out += [f"{state.mark}{info}", *body, state.mark]
    draft.replace(fence.first, fence.end, *out)
    for line in range(fence.first, fence.end):
        draft.coded[line] = 0


def _imports(draft: Draft, source: Source, numbered: bool) -> None:
    """`<<< @/snippets/x.ts#region ts {2,3}` as code from that file."""
    for line, text in enumerate(draft.shown):
        if draft.coded[line] or not text.startswith("<<<") or not (match := _IMPORT.fullmatch(text.rstrip())):
            continue
        written, region, lang, rest = match.groups()
        rooted = written.startswith(("@/", "/"))
        path = written.lstrip("@").lstrip("/") if rooted else source.within(written, draft.text.base)
        suffix = Path(path).suffix[1:]
        span = _region(source, path, region) if region else ""
        snippet = _snippet(lang or suffix or "text", rest or "", numbered, file=path, lines=span)
        draft.replace(line, line + 1, f"```{snippet.info([])}", "```")


def _region(source: Source, path: str, name: str) -> str:
    """The lines between `#region name` and `#endregion` in a file; "" where they cannot be told."""
    try:
        lines = files.read(files.locate(source.path.parent, path, source.may_read), path)[0].split("\n")
    except Mistake:
        return ""
    begin = re.compile(rf"#\s*(?:pragma\s+)?region\b\s*{re.escape(name)}\b|#region\s+{re.escape(name)}\b")
    first = next((n for n, line in enumerate(lines) if begin.search(line)), None)
    if first is None:
        return ""
    end = re.compile(r"#\s*endregion")
    last = next((n for n in range(first + 1, len(lines)) if end.search(lines[n])), len(lines))
    return f"{first + 2}-{last}" if last > first + 1 else ""

"""HTML among Markdown, as decks for browsers have it: what only arranges a page goes, its words stay.

Styles and scripts become comments, `<img>` a picture, `<h2>` a heading, `<li>` an item. What else there is of
HTML stays as it was written, and is shown dim.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

from slides.dialects.draft import KEPT, Draft
from slides.dialects.native import aside, picture
from slides.dialects.source import Source
from slides.scan import code_spans

Step = Callable[[int, str, str], bool]
"""(line, name, attributes) of an opening tag; whether the dialect has taken it in and it may go."""

_HIDDEN = re.compile(r" {0,3}<(style|script)\b", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([A-Za-z][\w.-]*)((?:\s[^<>]*|/)?)>")
_BROKEN = re.compile(r"<([A-Za-z][\w.-]*)(?:\s[^<>]*)?$")
_FRAME = frozenset((
    "div", "span", "center", "section", "article", "figure", "figcaption", "font", "small", "big", "p",
    "ul", "ol", "template", "aside", "main", "header", "footer", "nav", "table", "tbody", "thead", "tr",
    "td", "th", "dl", "dt", "dd",
))  # fmt: skip
_TABLE = frozenset(["table", "tbody", "thead", "tr", "td", "th", "dl", "dt", "dd"])
_ATTRIBUTE = re.compile(r"""([:@\w.-]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?""")
_MOST = 30  # lines of one tag


def attributes(text: str) -> dict[str, str]:
    """The attributes of a tag; one without a value has ""."""
    return {match[1]: (match[2] or "").strip("\"'") for match in _ATTRIBUTE.finditer(text)}


def _no_step(line: int, name: str, text: str) -> bool:
    return False


def unwrap(draft: Draft, source: Source, path: Callable[[str], str] = str, step: Step = _no_step) -> None:
    """Takes the HTML out of every line that no other change was made to. `path` is where pictures lie."""
    lines = list(draft.shown)
    for block in draft.outline.blocks:
        if block.kind == "html_block":  # its lines are indented as one likes; among Markdown that is code
            lines[block.first : block.end] = [line.lstrip(" \t") for line in lines[block.first : block.end]]
    done = 0
    shown = list(lines)
    for line, text in enumerate(lines):
        if line < done or "<" not in text or draft.coded[line] or line in draft.instead:
            continue
        if match := _HIDDEN.match(text):
            done = _end(lines, line, rf"</{match[1]}\s*>")
            _put_aside(draft, lines, line, done)
            continue
        broken = _BROKEN.search(text)
        if broken and text[: broken.start()].strip() == "":
            end = _end(lines, line + 1, r">", line + _MOST)
            if end <= line + _MOST and not any(draft.coded[line:end]):
                whole = " ".join(part.strip() for part in lines[line:end])
                first = _TAG.match(whole)
                gone = first is not None and step(line, first[2], first[3])
                known = attributes(first[3]) if first else {}
                if first and first[2].lower() == "img" and "src" in known:
                    draft.replace(line, end, picture(path(known["src"]), known.get("alt", "")))
                    done = end
                    continue
                if first and (gone or first[2].lower() in _FRAME):
                    _put_aside(draft, lines, line, end)
                    done = end
                    continue
        ours = partial(_ours, line, source, path, step)
        new, at = "", 0
        for start, end in [*code_spans(text), (len(text), len(text))]:
            new += _TAG.sub(ours, text[at:start]) + text[start:end]
            at = end
        if new == text:
            continue
        if new.strip():
            shown[line] = new.strip() if text[:1] in "< \t" and text.lstrip()[:1] == "<" else new
        else:
            shown[line] = f"<!-- {KEPT} {text.strip()} -->" if "--" not in text else ""
    draft.shown = shown


def _ours(line: int, source: Source, path: Callable[[str], str], step: Step, match: re.Match[str]) -> str:
    closing, name, rest = match.groups()
    low = name.lower()
    if step(line, f"{closing}{name}", rest):
        return ""
    if low == "img" and not closing:
        known = attributes(rest)
        if "src" in known:
            return picture(path(known["src"]), known.get("alt", ""))
    if re.fullmatch("h[1-6]", low):
        return "" if closing else "#" * int(low[1]) + " "
    if low == "li":
        return "" if closing else "- "
    return "" if low in _FRAME and low not in _TABLE else match[0]


def _put_aside(draft: Draft, lines: Sequence[str], first: int, end: int) -> None:
    draft.replace(first, end)
    draft.instead[first] = aside("\n".join(lines[first:end]), draft.place(first))


def _end(lines: Sequence[str], start: int, pattern: str, last: int | None = None) -> int:
    """The line behind the first from `start` on with `pattern` in it; the end where there is none."""
    stop = len(lines) if last is None else min(last, len(lines))
    return next(
        (at + 1 for at in range(start, stop) if re.search(pattern, lines[at], re.IGNORECASE)), len(lines)
    )

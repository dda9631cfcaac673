"""HTML among Markdown, as decks for browsers have it: what only arranges a page goes, its words stay.

Styles, scripts and drawings become comments, `<img>` a picture, `<h2>` a heading, `<li>` an item, `<table>` a
table. What else there is of HTML stays as it was written, and is shown dim.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import partial
from html import unescape

from slides.dialects.draft import KEPT, Draft
from slides.dialects.htmlcolumns import lay_out
from slides.dialects.native import Snippet, aside, picture
from slides.dialects.source import Source
from slides.scan import code_spans

Step = Callable[[int, str, str], bool]
"""(line, name, attributes) of an opening tag; whether the dialect has taken it in and it may go."""

_HIDDEN = re.compile(r" {0,3}<(style|script|svg)\b", re.IGNORECASE)
_TABLE_OPENS = re.compile(r"\s*<table\b[^<>]*>", re.IGNORECASE)
_LISTING = re.compile(r" {0,3}<pre\b[^<>]*>\s*<code((?:\s[^<>]*)?)>(.*)", re.IGNORECASE)
_SHUT = re.compile(r"</code>\s*</pre\s*>\s*\Z", re.IGNORECASE)
_ROW = re.compile(r"<tr\b[^<>]*>(.*?)(?=</tr\s*>|<tr\b|\Z)", re.IGNORECASE | re.DOTALL)
_CELL = re.compile(r"<t[hd]\b[^<>]*>(.*?)(?=</t[hd]\s*>|<t[hd]\b|\Z)", re.IGNORECASE | re.DOTALL)
_ITEM = re.compile(r"<li\b[^<>]*>([^<>]*(?:<(?!/?li\b|/?[uo]l\b)[^<>]*>[^<>]*)*)", re.IGNORECASE)
_ITEMS = (
    re.compile(r"\s*<(?:li|[uo]l)\b", re.IGNORECASE),
    re.compile(r"</(?:li|[uo]l)\s*>\s*$", re.IGNORECASE),
)
# A line of these alone would begin a block of HTML; among words they are read as what they are.
_MARKS = re.compile(
    r"(?:\s*</?(?:a|abbr|b|big|br|cite|code|em|font|i|kbd|mark|q|s|small|span|strong|sub|sup|u)\b[^<>]*>)+\s*",
    re.IGNORECASE,
)
_TAG = re.compile(r"<(/?)([A-Za-z][\w.:-]*)((?:\s[^<>]*|/)?)>")
_BROKEN = re.compile(r"<([A-Za-z][\w.-]*)(?:\s[^<>]*)?$")
_FRAME = frozenset((
    "div", "span", "center", "section", "article", "figure", "figcaption", "font", "small", "big", "p",
    "ul", "ol", "template", "aside", "main", "header", "footer", "nav", "table", "tbody", "thead", "tr",
    "td", "th", "dl", "dt", "dd", "details", "summary", "hgroup", "picture", "button",
))  # fmt: skip
_TABLE = frozenset(["table", "tbody", "thead", "tr", "td", "th", "dl", "dt", "dd"])
# Pictures of a letter's size, by the sets of icons that browsers draw them from.
_ICON = re.compile(
    r"(?:ant-design|bi|carbon|devicon|emojione|eos-icons|fa6?|fa-brands|fa-solid|feather|flat-color-icons|fluent\w*"
    r"|fxemoji|heroicons\w*|ic|icon-park|ion|jam|la|line-md|logos|lucide|material-symbols|mdi|mingcute|noto|octicon"
    r"|openmoji|ph|ri|simple-icons|skill-icons|solar|svg-spinners|tabler|teenyicons|twemoji|uil|uim|unjs"
    r"|vscode-icons)[-:][\w:-]+",
)
_MOST_LINES, _MOST_ROWS, _MOST_CELLS = 400, 100, 12  # of a table
_PICTURE = re.compile(r"!\[[^\[\]\n]*\]\((?:<[^<>\n]*>|[^()\s<>]*)\)")
_ATTRIBUTE = re.compile(r"""([:@\w.-]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?""")
_MOST = 30  # lines of one tag


def attributes(text: str) -> dict[str, str]:
    """The attributes of a tag; one without a value has "". Of Vue's, `:src="'a.png'"` is `src`."""
    known = {match[1]: (match[2] or "").strip("\"'") for match in _ATTRIBUTE.finditer(text)}
    bound = re.search(r""":(src|alt)="(['`])([^"'`$]+)\2\"""", text)
    return {bound[1]: bound[3], **known} if bound else known


def _no_step(line: int, name: str, text: str) -> bool:
    return False


def unwrap(
    draft: Draft,
    source: Source,
    path: Callable[[str], str] = str,
    step: Step = _no_step,
    cuts: Collection[int] = (),
    end: int | None = None,
) -> None:
    """Takes the HTML out of every line that no other change was made to. `path` is where pictures lie.

    A slide ends on the lines `cuts`, and what is shown of the text on line `end`.
    """
    lay_out(draft, cuts, end)
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
        if match := _LISTING.match(text):
            close = _end(lines, line, r"</code>\s*</pre\s*>", line + _MOST_LINES)
            code = _SHUT.sub("", "\n".join([match[2], *lines[line + 1 : close]]))
            if close <= line + _MOST_LINES and "```" not in code and not any(draft.coded[line:close]):
                _met(lines, line, line + 1, step)
                draft.replace(line, close, "", *_listing(match[1], unescape(code).strip("\n")), "")
                done = close
                continue
        if _TABLE_OPENS.match(text):
            close = _end(lines, line, r"</table\s*>", line + _MOST_LINES)
            rows = _table("\n".join(lines[line:close])) if close <= line + _MOST_LINES else []
            if rows and not any(draft.coded[line:close]):
                _met(lines, line, close, step)
                draft.replace(line, close, "", *rows, "")
                done = close
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
        if text.lower().count("<li") > 1 and _ITEMS[0].match(text) and _ITEMS[1].search(text):
            _met(lines, line, line + 1, step)
            draft.replace(line, line + 1, *(f"- {item.strip()}" for item in _ITEM.findall(text)))
            continue
        ours = partial(_ours, line, source, path, step)
        new, at = "", 0
        for start, end in [*code_spans(text), (len(text), len(text))]:
            new += _TAG.sub(ours, text[at:start]) + text[start:end]
            at = end
        if new == text and not _MARKS.fullmatch(text):
            continue
        if text.lstrip()[:1] == "<" and _PICTURE.fullmatch(new.strip()):
            draft.replace(line, line + 1, "", new.strip(), "")
        elif new.strip() and not _MARKS.fullmatch(new):
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
    if _ICON.fullmatch(name):
        return ""
    if re.fullmatch("h[1-6]", low):
        return "" if closing else "#" * int(low[1]) + " "
    if low == "li":
        return "" if closing else "- "
    if low == "hr" and not closing:
        return "***" if match.string.strip() == match[0] else ""
    if low == "blockquote":
        return "" if closing else "> "
    return "" if low in _FRAME and low not in _TABLE else match[0]


def _listing(written: str, code: str) -> list[str]:
    """Code of `<pre><code>` in a fence; `data-line-numbers` are the steps that reveal.js makes of it."""
    known = attributes(written)
    named = [name for name in known.get("class", "").split() if name != "hljs"]
    rows = code.split("\n")
    lang = named[0].removeprefix("language-") if named else ""
    focus = known.get("data-line-numbers", "")
    snippet = Snippet(lang, focus if "|" in focus else "", numbers="data-line-numbers" in known)
    return [f"```{snippet.info(rows)}", *rows, "```"]


def _met(lines: Sequence[str], first: int, end: int, step: Step) -> None:
    """Tells of the tags on lines that are replaced as a whole."""
    for line in range(first, end):
        for closing, name, rest in _TAG.findall(lines[line]):
            step(line, f"{closing}{name}", rest)


def _table(text: str) -> list[str]:
    """The rows of a table of HTML as one of Markdown; [] where it has none, or more than is drawn."""
    rows = [
        [" ".join(cell.replace("|", "\\|").split()) for cell in _CELL.findall(row)]
        for row in _ROW.findall(text)
    ]
    rows = [row for row in rows if row]
    width = max(map(len, rows), default=0)
    if not 0 < width <= _MOST_CELLS or len(rows) > _MOST_ROWS or text.lower().count("<table") > 1:
        return []
    if "<th" not in text.lower():
        rows.insert(0, [])
    drawn = ["| " + " | ".join([*row, *[""] * (width - len(row))]) + " |" for row in rows]
    return [drawn[0], "|" + "---|" * width, *drawn[1:]]


def _put_aside(draft: Draft, lines: Sequence[str], first: int, end: int) -> None:
    draft.replace(first, end)
    draft.instead[first] = aside("\n".join(lines[first:end]), draft.place(first))


def _end(lines: Sequence[str], start: int, pattern: str, last: int | None = None) -> int:
    """The line behind the first from `start` on with `pattern` in it; the end where there is none."""
    stop = len(lines) if last is None else min(last, len(lines))
    return next(
        (at + 1 for at in range(start, stop) if re.search(pattern, lines[at], re.IGNORECASE)), len(lines)
    )

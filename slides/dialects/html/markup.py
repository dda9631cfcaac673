"""HTML among Markdown, as decks for browsers have it: what only arranges a page goes, its words stay.

Styles, scripts and drawings become comments, `<img>` a picture, `<h2>` a heading, `<li>` an item, `<table>` a
table, a film its address. A component that only the other program draws is told once; its words are kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from html import unescape
from textwrap import dedent

from slides.dialects.html import decoration, glued_words, props
from slides.dialects.html.columns import lay_out
from slides.dialects.html.lines import BESIDE, BREAK, GAP, Edits
from slides.dialects.html.table import rows_of
from slides.dialects.html.tags import Page, Tag, attributes
from slides.dialects.native import Snippet, aside, note, picture
from slides.dialects.source import Source
from slides.dialects.translation import Draft

_ENDS = re.compile(r"\A(?:[ \t]*\n)+|(?:\n[ \t]*)+\Z")
_PREFORMATTED = re.compile(r"<(pre|textarea)\b", re.IGNORECASE)

Step = Callable[[int, str, str], bool]
"""(line, name, attributes) of a tag; whether the dialect has taken it in and it may go."""

__all__ = ["at_margin", "attributes", "unwrap"]

_HIDDEN = frozenset(("style", "script", "svg", "head", "noscript", "canvas"))
# Read within a line as what they are (`slides.reading.markdown.inline`).
_INLINE = frozenset((
    "a", "abbr", "b", "big", "br", "cite", "code", "del", "dfn", "em", "font", "i", "ins", "kbd", "label",
    "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var",
    "wbr",
))  # fmt: skip
# Of these a highlighter makes the colours of code.
_MARKING = frozenset(("a", "b", "em", "i", "mark", "span", "strong", "u"))
# Each begins and ends a line; those of the second set stand apart.
_BOXES = frozenset((
    "div", "center", "section", "article", "figcaption", "main", "header", "footer", "nav", "dt", "dd",
    "summary", "tr", "caption", "address", "template", "hgroup",
))  # fmt: skip
_APART = frozenset((
    "p", "ul", "ol", "dl", "table", "figure", "aside", "details", "pre", "blockquote", "form", "fieldset",
    "tbody", "thead", "tfoot", "video", "audio", "iframe", "hr",
))  # fmt: skip
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_SILENT = frozenset((
    "td", "th", "button", "picture", "source", "track", "embed", "object", "input", "select", "option",
    "textarea", "link", "meta", "base", "col", "colgroup", "legend", "output", "progress", "meter",
    "body", "html", "slot", "param", "math", "bdi", "bdo", "data", "ruby", "rt", "rp", "area", "map",
    "dialog", "menu", "optgroup", "img", "acronym", "marquee", "nobr", "li",
))  # fmt: skip
# Pictures of a letter's size, by the sets of icons that browsers draw them from.
_ICON = re.compile(
    r"(?:i-)?(?:ant-design|bi|bx\w*|carbon|cil|devicon|emojione|eos-icons|fa\d?|fa-?\w*|feather|flat-color-icons|fluent\w*"
    r"|fxemoji|heroicons\w*|iconoir|ic|icon-park\w*|ion|jam|la|line-md|logos|lucide|majesticons|material-symbols\w*|mdi"
    r"|mingcute|noto\w*|octicon|openmoji|ph|pixelarticons|ri|simple-icons|skill-icons|solar|svg-spinners|tabler"
    r"|teenyicons|twemoji|uil|uim|unjs|vscode-icons|uis|uit|uiw)[-:][\w:-]+",
)
_FILMS = {
    "youtube": "https://www.youtube.com/watch?v=",
    "tweet": "https://twitter.com/i/status/",
}
_ELSEWHERE = frozenset(("iframe", "video", "audio", "source", "embed", "youtube", "tweet", "slidevvideo"))
_RULED = re.compile(r"\|[-:| \t]+\|?")
_MOST_LINES = 400  # of a table, a listing, a heading


def _no_step(line: int, name: str, text: str) -> bool:
    return False


def at_margin(lines: Sequence[str]) -> list[str]:
    """Return lines of HTML without their indentation; what is preformatted keeps its own."""
    out: list[str] = []
    within = ""
    for line in lines:
        out.append(line if within else line.lstrip(" \t"))
        if within:
            within = "" if f"</{within}" in line.lower() else within
        elif (match := _PREFORMATTED.search(line)) and f"</{match[1].lower()}" not in line.lower()[
            match.end() :
        ]:
            within = match[1].lower()
    return out


def unwrap(
    draft: Draft,
    source: Source,
    path: Callable[[str], str] = str,
    step: Step = _no_step,
    cuts: Collection[int] = (),
    strangers: bool = True,
) -> None:
    """Takes the HTML out of every line that no other change was made to. `path` is where pictures lie.

    A slide ends on the lines `cuts`. Tags that are none of HTML's go as components. Without `strangers`, one
    that nothing ends is a word, as the `<T>` of a type.
    """
    lay_out(draft, cuts)
    lines = list(draft.shown)
    margin: list[str] = []
    for block in draft.outline.blocks:
        if block.kind == "html_block":  # its lines are indented as one likes; among Markdown that is code
            margin = margin or at_margin(lines)
            for n in range(block.first, block.end):
                lines[n] = lines[n] if draft.coded[n] else margin[n]
        elif block.kind == "code_block" and block.end - block.first > 1:
            rows = [line.strip() for line in lines[block.first : block.end]]
            if _RULED.fullmatch(rows[1]) and all(row[:1] == "|" for row in rows if row):
                lines[block.first : block.end] = rows  # a table as deep as the boxes around it, no code
    page = Page(lines)
    reader = _Reader(draft, page, source, path, step, sorted(cuts), strangers)
    reader.run()
    reader.edits.apply(draft, page)


class _Reader:
    """What becomes of each tag of a page."""

    def __init__(
        self,
        draft: Draft,
        page: Page,
        source: Source,
        path: Callable[[str], str],
        step: Step,
        cuts: Sequence[int],
        strangers: bool,
    ) -> None:
        self.draft, self.page, self.source, self.path, self.step = draft, page, source, path, step
        self.cuts, self.strangers = cuts, strangers
        self.edits = Edits()
        self.lists: list[int] = []
        """Of each list that is open the number of its next item; 0 where it has none."""

    def run(self) -> None:
        n = 0
        while n < len(self.page.tags):
            tag = self.page.tags[n]
            if tag.line in self.draft.instead or self.draft.coded[tag.line]:
                n += 1
                continue
            close = self.page.partner.get(n)
            if close is not None and self._whole(n, close):
                n = close + 1
                continue
            if (text := self._instead(n)) is not None:
                self.edits.put(tag, text)
            n += 1

    def _whole(self, n: int, close: int) -> bool:
        """Whether the element of these two tags was dealt with as one."""
        tag, ends = self.page.tags[n], self.page.tags[close]
        low = tag.low
        if low in _HIDDEN:
            self._away(tag, ends)
            return True
        if low in ("aside", "div") and "notes" in tag.attributes.get("class", "").split():
            self._note(n, close)
            return True
        if ends.last - tag.line > _MOST_LINES or any(self.draft.coded[tag.line : ends.last + 1]):
            return False
        if low == "pre":
            return self._listing(n, close)
        if low == "table" and self._ends_lines(tag, ends):
            rows = rows_of(self.page, n, close, self._words)
            if rows:
                self._met(n, close)
                self.draft.replace(tag.line, ends.last + 1, "", *rows, "")
            return bool(rows)
        if low in _HEADINGS:
            words = " ".join(self._words(n, close).replace(BREAK, " ").split())
            self._met(n, close)
            level = "#" * int(low[1])
            self.edits.span(tag.start, ends.end, f"{GAP}{level} {words}{GAP}" if words else "")
            return True
        if low == "blockquote" and ends.line > tag.line:
            self.edits.quote(tag.line, ends.line)
        return False

    def _away(self, tag: Tag, ends: Tag) -> None:
        if self._ends_lines(tag, ends):
            self.draft.replace(tag.line, ends.last + 1)
            lines = self.page.lines[tag.line : ends.last + 1]
            self.draft.instead[tag.line] = aside("\n".join(lines), self.draft.place(tag.line))
        else:
            self.edits.span(tag.start, ends.end, "")

    def _note(self, n: int, close: int) -> None:
        """What reveal.js and Pandoc show nobody but the speaker."""
        tag, ends = self.page.tags[n], self.page.tags[close]
        rows = note(self.page.text[tag.end : ends.start], self.draft.place(tag.line))
        if self._ends_lines(tag, ends):
            self.draft.replace(tag.line, ends.last + 1)
            self.draft.instead[tag.line] = rows
        else:
            self.edits.span(tag.start, ends.end, "")
            self.draft.above.setdefault(self.draft.behind(tag.line), []).extend(rows)

    def _listing(self, n: int, close: int) -> bool:
        """Code of `<pre><code>` in a fence; `data-line-numbers` are the steps that reveal.js makes of it."""
        tags = self.page.tags
        tag, ends = tags[n], tags[close]
        if not self._ends_lines(tag, ends) and not self._boxed(n, close):
            return False
        inner = tags[n + 1] if n + 1 < close and tags[n + 1].low == "code" else None
        until = self.page.partner.get(n + 1) if inner else close
        if until is None or (inner and self.page.text[tag.end : inner.start].strip()):
            return False
        begin = inner.end if inner else tag.end
        if any(t.low not in _INLINE for t in tags[n + 1 : close]) and not inner:
            return False
        written = self.page.text[begin : tags[until].start]
        first = n + 1 if inner is None else n + 2
        if inner is None or all(t.low in _MARKING for t in tags[first:until]):
            # what only marks words in it is not text
            written = _without(self.page, first, until, begin, tags[until].start)
        code = unescape(written).strip("\n").removeprefix('<script type="text/template">')
        code = dedent(_ENDS.sub("", code.removesuffix("</script>")))
        if "```" in code or not code.strip():
            return False
        self._met(n, close)
        known = inner.attributes if inner else tag.attributes
        named = [name for name in known.get("class", "").split() if name.startswith("language-") or inner]
        named = [name for name in named if name not in ("hljs", "fragment", "stretch", "sourceCode")]
        lang = named[0].removeprefix("language-") if named else "text"
        focus = known.get("data-line-numbers", "")
        rows = code.split("\n")
        snippet = Snippet(lang, focus if "|" in focus else "", numbers="data-line-numbers" in known)
        self.draft.replace(tag.line, ends.last + 1, "", f"```{snippet.info(rows)}", *rows, "```", "")
        return True

    def _instead(self, n: int) -> str | None:
        """What stands in the place of a tag; None where it stays."""
        tag = self.page.tags[n]
        low = tag.low
        known = tag.attributes
        taken = self.step(tag.line, f"{'/' * tag.closing}{tag.name}", tag.written)
        if taken:
            return glued_words.beside(self.page, n)
        if low == "img":
            src = known.get("src", "")
            if src and decoration.behind(self.page, n) and decoration.has_more(self.page, n, self.cuts):
                return ""  # it is how the slide looks, and no part of it
            air = " " if self.page.text[tag.end : tag.end + 1].strip() else ""  # one stands apart from words
            return f"{picture(self.path(src), known.get('alt', ''))}{air}" if src and not tag.closing else ""
        if low in _ELSEWHERE and not tag.closing:
            return self._film(low, known)
        if low in ("ul", "ol"):
            return self._list(tag)
        if low == "li":
            return GAP if tag.closing else f"{GAP}{self._item()}"
        if low == "hr":
            return f"{GAP}***{GAP}"
        if low == "blockquote":
            return GAP if tag.closing or self.edits.quoted(tag.line) else f"{GAP}> "
        if low in _APART:
            return GAP
        if low in _BOXES:
            return BESIDE if glued_words.between(self.page, n) else BREAK
        if low in _INLINE:
            bare = _bare(tag)
            before, behind = glued_words.air(self.page, n, _INLINE)
            if not before and not behind:
                return bare
            return f"{before}{bare or self.page.text[tag.start : tag.end]}{behind}"
        if low in _HEADINGS:
            return GAP if tag.closing else f"{GAP}{'#' * int(low[1])} "
        if low not in _SILENT and low not in _HIDDEN and not _ICON.fullmatch(tag.name):
            if not (self.strangers or tag.closing or tag.empty or n in self.page.partner):
                return None
            if not tag.closing:
                self.source.component(tag.name, self.draft.place(tag.line))
                if words := props.said(tag.written):
                    return f"{GAP}{words}{GAP}"
            return glued_words.beside(self.page, n)
        return BESIDE if low in ("td", "th", "button") else ""

    def _list(self, tag: Tag) -> str:
        if not tag.closing:
            start = tag.attributes.get("start", "")
            first = int(start) if start.isdecimal() and len(start) < 6 else 1
            self.lists.append(first if tag.low == "ol" else 0)
        elif self.lists:
            self.lists.pop()
        return GAP

    def _item(self) -> str:
        if not self.lists:
            return "- "
        number = self.lists[-1]
        if number:
            self.lists[-1] += 1
        indent = "".join("   " if n else "  " for n in self.lists[:-1][-8:])
        return f"{indent}{number}. " if number else f"{indent}- "

    def _film(self, low: str, known: dict[str, str]) -> str:
        """What moves or is another page, as its address."""
        address = known.get("src", "")
        if not address and low in _FILMS and known.get("id"):
            address = _FILMS[low] + known["id"]
        address = "".join(address.split())
        if low == "source" and not address.startswith(("http", "/", ".")):
            return ""
        if not address or address.startswith(("data:", "javascript:")) or "<" in address or ">" in address:
            return GAP
        shown = address if "://" in address else self.path(address)
        return f"{GAP}▶ <{address}>{GAP}" if "://" in address else f"{GAP}▶ `{shown.replace('`', '')}`{GAP}"

    def _words(self, n: int, close: int) -> str:
        """The text between two tags: what marks words stays, and what parts lines is `BREAK`."""
        out: list[str] = []
        lists = self.lists.copy()
        at = self.page.tags[n].end
        for k in range(n + 1, close):
            tag = self.page.tags[k]
            out.append(self.page.text[at : tag.start])
            at = tag.end
            if tag.low in ("ul", "ol"):
                self._list(tag)
                out.append(BREAK)
            elif tag.low == "li" and not tag.closing:
                out.append(BREAK + self._item().strip().replace("-", "•") + " ")
            elif tag.low == "br":
                out.append(BREAK)
            elif tag.low in _INLINE:
                out.append(_bare(tag) or self.page.text[tag.start : tag.end])
            elif tag.low == "img" and (src := tag.attributes.get("src")):
                out.append(picture(self.path(src), tag.attributes.get("alt", "")))
            elif tag.low in _BOXES or tag.low in _APART or tag.low == "li":
                out.append(BREAK)
        self.lists = lists
        out.append(self.page.text[at : self.page.tags[close].start])
        return "".join(out)

    def _ends_lines(self, tag: Tag, ends: Tag) -> bool:
        """Whether nothing else stands on the first line of an element and on its last."""
        page = self.page
        after = page.text[ends.end : page.starts[ends.last] + len(page.lines[ends.last])]
        return not page.text[page.starts[tag.line] : tag.start].strip() and not after.strip()

    def _boxed(self, n: int, close: int) -> bool:
        """Whether nothing but the box around it stands on the lines of an element, as Pandoc writes code."""
        tags, page = self.page.tags, self.page
        around = n - 1
        if around < 0 or tags[around].low != "div" or page.partner.get(around) != close + 1:
            return False
        if page.text[tags[around].end : tags[n].start].strip():
            return False
        if page.text[tags[close].end : tags[close + 1].start].strip():
            return False
        return self._ends_lines(tags[around], tags[close + 1])

    def _met(self, first: int, end: int) -> None:
        """Tells of tags that are dealt with as a whole."""
        for tag in self.page.tags[first : end + 1]:
            self.step(tag.line, f"{'/' * tag.closing}{tag.name}", tag.written)


def _bare(tag: Tag) -> str | None:
    """A tag that marks words without what is said of it, where a `$` in that would begin a formula."""
    return f"<{tag.low}>" if "$" in tag.written and tag.low != "a" and not tag.closing else None


def _without(page: Page, first: int, close: int, begin: int, end: int) -> str:
    out, at = [], begin
    for tag in page.tags[first:close]:
        out.append(page.text[at : tag.start])
        at = tag.end
    return "".join([*out, page.text[at:end]])

"""Converts markdown-it's block tokens into the deck's blocks. What depends on a slide is its `Page`'s."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from slides.deck import (
    AnyBlock,
    Box,
    Code,
    Columns,
    Heading,
    Image,
    Inline,
    Inlines,
    Item,
    List,
    Math,
    Paragraph,
    Quote,
    Rule,
    Table,
)
from slides.drawing.text import Style
from slides.reading.markdown.inline import HTML, holds_tags, inlines, mark_of_note
from slides.reading.titles import parted

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

_ALERTS = {"note": "accent", "tip": "good", "important": "accent", "warning": "warning", "caution": "bad"}
_ALERT = re.compile(rf"\[!({'|'.join(_ALERTS)})\]\s*", re.IGNORECASE)
_AT_MARGIN = "Write it at the margin, between blank lines."
_ALIGNED = (Paragraph, Heading, List, Table)
_WIDTH = re.compile(r"width=[\"']?([0-9]{1,3})(%)?[\"']?")
_MOST_BESIDE = 4  # pictures in a row
DEEPEST = 60  # markdown-it's levels; one list item takes three


def _alerted(found: list[AnyBlock]) -> tuple[AnyBlock, ...]:
    """What is in a quote; a `[!NOTE]` at its beginning, as GitHub has it, is that word in bold, in
    the ink of what it means."""
    first = found[0] if found else None
    if (
        not isinstance(first, Paragraph)
        or not first.content
        or not (match := _ALERT.match(first.content[0].text))
    ):
        return tuple(found)
    rest = [replace(first.content[0], text=first.content[0].text[match.end() :]), *first.content[1:]]
    rest = rest[1:] if not rest[0].text else rest
    rest = rest[1:] if rest and rest[0].hard_break else rest
    label = Inline(match[1].capitalize(), Style(_ALERTS[match[1].lower()], bold=True))
    content = (label, Inline("", hard_break=True), *rest) if rest else (label,)
    return replace(first, content=content), *found[1:]


class Page(Protocol):
    """One Markdown text being read: where it is, which step its lines appear at, and what it may name."""

    lines: Sequence[str]
    erased: frozenset[int]
    """Lines that held nothing but a comment, and are blank now."""

    @property
    def side(self) -> str:
        """Where the words that are read now stand: "", `center` or `right`."""

    def reach(self, line: int, frames: int = 1) -> int:
        """Return the step at which a block on `line` (0-based) of so many frames appears."""

    def place(self, line: int) -> int:
        """Return the 1-based line of the file."""

    def code(self, info: str, source: str, line: int) -> AnyBlock:
        """Return a code block made of its info string and text, or a box that says what is wrong."""

    def image(self, path: str, alt: str, line: int, attributes: str) -> Image | Box:
        """Return a picture with the attributes written behind it, or a box that says what is wrong."""

    def warn(self, line: int, message: str, mend: str) -> None:
        """Report a problem of something that can still be shown."""


@cache
def markdown() -> MarkdownIt:
    """Return the parser: CommonMark with tables, strikethrough, math, super- and subscript, notes, terms."""
    from markdown_it import MarkdownIt
    from mdit_py_plugins.deflist import deflist_plugin
    from mdit_py_plugins.dollarmath import dollarmath_plugin
    from mdit_py_plugins.subscript import sub_plugin
    from mdit_py_plugins.superscript import superscript_plugin

    class Parser(MarkdownIt):
        def validateLink(self, url: str) -> bool:
            """A picture written into the deck, of any kind, is one: else its bytes are words. Where
            a link leads is not looked at here (`slides.drawing.links`)."""
            return url.strip().lower().startswith("data:image/") or super().validateLink(url)

    parser = Parser("commonmark", {"maxNesting": DEEPEST}).enable(["table", "strikethrough"])
    # `$5 and $6` is money: no space just inside the dollars.
    parser.use(dollarmath_plugin, allow_space=False, allow_labels=False, double_inline=True)
    parser.use(superscript_plugin).use(sub_plugin).use(deflist_plugin)
    parser.inline.ruler.before("link", "mark_of_note", mark_of_note)
    parser.core.ruler.before("inline", "heading_attributes", _strip_attributes)
    parser.block.ruler.at("reference", _reference)
    return parser


def _reference(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """The definition of a link. That of a footnote looks like one, and would be gone: it stays to be read."""
    from markdown_it.rules_block import reference

    note = state.src.startswith("[^", state.bMarks[line] + state.tShift[line])
    return not note and reference(state, line, end, silent)


def read(page: Page, first: int, end: int, references: dict[str, object]) -> list[AnyBlock]:
    """Return the blocks of lines `first` up to but not including `end` of `page`."""
    lines = page.lines[first:end]
    tokens = markdown().parse("\n".join(lines), {"references": references})
    if any("<!--" in line for line in lines):  # code that shows one, or what the scan did not see to be one
        from slides.reading.markdown.stray_comments import blanked

        lines, strays = blanked(lines, tokens)
        for line in strays:
            page.warn(first + line, "this comment is easily taken for code, and is left out", _AT_MARGIN)
        tokens = markdown().parse("\n".join(lines), {"references": references}) if strays else tokens
    rows: Sequence[int] = range(first, end)
    if any(token.type == "html_block" or holds_tags(token.children or ()) for token in tokens):
        from slides.dialects.html.in_terminal import without_tags

        written = without_tags(lines)
        rows = [row + first for row in written.rows]
        for told in written.told:
            page.warn(told.line + first, told.message, told.mend)
        tokens = markdown().parse("\n".join(written.lines), {"references": references})
    for token in tokens:  # their lines as those of the page
        if token.map:
            begin, behind = token.map
            token.map = [rows[min(begin, len(rows) - 1)], rows[behind - 1] + 1] if rows else [first, first]
    return _Builder(page, tokens).blocks(0, len(tokens))


def _strip_attributes(state: StateCore) -> None:
    for place, token in enumerate(state.tokens):
        if token.type == "heading_open":
            inline = state.tokens[place + 1]
            inline.content, _ = parted(inline.content)


def _attributes(tokens: Sequence[Token]) -> str | None:
    """What stands between the braces right behind a picture, "" where nothing does; None where words do."""
    if not tokens:
        return ""
    text = tokens[0].content.strip() if len(tokens) == 1 and tokens[0].type == "text" else ""
    return text[1:-1].strip() if text.startswith("{") and text.endswith("}") else None


def picture_width(attributes: str) -> float | None:
    """Read `width=50%` as 0.5 and `width=40` as 40 cells; 0 without a width, None for anything else."""
    if not attributes:
        return 0.0
    match = _WIDTH.fullmatch(attributes)
    if match is None or not (value := int(match[1])):
        return None
    return min(value, 100) / 100 if match[2] else float(max(value, 2))


def _pictures(children: Sequence[Token]) -> list[tuple[Token, str]]:
    """The pictures of a paragraph with their attributes; none where anything else is in it, or too many."""
    found: list[tuple[Token, str]] = []
    for child in children:
        if child.type == "image":
            found.append((child, ""))
        elif child.type == "text" and found and (tail := _attributes([child])):
            found[-1] = (found[-1][0], tail)
        elif child.type not in ("softbreak", "hardbreak") and child.content.strip():
            return []
    return found if len(found) <= _MOST_BESIDE else []


class _Builder:
    def __init__(self, page: Page, tokens: Sequence[Token]) -> None:
        self.page, self.tokens = page, tokens

    def blocks(self, start: int, end: int) -> list[AnyBlock]:
        found: list[AnyBlock] = []
        for opens, closes in self._siblings(start, end):
            block = self._block(opens, closes)
            if isinstance(block, Code) and block.instead:
                block = self._in_place_of(found, block, self.tokens[opens])
            if block is not None:
                if self.page.side and not self.tokens[opens].level and isinstance(block, _ALIGNED):
                    block = replace(block, side=self.page.side)
                found.append(block)
        return found

    def _in_place_of(self, found: list[AnyBlock], code: Code, token: Token) -> Code:
        """The block above, whose place `code` takes with the step after its last."""
        line = token.map[0] if token.map else 0
        if not isinstance(above := found[-1] if found else None, Code):
            self.page.warn(line, "`instead`, but no code stands right above this", "Leave out `instead`.")
            return code
        found.pop()
        at = above.at + above.frames
        self.page.reach(line, at + code.frames - code.at)  # counted from where the slide is now
        states = (*(above.states or (above,)), replace(code, at=at))
        return replace(above, frames=above.frames + code.frames, states=states)

    def _siblings(self, start: int, end: int) -> list[tuple[int, int]]:
        """The (first, last) token of each block in `tokens[start:end]`."""
        found, at = [], start
        while at < end:
            close = at
            if self.tokens[at].nesting == 1:
                level = self.tokens[at].level
                close = next(
                    (
                        n
                        for n in range(at + 1, end)
                        if self.tokens[n].nesting == -1 and self.tokens[n].level == level
                    ),
                    end - 1,
                )
            found.append((at, close))
            at = close + 1
        return found

    def _block(self, opens: int, closes: int) -> AnyBlock | None:
        token = self.tokens[opens]
        read = _READ.get(token.type)
        line = token.map[0] if token.map else 0
        if token.level >= DEEPEST - 3:
            self.page.warn(line, "this is nested too deep to be read further", "Use fewer levels.")
        if read is None:
            return self._verbatim(token.content, line)
        return read(self, opens, closes, line)

    def _place(self, line: int) -> tuple[int, int]:
        return self.page.place(line), self.page.reach(line)

    def _heading(self, opens: int, closes: int, line: int) -> AnyBlock | None:
        token = self.tokens[opens]
        if token.markup == "-":
            at = token.map[1] - 1 if token.map else line
            mend = "Put a blank line above `---` to end the slide; write the heading with `## `."
            self.page.warn(at, "`---` right under text makes that text a heading", mend)
        number, at = self._place(line)
        return Heading(int(token.tag[1:]), inlines(self.tokens[opens + 1].children or []), line=number, at=at)

    def _paragraph(self, opens: int, closes: int, line: int) -> AnyBlock | None:
        content = self.tokens[opens + 1]
        children = content.children or []
        if children and children[0].type == "image" and (tail := _attributes(children[1:])) is not None:
            return self.page.image(str(children[0].attrs.get("src", "")), children[0].content, line, tail)
        number, at = self._place(line)
        if len(row := _pictures(children)) > 1:
            beside = tuple(
                (self.page.image(str(one.attrs.get("src", "")), one.content, line, tail),)
                for one, tail in row
            )
            return Columns((1,) * len(beside), beside, line=number, at=at)
        if len(children) == 1 and children[0].type == "math_inline_double":
            return Math(children[0].content.strip(), line=number, at=at)
        words = inlines(children)
        return Paragraph(words, line=number, at=at) if words else None

    def _fence(self, opens: int, closes: int, line: int) -> AnyBlock | None:
        token = self.tokens[opens]
        info = token.info if token.type == "fence" else ""
        return self.page.code(info, token.content.removesuffix("\n"), line)

    def _math(self, opens: int, closes: int, line: int) -> AnyBlock | None:
        number, at = self._place(line)
        return Math(self.tokens[opens].content.strip("\n"), line=number, at=at)

    def _rule(self, opens: int, closes: int, line: int) -> AnyBlock | None:
        if self.page.lines[line].rstrip() == "---" and line and line - 1 not in self.page.erased:
            mend = "Put a blank line above it to end the slide, or write `***` for a rule."
            self.page.warn(line, "this `---` does not end the slide: the line above it is not blank", mend)
        number, at = self._place(line)
        return Rule(line=number, at=at)

    def _quote(self, opens: int, closes: int, line: int) -> AnyBlock | None:
        number, at = self._place(line)
        return Quote(_alerted(self.blocks(opens + 1, closes)), line=number, at=at)

    def _html(self, opens: int, closes: int, line: int) -> AnyBlock | None:
        return self._verbatim(self.tokens[opens].content, line)

    def _verbatim(self, text: str, line: int) -> AnyBlock | None:
        """What we do not draw, dim and as it was written: nothing is lost."""
        number, at = self._place(line)
        content: list[Inline] = []
        for row in text.strip("\n").split("\n"):
            if content:
                content.append(Inline("", hard_break=True))
            content.append(Inline(row, HTML))
        return Paragraph(tuple(content), line=number, at=at) if text.strip() else None

    def _table(self, opens: int, closes: int, line: int) -> AnyBlock | None:
        number, at = self._place(line)
        rows: list[list[Inlines]] = []
        align: list[str] = []
        for token in self.tokens[opens:closes]:
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(inlines(token.children or []))
            elif token.type == "th_open":
                align.append(str(token.attrs.get("style", "")).removeprefix("text-align:"))
        head, *body = rows
        return Table(tuple(head), tuple(tuple(row) for row in body), tuple(align), line=number, at=at)

    def _list(self, opens: int, closes: int, line: int) -> AnyBlock | None:
        token = self.tokens[opens]
        number, at = self._place(line)
        tight, items = True, []
        for place, (first, last) in enumerate(self._siblings(opens + 1, closes)):
            starts = [self._start(first)] if place else []
            starts += [self._start(child) for child, _ in self._siblings(first + 1, last)[1:]]
            tight = tight and not any(self._after_blank(start) for start in starts)
            shown = self.page.reach(self._start(first))
            task = self._task(first, last)
            items.append(Item(tuple(self.blocks(first + 1, last)), at=shown, task=task))
        ordered = token.type == "ordered_list_open"
        return List(
            tuple(items),
            ordered=ordered,
            start=int(token.attrs.get("start", 1)),
            tight=tight,
            line=number,
            at=at,
        )

    def _definitions(self, opens: int, closes: int, line: int) -> AnyBlock | None:
        """Each word in bold, and below it what it means."""
        items: list[Item] = []
        for first, last in self._siblings(opens + 1, closes):
            at = self.page.reach(self._start(first) or line)
            if self.tokens[first].type == "dt_open":
                words = inlines(self.tokens[first + 1].children or [])
                bold = tuple(replace(run, style=run.style._replace(bold=True)) for run in words)
                items.append(Item((Paragraph(bold, line=self.page.place(line), at=at),), at=at))
            elif items:
                said = (*items[-1].blocks, *self.blocks(first + 1, last))
                items[-1] = replace(items[-1], blocks=said)
        number, at = self._place(line)
        return List(tuple(items), line=number, at=at) if items else None

    def _start(self, token: int) -> int:
        span = self.tokens[token].map
        return span[0] if span else 0

    def _after_blank(self, line: int) -> bool:
        """Whether a blank line stands above `line`. One beside a comment does not count: `<!-- pause -->`
        between two items is written with blank lines and leaves a tight list tight."""
        above = line - 1
        while above >= 0 and not self.page.lines[above].strip():
            if above in self.page.erased:
                return False
            above -= 1
        return above < line - 1

    def _task(self, first: int, last: int) -> bool | None:
        """Takes the `[ ]` or `[x]` off an item's text and says which it was."""
        if last - first < 3 or self.tokens[first + 1].type != "paragraph_open":
            return None
        children = self.tokens[first + 2].children or []
        text = children[0].content if children and children[0].type == "text" else ""
        if text[:4] not in ("[ ] ", "[x] ", "[X] "):
            return None
        children[0].content = text[4:]
        return text[1] != " "


_READ: dict[str, Callable[[_Builder, int, int, int], AnyBlock | None]] = {
    "heading_open": _Builder._heading,
    "paragraph_open": _Builder._paragraph,
    "bullet_list_open": _Builder._list,
    "ordered_list_open": _Builder._list,
    "blockquote_open": _Builder._quote,
    "dl_open": _Builder._definitions,
    "table_open": _Builder._table,
    "fence": _Builder._fence,
    "code_block": _Builder._fence,
    "math_block": _Builder._math,
    "hr": _Builder._rule,
    "html_block": _Builder._html,
}

"""A foreign text being translated: its lines, their places in the deck's file, and its blocks."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

from slides.dialects import foreign_front_matter
from slides.reading.scan import Comment, Fence, Marks, blank_comment, replace_comments, scan

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

PAUSE = "<!-- pause -->"
KEPT = "kept:"  # begins a comment that is one of theirs: none of our commands, nor like one

_DIRECTIVE = re.compile(r"( {0,3}):::")
_TIGHT = re.compile(r" {0,3}(#{1,6})(?=[^#\s])(?!\.\s)")  # `#.` is an item of a list
# `![alt](path "title")` as (alt, path); bounded, as patterns over a whole deck have to be.
IMAGE = re.compile(
    r"!\[([^\[\]\n]{0,400})\]\([ \t]{0,9}(<[^<>\n]{0,2000}>|[^()\s]{1,2000})"
    r"(?:[ \t]{1,9}(?:\"[^\"\n]{0,400}\"|'[^'\n]{0,400}'))?[ \t]{0,9}\)"
)
_NESTED = re.compile(r"(`{1,9}).{0,400}?\1(?!`)|\*\*_([^\s_*`](?:[^_*`\n]{0,200}[^\s_*`])?)_\*\*")
_INDENT = re.compile(r"[ \t>]*")
_LONGEST_FORMULA = 60  # lines
_MOST_OPEN = 8
_DEEPEST = 40  # markdown-it's levels; what lies deeper is text


class Row(NamedTuple):
    """A line of native text, and the line of the deck's file (from 1) that it was made of."""

    text: str
    place: int


class Text(NamedTuple):
    """Lines to be read, each with its place; `base` is what a path in them is relative to, "" or `parts/`."""

    lines: list[str]
    places: Sequence[int]
    base: str = ""

    def part(self, start: int, end: int | None = None) -> Text:
        """Return lines `start` up to `end` (from 0, `end` not included) with their places."""
        return Text(self.lines[start:end], self.places[start:end], self.base)


class Block(NamedTuple):
    """Lines `first` up to `end` at the top level. `kind` is markdown-it's: heading, hr, fence, list, …"""

    kind: str
    first: int
    end: int
    level: int = 0
    markup: str = ""


class Item(NamedTuple):
    """A list item from `line` up to `end`, within `depth` other items."""

    line: int
    end: int
    depth: int
    markup: str


class Outline(NamedTuple):
    """Both in the order of their lines."""

    blocks: tuple[Block, ...]
    items: tuple[Item, ...]
    inner: tuple[Block, ...] = ()
    """The headings within other blocks."""
    words: tuple[tuple[int, int], ...] = ()
    """The (first, end) lines of paragraphs, wherever they are."""

    def items_in(self, start: int, end: int) -> tuple[Item, ...]:
        """Return the items that begin on lines `start` up to `end`."""
        low = bisect_left(self.items, start, key=lambda item: item.line)
        return self.items[low : bisect_left(self.items, end, key=lambda item: item.line)]

    def blocks_in(self, start: int, end: int) -> tuple[Block, ...]:
        """Return the blocks that begin on lines `start` up to `end`, by bisection."""
        low = bisect_left(self.blocks, start, key=lambda block: block.first)
        return self.blocks[low : bisect_left(self.blocks, end, key=lambda block: block.first)]

    def block_at(self, line: int) -> Block | None:
        """Return the block that a line lies in, None between blocks."""
        place = bisect_right(self.blocks, line, key=lambda block: block.first) - 1
        return self.blocks[place] if place >= 0 and line < self.blocks[place].end else None


@dataclass
class Draft:
    """`bare` has no comments, `shown` those that are kept; `above` and `instead` are what a dialect makes."""

    text: Text
    outlined: list[str] | None = None
    """The lines whose blocks `outline` has: `bare`, or those in which comments are blocks of their own."""
    commonmark: bool = False
    """Comments and fences end where CommonMark ends them, even if that is behind their slide."""
    marks: Marks = field(init=False)
    bare: list[str] = field(init=False)
    shown: list[str] = field(init=False)
    coded: bytearray = field(init=False)
    above: dict[int, list[Row]] = field(default_factory=dict)
    instead: dict[int, list[Row]] = field(default_factory=dict)
    margins: dict[int, str] = field(default_factory=dict)
    """What stands in front of lines that are indented in another way now."""

    def __post_init__(self) -> None:
        lines = self.text.lines
        self.marks = scan(lines, self.commonmark)
        self.bare = replace_comments(lines, self.marks.comments, blank_comment)
        self.shown = self.bare
        self.coded = bytearray(len(lines))
        for fence in self.marks.fences:
            self.coded[fence.first : fence.end] = b"\1" * (fence.end - fence.first)

    @cached_property
    def outline(self) -> Outline:
        """The blocks as CommonMark has them."""
        return outline(self.bare if self.outlined is None else self.outlined)

    def place(self, line: int) -> int:
        """Return the line of the deck's file (from 1) that a line of the draft (from 0) came from."""
        places = self.text.places
        return places[min(line, len(places) - 1)] if places else 1

    # -- what a dialect says ------------------------------------------------------------------------------

    def keep(self, kept: Callable[[Comment], bool]) -> None:
        """Keep comments as comments, marked with `KEPT` so that none is a command of ours."""
        self.shown = replace_comments(
            self.text.lines,
            self.marks.comments,
            lambda comment: _harmless(comment) if kept(comment) else blank_comment(comment),
        )

    def alone(self, comment: Comment) -> bool:
        """Whether nothing else is on the lines of a comment."""
        lines = self.text.lines
        return not (
            lines[comment.first][: comment.start].strip() or lines[comment.last][comment.end :].strip()
        )

    def put(self, line: int, *texts: str) -> None:
        """Put native lines above `line`, below those put there before."""
        self.above.setdefault(line, []).extend(Row(text, self.place(line)) for text in texts)

    def replace(self, first: int, end: int, *texts: str) -> None:
        """Put native lines in place of lines `first` up to `end`."""
        for line in range(first, end):
            self.instead[line] = []
        if first < end:
            count = end - first
            self.instead[first] = [
                Row(text, self.place(first + min(n, count - 1))) for n, text in enumerate(texts)
            ]

    def undash(self, block: Block) -> None:
        """Rewrite a rule, or the line under a title, without dashes: in our decks they end a slide."""
        if block.kind == "hr":
            self.replace(block.first, block.end, "***")
        elif block.kind == "heading" and block.markup == "-":
            title = " ".join(line.strip() for line in self.bare[block.first : block.end - 1])
            self.replace(block.first, block.end, f"## {foreign_front_matter.heading(title)}")

    def pause(self, line: int) -> None:
        """Let the block or item that begins on `line` appear with the next step."""
        match = _INDENT.match(self.bare[line] if line < len(self.bare) else "")
        self.put(line, self.margins.get(line, match[0] if match else "") + PAUSE)

    def break_lines(self, within: str = "") -> None:
        """Keep every line break of paragraphs, as if each line ended in two spaces; only `within` blocks of
        that kind, if one is named."""
        for first, end in self.outline.words:
            block = self.outline.block_at(first) if within else None
            if within and (block is None or block.kind != within):
                continue
            for line in range(first, end - 1):
                if self.shown[line].strip() and self.shown[line + 1].strip():
                    self.shown[line] = f"{self.shown[line].rstrip()}  "

    def loosen_emphasis(self) -> None:
        """Let `**_F_**ast` be strong: a letter may stand beside such marks in Markdown of before CommonMark,
        where beside three stars it may, too."""
        for line, written in enumerate(self.shown):
            if "**_" in written and not self.coded[line] and line not in self.instead:
                self.shown[line] = _NESTED.sub(lambda m: m[0] if m[1] else f"***{m[2]}***", written)

    def behind(self, line: int) -> int:
        """Return the line after the block that `line` is in, where a note splits no paragraph."""
        block = self.outline.block_at(line)
        return line if block is None else block.end

    # -- what comes of it ---------------------------------------------------------------------------------

    def rows(self, start: int, end: int) -> list[Row]:
        """Return lines `start` up to `end` as they are now, with nothing that would be a command of ours."""
        out: list[Row] = []
        for line in range(start, end):
            above = self.above.get(line, ())
            if line in self.instead and not "".join(row.text for row in self.instead[line][:1])[:1].isspace():
                # A pause stood as deep as the line that is gone, and would be code behind what is there now.
                above = [row._replace(text=PAUSE) if row.text.lstrip() == PAUSE else row for row in above]
            out += above
            if line in self.instead:
                out += self.instead[line]
            else:
                text = self.text.lines[line] if self.coded[line] else plain(self.shown[line])
                out.append(Row(text, self.place(line)))
        return out

    def code(self, fence: Fence) -> list[str]:
        """Return the lines of code in a fence, without the indentation of what it is in."""
        margin = len(fence.prefix)
        last = fence.end - 1 if fence.closed and fence.end - 1 > fence.first else fence.end
        rows = self.text.lines[fence.first + 1 : last]
        return [_without(row, fence.prefix, margin) for row in rows]

    def recode(self, fence: Fence, info: str, code: Sequence[str] | None = None) -> None:
        """Give a fence another info string, and other code."""
        self.instead[fence.first] = [
            Row(f"{fence.prefix}{fence.mark}{info}".rstrip(), self.place(fence.first))
        ]
        if code is None:
            return
        inner = re.sub(r"[^>\s]", " ", fence.prefix)
        last = fence.end - 1 if fence.closed and fence.end - 1 > fence.first else fence.end
        for line in range(fence.first + 1, last):
            self.instead[line] = []
        longest = max(
            (len(run) for row in code for run in re.findall(re.escape(fence.mark[0]) + "+", row)), default=0
        )
        mark = fence.mark[0] * max(len(fence.mark), longest + 1)
        rows = [Row(f"{fence.prefix}{mark}{info}".rstrip(), self.place(fence.first))]
        rows += [Row((inner + row).rstrip() if row.strip() else "", self.place(fence.first)) for row in code]
        self.instead[fence.first] = rows
        if last < fence.end:
            self.instead[last] = [Row(inner + mark, self.place(last))]


def outline(lines: Sequence[str]) -> Outline:
    """Find the blocks and list items of Markdown, in linear time; what is within a line is not parsed."""
    parser = _parser()
    blocks: list[Block] = []
    items: list[Item] = []
    inner: list[Block] = []
    words: list[tuple[int, int]] = []
    tokens: list[Token] = []
    parser.block.parse("\n".join(lines), parser, {}, tokens)
    depth = 0
    for token in tokens:
        first, end = token.map or (0, 0)
        kind = token.type.removesuffix("_open")
        if token.type == "list_item_open":
            items.append(Item(first, end, depth, token.markup))
            depth += 1
        elif token.type == "list_item_close":
            depth -= 1
        elif kind in ("bullet_list", "ordered_list") and token.nesting == 1:
            kind = "list"
        if token.nesting < 0 or token.map is None:
            continue
        if token.type == "inline":
            words.append((first, end))
        level = int(token.tag[1]) if kind == "heading" else 0
        if token.level == 0:
            blocks.append(Block(kind, first, end, level, token.markup))
        elif level:
            inner.append(Block(kind, first, end, level, token.markup))
    return Outline(tuple(blocks), tuple(items), tuple(inner), tuple(words))


def as_before_commonmark(lines: Sequence[str]) -> list[str]:
    """Rewrite lines so that CommonMark takes them as older Markdown did.

    `#Title` is a heading; a fence or a comment that never ends is words.
    """
    lines = list(lines)
    for _ in range(_MOST_OPEN):  # what the open one held may hold another
        marks = scan(lines)
        at = next(
            ((fence.first, len(fence.prefix)) for fence in marks.fences if not fence.closed), None
        ) or next(((comment.first, comment.start) for comment in marks.comments if not comment.closed), None)
        if at is None:
            break
        lines[at[0]] = f"{lines[at[0]][: at[1]]}\\{lines[at[0]][at[1] :]}"
    coded = bytearray(len(lines))
    for fence in marks.fences:
        coded[fence.first : fence.end] = b"\1" * (fence.end - fence.first)
    return [
        line if coded[n] or line[:4].lstrip()[:1] != "#" else _TIGHT.sub(r"\1 ", line)
        for n, line in enumerate(lines)
    ]


def part_formulas(draft: Draft) -> None:
    """Blank lines around each formula between two lines `$$`, for programs that look for them before:
    words may stand right above it, and blank lines in it."""
    opened: int | None = None
    for n, line in enumerate(draft.shown):
        if draft.coded[n] or line.rstrip() != "$$":
            continue
        if opened is None:
            opened = n
            continue
        if n - opened < _LONGEST_FORMULA:
            if opened and draft.shown[opened - 1].strip():
                draft.put(opened, "")
            if n + 1 < len(draft.shown) and draft.shown[n + 1].strip():
                draft.put(n + 1, "")
        opened = None


def plain(text: str) -> str:
    """Return a line of text so that it is no directive of ours."""
    if ":::" in text[:6] and (match := _DIRECTIVE.match(text)):
        return f"{match[1]}\\{text[len(match[1]) :]}"
    return "\\+++" if text.rstrip() == "+++" else text


def _harmless(comment: Comment) -> list[str]:
    body = comment.body if comment.body[:1].isspace() else f" {comment.body}"
    return f"<!-- {KEPT}{body}-->".split("\n") if comment.closed else [*blank_comment(comment)]


def _without(row: str, prefix: str, margin: int) -> str:
    if ">" in prefix:
        row = re.sub(r"^(?: {0,3}> ?)+", "", row)
        margin = len(re.sub(r"(?: {0,3}> ?)+", "", prefix))
    blank = len(row) - len(row.lstrip(" "))
    return row[min(margin, blank) :]


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable("table")

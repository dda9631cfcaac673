"""Finds code fences and HTML comments in a deck's text, line by line.

The splitter, the reader and the redaction must agree on this to the character, so all three use this. The
scan knows just enough of CommonMark's blocks to be right about fences inside list items and quotes.

A fence or comment that is never closed would swallow the rest of the deck; it ends with its slide instead,
but not in the decks of programs that keep to CommonMark.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple


class Fence(NamedTuple):
    """Lines `first` up to but not including `end`, both fence lines among them.

    `prefix` is what stands before the mark on the first line: indentation, a list marker, `> `.
    """

    first: int
    end: int
    prefix: str
    mark: str
    info: str
    closed: bool


class Comment(NamedTuple):
    """`<!-- body -->` from column `start` of line `first` to column `end` (exclusive) of line `last`."""

    first: int
    start: int
    last: int
    end: int
    body: str
    closed: bool


class Marks(NamedTuple):
    """`held[line]` is true for a line inside a fence, and for the second and later lines of a comment."""

    fences: tuple[Fence, ...]
    comments: tuple[Comment, ...]
    held: bytearray


_DEEPEST = 64  # list items within list items; what is deeper is not looked into
# What begins a block of its own, though the line above it is an item's words: by CommonMark, and our `:::`.
_BEGINS = re.compile(
    r"(?:[-+*]|[0-9]{1,9}[.)])(?:[ \t]|$)|#{1,6}(?:[ \t]|$)|>|`{3}|~{3}|:{3}|([-_*])(?:[ \t]*\1){2,}[ \t]*$"
    r"|<(?:[!?]|/?(?:address|article|aside|blockquote|center|d[dlt]|details|div|fieldset|fig(?:caption|ure)|footer"
    r"|form|h[1-6]|header|hr|iframe|li|main|nav|ol|p|pre|script|section|style|summary|table|tbody|td|textarea"
    r"|tfoot|th|thead|tr|ul)\b)|\|.*\||:?-{2,}:?[ \t]*\|",
    re.IGNORECASE,
)
_RULE = re.compile(r"([-_*])(?:[ \t]*\1){2,}[ \t]*$")  # no item in an item
_COMMENT_ALONE = re.compile(r"(?:<!--(?:(?!-->).)*-->[ \t]*)*(?:<!--(?!.*-->).*)?$")
ALIGN = re.compile(r"align:\s*(left|center|right)")  # what a comment says of the words behind it
_NOTE = re.compile(r"<!--\s*notes?:")
_MARKER = re.compile(r"(?:[-*+]|[0-9]{1,9}[.)])(?=[ \t]|$)[ \t]*")
_FENCE = re.compile(r"(`{3,})([^`]*)$|(~{3,})(.*)$")
_QUOTE = re.compile(r"(?: {0,3}>[ \t]?)+")


def is_separator(lines: Sequence[str], at: int) -> bool:
    """Whether line `at` is exactly `---` under a blank line; the caller has ruled out fences and comments."""
    return lines[at][:3] == "---" and lines[at].rstrip() == "---" and (at == 0 or not lines[at - 1].strip())


def scan(lines: Sequence[str], commonmark: bool = False) -> Marks:
    """Find all fences and comments of `lines`, in time linear in the text.

    `commonmark`: what is not closed reaches to the end of the text, and among words a comment is none unless
    it ends within their paragraph.
    """
    return _Scanner(lines, commonmark).run()


def replace_comments(
    lines: Sequence[str], comments: Sequence[Comment], replacement: Callable[[Comment], Sequence[str]]
) -> list[str]:
    """Return `lines` with every comment replaced by as many lines as it spans, so that line numbers stay."""
    out: list[str] = []
    pieces: list[str] = []
    line = column = 0
    for comment in comments:
        if line < comment.first:
            pieces.append(lines[line][column:])
            out.append("".join(pieces))
            out.extend(lines[line + 1 : comment.first])
            pieces, line, column = [], comment.first, 0
        pieces.append(lines[line][column : comment.start])
        head, *rest = replacement(comment)
        pieces.append(head)
        for text in rest:
            out.append("".join(pieces))
            pieces = [text]
        line, column = comment.last, comment.end
    if line < len(lines):
        pieces.append(lines[line][column:])
        out.append("".join(pieces))
    out.extend(lines[line + 1 :])
    return out


def blank_comment(comment: Comment) -> Sequence[str]:
    """Return the replacement that removes a comment."""
    return [""] * (comment.last - comment.first + 1)


class _Scanner:
    def __init__(self, lines: Sequence[str], commonmark: bool) -> None:
        self.lines = lines
        self.commonmark = commonmark
        self.fences: list[Fence] = []
        self.comments: list[Comment] = []
        self.held = bytearray(len(lines))
        # The list items open at line `tracked`, by the column of their content. Only an indented fence or
        # comment depends on them, so they are followed no further than to the next of those.
        self.columns: list[int] = []
        self.tracked = 0
        self.after_blank = True
        # What was looked for to the end of the text once and not found is not looked for again.
        self.unclosable: dict[str, int] = {}
        self.comment_ends = True

    def run(self) -> Marks:
        lines = self.lines
        done = 0
        for at, line in enumerate(lines):
            if at < done or not ("```" in line or "<!--" in line or "~~~" in line):
                continue
            # A page has nothing where a comment stood: an item above it goes on below.
            alone = line.startswith("<!--") and bool(_COMMENT_ALONE.match(line))
            begins = line[0] in "`~<" and not alone and bool(_BEGINS.match(line))
            if begins:
                self.columns.clear()
            else:
                self._track(at)
            if begins or alone or self._goes_on(line):
                indent, rest, quoted = *_indented(line), False
            else:
                indent, rest, quoted = self._enter(line)
            column = self.columns[-1] if self.columns else 0
            # So far indented is code after a blank line; else it continues a paragraph: never a fence. A note
            # is one even there: a column counted wrongly must not show it. A fence shows how to write one.
            code = indent - column >= 4
            fence = None if code else _FENCE.match(rest)
            if code and self.after_blank and not _NOTE.search(line):
                done = at + 1
            elif fence:
                prefix = line[: len(line) - len(rest)]
                done = self._fence(
                    at, prefix, fence[1] or fence[3], fence[2] or fence[4] or "", column, quoted
                )
            else:
                done = self._comments(at) + 1
            self.tracked = done
            self.after_blank = bool(fence) or (code and self.after_blank)
        return Marks(tuple(self.fences), tuple(self.comments), self.held)

    def _track(self, upto: int) -> None:
        for at in range(self.tracked, upto):
            line = self.lines[at]
            if line.isspace() or not line:
                self.after_blank = True
                continue
            if self._goes_on(line):
                continue
            indent, _, _ = self._enter(line)
            column = self.columns[-1] if self.columns else 0
            self.after_blank = self.after_blank and indent - column >= 4
        self.tracked = max(self.tracked, upto)

    def _goes_on(self, line: str) -> bool:
        """Whether a line goes on with the words of an item, left of which it stands: it does not end it."""
        if self.after_blank or not self.columns:
            return False
        indent, rest = _indented(line)
        return indent < self.columns[-1] and not _BEGINS.match(rest)

    def _enter(self, line: str) -> tuple[int, str, bool]:
        """Follows the list items `line` ends and begins: (indent, what is in them, whether in a quote)."""
        quote = _QUOTE.match(line)
        if quote:
            self.columns.clear()
            line = line[quote.end() :]
        indent, rest = _indented(line)
        while self.columns and indent < self.columns[-1]:
            self.columns.pop()
        if indent - (self.columns[-1] if self.columns else 0) >= 4:
            return indent, rest, bool(quote)
        while not _RULE.match(rest) and len(self.columns) < _DEEPEST and (marker := _MARKER.match(rest)):
            indent += len(marker[0])
            self.columns.append(indent)
            rest = rest[len(marker[0]) :]
        return indent, rest, bool(quote)

    def _fence(self, first: int, prefix: str, mark: str, info: str, column: int, quoted: bool) -> int:
        hopeless = len(mark) >= self.unclosable.get(mark[0], len(mark) + 1) and not column and not quoted
        end = None if hopeless else self._fence_end(first + 1, mark, column, quoted)
        if end is None:
            self.unclosable[mark[0]] = min(len(mark), self.unclosable.get(mark[0], len(mark)))
            stop = self._slide_end(first + 1)
        else:
            stop = end
        self.fences.append(Fence(first, stop, prefix, mark, info.strip(), end is not None))
        self.held[first:stop] = b"\1" * (stop - first)
        return stop

    def _fence_end(self, start: int, mark: str, column: int, quoted: bool) -> int | None:
        for at in range(start, len(self.lines)):
            line = self.lines[at]
            if quoted:
                quote = _QUOTE.match(line)
                if not quote:
                    return at  # the quote ends here, and the fence with it
                line = line[quote.end() :]
            if not column and mark[0] not in line:
                continue
            indent, rest = _indented(line)
            if not rest:
                continue
            if indent < column:
                return at  # the list item ends here
            if rest[0] == mark[0] and indent - column < 4:
                tail = rest.lstrip(mark[0])
                if len(rest) - len(tail) >= len(mark) and not tail.strip():
                    return at + 1
        return len(self.lines) if column or quoted else None

    def _slide_end(self, start: int) -> int:
        lines = self.lines
        cuts = () if self.commonmark else range(start, len(lines))
        return next((at for at in cuts if is_separator(lines, at)), len(lines))

    def _comments(self, at: int) -> int:
        """Collects the comments that start on line `at`; returns the line on which the last of them ends."""
        line = self.lines[at]
        start = line.find("<!--")
        if start < 0:
            return at
        spans = code_spans(line)[::-1]
        while start >= 0:
            while spans and spans[-1][1] <= start:
                spans.pop()
            if spans and spans[-1][0] < start:
                start = line.find("<!--", spans[-1][1])
                continue
            if _escaped(line, start):
                start = line.find("<!--", start + 4)
                continue
            last, end, closed = self._comment_end(at, start)
            if self.commonmark and line[:start].strip() and not self._one_paragraph(at, last, closed):
                start = line.find("<!--", start + 4)
                continue
            tail = end - 3 if closed else end
            if last == at:
                body = line[start + 4 : tail]
            else:
                body = "\n".join([line[start + 4 :], *self.lines[at + 1 : last], self.lines[last][:tail]])
            self.comments.append(Comment(at, start, last, end, body, closed))
            if last > at:
                self.held[at + 1 : last + 1] = b"\1" * (last - at)
                at, line = last, self.lines[last]
                spans = []
            start = line.find("<!--", end)
        return at

    def _comment_end(self, at: int, start: int) -> tuple[int, int, bool]:
        column = start + 2  # `<!-->` and `<!--->` are whole comments
        if self.comment_ends:
            for row in range(at, len(self.lines)):
                end = self.lines[row].find("-->", column)
                if end >= 0:
                    return row, end + 3, True
                column = 0
            self.comment_ends = False
        last = self._slide_end(at + 1) - 1
        return last, len(self.lines[last]), False

    def _one_paragraph(self, at: int, last: int, closed: bool) -> bool:
        return closed and all(self.lines[row].strip() for row in range(at, last))


def _indented(line: str) -> tuple[int, str]:
    """The columns of white space a line starts with, tabs counted to the next fourth, and the rest of it."""
    rest = line.lstrip(" \t")
    lead = line[: len(line) - len(rest)]
    return len(lead.expandtabs(4) if "\t" in lead else lead), rest


def _escaped(line: str, at: int) -> bool:
    """Whether an odd number of backslashes stands before column `at`."""
    first = at
    while first and line[first - 1] == "\\":
        first -= 1
    return (at - first) % 2 == 1


def code_spans(line: str) -> list[tuple[int, int]]:
    """Return the (start, end) of every `code span` that opens and closes on this line, in order."""
    if "`" not in line:
        return []
    runs = [(m.start(), m.end()) for m in re.finditer("`+", line)]
    partner: list[int | None] = [None] * len(runs)
    nearest: dict[int, int] = {}
    for k in range(len(runs) - 1, -1, -1):
        size = runs[k][1] - runs[k][0]
        # A backslash takes the first mark from the run that it would open, none from one that ends a span.
        partner[k] = nearest.get(size - _escaped(line, runs[k][0]))
        nearest[size] = k
    spans, k = [], 0
    while k < len(runs):
        other = partner[k]
        if other is not None:
            spans.append((runs[k][0], runs[other][1]))
            k = other
        k += 1
    return spans

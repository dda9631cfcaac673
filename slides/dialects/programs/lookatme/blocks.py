"""The blocks of a text as lookatme's own parser cuts it: mistune 0.8, which is older than CommonMark.

Its rules are tried in an order, line by line. Here they are only as far as they tell where slides begin: a
block reaches as far as there, and what is in it is looked at where there may be a rule, heading or comment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

_DEEPEST = 6
_LONGEST = 1000  # characters of a line that are looked at

_INLINE = (
    "a|em|strong|small|s|cite|q|dfn|abbr|data|time|code|var|samp|kbd|sub|sup|i|b|u|mark|ruby|rt|rp|bdi|bdo|span|br"
    "|wbr|ins|del|img|font"
)
_RULE = re.compile(r" {0,3}[-*_](?: *[-*_]){2,} *")
_HEADING = re.compile(r" *(#{1,6}) *([^\n]+?) *#* *")
_UNDERLINE = re.compile(r" *[=-]*([=-]) *")
_FENCE = re.compile(r" *(`{3,}|~{3,}) *(?:[^`\s]+)? *")
_QUOTE = re.compile(r" *>[^\n]+")
_QUOTED = re.compile(r" *> ?")
_LIST = re.compile(r"( *)(?=[*+-]|\d+\.)(?:([*+-])?(?:\d+\.)?) ", re.ASCII)
_BULLET = re.compile(r"( *)(?:[*+-]|\d+\.) +", re.ASCII)
_LINK = re.compile(r' *\[[^^\]]+\]: *<?[^\s>]+>?(?: +["(][^\n]+[")])? *')
_FOOTNOTE = re.compile(r"\[\^[^\]]+\]: *")
_NAMED = re.compile(rf"<(?!(?:{_INLINE})\b)(\w+)(?!:/|[^\w\s@]*@)\b")
_ATTRIBUTES = re.compile(r"""(?:\s+[a-zA-Z-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s'">]+))?)*\s*(/?)>""")
_STOP = re.compile(r"<!--\s*stop\s*-->")
_TABLE = (re.compile(r" *\|.+"), re.compile(r" *\| *[-:]+[-| :]*"), re.compile(r" *\|.*"))
_BARE_TABLE = (re.compile(r" *\S.*\|.*"), re.compile(r" *[-:]+ *\|[-| :]*"), re.compile(r".*\|.*"))


class Met(NamedTuple):
    """A token of the program that begins on `line`, from 0: a `rule`, `heading` or `stop`, or any `other`."""

    kind: str
    line: int
    level: int = 0


def blocks(lines: Sequence[str]) -> list[Met]:
    """All of a text, those within lists and quotes as well, in their order. In time linear in it."""
    found: list[Met] = []
    _Reader([line[:_LONGEST] for line in lines], 0, found).read(_ALL)
    return found


class _Reader:
    """The lines of a text, or of what is in one of its blocks, which begins on line `first` of the text.

    A rule gets a line and returns the one behind its block, or 0 where the rule does not hold.
    """

    def __init__(
        self, lines: list[str], first: int, found: list[Met], lists: int = 0, quotes: int = 0
    ) -> None:
        while lines and not lines[-1]:
            lines.pop()
        self.lines, self.first, self.found, self.lists, self.quotes = lines, first, found, lists, quotes
        self.hopeless: set[str] = set()

    def read(self, rules: Sequence[Callable[[_Reader, int], int]]) -> None:
        at = 0
        while at < len(self.lines):
            at = next(filter(None, (rule(self, at) for rule in rules)), at + 1)

    def met(self, kind: str, at: int, level: int = 0) -> None:
        self.found.append(Met(kind, self.first + at, level))

    def past_blank(self, at: int) -> int:
        while at < len(self.lines) and not self.lines[at]:
            at += 1
        return at

    def other(self, at: int, end: int) -> int:
        self.met("other", at)
        return self.past_blank(end)

    def within(self, lines: list[str], at: int, *, lists: int = 0, quotes: int = 0) -> _Reader:
        return _Reader(lines, self.first + at, self.found, self.lists + lists, self.quotes + quotes)

    # -- rules --------------------------------------------------------------------------------------------

    def newline(self, at: int) -> int:
        end = self.past_blank(at)
        if end > at + 1:
            self.met("other", at)
        return end if end > at else 0

    def rule(self, at: int) -> int:
        if not _RULE.fullmatch(self.lines[at]):
            return 0
        self.met("rule", at)
        return self.past_blank(at + 1)

    def block_code(self, at: int) -> int:
        end = at
        while end < len(self.lines) and self.lines[end][:4] == "    " and self.lines[end][4:]:
            end = self.past_blank(end + 1)
        return self.other(at, end) if end > at else 0

    def fence(self, at: int) -> int:
        end = self.fenced(at)
        return self.other(at, end) if end else 0

    def fenced(self, at: int) -> int:
        """Its mark may stand behind words as well; a code block without a line is none."""
        match = _FENCE.fullmatch(self.lines[at])
        if not match or match[1] in self.hopeless:
            return 0
        for line in range(at + 1, len(self.lines)):
            text = self.lines[line].rstrip(" ")
            if text.endswith(match[1]) and (line > at + 1 or text != match[1]):
                return line + 1
        self.hopeless.add(match[1])
        return 0

    def heading(self, at: int) -> int:
        match = _HEADING.fullmatch(self.lines[at])
        if not match:
            return 0
        self.met("heading", at, len(match[1]))
        return self.past_blank(at + 1)

    def underlined(self, at: int) -> int:
        match = self.underline(at)
        if not match:
            return 0
        self.met("heading", at, 1 if match[1] == "=" else 2)
        return self.past_blank(at + 2)

    def underline(self, at: int) -> re.Match[str] | None:
        return _UNDERLINE.fullmatch(self.lines[at + 1]) if at + 1 < len(self.lines) else None

    def table(self, at: int) -> int:
        return self.tabled(at, *_TABLE)

    def bare_table(self, at: int) -> int:
        return self.tabled(at, *_BARE_TABLE)

    def tabled(self, at: int, head: re.Pattern[str], under: re.Pattern[str], row: re.Pattern[str]) -> int:
        lines = self.lines
        if at + 2 >= len(lines) or not under.fullmatch(lines[at + 1]) or not head.fullmatch(lines[at]):
            return 0
        end = at + 2
        while end < len(lines) and row.fullmatch(lines[end]):
            end += 1
        return self.other(at, end)

    def quote(self, at: int) -> int:
        end = at
        while end < len(self.lines) and _QUOTE.fullmatch(self.lines[end]):
            while end < len(self.lines) and self.lines[end]:
                end += 1
            end = self.past_blank(end)
        if end == at:
            return 0
        self.met("other", at)
        if self.quotes < _DEEPEST:
            inner = [
                _QUOTED.sub("", line, count=1) if _QUOTED.match(line) else line for line in self.lines[at:end]
            ]
            self.within(inner, at, quotes=1).read(_ALL)
        return end

    def list(self, at: int) -> int:
        match = _LIST.match(self.lines[at])
        if not match or (match.end() == len(self.lines[at]) and at + 1 == len(self.lines)):
            return 0
        end = self.listed(at, match[1], bool(match[2]))
        self.met("other", at)
        if self.lists < _DEEPEST:
            starts = [
                n for n in range(at, end) if (found := _BULLET.match(self.lines[n])) and found[1] == match[1]
            ]
            for first, last in zip(starts, [*starts[1:], end], strict=True):
                bullet = _BULLET.match(self.lines[first])
                space = bullet.end() if bullet else 0
                rest = self.lines[first + 1 : last]
                inner = [line[min(space, len(line) - len(line.lstrip(" "))) :] for line in rest]
                self.within([self.lines[first][space:], *inner], first, lists=1).read(_IN_LISTS)
        return end

    def listed(self, at: int, indent: str, bulleted: bool) -> int:
        """The line behind a list: a rule, the other kind of bullets, or below a blank one not indented."""
        line = at
        while line < len(self.lines):
            below = self.past_blank(line + 1)
            if below == len(self.lines):
                return below
            text = self.lines[below]
            bullet = _BULLET.match(text) if text.startswith(indent) else None
            same = bullet is not None and bullet[1] == indent
            other = same and (text[len(indent)] in "*+-") != bulleted
            if other or _LINK.fullmatch(text) or _FOOTNOTE.match(text):
                return below
            bare = text.removeprefix(indent)
            if re.fullmatch(r"(?:[-*_] *){3,}", bare) or re.fullmatch(r"(?:[-*_] *){3,}", text):
                return below
            if below - line > 2 or (below - line > 1 and text[:1] != " " and not same):
                return below
            line = below
        return line

    def html(self, at: int) -> int:
        text = self.lines[at].lstrip(" ")
        if text.startswith("<!--"):
            end = self.closed(at, "-->", 4)
            if end:
                whole = "\n".join(self.lines[at : min(end, at + 4)])
                self.met("stop" if _STOP.match(whole) else "other", at)
            return end
        match = _NAMED.match(text)
        attributes = _ATTRIBUTES.match(text, match.end()) if match else None
        if not match or not attributes:
            return 0
        before = len(self.lines[at]) - len(text) + attributes.end()
        end = self.closed(at, f"</{match[1]}>", before)
        if not end and not text[attributes.end() :].strip(" ") and self.ends(at):
            end = self.past_blank(at + 1)
        if end:
            self.met("other", at)
        return end

    def closed(self, at: int, mark: str, start: int) -> int:
        """The line behind the first `mark` that ends its line, with a blank one or nothing below it."""
        if mark in self.hopeless:
            return 0
        for line in range(at, len(self.lines)):
            text = self.lines[line][start if line == at else 0 :].rstrip(" ")
            if text.endswith(mark) and self.ends(line):
                return self.past_blank(line + 1)
        self.hopeless.add(mark)
        return 0

    def ends(self, at: int) -> bool:
        return at + 1 == len(self.lines) or not self.lines[at + 1]

    def link(self, at: int) -> int:
        return self.past_blank(at + 1) if _LINK.fullmatch(self.lines[at]) else 0

    def footnote(self, at: int) -> int:
        match = _FOOTNOTE.match(self.lines[at])
        if not match:
            return 0
        end = self.past_blank(at + 1)
        while end < len(self.lines) and self.lines[end][:1] == " ":
            end = self.past_blank(end + 1)
        self.met("other", at)
        inner = [self.lines[at][match.end() :], *(line.lstrip(" ") for line in self.lines[at + 1 : end])]
        self.within(inner, at, quotes=1).read(_ALL if self.quotes < _DEEPEST else (_Reader.text,))
        return end

    def paragraph(self, at: int) -> int:
        end = at + 1
        while end < len(self.lines) and self.lines[end] and not self.interrupts(end):
            end += 1
        return self.other(at, end)

    def interrupts(self, at: int) -> bool:
        text = self.lines[at]
        return bool(
            _RULE.fullmatch(text)
            or _HEADING.fullmatch(text)
            or self.underline(at)
            or _QUOTE.fullmatch(text)
            or _LIST.match(text)
            or _NAMED.match(text)
            or _LINK.fullmatch(text)
            or _FOOTNOTE.match(text)
            or self.fenced(at)
        )

    def text(self, at: int) -> int:
        self.met("other", at)
        return at + 1


_ALL = (
    _Reader.newline, _Reader.rule, _Reader.block_code, _Reader.fence, _Reader.heading, _Reader.bare_table,
    _Reader.underlined, _Reader.quote, _Reader.list, _Reader.html, _Reader.link, _Reader.footnote,
    _Reader.table, _Reader.paragraph,
)  # fmt: skip
_IN_LISTS = (
    _Reader.newline, _Reader.block_code, _Reader.fence, _Reader.underlined, _Reader.rule, _Reader.quote,
    _Reader.list, _Reader.html, _Reader.text,
)  # fmt: skip

"""Comark (MDC before) in a deck of Slidev that asks for it: braces behind words say how they look, and when
they come. `[words]{.red}` and `words{v-click}` are words, `:badge[words]{a=b}` what its component says."""

from __future__ import annotations

import re

from slides.dialects.programs.slidev.clicks import Clicks
from slides.dialects.source import Source
from slides.dialects.translation import Draft
from slides.reading.scan import code_spans

_BRACES = re.compile(r"[ \t]*(?<!\\)\{([^{}\n]{1,400})\}")
_WORD = re.compile(r"[.#][\w:/%-]+|[\w:@-]+=(?:\"[^\"]*\"|'[^']*'|[^\s\"'{}]+)|v-[\w.-]+|[\w:@-]+")
_SURE = re.compile(r"(?:^|\s)[.#]|=|v-")  # a set such as {x} has none of these
_SPAN = re.compile(r"\[[^\[\]\n]{0,400}\]$")
_NAME = re.compile(r"(?<![\w:/]):([a-z][\w-]{0,40})$")
_LABELLED = re.compile(r"(?<![\w:/]):([a-z][\w-]{0,40})(?=\[[^\[\]\n]{1,400}\](?!\())")
_BLOCK = re.compile(r"\s*:{2,}(?:([a-z][\w-]{0,40})(?:\{[^{}\n]{0,400}\})?)?\s*")
_ELSE = re.compile(  # braces in formulas, over several lines too, and in tags are none of these
    r"(?<!\\)\$\$(?s:.{1,4000}?)\$\$|(?<![\\$])\$(?=\S)[^$\n]+(?:\n[^$\n]+){0,8}(?<=\S)\$|<[^<>\n]*>"
)
_SIGN = re.compile(r"[^\n]")
_LONGEST = 2000


def read(draft: Draft, source: Source, clicks: Clicks) -> None:
    """Leave the words of each line, and note what comes with a click."""
    lines = ["" if draft.coded[line] else _without_code(text) for line, text in enumerate(draft.shown)]
    hidden = _ELSE.sub(lambda found: _SIGN.sub("\0", found[0]), "\n".join(lines)).split("\n")
    for line, text in enumerate(draft.shown):
        if draft.coded[line] or line in draft.instead or len(text) > _LONGEST:
            continue
        if match := _BLOCK.fullmatch(hidden[line]):
            if match[1]:
                source.component(match[1], draft.place(line))
            draft.shown[line] = ""
        elif "{" in hidden[line] or ":" in hidden[line]:
            draft.shown[line] = _words(text, hidden[line], line, draft, source, clicks)


def _without_code(text: str) -> str:
    for start, end in code_spans(text):
        text = text[:start] + "\0" * (end - start) + text[end:]
    return text


def _words(text: str, hidden: str, line: int, draft: Draft, source: Source, clicks: Clicks) -> str:
    """The words of a line; `hidden` is the line with another sign for each of what is none of its braces."""
    away: list[tuple[int, int]] = []

    def component(at: int, named: re.Match[str] | None) -> None:
        if named:
            source.component(named[1], draft.place(line))
            away.append((named.start(), at))

    for match in _BRACES.finditer(hidden):
        if _WORD.sub("", match[1]).strip() or not _SURE.search(match[1]):
            continue
        clicks.tag(line, "span", match[1])
        away.append(match.span())
        before = hidden[: match.start()]
        span = _SPAN.search(before)
        at = span.start() if span else match.start()
        if span:
            away += [(at, at + 1), (span.end() - 1, span.end())]
        component(at, _NAME.search(before[:at]))
    for match in _LABELLED.finditer(hidden):
        component(match.end(), match)
        end = hidden.index("]", match.end())
        away += [(match.end(), match.end() + 1), (end, end + 1)]
    gone = {n for start, end in away for n in range(start, end)}
    return "".join(sign for n, sign in enumerate(text) if n not in gone)

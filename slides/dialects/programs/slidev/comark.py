"""Comark (MDC before) in a deck of Slidev that asks for it: braces behind words say how they look, and when
they come. `[words]{.red}` and `words{v-click}` are words, `:badge[words]{a=b}` what its component says."""

from __future__ import annotations

import re

from slides.dialects.draft import Draft
from slides.dialects.programs.slidev.clicks import Clicks
from slides.dialects.source import Source
from slides.reading.scan import code_spans

_BRACES = re.compile(r"[ \t]*\{([^{}\n]{1,400})\}")
_WORD = re.compile(r"[.#][\w:/%-]+|[\w:@-]+=(?:\"[^\"]*\"|'[^']*'|[^\s\"'{}]+)|v-[\w.-]+|[\w:@-]+")
_SURE = re.compile(r"(?:^|\s)[.#]|=|v-")  # a set such as {x} has none of these
_SPAN = re.compile(r"\[[^\[\]\n]{0,400}\]$")
_NAME = re.compile(r"(?<![\w:/]):([a-z][\w-]{0,40})$")
_LABELLED = re.compile(r"(?<![\w:/]):([a-z][\w-]{0,40})(?=\[[^\[\]\n]{1,400}\](?!\())")
_BLOCK = re.compile(r"\s*:{2,}(?:([a-z][\w-]{0,40})(?:\{[^{}\n]{0,400}\})?)?\s*")
_ELSE = re.compile(r"\$[^$\n]+\$|<[^<>\n]*>")  # braces in formulas and in tags are none of these
_LONGEST = 2000


def read(draft: Draft, source: Source, clicks: Clicks) -> None:
    """Leave the words of each line, and note what comes with a click."""
    formula = False
    for line, text in enumerate(draft.shown):
        formula ^= text.strip() == "$$"
        if formula or draft.coded[line] or line in draft.instead or len(text) > _LONGEST:
            continue
        if match := _BLOCK.fullmatch(text):
            if match[1]:
                source.component(match[1], draft.place(line))
            draft.shown[line] = ""
        elif "{" in text or ":" in text:
            draft.shown[line] = _words(text, line, draft, source, clicks)


def _words(text: str, line: int, draft: Draft, source: Source, clicks: Clicks) -> str:
    hidden = _ELSE.sub(lambda found: "\0" * len(found[0]), text)
    for start, end in code_spans(text):
        hidden = hidden[:start] + "\0" * (end - start) + hidden[end:]
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

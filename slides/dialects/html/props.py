"""Words that a component is given as attributes: its program draws them, and nothing else says them.

`<Card title="A" :items="[{ label: 'b', text: 'c' }]" />` says A, and b with c. What only arranges or colours
is left out, by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from slides.dialects.html.lines import BREAK, GAP

_WORDS = frozenset((
    "answer", "author", "before", "after", "body", "caption", "content", "desc", "description", "detail",
    "details", "eyebrow", "header", "heading", "headline", "kicker", "label", "left", "message", "note",
    "question", "quote", "right", "role", "signal", "source", "sub", "subtitle", "summary", "tagline", "text",
    "title", "value", "year",
))  # fmt: skip
_TITLES = ("title", "heading", "headline", "header")
_GIVEN = re.compile(r"(?:^|\s)(:?)([A-Za-z][\w-]{0,40})=(\"[^\"]{0,4000}\"|'[^']{0,4000}')")
_TOKEN = re.compile(
    r"'((?:\\.|[^'\\\n]){0,400})'|`((?:\\.|[^`\\]){0,400})`|([\w$]{1,60})\s{0,9}:(?!:)|([\[\]{}])"
)
_LITERAL = re.compile(r"\s*'((?:\\.|[^'\\\n]){1,400})'\s*")
_NAME = re.compile(r"[\w./:@#%-]*[-/:.@#%][\w./:@#%-]*")  # of a file, a class, another slide: not for readers
_LETTER = re.compile(r"[^\W_]")
_LONGEST, _MOST = 12_000, 60  # characters of a tag, things said in it


def said(written: str) -> str:
    """What the attributes `written` in a tag say: lines and items, with what parts them; "" for nothing."""
    if "=" not in written or len(written) > _LONGEST:
        return ""
    titles: list[str] = []
    lines: list[str] = []
    items: list[str] = []
    for bound, name, value in _GIVEN.findall(written):
        inner = value[1:-1]
        if bound and (match := _LITERAL.fullmatch(inner)):
            bound, inner = "", _bare(match[1])
        if bound and inner.lstrip()[:1] in ("[", "{"):
            items += _items(inner)
        elif not bound and name.lower() in _WORDS and _LETTER.search(inner):
            (titles if name.lower() in _TITLES else lines).append(_plain(inner))
    heads = [f"**{title}**" for title in titles]
    rows = BREAK.join(heads + lines)
    listed = BREAK.join(f"- {item}" for item in items[:_MOST])
    return GAP.join(part for part in (rows, listed) if part)


def _items(literal: str) -> Iterator[str]:
    """The objects of a literal of JavaScript, or the strings of its lists, an item each."""
    words: list[str] = []
    open_: list[str] = []
    key = ""
    for match in _TOKEN.finditer(literal):
        text, other, name, mark = match.groups()
        if name:
            key = name
            continue
        if mark:
            if words:
                yield " — ".join(words)
                words = []
            if mark in "[{":
                open_.append(mark)
            elif open_:
                open_.pop()
            key = "" if mark != "[" else key
            continue
        value = _plain(_bare(text or other or ""))
        if open_[-1:] == [
            "["
        ]:  # a list of strings; of one that is named its name says whether they are words
            named = len(open_) == 1 or key in _WORDS or key.endswith("s")
            if named and _LETTER.search(value) and not _NAME.fullmatch(value):
                yield value
        elif key in _WORDS and value.strip():
            words.append(value)
        key = "" if open_[-1:] != ["["] else key


def _bare(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def _plain(text: str) -> str:
    """On one line, and no tag of HTML in it."""
    return " ".join(text.split()).replace("<", "\\<")

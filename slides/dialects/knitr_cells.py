"""Cells of code that knitr and Quarto run: what their options show of them without running anything."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from slides.dialects.source import Source
from slides.dialects.translation import Draft

_OPTION = re.compile(r"#\|[ \t]?([\w.-]+):[ \t]?(.*)")
_SAID = re.compile(r"\b(echo|include)[ \t]{0,9}=[ \t]{0,9}(\w+)")
_SET = re.compile(r"opts_chunk\$set\([^()]{0,400}?\becho[ \t]{0,9}=[ \t]{0,9}(\w+)")
_PICTURE = re.compile(
    r"[ \t]*(?:knitr::)?include_graphics\([ \t]*(?:path[ \t]*=[ \t]*)?"
    r"[\"']([^\"'\n]{1,400})[\"'][^()\n]{0,200}\)[ \t]*"
)
_EXPRESSION = re.compile(r"(?<!`)`(?:r|\{(?:r|python|julia|ojs)\})[ \t]+[^`\n]{1,400}`(?!`)")

NOT_RUN = "cells that only show what they print are not run: their slides lack it"
VALUES = "values that R or Python would compute within a line are not there"
RUN_BEFORE = "Put the picture or the table that they make into the deck."


class Chunk(NamedTuple):
    """`rows` of code without its options. `cell`: it is run, and `hidden` if only what it prints is shown.

    Of one that is `unseen` nothing is shown. `picture` is the file that it does nothing but show.
    """

    lang: str
    rows: list[str]
    known: dict[str, str]
    cell: bool
    hidden: bool
    unseen: bool
    picture: str


def of_all(text: str) -> Literal["hidden", "shown", ""]:
    """Whether R Markdown shows the code of all cells, as the text sets it for them; "" where it does not."""
    found = _SET.search(text) if "opts_chunk$set(" in text else None
    return "" if found is None else "hidden" if _no(found[1]) else "shown"


def chunk(info: str, code: Sequence[str], silent: bool) -> Chunk:
    """Read a fence's words and its code; where cells are `silent`, only what says otherwise is shown."""
    inner = info.strip("{}").strip() if info.startswith("{") else info.split(" ")[0].split("{")[0]
    cell = info.startswith("{") and inner[:1].isalpha()
    words = inner.replace(",", " ").split()
    said = {m[1]: m[2] for m in _SAID.finditer(info)} if cell else {}
    own = {m[1]: m[2].strip() for row in code if (m := _OPTION.fullmatch(row))}
    known = said | own
    rows = [row for row in code if not _OPTION.fullmatch(row)]
    echo = known.get("echo", "")
    unseen = cell and _no(known.get("include", ""))
    hidden = cell and (unseen or _no(echo) or (silent and not echo))
    calls = [row for row in rows if row.strip() and not row.lstrip().startswith("#")]
    shown = _PICTURE.fullmatch(calls[0]) if cell and not unseen and len(calls) == 1 else None
    lang = words[0].lstrip(".") if words else ""
    return Chunk(lang, rows, known, cell, hidden, unseen, shown[1] if shown else "")


def drop_expressions(draft: Draft, source: Source) -> None:
    """Take out what stands in a line only until knitr or Quarto puts a value there: `r x`, `{python} x`."""
    for n, line in enumerate(draft.shown):
        if "`" not in line or draft.coded[n] or n in draft.instead or not _EXPRESSION.search(line):
            continue
        draft.shown[n] = _EXPRESSION.sub("", line)
        source.once(draft.place(n), VALUES, "Write the value itself.")


def _no(word: str) -> bool:
    return word.lower() in ("false", "f")

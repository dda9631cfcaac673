"""The lines of a question that give its key away, and what stands in their place for who may not have it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from slides.reading.scan import Marks

HIDDEN = "<!-- -->"
_OPTION = re.compile(r"([ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)\[([^\]]?)\](?=[ \t]|$)")


def without_key(body: Sequence[str], marks: Marks, first: int) -> list[str]:
    """A question's body, line `first` of the text `marks` is of, with no box ticked and no explanation.

    What a `>` begins after the first option explains until the next option, whether each line has its `>` or
    not; a `>` above the first option is part of the stem.
    """
    plain = {
        line for fence in marks.fences if not fence.prefix.strip() for line in range(fence.first, fence.end)
    }
    out: list[str] = []
    options, explaining = False, False
    for line, text in enumerate(body, start=first):
        option = None if line in plain else _OPTION.match(text)
        if option:
            options, explaining = True, False
            empty = " " if option[2] in ("x", "X") else option[2]
            out.append(f"{option[1]}[{empty}]{text[option.end() :]}")
            continue
        if options and line not in plain and text.lstrip().startswith(">"):
            explaining = True
        out.append(HIDDEN if explaining and text.strip() else text)
    return out

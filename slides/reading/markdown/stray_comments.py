"""Comments that Markdown has in a text after `slides.reading.scan` took its own out of it.

The scan knows CommonMark's blocks well, not wholly. What it took for code and Markdown does not is a comment
all the same: it may be a note, so nobody sees it, neither on a slide nor in the text an audience is given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.token import Token

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def without_comments(html: str) -> str:
    """A piece of HTML without its comments, over as many lines; one that is never closed goes to the end."""
    return _COMMENT.sub(_blank, html) if "<!--" in html else html


def blanked(lines: Sequence[str], tokens: Iterable[Token]) -> tuple[list[str], list[int]]:
    """(`lines` without the comments that `tokens`, read from them, hold; on which lines those begin)."""
    out, found = list(lines), list[int]()
    for token in tokens:
        if not token.map:
            continue
        first, end = token.map
        if token.type == "html_block" and _COMMENT.search(token.content):
            out[first:end] = without_comments("\n".join(out[first:end])).split("\n")
        elif strays := [c.content for c in token.children or () if _is_comment(c)]:
            text = "\n".join(out[first:end])
            for stray in strays:  # where its lines are indented, each comment of these lines goes
                text = (
                    text.replace(stray, "\n" * stray.count("\n")) if stray in text else without_comments(text)
                )
            out[first:end] = text.split("\n")
        else:
            continue
        found.append(first)
    return out, found


def _is_comment(token: Token) -> bool:
    return token.type == "html_inline" and token.content.startswith("<!--")


def _blank(comment: re.Match[str]) -> str:
    return "\n" * comment[0].count("\n")

"""Comments, escapes and format marks in GIFT's texts.

Comments and escapes are put out of the way before all else, each by as many characters as it has: then every
control character left is one, `find` and `split` do, and offsets stay those of the file.
"""

from __future__ import annotations

import re
from typing import get_args

from quiz.question import Markup

_MARKUPS = {markup: markup for markup in get_args(Markup)}
_SLASHES = re.compile("//")
_COMMENT = re.compile(r"\n[ \t]*//.*")  # of a text that begins with an end of a line
GONE = "\x1f"  # stands for a comment's text: no blank line, yet blank to `strip`
ESCAPE = "\x0e"  # stands for the backslash of an escape, another control character for what it escapes
_MEANT = dict(zip("\x01\x02\x03\x04\x05\x06\x07\x08", "\\~=#{}:\n", strict=True))
_STANDS = {"n" if sign == "\n" else sign: ESCAPE + stand for stand, sign in _MEANT.items()}


class Misread(Exception):
    """A mistake at an offset of a text, and what to write instead; `more` are further ones."""

    def __init__(self, at: int, message: str, mend: str) -> None:
        super().__init__(message)
        self.at, self.message, self.mend = at, message, mend
        self.more: list[Misread] = []

    def shift(self, by: int) -> None:
        """Move the offsets by `by` characters, into a text that begins earlier."""
        for error in (self, *self.more):
            error.at += by


def tidied(text: str) -> str:
    """The text of a file with plain ends of lines, and without control characters that stand for others."""
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.replace(GONE, " ").replace(ESCAPE, " ").replace("\n\ufeff", "\n ")


def hidden(text: str) -> str:
    """Return the text with comments and escapes masked, offsets unchanged."""
    if _SLASHES.search(text):  # finds them faster than `in`
        text = _COMMENT.sub(lambda match: "\n" + GONE * (len(match[0]) - 1), "\n" + text)[1:]
    if "\\" in text:
        first, *rest = text.split("\\")
        made = [first]
        pieces = iter(rest)
        for piece in pieces:
            if piece:
                stands = _STANDS.get(piece[0])
                made.append(stands + piece[1:] if stands else "\\" + piece)
            else:  # between two of them
                second = next(pieces, None)
                made.append("\\" if second is None else _STANDS["\\"] + second)
        text = "".join(made)
    return text


def comments(text: str) -> list[str]:
    """The comments in a text of which nothing is hidden, each with its `//`."""
    return _COMMENT.findall("\n" + text)


def meant(raw: str, whole: Markup) -> str:
    """The text meant by `raw`: comments left out, escapes resolved, no blanks around it.

    One that says its own format is written in that of the `whole` question.
    """
    own, text = marked(raw, whole) if "[" in raw else (whole, raw)
    text = plain(text)
    if own != whole:
        from quiz.markup import within  # it brings a parser of HTML, for few files

        return within(text, own, whole)
    return text


def bare(raw: str) -> str:
    """As `meant`, of what is compared or listed letter by letter, in whatever format it says to be."""
    return plain(marked(raw, "plain")[1])


def marked(raw: str, otherwise: Markup) -> tuple[Markup, str]:
    """Return the format mark of `raw`, and the text after it."""
    mark, closed, text = raw.partition("]")
    name = mark.lstrip()
    if closed and name[:1] == "[" and (markup := _MARKUPS.get(name[1:])):
        return markup, text
    return otherwise, raw


def plain(raw: str) -> str:
    """Return the text meant by `raw`, which has no format mark."""
    if GONE in raw:
        raw = re.sub(f"{GONE}+\n?", "", raw)
    if ESCAPE in raw:
        first, *rest = raw.strip().split(ESCAPE)
        raw = first + "".join([_MEANT[part[0]] + part[1:] for part in rest])
    return raw.strip()

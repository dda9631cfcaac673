"""Raised and lowered words where every letter stands on the line: in Unicode's small letters where it has all
of them, else as formulas are written on a line, `x^(2,5)`."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import groupby

from msgspec.structs import replace

from slides.deck import Inline, Inlines

_SIGNS = {"sup": "^", "sub": "_"}
_VOICED = frozenset("0123456789+-=()n")  # their small letters are read out as what they are
# Of a title that is not yet read: code and formulas are let be.
_VERBATIM = re.compile(r"(`+[^`]*`+|(?<!\\)\$[^$]+\$)")
_WRITTEN = re.compile(
    r"(?<![\\^])\^([^\s^]+)\^|(?<![\\~])~(?!~)([^\s~]+)~(?!~)"
    r"|<su([bp])\b[^<>]*>([^<>]*)</su[bp]>",
    re.IGNORECASE,
)


def in_words(content: Inlines) -> Inlines:
    """Where words are told, to a voice, a pipe or a search: nothing raised or lowered reads as level."""
    return _level(content, _told)


def on_screen(content: Inlines) -> Inlines:
    """The same on a slide, where a remark of several words, `price^Coming soon^`, is set apart instead."""
    return _level(content, _shown)


def on_a_line(text: str, script: str, voiced: bool = False) -> str:
    """`text` in small letters where all of it can be, else behind the sign of its `script`. `voiced`: only in
    those that are read out, which a modifier letter is not."""
    small = _letters(script)
    if all(letter in small and (not voiced or letter in _VOICED) for letter in text):
        return "".join(small[letter] for letter in text)
    return f"{_SIGNS[script]}{text}" if len(text) == 1 else f"{_SIGNS[script]}({text})"


def in_title(title: str) -> str:
    """The Markdown of a title with what it raises and lowers in letters of the line."""
    if "^" not in title and "~" not in title and "<su" not in title.lower():
        return title
    parts = _VERBATIM.split(title)
    parts[::2] = [_WRITTEN.sub(_found, part) for part in parts[::2]]
    return "".join(parts)


def on_the_line(text: str) -> str:
    """The small letters of `text` as those they are made from."""
    return text if text.isascii() else text.translate(_large())


def _found(match: re.Match[str]) -> str:
    raised, lowered, letter, inside = match.groups()
    script = "sup" if raised or letter in ("p", "P") else "sub"
    text = (raised or lowered or inside or "").strip()
    return on_a_line(text, script) if text else ""


def _told(text: str, script: str, attached: bool) -> str:
    return on_a_line(text, script, voiced=True)


def _shown(text: str, script: str, attached: bool) -> str:
    if len(text.split()) > 1 and all(c.isalpha() or c in " .,!?'’" for c in text):
        return f" {text}" if attached else text
    level = on_a_line(text, script)
    return text if level[:1] == _SIGNS[script] and not attached else level


def _level(content: Inlines, written: Callable[[str, str, bool], str]) -> Inlines:
    """`written` is given the words, which script they are in, and whether they stand at a word."""
    if not any(part.script for part in content):
        return content
    found: list[Inline] = []
    for script, some in groupby(content, lambda part: part.script):
        parts = list(some)
        if not script:
            found += parts
            continue
        before = found[-1] if found else None
        attached = before is not None and not before.hard_break and not before.text[-1:].isspace()
        if any(part.math or part.image for part in parts):
            sign = replace(parts[0], math=False, image=False, script="")
            found.append(replace(sign, text=f"{_SIGNS[script]}("))
            found += [replace(part, script="") for part in parts]
            found.append(replace(sign, text=")"))
            continue
        text = "".join(part.text for part in parts)
        level = written(text, script, attached)
        at = level.find(text)
        if at < 0 or len(parts) == 1:
            found.append(replace(parts[0], text=level, script=""))
            continue
        # Words in more than one style keep them, the signs around them are those of the first and the last.
        parts[0] = replace(parts[0], text=level[:at] + parts[0].text)
        parts[-1] = replace(parts[-1], text=parts[-1].text + level[at + len(text) :])
        found += [replace(part, script="") for part in parts]
    return tuple(found)


@cache
def _large() -> dict[int, str]:
    return {
        ord(small): of for script in _SIGNS for of, small in reversed(_letters(script).items()) if small != of
    }


@cache
def _letters(script: str) -> dict[str, str]:
    """Small letters for those of the line; formulas read the same ones."""
    from slides.math import symbols

    return symbols.SUPERSCRIPTS if script == "sup" else symbols.SUBSCRIPTS

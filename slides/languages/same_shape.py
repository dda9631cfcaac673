"""What a slide has in every language: directives, code, steps, and which answers are right. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import NamedTuple

WORDS = (
    "title",
    "caption",
    "label",
    "x",
    "y",
    "of",
)  # parameters that are words: another language has others
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_DIRECTIVE = re.compile(r" {0,3}:{3,}")
_SETTINGS = re.compile(r"^<!-- slide: *\{(?P<inner>[^\n]*)\} *-->$", re.M)
_COMMENT = re.compile(r"<!--(?P<text>.*?)-->", re.S)
_PARAMETER = re.compile(rf"""\b({"|".join(WORDS)})=("[^"]*"|'[^']*'|[^\s}}]+)""")
_FIRST = re.compile(r'\b(limit|unit)="([^"\s]+) [^"]*"')  # of these only the first word is no word
_UNIT_WORD = re.compile(r'\bunit=("[a-z]{3,}\b[^"]*"|[a-z]{3,}(?![^\s}]))')  # days, not ms or GB: a word too
_TICK = re.compile(r" {0,3}[-*+] +\[(?P<box>[ xX])\]")
_PAIR = re.compile(r" {0,3}[-*+] .*=>")
_ANSWER = re.compile(r" {0,3}= *(?P<text>.*\d.*)")
_NOT_STEPS = ("notes", "slide")


class Shape(NamedTuple):
    """`directives` and `code` line by line, `marks` the comments that are no notes (steps), `ticks` which
    boxes are ticked, `pairs` how many, `answers` those that are numbers."""

    directives: tuple[str, ...]
    code: tuple[str, ...]
    marks: tuple[str, ...]
    ticks: str
    pairs: int
    answers: tuple[str, ...]


def shape(raw: str) -> Shape:
    """Return the shape of a slide's text."""
    told = [" ".join(found["text"].split()) for found in _COMMENT.finditer(raw)]
    marks = tuple(text for text in told if not text.startswith(_NOT_STEPS))
    directives, code, ticks, pairs, answers = list[str](), list[str](), "", 0, list[str]()
    for line, fenced in _lines(_COMMENT.sub("", raw)):
        if fenced:
            code.append(line.rstrip())
        elif _DIRECTIVE.match(line):
            directives.append(
                " ".join(_FIRST.sub(r"\1=\2", _UNIT_WORD.sub("unit=", _PARAMETER.sub("", line))).split())
            )
        elif tick := _TICK.match(line):
            ticks += "x" if tick["box"] != " " else "o"
        elif _PAIR.match(line):
            pairs += 1
        elif answer := _ANSWER.match(line):
            answers.append(" ".join(answer["text"].split()))
    return Shape(tuple(directives), tuple(code), marks, ticks, pairs, tuple(answers))


def _lines(raw: str) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it is of a block of code."""
    fence = ""
    for line in raw.split("\n"):
        found = _FENCE.match(line)
        if fence:
            yield line, True
            if found and found[1].startswith(fence) and not line.strip(" `~"):
                fence = ""
        else:
            fence = found[1] if found else ""
            yield line, bool(found)


def differing(ours: str, theirs: str) -> str:
    """Return what of the shape of a translation is not the original's, in words; "" where all of it is."""
    for what, one, other in zip(Shape._fields, shape(ours), shape(theirs), strict=True):
        if one != other:
            return _SAID[what]
    return ""


_SAID = {
    "directives": "its directives (`:::` lines)",
    "code": "its code",
    "marks": "its steps",
    "ticks": "which answers are ticked",
    "pairs": "the number of its pairs",
    "answers": "its right numbers",
}


def fingerprint(raw: str) -> str:
    """Return what a slide's words are told by: of its text without its settings, 8 hexadecimal digits."""
    text = "\n".join(line.rstrip() for line in _SETTINGS.sub("", raw).strip().split("\n"))
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]


UNTOUCHED = "todo-"  # before the fingerprint of a slide that nobody has translated yet


def made_of(raw: str) -> str:
    """Return the fingerprint of the slide that a translation was made of, "" where it says none."""
    return settings(raw).get("of", "").removeprefix(UNTOUCHED)


def untouched(raw: str) -> bool:
    """Whether a slide of a translation still has the words that `course translate` wrote."""
    of = settings(raw).get("of", "")
    return of.startswith(UNTOUCHED) and fingerprint(raw) == of.removeprefix(UNTOUCHED)


def settings(raw: str) -> dict[str, str]:
    """Return the settings of a slide as they are written."""
    pairs = (part.partition(":") for part in inner(raw).split(","))
    return {key.strip(): value.strip() for key, _, value in pairs if key.strip()}


def inner(raw: str) -> str:
    """Return what stands in the braces of a slide's settings, "" where it has none."""
    found = _SETTINGS.search(raw)
    return found["inner"].strip() if found else ""


def with_settings(raw: str, text: str) -> str:
    """Return the text of a slide with these settings in place of its own; "": with none."""
    line = f"<!-- slide: {{{text}}} -->"
    if _SETTINGS.search(raw):
        return _SETTINGS.sub(lambda _: line if text else "", raw, count=1).lstrip("\n")
    return f"{line}\n{raw}" if text else raw

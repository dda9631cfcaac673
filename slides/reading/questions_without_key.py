"""The lines of a question that give its key away, and what stands in their place for who may not have it.

`slides` knows no kinds of questions: what is not known to be no key is not shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from slides.deck import Quiz
from slides.reading.scan import Marks, scan

HIDDEN = "<!-- -->"
_OPTION = re.compile(r"([ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)\[([^\]]?)\](?=[ \t]|$)")
# An option with its box, however deep in lists, quotes and bold.
_BOX = re.compile(
    r"(?P<marks>[ \t>]*+(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]++[ \t>]*+)++)(?P<bold>[*_~]*+)"
    r"\[(?P<mark>[xX ]|-?[0-9.]{1,11}%)\]"
)
# What may be an answer of any other kind: `= 5`, `~ 5`, `1. first`, `- left => right`, or what explains.
_ANSWER = re.compile(r"[ \t]*+([=~>](?![=~])|(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]|$))")
_TICK = re.compile(r"(?<![\w\]])\[(?:[xX]|-?[0-9.]{1,11}%)\](?![(:\[])")
_GAP = re.compile(r"\{\{(?:[^{}]*\}\}|.*?(?:\}\}+|\Z))", re.DOTALL)


def told_to_all(question: Quiz) -> list[str]:
    """What of a question anybody may see where nobody who knows its kind was asked: its text, without what
    belongs into gaps, and options without ticks. Of one without boxes all ends at its first answer."""
    body = question.body.split("\n")
    marks = scan(body)
    held = marks.held
    if marks.fences and not marks.fences[-1].closed:  # what is below it is an answer as well as code
        body = body[: marks.fences[-1].first]
    boxed = any(_BOX.match(text) for text, within in zip(body, held, strict=False) if not within)
    keyed = "poll" not in (question.kind, question.directive)
    out: list[str] = []
    options, hidden = False, False
    for text, within in zip(body, held, strict=False):
        box = None if within else _BOX.match(text)
        if box:
            options, hidden = True, False
            out.append(f"{box['marks']}[ ]{text[box.end() :]}")
            continue
        if not within and keyed and (answer := _ANSWER.match(text)):
            hidden = hidden or not boxed or answer[1] in "=~" or (options and answer[1] == ">")
        if not hidden:
            out.append(text if within else _TICK.sub("[ ]", text))
    return _GAP.sub("____", "\n".join(out)).split("\n") if keyed and not boxed else out


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

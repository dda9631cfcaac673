"""Reads a text of Moodle's embedded answers ("Embedded answers (Cloze)" among its formats of import).

As Moodle does, a file is one question: blank lines are paragraphs of it.
"""

from __future__ import annotations

import re

from quiz.formats.moodle.cloze import BEGIN, embedded
from quiz.formats.read_result import Bank, named
from quiz.question import Question, Trouble

_BRACE = re.compile(r"(?<!\\)\{")


def marked(text: str) -> bool:
    """Whether every brace that is opened in `text` begins an embedded answer, as in no file of GIFT."""
    opened = [brace.start() for brace in _BRACE.finditer(text)]
    return bool(opened) and all(BEGIN.match(text, at) for at in opened)


def read(text: str) -> Bank:
    """Read the question of a file, and what is wrong with its gaps. Never raises."""
    whole = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    stem, gaps, errors = embedded(whole)
    troubles = []
    line, counted = 1, 0
    for error in errors:
        line, counted = line + whole.count("\n", counted, error.at), error.at
        column = error.at - whole.rfind("\n", 0, error.at)
        troubles.append(Trouble(line, str(error), error.mend, column))
    if troubles or not gaps:
        return named((), troubles)
    line = 1 + whole.count("\n", 0, len(whole) - len(whole.lstrip()))
    points = sum(gap.weight for gap in gaps)
    made = Question("", "cloze", stem.strip(), gaps=gaps, points=points, line=line, markup="moodle")
    return named((made,), ())

"""The kinds of question, a row each: how one is answered, and where what is right is kept.

`quiz/kinds/NAME.py` has all else of a kind (`quiz.kinds.kind.of` loads it when one is first met), and
`tui/views/question/kinds/` its picture. Who only needs to know how it is answered asks for one of the groups
below, and a kind more is no change to him. The order is that in which answers without a kind are tried.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal[
    "single",
    "multi",
    "truefalse",
    "numeric",
    "text",
    "order",
    "match",
    "cloze",
    "line",
    "poll",
    "essay",
    "description",
]


class Traits(NamedTuple):
    """`answered` by picking `options`, by arranging them (`sequence`), by picking a `line` of code, by a text
    that is `typed`; "" asks nothing. `key` is the field of a `Question` that holds what is right, "": none.
    `several`: an answer is any number of picks.
    """

    answered: Literal["options", "sequence", "line", "typed", ""]
    key: Literal["options", "sequence", "accepted", "gaps", ""]
    several: bool = False


KINDS: dict[Kind, Traits] = {
    "single": Traits("options", "options"),
    "multi": Traits("options", "options", several=True),
    "truefalse": Traits("options", "options"),
    "numeric": Traits("typed", "accepted"),
    "text": Traits("typed", "accepted"),
    "order": Traits("sequence", "sequence"),
    "match": Traits("sequence", "sequence"),
    "cloze": Traits("typed", "gaps"),
    "line": Traits("line", "sequence"),
    "poll": Traits("options", ""),
    "essay": Traits("typed", ""),
    "description": Traits("", ""),
}

CHOICES = tuple(kind for kind, of in KINDS.items() if of.answered == "options")  # by picking options
ARRANGED = tuple(kind for kind, of in KINDS.items() if of.answered == "sequence")
LINED = tuple(kind for kind, of in KINDS.items() if of.answered == "line")
PICKED = tuple(kind for kind, of in KINDS.items() if of.answered in ("options", "line"))
SEVERAL = tuple(kind for kind, of in KINDS.items() if of.several)
TYPED = tuple(kind for kind, of in KINDS.items() if of.answered == "typed")
SILENT = tuple(kind for kind, of in KINDS.items() if not of.answered)  # asks nothing
UNGRADED = tuple(kind for kind, of in KINDS.items() if not of.key)
SEQUENCED = tuple(kind for kind, of in KINDS.items() if of.key == "sequence")
ACCEPTING = tuple(kind for kind, of in KINDS.items() if of.key == "accepted")
GAPPED = tuple(kind for kind, of in KINDS.items() if of.key == "gaps")

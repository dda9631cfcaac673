"""The kinds of question, a row each: how one is answered, and where what is right is kept.

Who only needs to know that asks for one of the groups below, and a kind more is no change to him.
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
    """

    answered: Literal["options", "sequence", "line", "typed", ""]
    key: Literal["options", "sequence", "accepted", "gaps", ""]


KINDS: dict[Kind, Traits] = {
    "single": Traits("options", "options"),
    "multi": Traits("options", "options"),
    "truefalse": Traits("options", "options"),
    "poll": Traits("options", ""),
    "order": Traits("sequence", "sequence"),
    "match": Traits("sequence", "sequence"),
    "line": Traits("line", "sequence"),
    "numeric": Traits("typed", "accepted"),
    "text": Traits("typed", "accepted"),
    "cloze": Traits("typed", "gaps"),
    "essay": Traits("typed", ""),
    "description": Traits("", ""),
}

CHOICES = tuple(kind for kind, of in KINDS.items() if of.answered == "options")  # by picking options
ARRANGED = tuple(kind for kind, of in KINDS.items() if of.answered == "sequence")
PICKED = tuple(kind for kind, of in KINDS.items() if of.answered in ("options", "line"))
TYPED = tuple(kind for kind, of in KINDS.items() if of.answered == "typed")
UNGRADED = tuple(kind for kind, of in KINDS.items() if not of.key)
SEQUENCED = tuple(kind for kind, of in KINDS.items() if of.key == "sequence")
ACCEPTING = tuple(kind for kind, of in KINDS.items() if of.key == "accepted")

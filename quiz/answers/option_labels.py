"""Labels of options for typed answers: none can be mistaken for the text of an option.

digits    1 2 3, letters too       none of them is a number, or one letter
letters   a b c                    one is a number: whoever types 3 means 3
signs     #1 #2 #3                 one is a number, another is a letter
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from quiz.answers import quantity

_SIGNS = "#@%&=+!"
_INK = re.compile(r"[*_`$\\]")  # of Markdown, around a number


def labels(texts: Sequence[str], *, first: str = "1") -> tuple[str, ...]:
    """Return a label for each text; letters rather than digits if `first` is `a`."""
    bare = [" ".join(_INK.sub("", text).split()) for text in texts]
    numeric = any(quantity.read(text) is not None for text in bare)
    letters = any(len(text) == 1 and text.isalpha() for text in bare)
    digits_fit, letters_fit = not numeric and len(texts) < 100, not letters and len(texts) <= 26
    wants_letters = first == "a" or not digits_fit
    if letters_fit and wants_letters:
        return tuple(chr(ord("a") + n) for n in range(len(texts)))
    if digits_fit:
        return tuple(str(n + 1) for n in range(len(texts)))
    sign = next((one for one in _SIGNS if not any(text.startswith(one) for text in bare)), _SIGNS[-1])
    return tuple(f"{sign}{n + 1}" for n in range(len(texts)))


def places(typed: str, said: Sequence[str], texts: Sequence[str]) -> list[int] | None:
    """What was typed as places (0-based) by the labels `said`: `1,3`, `1 3`, `13`, `b`, `#2 #1`; None for
    what is none of them. Where digits are said, letters are understood too unless one is a text."""
    style = said[0][0] if said else ""
    typed = typed.strip().casefold()
    if re.sub(rf"[0-9a-z ,;>.)-]|[{re.escape(_SIGNS)}](?=[0-9])", "", typed):
        return None
    known = {label: n for n, label in enumerate(said)}
    if style == "1" and not any(len(text.strip()) == 1 and text.strip().isalpha() for text in texts):
        known |= {chr(ord("a") + n): n for n in range(min(26, len(said)))}
    found = []
    for word in re.findall(rf"[{re.escape(_SIGNS)}]?[0-9]+|[a-z]", typed):
        # Below ten parts every digit is one of them: `312` is three answers.
        pieces = [*word] if word.isdecimal() and style == "1" and len(said) < 10 else [word]
        found += [known.get(piece, -1) for piece in pieces]
    return found if found and min(found) >= 0 else None


def named(typed: str, texts: Sequence[str]) -> int | None:
    """Return the place of the option with that whole text, None if there is none; case does not matter."""
    wanted = " ".join(typed.split()).casefold()
    known = [" ".join(text.split()).casefold() for text in texts]
    bare = [" ".join(_INK.sub("", text).split()) for text in known]
    return next((one.index(wanted) for one in (known, bare) if wanted in one), None)


def example(said: Sequence[str]) -> str:
    """Return an example of typed labels, in reverse order."""
    return " ".join(reversed(said))

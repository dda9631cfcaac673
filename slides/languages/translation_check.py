"""What is wrong with a translation: what is missing, older than its original, or of another shape. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from slides.deck import Deck
from slides.languages.original_or_translation import chosen
from slides.languages.same_shape import fingerprint, made_of, untouched
from slides.problems import Problem


def findings(original: Deck, translation: Deck) -> Iterator[Problem]:
    """What is missing in a translation, older than its original, or of another shape."""
    name = translation.path
    ids = {head.id for head in original.slides}
    for one in chosen(original, translation):
        line = one.theirs.line if one.theirs else 1
        known = next((head for head in translation.slides if head.id == one.ours.id), None)
        if one.theirs is None:
            line = known.line if known is not None else 1
            mend = f"It is line {one.ours.line} of the original; until then the room reads that."
            yield Problem(name, line, f"slide `{one.ours.id}`: {one.why}", mend)
        elif untouched(one.theirs.raw):
            same = f"write `of: {made_of(one.theirs.raw)}` if they are the same in it."
            mend = f"Put its words into the language, or {same}"
            yield Problem(name, line, f"slide `{one.ours.id}` is not translated yet", mend)
        elif (of := made_of(one.theirs.raw)) != (now := fingerprint(one.ours.raw)):
            what = "is older than its original" if of else "does not say what it was made of"
            yield Problem(name, line, f"slide `{one.ours.id}` {what}", f"Look at it, then write `of: {now}`.")
    for head in translation.slides:
        if head.id not in ids:
            yield Problem(
                name,
                head.line,
                f"slide `{head.id}` is not in the original",
                "Take it out, or name the one it is.",
            )

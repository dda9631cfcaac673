"""Makes one deck of an original and its translation: the original's slides in other words. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from slides.deck import NATIVE, Deck, Head
from slides.languages.same_shape import (
    differing,
    inner,
    settings,
    with_settings,
)
from slides.reading.split import made_of as deck_of

FRONT = ("title", "question", "footer", "header")  # what the front matter of a translation may say otherwise
NAMED = ("section", "title")  # settings of a slide that are words
_BETWEEN = ("", "---", "")


class Chosen(NamedTuple):
    """A slide of the original, and its translation; None where there is none to show, and `why`."""

    ours: Head
    theirs: Head | None
    why: str


def chosen(original: Deck, translation: Deck) -> Iterator[Chosen]:
    """For each slide of the original, whether its translation is shown."""
    known = {head.id: head for head in translation.slides}
    for head in original.slides:
        theirs = known.get(head.id)
        if theirs is None:
            yield Chosen(head, None, "it has no translation")
        elif what := differing(head.raw, theirs.raw):
            yield Chosen(head, None, f"{what} not as in the original")
        else:
            yield Chosen(head, theirs, "")


def merged(original: Deck, translation: Deck, lang: str) -> Deck:
    """Return the deck of `original` with the words of `translation`; a slide without any keeps its own.

    It stands where the original does, so that what it names beside it is found; its lines are the original's.
    """
    source = original.source.split("\n")
    first = original.slides[0].row - 1 if original.slides else len(source)
    front = _front(source[:first], translation.meta, lang)
    lines, places = list(front), [1] * len(front)
    for n, one in enumerate(chosen(original, translation)):
        raw = one.ours.raw if one.theirs is None else _in_place(one.ours, one.theirs)
        if n:
            lines += _BETWEEN
            places += [one.ours.line] * len(_BETWEEN)
        text = raw.strip("\n").split("\n")
        lines += text
        places += [one.ours.line] * len(text)
    files = (*original.files, translation.path)
    return deck_of("\n".join(lines) + "\n", original.path, original.format or NATIVE, (*places, 1), files)


def _in_place(ours: Head, theirs: Head) -> str:
    """The words of a translation with the settings of the original, but for the words in them."""
    kept, said = inner(ours.raw), settings(theirs.raw)
    for key in NAMED:
        if key in said and (written := settings(ours.raw).get(key)) is not None:
            kept = kept.replace(f"{key}: {written}", f"{key}: {said[key]}", 1)
    return with_settings(theirs.raw, kept)


def _front(lines: Sequence[str], said: dict[str, str], lang: str) -> list[str]:
    """The front matter of the original with what a translation says otherwise."""
    own = {key: said[key] for key in FRONT if key in said} | {"lang": lang}
    body = [line for line in lines if line.rstrip() != "---"]
    kept = [line for line in body if line.partition(":")[0] not in own]
    quoted = [f'{key}: "{_escaped(value)}"' for key, value in own.items()]
    return ["---", *quoted, *(line for line in kept if line.strip()), "---"]


def _escaped(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')

"""The languages of a deck: its own, and those of the translations beside it, in folders with their tags."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from slides.deck import Deck, Scene, Slide
from slides.problems import Problem
from slides.reading.from_disk.source import DeckError
from slides.reading.split import load

TAG = re.compile(r"[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8}){0,3}")  # BCP 47, as far as names of folders go
NAMED = {
    "hinglish": "hi-Latn",
    "english": "en",
    "hindi": "hi",
    "german": "de",
    "french": "fr",
    "spanish": "es",
}


def tag(name: str) -> str:
    """Return the tag of a language by its name or tag."""
    return NAMED.get(name.strip().lower(), name.strip())


def own(deck: Deck) -> str:
    """Return the language that a deck is shown in."""
    return deck.meta.get("lang", "").strip() or "en"


def words_of(deck: Deck) -> Callable[[str], str]:
    """Return what puts the program's own words into the language of a deck."""
    if own(deck) == "en":  # nothing to be read for it before the first slide
        return str
    from slides.languages.program_words import say_in

    return say_in(own(deck))


def file_of(path: Path | str, lang: str) -> Path:
    """Return where the translation of the deck at `path` lies, whether it is there or not."""
    return Path(path).parent / lang / Path(path).name


def translations(path: Path | str) -> tuple[str, ...]:
    """Return the tags of the languages that the deck at `path` is translated into, in their order."""
    try:
        folders = sorted(entry for entry in Path(path).parent.iterdir() if TAG.fullmatch(entry.name))
        return tuple(entry.name for entry in folders if (entry / Path(path).name).is_file())
    except OSError:
        return ()


def translated(deck: Deck, lang: str) -> Deck:
    """Return the deck in that language; where it has no such translation, as it is. Raises `DeckError` where
    the translation cannot be read."""
    wanted = tag(lang)
    if wanted == own(deck) or not TAG.fullmatch(wanted):
        return deck
    file = file_of(deck.path, wanted)
    if not file.is_file():
        return deck
    from slides.languages.original_or_translation import merged

    return merged(deck, load(file), wanted)


def unknown(path: Path | str, deck: Deck, lang: str) -> str:
    """Say why a deck cannot be shown in a language, "" where it can."""
    wanted, known = tag(lang), (own(deck), *translations(path))
    if wanted in known:
        return ""
    return f"{Path(path).name} is not there in {lang}: {', '.join(known)}"


def problems(original: Deck, lang: str) -> list[Problem]:
    """Return what is wrong with a translation: what is missing in it, older, or of another shape."""
    from slides.languages.original_or_translation import merged
    from slides.languages.translation_check import findings
    from slides.reading.parse import parse_slide
    from slides.scenes import captions

    try:
        theirs = load(file_of(original.path, lang))
    except DeckError as error:
        return [error.problem]
    found = list(findings(original, theirs))
    other = merged(original, theirs, lang)
    table = str(Path(theirs.path).with_name(captions.NAME))
    found += captions.problems(table)
    for one, same in zip(original.slides, other.slides, strict=False):
        where = next((head.line for head in theirs.slides if head.id == one.id), 1)
        if one.id != same.id:
            what, mend = f"slide `{one.id}` is `{same.id}` in {lang}", "Give it the id of the original."
        elif (ours := parse_slide(original, one.index).steps) != (
            steps := parse_slide(other, one.index).steps
        ):
            what, mend = (
                f"slide `{one.id}` has {steps} steps in {lang}, not {ours}",
                "Give it the same steps.",
            )
        elif untold := _untold(parse_slide(other, one.index)):
            many = f"{len(untold)} sentences are" if len(untold) > 1 else "a sentence is"
            what = f"slide `{one.id}`: {many} not translated in its scene"
            mend = f"Write into {table}: {captions.blank(untold[:1]).strip()}"
        else:
            continue
        found.append(Problem(theirs.path, where, what, mend))
    return found


def write_untold(original: Deck, lang: str) -> Path | None:
    """Add to the table of a translation what its scenes say, for a translator to put into words.

    Returns:
        The table; None where nothing is missing in it, or where it cannot be read.

    Raises:
        OSError: It cannot be written.
    """
    from runtime.atomic_write import put
    from slides.reading.parse import parse_slide
    from slides.scenes import captions

    deck, table = translated(original, lang), file_of(original.path, lang).with_name(captions.NAME)
    known = captions.table(str(table))
    words = [
        key for n in range(len(deck.slides)) for key in _untold(parse_slide(deck, n)) if key not in known
    ]
    if not words or any(captions.problems(str(table))):
        return None
    before = table.read_text("utf-8").rstrip("\n") + "\n" if table.is_file() else ""
    put(table, before + captions.blank(dict.fromkeys(words)))
    return table


def _untold(slide: Slide) -> list[str]:
    """Return what the scenes of a slide say that no table of its language has."""
    from slides.reading_order import blocks
    from slides.scenes import captions, on_slide

    found: dict[str, None] = {}
    for block in blocks(slide.blocks):
        if isinstance(block, Scene) and block.captions and bool(block.body) == bool(block.script):
            with suppress(Exception):  # one that cannot be drawn is found by whoever checks the deck
                found |= dict.fromkeys(captions.untold(on_slide.as_made(block).states(), block.captions))
    return list(found)

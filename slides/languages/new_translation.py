"""What a translator begins with: the whole deck, each slide with the fingerprint of its original. Pure."""

from __future__ import annotations

from slides.deck import Deck
from slides.languages.original_or_translation import NAMED
from slides.languages.same_shape import UNTOUCHED, fingerprint, settings, untouched, with_settings


def skeleton(original: Deck, lang: str, before: Deck | None = None) -> str:
    """Return the text of a translation: slides that `before` has as they are there, all others as in the
    original. The fingerprint of a slide that is there stays: only who looked at it may change that. One that
    nobody has translated yet is the original's of today."""
    title = " ".join(original.title.split()).replace("\\", "\\\\").replace('"', '\\"')
    known = {head.id: head.raw for head in before.slides} if before is not None else {}
    parts = []
    for head in original.slides:
        if head.id in known and not untouched(known[head.id]):
            parts.append(known[head.id].strip("\n"))
            continue
        kept = settings(head.raw)
        said = ", ".join(
            [
                f"of: {UNTOUCHED}{fingerprint(head.raw)}",
                *(f"{key}: {kept[key]}" for key in ("id", *NAMED) if key in kept),
            ]
        )
        parts.append(with_settings(head.raw, said).strip("\n"))
    if before is not None:
        meta = before.source.split("\n")[: before.slides[0].row - 1] if before.slides else []
        front = "\n".join(meta).strip("\n")
    else:
        front = f'---\ntitle: "{title}"\nlang: {lang}\n---'
    return front + "\n" + "\n\n---\n\n".join(parts) + "\n"

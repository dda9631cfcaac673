"""Header, footer and logo of a deck's pages in a document that is one long page: once, above it and below it.

What names a slide's place (`{slide}`, `{section}`) stands over each slide of a document already.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

from slides import header_and_footer
from slides.deck import Deck
from slides.drawing.cells import clean
from slides.export.pictures import data_uri
from slides.header_and_footer import OF_PLACE, HeaderAndFooter, Place
from slides.problems import Mistake


def over(of: Deck) -> str:
    """Logo and header as HTML, "" where the deck has neither."""
    found = header_and_footer.of(of.meta)
    words = "  ·  ".join(filter(None, _without_place(found, "header").over(Place())))
    return _logo(found, of) + (f'<p class="over">{escape(words)}</p>' if words else "")


def under(of: Deck) -> str:
    """The footer as HTML, "" where the deck has none."""
    words = _without_place(header_and_footer.of(of.meta), "footer").under(Place())
    return f"<p>{escape(words)}</p>" if words else ""


def _without_place(found: HeaderAndFooter, key: str) -> HeaderAndFooter:
    """Of a template the parts that say nothing of a slide."""
    parts = str(getattr(found, key)).split("|")
    kept = "|".join(part for part in parts if not any(f"{{{name}}}" in part for name in OF_PLACE))
    return found._replace(header=kept) if key == "header" else found._replace(footer=kept)


def _logo(found: HeaderAndFooter, of: Deck) -> str:
    if not found.picture:
        return ""
    try:
        source = data_uri(header_and_footer.located(found.picture, Path(of.path).absolute().parent))
    except Mistake:
        return ""
    alt = escape(clean(f"logo {found.values.get('event', '')}".strip()))
    return f'<img class="logo" src="{source}" alt="{alt}">' if source else ""

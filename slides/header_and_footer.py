"""What stands on every page of a deck: a line over the slides, one under them, a logo; of its front matter.

    header: "{event} | | {date}"     # at the left, in the middle, at the right
    footer: Acme Research
    logo: logo.png                   # a picture beside the deck, or words

In braces stands what the deck or its place in the talk says. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from slides.drawing.cells import clean
from slides.problems import Mistake, did_you_mean, quoted
from slides.reading.from_disk import named_files

KEYS = ("header", "footer", "logo")
OF_DECK = ("title", "subtitle", "author", "event", "location", "date")
OF_PLACE = ("section", "slide", "slides")
MOST = 300  # characters of one
_FIELD = re.compile(r"\{\s*(\w{1,40})\s*\}")
_PICTURE = re.compile(r"\S.*\.(?:png|jpe?g|gif|webp|bmp|svg)", re.IGNORECASE)


class Place(NamedTuple):
    """Where in the talk a page is: what `OF_PLACE` names, as words."""

    section: str = ""
    slide: str = ""
    slides: str = ""


class HeaderAndFooter(NamedTuple):
    """Templates as they are written, `logo` in words, `picture` the path of one as the deck names it."""

    header: str = ""
    footer: str = ""
    logo: str = ""
    picture: str = ""
    values: Mapping[str, str] = {}

    def over(self, place: Place) -> tuple[str, str, str]:
        """The header at the left, in the middle and at the right; a logo in words at the right of that."""
        parts = [self._filled(part, place) for part in self.header.split("|", 2)]
        left, middle, right = [*parts, "", ""][:3]
        return left, middle, "   ".join(filter(None, (right, clean(self.logo))))

    def under(self, place: Place) -> str:
        """The footer in one line, "" where the deck has none."""
        parts = (self._filled(part, place) for part in self.footer.split("|"))
        return "  ·  ".join(part for part in parts if part)

    @property
    def worded(self) -> bool:
        """Whether words stand over the slides."""
        return bool(self.header.strip() or self.logo)

    @property
    def numbered(self) -> bool:
        """Whether the line under a slide says which it is."""
        return "slide" in _FIELD.findall(self.footer)

    def _filled(self, template: str, place: Place) -> str:
        known = {**self.values, **place._asdict()}
        return " ".join(clean(_FIELD.sub(lambda found: known.get(found[1], found[0]), template)).split())


NOTHING = HeaderAndFooter()


def of(meta: Mapping[str, str]) -> HeaderAndFooter:
    """The header, footer and logo of a deck with this front matter."""
    header, footer, logo = (meta.get(key, "").strip()[:MOST] for key in KEYS)
    if not (header or footer or logo):
        return NOTHING
    values = {key: meta.get(key, "")[:MOST] for key in OF_DECK}
    pictured = bool(_PICTURE.fullmatch(logo))
    return HeaderAndFooter(header, footer, "" if pictured else logo, logo if pictured else "", values)


def problems(meta: Mapping[str, str], folder: Path) -> Iterator[tuple[str, Mistake]]:
    """What is wrong with it, by the setting: a picture that is not there, a field that nobody fills."""
    known = (*OF_DECK, *OF_PLACE)
    for key in ("header", "footer"):
        for name in _FIELD.findall(meta.get(key, "")):
            if name not in known:
                near = did_you_mean(name, known)
                mend = f"Did you mean `{{{near}}}`?" if near else f"Known are {', '.join(known)}."
                yield key, Mistake(f"nothing is {quoted(f'{{{name}}}')} in a {key}", mend)
    picture = of(meta).picture
    if picture:
        try:
            located(picture, folder)
        except Mistake as mistake:
            yield "logo", mistake


def located(picture: str, folder: Path) -> Path:
    """The file of a logo. Raises `Mistake` where there is none that may be read."""
    if re.match(r"[a-zA-Z][\w+.-]+:", picture):
        mend = "Save it beside the deck and name that file: a class needs no network."
        raise Mistake(f"the picture {quoted(picture)} is not a file", mend)
    return named_files.locate(folder, unquote(picture))

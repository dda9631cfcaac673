"""From styled lines to the strips Textual paints, in the colours of one theme."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import lru_cache

from rich.color import Color, ColorType
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style as RichStyle
from textual.strip import Strip

from slides import palette
from slides.drawing import cells
from slides.drawing.links import address
from slides.drawing.text import Line, Style
from slides.palette import THEMES, Palette
from tui.rendering.row_strip import RowStrip, links_shown, moving
from tui.terminal import background_colour


class Painter:
    """Makes strips in one theme; a style's colours are looked up once."""

    def __init__(self, theme: str) -> None:
        self.theme = theme
        self.palette: Palette = THEMES[theme]
        self._styles: dict[tuple[Style, str], RichStyle] = {}

    @property
    def look(self) -> tuple[str, int]:
        """What two painters that paint alike have in common."""
        return self.theme, self.palette.version

    def colour(self, name: str) -> str:
        """`#rrggbb`, or "" where the theme leaves it to the terminal."""
        return self.palette.colour(name)

    def style(self, style: Style, ground: str) -> RichStyle:
        """Return the Rich style of a style on a ground, in this theme; kept after the first time."""
        key = (style, ground)
        found = self._styles.get(key)
        if found is None and style.ink[:1] == "#" and not style[2:].count(True) and not style.link:
            # Of a picture that moves there are thousands, each for a moment.
            if len(self._styles) > MOST_STYLES:
                self._styles.clear()
            ink, behind = self.colour(style.ink), self.colour(style.ground or ground)
            found = self._styles[key] = RichStyle.from_color(
                _parsed(ink) if ink else None, _parsed(behind) if behind else None
            )
        if found is None:
            ink, behind = self.colour(style.ink), self.colour(style.ground or ground)
            marks = self.palette.attributes(style.ink, style.ground)
            found = self._styles[key] = RichStyle(
                color=Color.parse(ink) if ink else None,
                bgcolor=Color.parse(behind) if behind else None,
                bold=style.bold or marks.bold or None,
                italic=style.italic or marks.italic or None,
                underline=style.underline or marks.underline or None,
                strike=style.strike or None,
                dim=marks.dim or None,
                reverse=marks.reverse or None,
                link=(address(style.link) if links_shown(os.environ) else "") or None,
            )
        return found

    def strip(self, line: Line, width: int, ground: str = "background", margin: int = 0) -> Strip:
        """One row of exactly `width` cells: the line after `margin` blank cells, on `ground`."""
        if moving(line):
            return self._moving(line, width, ground, margin)
        blank = self.style(_PLAIN, ground)
        segments = [Segment(" " * margin, blank)] if margin else []
        segments += [Segment(text, self.style(style, ground)) for text, style in line]
        length = sum(cells.width(segment.text) for segment in segments)
        if length > width:
            return RowStrip(Strip(segments).adjust_cell_length(width), width)
        if length < width:
            segments.append(Segment(" " * (width - length), blank))
        return RowStrip(segments, width)

    def _moving(self, line: Line, width: int, ground: str, margin: int) -> Strip:
        """A row with a picture that is gone in a moment."""
        from slides.scenes.painting.picture import PaintedRow, flat
        from tui.rendering.picture_strip import Cells, PictureStrip

        length = margin + sum(cells.width(span.text) for span in line)
        if length > width:
            return self.strip(flat(line), width, ground, margin)
        blank = self.style(_PLAIN, ground)
        parts: list[Segment | Cells] = [Segment(" " * margin, blank)] if margin else []
        for span in line:
            if isinstance(span, PaintedRow):
                parts.append((span.picture, span.number, 0, span.picture.columns))
            else:
                parts.append(Segment(span.text, self.style(span.style, ground)))
        if length < width:
            parts.append(Segment(" " * (width - length), blank))
        return PictureStrip(self.style, parts, width)

    def fit(self, strip: Strip, width: int, ground: str = "background") -> Strip:
        """A strip drawn for another width, in `width` cells: the terminal is just being resized."""
        return strip.adjust_cell_length(width, self.style(_PLAIN, ground))

    def strips(self, lines: Iterable[Line], width: int, ground: str = "background") -> list[Strip]:
        """Make strips of exactly `width` cells from styled lines."""
        return [self.strip(line, width, ground) for line in lines]

    def blank(self, width: int, ground: str = "background") -> Strip:
        """Make an empty row in the colour of `ground`."""
        return RowStrip([Segment(" " * width, self.style(_PLAIN, ground))], width)


_PLAIN = Style()
MOST_STYLES = 8192


@lru_cache(4096)
def _parsed(colour: str) -> Color:
    """`#rrggbb` as Rich has it, several times as quick as by its own reader."""
    red, green, blue = bytes.fromhex(colour[1:])
    return Color(colour, ColorType.TRUECOLOR, triplet=ColorTriplet(red, green, blue))


def following(theme: str) -> str:
    """The theme after this one, in the order of `palette.names`."""
    known = palette.names()
    at = known.index(theme) if theme in known else -1
    return known[(at + 1) % len(known)]


def resolve(theme: str) -> str:
    """`system` as what the terminal says of itself (its variable, else dark); other names as they are."""
    if theme != "system":
        return theme if theme in THEMES else "dark"
    ground = os.environ.get("COLORFGBG", "").rpartition(";")[2]
    if ground.isdigit():
        return "light" if int(ground) in (7, 15) else "dark"
    return background_colour.found() or "dark"

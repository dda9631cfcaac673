"""Screens of cells as pages of a PDF: text to be searched and copied, shapes as vectors, pictures in pixels.

Letters come from the monospace font that `png` draws with, or where it lacks one from any font of the machine
that has it and lets itself be embedded. Needs fpdf2, the extra `pdf`.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import bidirectional, normalize

from slides.drawing.blocks import image
from slides.drawing.cells import clean
from slides.export.drawings import png
from slides.export.drawings.glyphs import shapes
from slides.export.drawings.png import Cell, mixed

if TYPE_CHECKING:
    from fpdf import FPDF
    from PIL import Image

W, H = 6.0, 12.0  # points of a cell
_RESTRICTED = 0x0002  # OS/2 fsType: may not be embedded
_PHOTO = 4096  # colours: what has more is no drawing


class Placed(NamedTuple):
    """A picture over so many cells, from the upper left one (column, row) on."""

    column: int
    row: int
    columns: int
    rows: int
    image: Image.Image
    alt: str


class Entry(NamedTuple):
    """Of the outline; 0 is the outermost level."""

    title: str
    level: int


class _Face(NamedTuple):
    """A font as it is drawn with: `size` and `baseline` in points, from the top of a cell."""

    family: str
    size: float
    baseline: float
    chars: frozenset[int]
    advance: float  # of a letter as wide as a cell, in cells


def available() -> bool:
    """Whether PDFs can be made here: fpdf2 is installed, and what draws letters."""
    return find_spec("fpdf") is not None and image.available()


class PdfDocument:
    """Pages of any height, in the order in which they are added."""

    def __init__(self, title: str, *, lang: str = "en", author: str = "", subject: str = "") -> None:
        from fpdf import FPDF, ViewerPreferences

        logging.getLogger("fontTools").setLevel(logging.ERROR)
        logging.getLogger("fpdf").setLevel(logging.ERROR)
        self._pdf = pdf = FPDF(unit="pt")
        pdf.set_auto_page_break(False)
        pdf.set_margin(0)
        pdf.c_margin = 0
        pdf.set_title(clean(title))
        pdf.set_lang(clean(lang))
        pdf.set_author(clean(author))
        pdf.set_subject(clean(subject))
        pdf.set_creator("teachrun")
        pdf.viewer_preferences = ViewerPreferences(display_doc_title=True)
        self._fonts = _Fonts(pdf)
        self.missing: set[str] = set()  # letters that no font here has
        self.unshaped = False  # it has letters that are joined or turned around, and nothing here does that
        self._shapes_text = find_spec("uharfbuzz") is not None
        self._named: dict[str, int] = {}  # pages
        self._jumps: list[tuple[int, tuple[float, float, float, float], str]] = []  # page, where, to which

    def page(
        self,
        rows: Sequence[Sequence[Cell]],
        columns: int,
        ground: str,
        outline: Sequence[Entry] = (),
        pictures: Sequence[Placed] = (),
        name: str = "",
    ) -> None:
        """One page, as high as its rows; cells beyond `columns` are cut off. Links to `#name` lead to it."""
        pdf = self._pdf
        pdf.add_page(format=(columns * W, len(rows) * H))
        self._named.setdefault(name, pdf.page)
        for entry in outline:
            pdf.start_section(clean(entry.title) or "untitled", level=entry.level, strict=False)
        self._fill(0, 0, columns * W, len(rows) * H, ground)
        shown = [_within(row, columns) for row in rows]
        for y, placed in enumerate(shown):
            self._grounds(placed, y, ground)
        for picture in pictures:  # there may be words upon it
            self._picture(picture)
        for y, placed in enumerate(shown):
            self._shapes(placed, y)
            self._text(placed, y)
            self._links(placed, y)

    def save(self) -> bytes:
        """The document; a link to a page that is not in it is none."""
        for page, area, name in self._jumps:
            if name in self._named:
                self._pdf.page = page
                self._pdf.link(*area, link=self._pdf.add_link(page=self._named[name]))
        self._jumps.clear()
        return bytes(self._pdf.output())

    # --- a row ------------------------------------------------------------------------------------------

    def _fill(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        self._pdf.set_fill_color(colour)
        self._pdf.rect(x, y, width, height, style="F")

    def _grounds(self, row: list[tuple[int, Cell]], y: int, ground: str) -> None:
        for colour, some in groupby(row, lambda at: at[1].ground):
            cells = list(some)
            if colour != ground:
                x, width = cells[0][0], sum(cell.width for _, cell in cells)
                self._fill(x * W, y * H, width * W, H, colour)

    def _shapes(self, row: list[tuple[int, Cell]], y: int) -> None:
        """What is no letter; neighbours that join up are one rectangle."""
        parts: list[tuple[float, float, float, float, str]] = []
        for x, cell in row:
            for part in shapes(cell.text) or ():
                ink = cell.ink if part.alpha == 1 else mixed(cell.ink, cell.ground, part.alpha)
                left, right = x + part.x0, x + part.x1
                for n, (x0, y0, x1, y1, colour) in enumerate(parts):
                    if x1 == left and (y0, y1, colour) == (part.y0, part.y1, ink):
                        parts[n] = (x0, y0, right, y1, colour)
                        break
                else:
                    parts.append((left, part.y0, right, part.y1, ink))
            for line, at in ((cell.underline, 0.92), (cell.strike, 0.5)):
                if line:
                    parts.append((x, at, x + cell.width, at + 0.05, cell.ink))
        for x0, y0, x1, y1, colour in parts:
            self._fill(x0 * W, (y + y0) * H, (x1 - x0) * W, (y1 - y0) * H, colour)

    def _text(self, row: list[tuple[int, Cell]], y: int) -> None:
        """Letters in one look and font as one piece of text, blanks between them included."""
        pieces: list[_Piece] = []
        end = -1
        joined = self._joined(row, y)
        for x, cell in row:
            if x in joined:
                continue
            if cell.text.isspace() and pieces and end == x and not cell.underline:
                pieces[-1] = pieces[-1].with_more(" ")
                end = x + 1
                continue
            if not cell.text.strip() or shapes(cell.text) is not None:
                continue
            face = self._fonts.face(cell)
            if face is None:
                self._missing(x, y, cell)
                continue
            text = normalize("NFC", cell.text)
            joins = cell.width == 1 and len(text) == 1 and face.advance == 1
            if pieces and end == x and joins and pieces[-1].goes_on(cell, face):
                pieces[-1] = pieces[-1].with_more(text)
            else:
                pieces.append(_Piece(x, text, cell, face))
            end = x + 1 if joins else -1
        for x, text, cell, face in pieces:
            self._pdf.set_font(face.family, size=face.size)
            self._pdf.set_text_color(cell.ink)
            text = text.rstrip()
            shift = 0.0
            if face.advance != 1 or cell.width > 1:  # not of the font that fills its cells: in their middle
                shift = max(0.0, (cell.width * W - self._pdf.get_string_width(text)) / 2)
            self._pdf.text(x * W + shift, y * H + face.baseline, text)

    def _joined(self, row: list[tuple[int, Cell]], y: int) -> set[int]:
        """Draw what is written from the right or whose letters join, run by run; the columns that it took."""
        taken: set[int] = set()
        at = 0
        while at < len(row):
            way, end = _way(row[at][1].text), at
            for more in range(at, len(row) if way else at):
                cell = row[more][1]
                same = cell.ink == row[at][1].ink
                if same and _way(cell.text) == way:
                    end = more + 1
                elif not same or not (cell.text.isspace() or (way == "rtl" and _neutral(cell.text))):
                    break
            if way and not self._shapes_text:
                self.unshaped = True
            elif way and (face := self._fonts.face(row[at][1])) is not None:
                self._joined_run([cell for _, cell in row[at:end]], row[at][0], y, face, way)
                taken.update(x for x, _ in row[at:end])
            at = max(end, at + 1)
        return taken

    def _joined_run(self, cells: Sequence[Cell], x: int, y: int, face: _Face, way: str) -> None:
        """One run as HarfBuzz sets it, in the room of its cells, from the side where it begins."""
        pdf, wide = self._pdf, sum(cell.width for cell in cells) * W
        text = normalize("NFC", "".join(cell.text for cell in cells))
        others = self._others(cells, face)
        with pdf.local_context():  # else the library and the page differ over the font that is set
            pdf.set_font(face.family, size=face.size)
            pdf.set_text_color(cells[0].ink)
            pdf.set_fallback_fonts(others)
            pdf.set_text_shaping(True, direction=way)
            room = pdf.get_string_width(text)
            if room > wide > 0:  # narrower rather than over what stands beside it
                pdf.set_font(face.family, size=face.size * wide / room)
            pdf.set_xy(x * W, y * H + face.baseline - 0.5 * H - 0.3 * pdf.font_size)
            pdf.cell(wide, H, text, align="R" if way == "rtl" else "L")
            pdf.set_text_shaping(False)
            pdf.set_fallback_fonts([])

    def _others(self, cells: Sequence[Cell], face: _Face) -> list[str]:
        """The fonts for what the font of a run has not, as where one script follows another."""
        families: dict[str, None] = {}
        for cell in cells:
            if ord(cell.text[0]) not in face.chars and not cell.text.isspace():
                other = self._fonts.face(cell)
                if other is None or not other.chars:
                    self.missing.add(cell.text)
                else:
                    families[other.family] = None
        return list(families)

    def _links(self, row: list[tuple[int, Cell]], y: int) -> None:
        for link, some in groupby(row, lambda at: at[1].link):
            cells = list(some)
            area = cells[0][0] * W, y * H, sum(cell.width for _, cell in cells) * W, H
            if link.startswith("#"):
                self._jumps.append((self._pdf.page, area, link[1:]))
            elif link:
                self._pdf.link(*area, link=link)

    def _missing(self, x: int, y: int, cell: Cell) -> None:
        """A box where no font has a letter."""
        self.missing.add(cell.text)
        if cell.width:
            self._pdf.set_draw_color(cell.ink)
            self._pdf.rect((x + 0.15) * W, (y + 0.2) * H, (cell.width - 0.3) * W, 0.6 * H)

    def _picture(self, picture: Placed) -> None:
        image: Image.Image | io.BytesIO = picture.image
        opaque = picture.image.getchannel("A").getextrema() == (255, 255)
        if opaque and picture.image.convert("RGB").getcolors(_PHOTO) is None:
            image = io.BytesIO()
            picture.image.convert("RGB").save(image, "JPEG", quality=88)
        place = picture.column * W, picture.row * H, picture.columns * W, picture.rows * H
        self._pdf.image(image, *place, alt_text=clean(picture.alt) or "picture")


def _way(text: str) -> str:
    """How a letter stands among others: `rtl`, `ltr` where it joins them, "" where it stands alone."""
    if bidirectional(text[0]) in ("R", "AL"):
        return "rtl"
    # Devanagari and its relatives down to Sinhala, Myanmar, Khmer.
    joins = (
        "\u0900" <= text[0] <= "\u0dff" or "\u1000" <= text[0] <= "\u109f" or "\u1780" <= text[0] <= "\u17ff"
    )
    return "ltr" if joins else ""


def _neutral(text: str) -> bool:
    """Numbers and signs, which stand among letters from the right as those do."""
    return bidirectional(text[0]) in ("EN", "ES", "ET", "AN", "CS", "NSM", "BN", "WS", "ON")


class _Piece(NamedTuple):
    """Text from a column on, all of it like its first cell."""

    column: int
    text: str
    cell: Cell
    face: _Face

    def with_more(self, text: str) -> _Piece:
        return self._replace(text=self.text + text)

    def goes_on(self, cell: Cell, face: _Face) -> bool:
        return self.face is face and self.cell.ink == cell.ink and self.cell.width == 1


class _Fonts:
    """The fonts of one document, taken in as they are needed."""

    def __init__(self, pdf: FPDF) -> None:
        self._pdf = pdf
        self._known: dict[tuple[str, bool], _Face | None] = {}
        self._found: dict[tuple[str, bool, bool], _Face | None] = {}

    def face(self, cell: Cell) -> _Face | None:
        """What a cell's letter is drawn with; None where no font has it."""
        key = cell.text[0], cell.bold, cell.italic
        if key not in self._found:
            self._found[key] = self._search(*key)
        return self._found[key]

    def _search(self, char: str, bold: bool, italic: bool) -> _Face | None:
        own = self._take(png.own_file(bold, italic), fills=True)
        if own is not None and ord(char) in own.chars:
            return own
        for file in png.files_with(char):
            other = self._take(file, fills=False)
            if other is not None and ord(char) in other.chars:
                return other
        # Of the fonts that every reader of PDF has, for the letters of Western Europe.
        return _Face("courier", W / 0.6, 0.75 * H, frozenset(), 1) if "!" <= char <= "ÿ" else None

    def _take(self, file: str, *, fills: bool) -> _Face | None:
        """The font of a file; None where it may not, or cannot, be embedded."""
        if not file:
            return None
        if (file, fills) not in self._known:
            try:
                self._known[file, fills] = self._opened(file, fills)
            except Exception:  # a font that cannot be read says so in many ways
                self._known[file, fills] = None
        return self._known[file, fills]

    def _opened(self, file: str, fills: bool) -> _Face | None:
        from fontTools.ttLib import TTFont

        with TTFont(file, fontNumber=0, lazy=True) as font:
            rights = font["OS/2"].fsType if "OS/2" in font else 0
            if rights & _RESTRICTED or not {"glyf", "CFF ", "CFF2"}.intersection(font.keys()):
                return None
            units, chars = font["head"].unitsPerEm, font.getBestCmap()
            advance = font["hmtx"][chars[ord("0")]][0] / units if ord("0") in chars else 0.5
            above, below = font["hhea"].ascent / units, -font["hhea"].descent / units
        size = W / advance if fills else 0.8 * H
        baseline = (H - (above + below) * size) / 2 + above * size
        family = f"cells{len(self._known)}"
        self._pdf.add_font(family, "", file)
        return _Face(family, size, baseline, frozenset(chars), 1 if fills else 0)


def _within(row: Sequence[Cell], columns: int) -> list[tuple[int, Cell]]:
    """The cells of a row with their columns; those beyond `columns` are cut off."""
    x, placed = 0, []
    for cell in row:
        if x + cell.width > columns:
            break
        placed.append((x, cell))
        x += cell.width
    return placed

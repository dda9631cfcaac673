"""`export --pdf`: a page a slide as the room saw it, with text to be copied, and below it the notes."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quiz.answer_key import key_in_words
from quiz.kinds.registry import KINDS
from runtime.atomic_write import put
from slides.deck import Image as Picture
from slides.deck import Quiz, Scene, Slide
from slides.drawing.cells import clean, line_width
from slides.drawing.layout import layout_blocks
from slides.drawing.screen_reader_lines import many
from slides.drawing.text import Line, Span, Style
from slides.export.drawings import pdf_writer, png
from slides.export.markdown import words
from slides.palette import THEMES
from slides.pixel_cells import RUN, SIGN
from slides.problems import one_line
from slides.reading.parse import parse_blocks
from slides.reading_order import blocks as walk
from teachrun import install_extra
from tui.command_line.exit_codes import DONE
from tui.command_line.refusals import complain
from tui.deck import question_of_block
from tui.export import question_parts
from tui.export.screen_images import screens, setting, still
from tui.graphics.picture_cache import Pixels
from tui.graphics.pixel_pictures import Cell, PixelPictures
from tui.graphics.placeholder import Piece, pieces
from tui.panes import screen_layout

if TYPE_CHECKING:
    from PIL import Image

    from tui.export.deck_or_class import Options, Source

DENSE: Cell = (16, 32)  # pixels of a picture to a cell: 192 to the inch
HEAD, DIM = Style("dim", bold=True), Style("dim")


class Embedded:
    """Pictures that are put into a document as they are: see `tui.graphics.pixel_pictures.Way`."""

    remembers = False

    def prepare(self, image: Image.Image, columns: int, rows: int, cell: Cell) -> Image.Image:
        """The picture as it is: the PDF scales it."""
        return image

    def begin(self, number: int, columns: int, rows: int, payload: Any) -> str:
        """Nothing is written to a terminal."""
        return ""

    def draw(self, piece: Piece, columns: int, payload: Any) -> str:
        """Nothing is written to a terminal."""
        return ""

    def cut(self, payload: Any, parts: object) -> None:
        """Nothing is written to a terminal."""

    def end(self, number: int) -> str:
        """Nothing is written to a terminal."""
        return ""


def document(source: Source, options: Options) -> int:
    """One file; 2 where something is missing."""
    if not pdf_writer.available():
        return complain(f"a PDF needs fpdf2: {install_extra('pdf')}")
    chosen = setting(source, options, "light")  # it is printed as often as it is looked at
    if isinstance(chosen, str):
        return complain(chosen)
    (theme, size), deck = chosen, source.contents.deck
    target = options.output or f"{source.name}.pdf"
    if target != "-" and Path(target).resolve() == Path(deck.path).resolve():
        return complain(f"{target} is the deck itself. Give -o another file")

    of, plates = still(source, theme), PixelPictures(Embedded())
    of.drawing.letters = False  # words of a page are looked for, and copied
    of.noun = "slide" if source.counted else "page"
    if of.drawing.gallery is not None:
        of.drawing.gallery.show_by(Pixels(plates, lambda: DENSE))
    of.drawing.scenes.have_plates()
    of.drawing.scenes.show_by(Pixels(plates, lambda: DENSE))
    book = pdf_writer.PdfDocument(
        deck.title,
        lang=deck.meta.get("lang", "") or "en",
        author=deck.meta.get("author", ""),
        subject=" ".join(source.facts),
    )
    ground, section, count = THEMES[theme].colour("background") or png.GROUND, "", 0
    for index, lines in screens(source, of, size):
        slide = source.contents.slide(index)
        number = f"{source.contents.label(index)}  " if source.counted else ""
        outline = [pdf_writer.Entry(f"{number}{slide.title}", 0)]
        if named := source.contents.section(index):
            outline = [
                *([pdf_writer.Entry(named, 0)] if named != section else ()),
                outline[0]._replace(level=1),
            ]
        section = named
        below = list(_facts(source)) if count == 0 else []
        if options.answers:
            below += _below("ANSWER", _answers(slide), size.width)
        if options.notes:
            below += _below("NOTES", [note.markdown for note in slide.notes], size.width)
        for step in _scene_steps(slide):
            shown, placed = _pictured(of.screen(index, size, step), plates, slide)
            rows = [png.row_of(line, THEMES[theme]) for line in shown]
            book.page(rows, size.width, ground, outline, placed, slide.id)
            outline = []
            count += 1
        shown, placed = _pictured([*lines, *below], plates, slide)
        rows = [png.row_of(line, THEMES[theme]) for line in shown]
        book.page(rows, size.width, ground, outline, placed, slide.id)
        count += 1
    data = book.save()
    if book.missing:
        some = "".join(sorted(book.missing)[:12])
        print(f"teachrun: no font of this machine has {some}: boxes stand for them", file=sys.stderr)
    if book.unshaped:
        why = "letters that join or go from right to left stand one by one"
        print(f"teachrun: {why}: the package uharfbuzz sets them right, as --html does", file=sys.stderr)
    if target == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    else:
        put(target, data)
        pages = many(count, "page")

        print(f"{one_line(target)}: {pages}, {len(data) / 1e3:.0f} kB")
    return DONE


def _scene_steps(slide: Slide) -> list[int]:
    """The steps of a slide with a scene that have a page before its last."""
    scenes = [block for block in walk(slide.blocks) if isinstance(block, Scene)]
    return sorted({step for block in scenes for step in range(block.at, block.at + block.frames - 1)})


def _facts(source: Source) -> Iterator[Line]:
    """When the class was, under its first slide."""
    yield from ((Span(f"  {clean(fact)}", DIM),) for fact in source.facts)


def _below(head: str, texts: Sequence[str], width: int) -> Iterator[Line]:
    """Text in Markdown under a slide, nothing where there is none."""
    if not texts:
        return
    margin = Span(" " * screen_layout.margin(width))
    yield ()
    yield (margin, Span(head, HEAD))
    for markdown in texts:
        yield ()
        for line in layout_blocks(parse_blocks(markdown), 1 << 30, screen_layout.measure(width, "")):
            yield (margin, *line)
    yield ()


def _answers(slide: Slide) -> list[str]:
    """What is right of the questions of a slide, by the numbers that its picture has, and why."""
    found: list[str] = []
    for block in walk(slide.blocks):
        question = question_of_block.question(block) if isinstance(block, Quiz) else None
        if question is None:
            continue
        found.append(words(key_in_words(question, question_parts.words)))
        if KINDS[question.kind].key == "options":
            for n, option in enumerate(question.options, 1):
                found += [f"{n}. {option.text}", option.explain] if option.right else []
        found.append(question.explain)
    return [text for text in found if text]


def _pictured(
    lines: Sequence[Line], plates: PixelPictures, slide: Slide
) -> tuple[list[Line], list[pdf_writer.Placed]]:
    """The lines with blanks where pictures stand, and those pictures."""
    said = {block.path: block.alt for block in walk(slide.blocks) if isinstance(block, Picture)}
    alts = iter(said.values())
    shown, placed = [], []
    known: set[int] = set()
    for row, line in enumerate(lines):
        blank: list[Span] = []
        for span in line:
            if SIGN in span.text:
                at = line_width(tuple(blank))
                for run in RUN.finditer(span.text):
                    column = at + run.start() // 4
                    for piece in pieces(run[0]):
                        plate = plates.plate(piece.number)
                        if piece.number not in known and plate is not None:
                            known.add(piece.number)  # of a scene its first cells may be words
                            at_cell, size = (
                                (column - piece.first, row - piece.row),
                                (plate.columns, plate.rows),
                            )
                            placed.append(pdf_writer.Placed(*at_cell, *size, plate.payload, next(alts, "")))
                        column += piece.width
                span = Span(RUN.sub(lambda run: " " * (len(run[0]) // 4), span.text), span.style)
            blank.append(span)
        shown.append(tuple(blank))
    return shown, placed

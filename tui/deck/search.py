"""Search in what slides say and in their notes: case, accents and widths of letters do not matter.

Slides are read a few at a time (`Index.read`), so that a long deck never holds up a key. Keys of questions
and explanations are not searched: the screen that searches may be the one the room sees.
"""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from quiz.question import Question
from slides.deck import (
    AnyBlock,
    Box,
    Chart,
    Code,
    Columns,
    Demo,
    Heading,
    Image,
    List,
    Math,
    Paragraph,
    Quiz,
    Quote,
    Table,
)
from slides.drawing import cells
from slides.drawing.screen_reader_lines import formula, words
from slides.drawing.text import Line, Span, Style, plain
from tui.deck.contents import Contents

LEAD = 6  # characters at most of what stands before the words of a row
KANA_VOICE, VIRAMA = 8, 9  # combining classes that make another letter, not an accented one

ReadQuiz = Callable[[Quiz], object]  # a Question where the block is one


class Text(NamedTuple):
    """One line somebody could look for, and the step of the slide that first shows it."""

    slide: int
    step: int
    text: str
    note: bool = False


# --- folding ---------------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _folded(character: str) -> str:
    for _ in range(2):  # folding case can bring a letter that comes apart again
        character = unicodedata.normalize("NFKD", character).casefold()
    return "".join(
        c for c in character if unicodedata.combining(c) in (0, KANA_VOICE, VIRAMA) and c != "\u200d"
    )


def fold(text: str) -> str:
    """The letters of `text` without case, accents, vowel points and the wide forms of East Asian fonts."""
    return text.lower() if text.isascii() else "".join(map(_folded, text))


def marks(text: str, query: str) -> list[tuple[int, int]]:
    """Where folded `query` stands in `text`: (start, end) in characters, never inside a grapheme."""
    folded = fold(text)
    found = []
    at = folded.find(query) if query else -1
    while at >= 0:
        found.append((at, at + len(query)))
        at = folded.find(query, at + len(query))
    if text.isascii() or not found:
        return found
    origin = [n for n, character in enumerate(text) for _ in _folded(character)] + [len(text)]
    edges = [0]
    for piece in cells.graphemes(text):
        edges.append(edges[-1] + len(piece))
    spans = [(origin[start], origin[end - 1] + 1) for start, end in found]
    return [(max(e for e in edges if e <= start), min(e for e in edges if e >= end)) for start, end in spans]


# --- what a slide says -----------------------------------------------------------------------------------


def texts(contents: Contents, index: int, read_quiz: ReadQuiz) -> Iterator[Text]:
    """The searchable lines of a slide in reading order, then those of its notes."""
    from slides.reading.parse import parse_blocks

    slide = contents.slide(index)
    for step, text in _texts(slide.blocks, 0, read_quiz):
        yield Text(index, step, text)
    for note in slide.notes:
        for _, text in _texts(parse_blocks(note.markdown), 0, read_quiz):
            yield Text(index, note.at, text, note=True)


def _texts(blocks: tuple[AnyBlock, ...], at: int, read_quiz: ReadQuiz) -> Iterator[tuple[int, str]]:
    for block in blocks:
        step = max(at, block.at)
        match block:
            case Heading(content=content) | Paragraph(content=content):
                yield step, words(content)
            case List(items=items):
                for item in items:
                    yield from _texts(item.blocks, max(step, item.at), read_quiz)
            case Quote(blocks=inner):
                yield from _texts(inner, step, read_quiz)
            case Columns(columns=columns):
                for column in columns:
                    yield from _texts(column, step, read_quiz)
            case Table(head=head, rows=rows):
                for row in (head, *rows):
                    yield step, "  ".join(words(cell) for cell in row)
            case Code(source=source):
                for line in source.split("\n"):
                    yield step, cells.clean(line.strip())
            case Math(tex=tex):
                yield step, formula(tex)
            case Image(alt=alt):
                yield step, cells.clean(alt)
            case Chart(title=title, series=series, labels=labels):
                yield step, cells.clean("  ".join((title, *series, *labels[:100])))
            case Demo(name=name, params=params):
                yield (
                    step,
                    cells.clean(" ".join([name, *(f"{key}={value}" for key, value in params.items())])),
                )
            case Box(problem=problem, raw=raw):
                yield step, cells.clean(f"{problem.message} {raw}")
            case Quiz():
                yield from _question(read_quiz(block), step, read_quiz)


def _question(question: object, step: int, read_quiz: ReadQuiz) -> Iterator[tuple[int, str]]:
    from slides.reading.parse import parse_blocks

    if isinstance(question, Question):
        for part in (question.stem, *(option.text for option in question.options)):
            yield from _texts(parse_blocks(part), step, read_quiz)


# --- the index -------------------------------------------------------------------------------------------


class Index:
    """The lines of a deck, read slide by slide when `read` is called."""

    def __init__(self, contents: Contents, read_quiz: ReadQuiz) -> None:
        self.contents = contents
        self._read_quiz = read_quiz
        self._texts: list[tuple[str, Text]] = []
        self.slides = 0  # read so far

    @property
    def complete(self) -> bool:
        """Whether every slide has been read, so that what is not found is not there."""
        return self.slides == len(self.contents)

    def read(self, seconds: float) -> None:
        """Go on reading for about so long, at least one slide."""
        until = time.perf_counter() + seconds
        while not self.complete:
            found = texts(self.contents, self.slides, self._read_quiz)
            self._texts += [(fold(text.text), text) for text in found if text.text]
            self.slides += 1
            if time.perf_counter() >= until:
                break

    def find(self, text: str) -> list[Text]:
        """Every line with `text` among those read, in the order of the deck."""
        query = query_of(text)
        return [found for folded, found in self._texts if query in folded] if query else []


def query_of(typed: str) -> str:
    """What is looked for: blanks at the ends and doubled ones do not matter."""
    return fold(" ".join(cells.clean(typed).split()))


# --- one line of the results -----------------------------------------------------------------------------

HIT = Style("accent", bold=True, underline=True)


def marked(text: str, query: str, width: int, style: Style) -> Line:
    """`text` in at most `width` cells with every hit marked; its beginning is left out to show the first."""
    found = marks(text, query)
    if found and cells.width(text) > width and cells.width(text[: found[0][1]]) > width * 2 // 3:
        start = _shortened(text, found[0][0], width // 3)
        text = "…" + text[start:]
        found = [(max(a - start, 0) + 1, b - start + 1) for a, b in found]
    hit = HIT.on(style.ground)
    line: list[Span] = []
    at = 0
    for start, end in found:
        line += [Span(text[at:start], style), Span(text[start:end], hit)]
        at = end
    return cells.clip(tuple(span for span in (*line, Span(text[at:], style)) if span.text), width)


def mark(lines: list[Line], query: str) -> list[Line]:
    """The lines of a slide with every hit marked; of one that a line break parts, its words."""
    texts = [plain(line) for line in lines]
    for sought in ((query,), query.split()):
        each = [[marks(text, one) for text in texts] for one in sought]
        if all(any(found) for found in each):
            spans = [sorted(span for found in each for span in found[n]) for n in range(len(lines))]
            return [_marked(line, at) if at else line for line, at in zip(lines, spans, strict=True)]
    return lines


def _marked(line: Line, found: list[tuple[int, int]]) -> Line:
    """The characters of the line from each start to its end, in the ink of a hit."""
    out: list[Span] = []
    begin = 0
    for text, style in line:
        edges = sorted(
            {0, len(text), *(at - begin for pair in found for at in pair if 0 < at - begin < len(text))}
        )
        for a, b in pairwise(edges):
            hit = any(start <= begin + a < end for start, end in found)
            out.append(Span(text[a:b], HIT.on(style.ground or "select") if hit else style))
        begin += len(text)
    return tuple(out)


def is_marked(line: Line) -> bool:
    """Tell whether a line of the results holds a highlighted match."""
    return any(style._replace(ground="") == HIT for _, style in line)


def row_of(text: str) -> Callable[[Sequence[Line]], int | None]:
    """Finds the row with a mark in which `text` is laid out, the first where it has been wrapped; before
    its words may stand a bullet or a number. Where none is like it, the first with a mark."""
    whole = _tight(text)

    def find(lines: Sequence[Line]) -> int | None:
        marked = [(n, _tight(plain(line))) for n, line in enumerate(lines) if is_marked(line)]
        tails = [(n, row[skipped:]) for n, row in marked for skipped in range(LEAD) if row[skipped:]]
        same = [n for n, tail in tails if tail == whole] or [n for n, tail in tails if tail in whole]
        return next(iter(same or [n for n, _ in marked]), None)

    return find


def _tight(text: str) -> str:
    return "".join(fold(text).split())


def _shortened(text: str, before: int, room: int) -> int:
    """Where to begin so that what stands before `before` takes at most `room` cells, at a word if it can."""
    lead = text[max(0, before - 16 * room) : before]
    kept = ""
    for piece in reversed(cells.graphemes(lead)):
        if cells.width(piece + kept) > room:
            break
        kept = piece + kept
    blank = kept.find(" ")
    return before - len(kept) + (blank + 1 if 0 <= blank < len(kept) - 1 else 0)


def result(
    found: Text, number: str, title: str, query: str, width: int, *, here: bool = False, again: bool = False
) -> Line:
    """A row of the results: number, title, and the line with the hit; a line of the notes says so.

    `here`: the row that Enter takes; `again`: the row above is of the same slide.
    """
    ground = "select" if here else ""
    ink = Style("text", ground, bold=here)
    title_width = max(12, min(34, width // 3))
    number_ink = Style("accent" if here else "dim", ground, bold=here)
    mark = Span(f" {'▸' if here else ' '}{'' if again and not here else number:>4}  ", number_ink)
    is_title = found.text == title and not found.note
    named = "" if again and not here and not is_title else title
    left = cells.fit(marked(named, query if is_title else "", title_width, ink), title_width + 2, ink)
    note = (Span("note  ", Style("warning", ground)),) if found.note else ()
    room = max(1, width - 8 - title_width - 2 - 6 * len(note) - 2)
    shown = () if is_title else marked(found.text, query, room, Style("text" if here else "dim", ground))
    return cells.fit((mark, *left, *note, *shown), width, ink)

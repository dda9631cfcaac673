"""A step of a scene with what stands under its picture: the legend, its words, and how far it has come.

All steps of a scene have the same rows for each of these, so that nothing jumps from step to step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from slides.drawing.cells import clean, clip, line_width, wrap
from slides.drawing.text import PLAIN, Line, Span, Style
from slides.scenes.scene_request import Asked
from slides.scenes.shapes import KIND, State

Picture = Callable[[int, int], "list[Line]"]
"""The picture of a step in (columns, rows)."""

LEAST_PICTURE = 6  # rows, on a slide that has few
LEAST_WITH_WORDS = 9  # rows for picture and words: in fewer there is the picture alone, or words where none
MOST_WORDS = 104  # cells of a line under the picture
_AIRY = 26  # rows from which on words stand apart from the picture
_LETTERS = 104, 34  # columns and rows from which on words are in letters
_LETTERS_MOST = (False, 6), (True, 6), (True, 9)  # whether they are slim, and rows of the screen for them
_HIGH = 3  # rows of letters
_LEAST_OVER_LETTERS = 20  # rows of the picture above them
_DEEP = 5  # columns for a row of a picture in space: with fewer rows it is smaller than its width allows
_BAR = 36  # cells of the progress of a scene, at most
_LEAD, _DIM, _DONE, _LEFT = Style("heading", bold=True), Style("dim"), Style("accent"), Style("line")


class Foot(NamedTuple):
    """Rows under the picture: of the legend, of the words, of the progress, and blank ones among them. The
    words may be in `letters`, and in `slim` ones; a `large_legend` is, too, and has the rows that are else
    blank above and below it."""

    legend: int
    words: int
    progress: int
    airy: bool
    letters: bool = False
    slim: bool = False
    large_legend: bool = False

    @property
    def rows(self) -> int:
        """All of them, the blank ones included."""
        gaps = (not self.large_legend) * ((self.legend > 0) + (self.words > 0)) + (self.progress > 0)
        return self.legend + self.words + self.progress + gaps * self.airy


@lru_cache(64)
def foot(asked: Asked, width: int, rows: int, letters: bool = False) -> Foot:
    """Return what stands under the picture of every step in `rows` rows of `width` cells."""
    if 0 < rows < LEAST_WITH_WORDS:
        return Foot(0, 0, 0, False)
    airy = not rows or rows >= _AIRY
    states = asked.states()
    legend = max(len(_legend(state, width)) for state in states)
    if letters and width >= _LETTERS[0] and rows >= _LETTERS[1]:
        deep = any(state.camera is not None for state in states)
        least = max(_LEAST_OVER_LETTERS, width // _DEEP if deep else 0)
        large = legend == 1 and all(_legend_in_letters(state, width) for state in states if state.legend)
        for slim, most in _LETTERS_MOST:
            high = max(len(_in_letters(state, width, slim)) for state in states)
            under = Foot(_HIGH if large else legend, high, int(asked.steps > 1), airy, True, slim, large)
            if high <= most and rows - under.rows >= least:
                return under
    words = max(len(_words(state, width, airy)) for state in states)
    return Foot(legend, words, int(asked.steps > 1), airy)


def composed(
    asked: Asked,
    step: int,
    width: int,
    rows: int,
    picture: Picture,
    inset: int = 0,
    *,
    letters: bool = False,
    kind: str = KIND,
) -> list[Line]:
    """Return `step` in `rows` rows of `width` cells, 0 where that is not known. Words begin at `inset`, and
    are in `letters` where these have room. `kind` says what its figures are.

    Raises:
        Exception: What the scene or its painting raises.
    """
    cells = max(1, width - inset)
    under = foot(asked, cells, rows, letters)
    tall = max(LEAST_PICTURE, rows - under.rows) if under.rows else rows
    if not rows:
        tall = max(LEAST_PICTURE, min(26, round(width * 0.25)))
    state = asked.state(step)
    gap: list[Line] = [()] if under.airy else []
    apart = [] if under.large_legend else gap
    below: list[Line] = []
    if under.legend:
        told = _legend_in_letters if under.large_legend else _legend
        below += [*apart, *_filled(told(state, cells), under.legend)]
    if under.words:
        words = _in_letters(state, cells, under.slim) if under.letters else _words(state, cells, under.airy)
        below += [*apart, *_filled(words, under.words)]
    if under.progress:
        below += [*gap, progress(step, asked.steps, cells, kind)]
    indent = (Span(" " * inset),) if inset else ()
    return [*picture(width, tall), *((*indent, *line) if line else () for line in below)]


def kind_in(captions: Sequence[str]) -> str:
    """Return what the figures of a scene are, in the language of those tables."""
    if not captions:
        return KIND
    from slides.scenes import captions as tables

    return tables.in_words(KIND, captions)


def progress(step: int, steps: int, width: int, kind: str = KIND) -> Line:
    """Return `step 3/8`, a bar, and that it is a drawing, in at most `width` cells.

    A scene's figures follow from its parameters; beside a run that was measured nobody may take one for the
    other.
    """
    step = min(max(step, 0), steps - 1)
    label = f"step {step + 1:>{len(str(steps))}}/{steps}  "
    bar = max(0, min(_BAR, width - len(label) - len(kind) - 2))
    done = round(bar * step / max(1, steps - 1))
    line = (
        Span(label, _DIM),
        Span("━" * done, _DONE),
        Span("─" * (bar - done), _LEFT),
        Span(f"  {kind}", _DIM),
    )
    return clip(tuple(span for span in line if span.text), width)


def told(state: State, step: int, steps: int, kind: str = KIND) -> list[str]:
    """Return a step in words, for who sees no picture: lead and caption, and which step it is."""
    words = [clean(text).strip() for text in (state.lead, state.caption or state.unseen)]
    return [*(text for text in words if text), counted(step, steps, kind)]


def counted(step: int, steps: int, kind: str = KIND) -> str:
    """Return which step it is, in words; as `progress` says it, with what kind of figures they are."""
    return f"step {step + 1} of {steps}, {kind}"


def _filled(lines: list[Line], rows: int) -> list[Line]:
    return [*lines, *[()] * (rows - len(lines))]


def _words(state: State, width: int, airy: bool) -> list[Line]:
    cells = max(1, min(width, MOST_WORDS))
    lead, caption = clean(state.lead).strip(), clean(state.caption).strip()
    if airy:
        above = wrap([Span(lead, _LEAD)], cells) if lead else []
        return [*above, *(wrap([Span(caption, PLAIN)], cells) if caption else [])]
    return wrap(_joined(state), cells)


def _joined(state: State) -> Line:
    """Lead and caption as one text."""
    lead, caption = clean(state.lead).strip(), clean(state.caption).strip()
    between = "" if not lead or not caption else " " if lead[-1] in ".:!?" else ": "
    return tuple(Span(text, style) for text, style in ((lead + between, _LEAD), (caption, PLAIN)) if text)


def _in_letters(state: State, width: int, slim: bool) -> list[Line]:
    """The words for the last row of a room."""
    from slides.drawing.large import three_rows

    return three_rows.text([_joined(state)], width, tight=True, slim=slim)


def _legend(state: State, width: int) -> list[Line]:
    """Each colour with its words, as many on a line as go; without colours it is its texture. They stand
    closer where that spares a row."""
    return min((_entries(state, width, gap) for gap in (4, 2)), key=len)


def _legend_in_letters(state: State, width: int) -> list[Line]:
    """The same in one row of letters; empty where there is no room for it."""
    from slides.drawing.large.letters import letters
    from slides.scenes.painting.characters import TEXTURES

    for gap in (4, 2):
        rows: list[list[Span]] = [[], [], []]
        for ink, words in state.legend:
            drawn = letters(clean(words), width, ("slim",), 1)
            if drawn is None:
                return []
            wide, sign = max(map(len, drawn)), Span(2 * TEXTURES.get(ink, "█"), Style(ink, ink))
            for row, text, mark in zip(rows, drawn, (sign, sign, Span("  ")), strict=True):
                row += [*([Span(" " * gap)] if row else []), mark, Span(f" {text.ljust(wide)}", _DIM)]
        lines = [tuple(row) for row in rows]
        if all(line_width(line) <= width for line in lines):
            return lines
    return []


def _entries(state: State, width: int, gap: int) -> list[Line]:
    from slides.scenes.painting.characters import TEXTURES

    lines: list[Line] = []
    for ink, words in state.legend:
        entry = (Span(TEXTURES.get(ink, "█"), Style(ink, ink)), Span(f" {clean(words)}", _DIM))
        if lines and line_width(lines[-1]) + gap + line_width(entry) <= width:
            lines[-1] = (*lines[-1], Span(" " * gap), *entry)
        else:
            lines.append(clip(entry, width))
    return lines

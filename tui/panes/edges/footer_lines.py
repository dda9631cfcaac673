"""The lines around a slide: footer, hints, top bar and messages. Pure: data in, styled lines out."""

from __future__ import annotations

from collections.abc import Callable

from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.classroom.position.place_in_talk import Place
from tui.figures.numbers import clock
from tui.figures.progress_bar import progress
from tui.keys.table import for_role, key_of, label

TEXT, DIM, FAINT, BOLD = Style(), Style("dim"), Style("faint"), Style("heading", bold=True)
KEY = Style("accent", bold=True)
RULE = Style("line")
MIN_WIDTH, MIN_HEIGHT = 60, 16
_PAUSED = "paused"


def both_ends(left: Line, right: Line, width: int) -> Line:
    """`left` and `right` at the two ends; where both do not fit, the left one is cut. (`spread` of
    the views leaves the right one out.)"""
    room = width - cells.line_width(right)
    if room < 2:
        return cells.clip(right, width)
    left = cells.clip(left, room - 1)
    return (*left, Span(" " * (room - cells.line_width(left))), *right)


def rule(width: int) -> Line:
    """Draw a horizontal line over the whole width."""
    return (Span("─" * width, RULE),)


def footer(place: Place, width: int, status: Line = (), say: Callable[[str], str] = str) -> Line:
    """Deck and section at the left; badges, progress and the clock at the right.

    With a `status`, that stands at the left: the place is then said by the top bar. `say` puts the program's
    words into the deck's language.
    """
    left: Line = (Span("  "), *status)
    told = [(say(badge.text), badge.ink) for badge in place.badges]
    badges = tuple(s for text, ink in told for s in (Span("   "), Span(cells.clean(text), Style(ink))))
    badges += (Span("   "),) if badges else ()
    words = f"{place.percent} %" if width >= 60 and place.percent is not None else ""
    if not status:
        left = (*left, Span(cells.clean(place.footer or place.title), DIM))
        parts = ["" if place.numbered and place.words.startswith(place.noun) else say(place.words), words]
        if place.elapsed is not None:
            parts.append(f"{clock(place.elapsed)}{'' if place.running else f' {say(_PAUSED)}'}")
        words = " · ".join(filter(None, parts))
        section: Line = (Span("  ·  ", FAINT), Span(cells.clean(place.section), DIM))
        # Whole or not at all: a word that is cut says less than the bar that has its place.
        room = width - cells.line_width((*left, *badges)) - cells.width(words) - 3
        if place.section and not place.footer and room >= cells.line_width(section):
            left = (*left, *section)
    # The bar has what the words leave: no word is cut for it.
    most = 24 if width >= 130 else 16 if width >= 96 else 8 if width >= 70 else 0
    bar = min(most, width - cells.line_width((*left, *badges)) - cells.width(words) - 6)
    drawn = (*progress(place.number / max(1, place.total), bar), Span("  ")) if bar >= 4 else ()
    return both_ends(left, (*badges, *drawn, Span(words, DIM), Span("  ")), width)


def caption(text: str, width: int, height: int) -> list[Line]:
    """Words that are said, in the middle of their rows."""
    rows = cells.wrap((Span(cells.clean(text), BOLD),), max(1, width - 8))[:height] if text else []
    rows = [*[()] * ((height - len(rows)) // 2), *rows]
    return [
        cells.pad(row, width, align="center") if row else () for row in [*rows, *[()] * (height - len(rows))]
    ]


def too_small(width: int, height: int) -> Line:
    """Instead of the footer where the terminal is under the minimum."""
    text = f"needs {MIN_WIDTH}x{MIN_HEIGHT} or more, this is {width}x{height}: enlarge it"
    return cells.clip((Span(text, Style("warning")),), width)


def hints(words: tuple[tuple[str, str], ...], width: int, say: Callable[[str], str] = str) -> Line:
    """`key word` pairs, as many as fit whole: the first, the last (it is the help), then the others; `say`
    puts a word into the deck's language."""
    words = tuple((key, say(word)) for key, word in words if key)
    kept: set[int] = set()
    room = width - 3
    for n in dict.fromkeys((0, len(words) - 1, *range(1, len(words)))) if words else ():
        size = cells.width(words[n][0]) + cells.width(words[n][1]) + 3
        if size > room:
            break
        kept.add(n)
        room -= size
    spans = [Span("  ")]
    for n in sorted(kept):
        spans += [Span(words[n][0], KEY), Span(f" {words[n][1]}  ", DIM)]
    return tuple(spans)


def usual_hints(role: str) -> tuple[tuple[str, str], ...]:
    """The hints of the action table, in its order."""
    hinted = (action for action in for_role(role) if action.hint and action.keys)
    return tuple((label(action.keys[0]), action.hint) for action in hinted)


def new_demo_hints() -> tuple[tuple[str, str], ...]:
    """Of a demo that has no figures yet, behind the key that starts or stops it."""
    return (key_of("reveal"), "edit"), (key_of("recall"), "recorded")


def message(text: str, ink: str, width: int) -> Line:
    """A passing word in the place of the hints."""
    return cells.clip((Span("  "), Span(cells.clean(text), Style(ink))), width)

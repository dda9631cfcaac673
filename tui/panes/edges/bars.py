"""The lines around a slide: footer, hints, top bar and messages. Pure: data in, styled lines out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.keys.table import for_role, key_of, label
from tui.views.parts.numbers import clock

if TYPE_CHECKING:
    from tui.deck.contents import Contents

TEXT, DIM, FAINT, BOLD = Style(), Style("dim"), Style("faint"), Style("heading", bold=True)
KEY = Style("accent", bold=True)
RULE = Style("line")
MIN_WIDTH, MIN_HEIGHT = 60, 16
LEAST_SECTION = 14  # cells: of a section's name less says nothing


@dataclass(frozen=True, slots=True)
class Badge:
    """A word or two in the footer that say what is not as usual."""

    text: str
    ink: str = "warning"


@dataclass(frozen=True, slots=True)
class Place:
    """What footer and top bar say. `elapsed` is None before the clock first started.

    `label` is the number as it is shown where the slide is none of the talk's; `backups` are behind its end.
    `footer` is the deck's own, in the place of title and section.
    """

    title: str
    section: str
    number: int
    total: int
    percent: int | None  # None: not to be said here
    step: int
    steps: int
    elapsed: float | None
    running: bool
    badges: tuple[Badge, ...] = ()
    label: str = ""
    backups: int = 0
    footer: str = ""

    @property
    def words(self) -> str:
        """`slide 12/18 (+3 backup)`; of a backup slide `backup +2/3`, of a hidden one `hidden slide`."""
        if self.label.startswith("+"):
            return f"backup {self.label}/{self.backups}"
        if self.label == "–":
            return "hidden slide"
        more = f" (+{self.backups} backup)" if self.backups else ""
        return f"slide {self.number}/{self.total}{more}"


def before_a_class(contents: Contents, index: int, steps: int = 1) -> Place:
    """The place of a slide that no class shows yet, or not any more."""
    from tui.deck import page_furniture

    number, total = contents.number(index), len(contents.visible)
    return Place(
        title=contents.deck.title,
        section=contents.section(index),
        number=number,
        total=total,
        percent=round(100 * number / total),
        step=0,
        steps=steps,
        elapsed=None,
        running=False,
        label="" if index in contents.visible else contents.label(index),
        backups=len(contents.backup),
        footer=page_furniture.footer(contents, index),
    )


def both_ends(left: Line, right: Line, width: int) -> Line:
    """`left` and `right` at the two ends; where both do not fit, the left one is cut. (`spread` of
    the views leaves the right one out.)"""
    room = width - cells.line_width(right)
    if room < 2:
        return cells.clip(right, width)
    left = cells.clip(left, room - 1)
    return (*left, Span(" " * (room - cells.line_width(left))), *right)


def progress(part: float, width: int) -> Line:
    """Draw a thin progress line, `part` (0 to 1) of it in the accent colour."""
    done = max(0, min(width, round(part * width)))
    return Span("━" * done, Style("accent")), Span("━" * (width - done), RULE)


def rule(width: int) -> Line:
    """Draw a horizontal line over the whole width."""
    return (Span("─" * width, RULE),)


def footer(place: Place, width: int, status: Line = ()) -> Line:
    """Deck and section at the left; badges, progress and the clock at the right.

    With a `status`, that stands at the left: the place is then said by the top bar.
    """
    left: Line = (Span("  "), *status)
    badges = tuple(s for b in place.badges for s in (Span("   "), Span(cells.clean(b.text), Style(b.ink))))
    badges += (Span("   "),) if badges else ()
    words = f"{place.percent} %" if width >= 60 and place.percent is not None else ""
    if not status:
        left = (*left, Span(cells.clean(place.footer or place.title), DIM))
        words = place.words + (f" · {words}" if words else "")
        if place.elapsed is not None:
            words += f" · {clock(place.elapsed)}{'' if place.running else ' paused'}"
        section: Line = (Span("  ·  ", FAINT), Span(cells.clean(place.section), DIM))
        # Of a title that leaves no room for it nothing is cut for the section.
        room = width - cells.line_width((*left, *badges)) - cells.width(words) - 3
        if place.section and not place.footer and room >= min(cells.line_width(section), LEAST_SECTION):
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
    text = f"needs {MIN_WIDTH}x{MIN_HEIGHT}, not {width}x{height}: shown as far as it fits"
    return cells.clip((Span(text, Style("warning")),), width)


def hints(words: tuple[tuple[str, str], ...], width: int) -> Line:
    """`key word` pairs, as many as fit whole: the first, the last (it is the help), then the others."""
    words = tuple(word for word in words if word[0])
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

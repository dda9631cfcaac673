"""The first slide before there is a screen: drawn by our own cells while Textual is still to be imported.

Only what looks the same without a class: words, code (which has no colours yet), the label of a demo. Textual
then paints the same cells over it; the switch to the alternate screen is done once, or terminals would clear
it a second time.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from msgspec.structs import replace

from slides.drawing.text import Line, Style
from slides.palette import THEMES, Palette
from tui.graphics import terminal_glyphs

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.color import ColorSystem

    from slides.deck import AnyBlock, Demo
    from tui.deck.contents import Contents

ALTERNATE, BACK = "\x1b[?1049h", "\x1b[?1049l\x1b[?25h\x1b[0m"
LEAST = 40, 12  # columns and rows; below, a screen has other things to say

_painted = False


def painted() -> bool:
    """Whether the terminal shows our first slide, in its alternate screen; asked once by who takes over."""
    global _painted
    was, _painted = _painted, False
    return was


def undo() -> None:
    """Nobody takes over: the terminal as it was."""
    if painted():
        sys.stdout.write(BACK)
        sys.stdout.flush()


def paint(contents: Contents, theme: str) -> None:
    """Show the first slide at once, where it can be told how it will look."""
    global _painted
    try:
        if theme not in THEMES or not sys.stdout.isatty() or "TERM" not in os.environ:
            return
        size = os.get_terminal_size(sys.stdout.fileno())
    except (OSError, ValueError):
        return
    if size.columns < LEAST[0] or size.lines < LEAST[1]:
        return
    terminal_glyphs.settle_letters(os.environ)
    rows = slide_rows(contents, size.columns, size.lines)
    if rows is None:
        return
    shown = drawn(rows, THEMES[theme], size.columns, terminal_colours())
    _painted = True
    sys.stdout.write(f"{ALTERNATE}\x1b[?25l{shown}")
    sys.stdout.flush()


def slide_rows(contents: Contents, width: int, height: int) -> list[Line] | None:
    """All rows of the screen; None where the slide has what needs more than layout."""
    from slides.deck import Code, Columns, Demo, Heading, List, Math, Paragraph, Quote, Rule, Table
    from slides.drawing.author_layouts import extent
    from slides.drawing.layout import layout
    from slides.drawing.text_size import NORMAL
    from slides.reading_order import blocks
    from tui.deck import header_and_footer_of_slide
    from tui.panes import screen_layout
    from tui.panes.edges import page_header

    index = contents.visible[0]
    slide = contents.slide(index)
    plain = (Code, Columns, Demo, Heading, List, Math, Paragraph, Quote, Rule, Table)
    found = list(blocks(slide.blocks))
    if not all(isinstance(block, plain) and not (isinstance(block, Code) and block.run) for block in found):
        return None
    demos = [block for block in found if isinstance(block, Demo)]
    if any(_trouble(demo, contents) for demo in demos):
        return None
    over = page_header.rows(header_and_footer_of_slide.of(contents), width, height)
    room = height - over - screen_layout.bottom_rows(height, "console")
    there = screen_layout.page_rows(width, room, room, extent(slide), NORMAL)
    measure = screen_layout.measure(width, extent(slide))
    text = layout(slide, 0, measure, there.height, special=_special)
    if len(text) > there.height:
        return None
    margin = " " * screen_layout.margin(width)
    body = [((*_blank(margin), *line)) for line in text]
    rows: list[Line] = [*[()] * there.above, *body]
    rows += [()] * (room - len(rows))
    header = page_header.lines(page_header.Still(contents, index), None, width, over)
    return [*header, *rows, *_bottom(contents, index, width, height, bool(demos))]


def _special(block: AnyBlock, step: int, width: int) -> list[Line] | None:
    """As a screen draws it before it has painted anything."""
    from slides.deck import Code, Demo

    if isinstance(block, Demo):
        from tui.views.blocks.demo_line import demo_lines

        return demo_lines(block, None, "", width)
    if isinstance(block, Code) and block.lang:
        from slides.drawing.layout import layout_blocks

        return layout_blocks((replace(block, lang=""),), step, width)
    return None


def _trouble(demo: Demo, contents: Contents) -> bool:
    """Whether more is to be looked at than we have at hand: a package, a script, a wrong word."""
    from runtime.catalog import registry
    from tui.classroom.runs.demo_requests import asked

    known = demo.name in registry.OURS
    return not (known and isinstance(registry.check(demo.name, asked(demo)), registry.Launchable))


def _blank(text: str) -> Line:
    from slides.drawing.text import Span

    return (Span(text),) if text else ()


def _bottom(contents: Contents, index: int, width: int, height: int, demo: bool) -> list[Line]:
    from tui.classroom.position.place_in_talk import before_a_class
    from tui.keys.table import key_of
    from tui.panes import screen_layout
    from tui.panes.edges import footer_lines

    place = before_a_class(contents, index, contents.slide(index).steps)
    rows = screen_layout.bottom_rows(height, "console")
    above = [footer_lines.rule(width)] if rows > 2 else []
    of_demos = key_of("demo"), key_of("restart_demo")
    usual = tuple(hint for hint in footer_lines.usual_hints("console") if hint[0] not in of_demos)
    if demo:
        usual = ((key_of("demo"), "start"), *footer_lines.new_demo_hints(), *usual)
    say = _words_of(contents)
    keys, foot = footer_lines.hints(usual, width, say), footer_lines.footer(place, width, say=say)
    return [*above, keys, *[()] * (rows - len(above) - 2), foot]


def _words_of(contents: Contents) -> Callable[[str], str]:
    if not contents.deck.meta.get("lang"):  # before the first words nothing is read that they do not need
        return str
    from tui.deck import languages

    return languages.words_of(contents.deck)


def drawn(rows: list[Line], palette: Palette, width: int, system: ColorSystem) -> str:
    """Return the rows as a terminal with these colours reads them."""
    from slides.drawing import cells
    from tui.rendering import ambiguous_width

    out = []
    for y, line in enumerate(rows, start=1):
        fitted = cells.pad(cells.clip(line, width), width)
        out.append(f"\x1b[{y};1H")
        for step in ambiguous_width.steps([span.text for span in fitted]):
            if isinstance(step, int):
                out.append(f"\x1b[{step + 1}G")
            else:
                out.append(f"{sgr(fitted[step[0]].style, palette, system)}{step[1]}")
    return "".join(out) + "\x1b[0m"


def terminal_colours() -> ColorSystem:
    """Return the colours of the terminal, as Rich tells them by its environment, and xterm by its own."""
    from rich.color import ColorSystem

    from tui.terminal import xterm_colours

    said = os.environ.get("COLORTERM", "").strip().lower()
    if said in ("truecolor", "24bit") or xterm_colours.has_all(os.environ):
        return ColorSystem.TRUECOLOR
    term = os.environ.get("TERM", "").strip().lower()
    return ColorSystem.EIGHT_BIT if term.endswith(("256color", "kitty")) else ColorSystem.STANDARD


def sgr(style: Style, palette: Palette, system: ColorSystem) -> str:
    """Return the escape sequence of a style in as many colours as the terminal has."""
    from rich.color import Color

    from tui.rendering.fewer_colours import shown

    ink, ground = palette.colour(style.ink), palette.colour(style.ground or "background")
    marks = palette.attributes(style.ink, style.ground)
    codes = ["0"]
    for code, is_on in (
        ("1", style.bold or marks.bold),
        ("2", marks.dim),
        ("3", style.italic or marks.italic),
        ("4", style.underline or marks.underline),
        ("7", marks.reverse),
        ("9", style.strike),
    ):
        codes += [code] if is_on else []
    for colour, foreground in ((ink, True), (ground, False)):
        if colour:
            codes += shown(Color.parse(colour), system).get_ansi_codes(foreground)
    return f"\x1b[{';'.join(codes)}m"

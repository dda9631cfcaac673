"""`export --png`, and what other exports of whole screens need: each slide as the room saw it, with its panel
and its answers."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from runtime.atomic_write import whole
from slides.drawing.blocks import image
from slides.drawing.screen_reader_lines import many
from slides.drawing.text import Line
from slides.export.drawings import png
from slides.palette import THEMES
from slides.screen_size import USUAL, Size, declared_size, read_size
from tui.classroom.runs import run_charts
from tui.command_line.exit_codes import DONE
from tui.command_line.refusals import complain
from tui.export.handout import Handout
from tui.export.theme import UnknownTheme, worn
from tui.rendering.pages.offscreen import Offscreen

if TYPE_CHECKING:
    from tui.export.deck_or_class import Options, Source

SCALE = 2


class Setting(NamedTuple):
    """Theme and size in cells of the screens that are drawn."""

    theme: str
    size: Size


def setting(source: Source, options: Options, usual: str) -> Setting | str:
    """Theme and size that are asked for, or what is wrong; `usual` is the theme of a deck that names none."""
    deck = source.contents.deck
    try:
        theme = worn(deck, options.theme, usual) or usual
    except UnknownTheme as error:
        return str(error)
    declared = declared_size(deck)
    size = read_size(options.size) if options.size else declared if isinstance(declared, Size) else USUAL
    return f"--size {options.size!r} is not a size. Write {USUAL}" if size is None else Setting(theme, size)


def still(source: Source, theme: str) -> Offscreen:
    """What the room was shown at last."""
    found = Offscreen(source.contents, source.state, role="audience")
    found.drawing.theme = theme
    found.drawing.scenes.surface = "sextants"  # no font decides: they are drawn by their geometry
    return found


def screens(source: Source, of: Offscreen, size: Size) -> Iterator[tuple[int, list[Line]]]:
    """Every slide of the talk, then those behind its end; progress is told where somebody waits for it."""
    handout = Handout(of, source.state, source.ran)
    shown = (*source.contents.visible, *source.contents.backup)
    for number, index in enumerate(shown, 1):
        for demo in run_charts.demos_on(source.contents, index):
            if (snapshot := handout.snapshot(demo)) is not None:
                of.room.snapshots[demo.id] = snapshot
        yield index, of.screen(index, size)
        if sys.stderr.isatty():
            print(f"\r{number} of {len(shown)}", end="", file=sys.stderr, flush=True)


def pictures(source: Source, options: Options) -> int:
    """One file for each slide of the talk; 2 where something is missing."""
    if not image.available():
        return complain(image.no_pillow())
    chosen = setting(source, options, "dark")
    if isinstance(chosen, str):
        return complain(chosen)
    theme, size = chosen
    folder = Path(options.output or f"{source.name}-slides")
    if options.output == "-":
        return complain("pictures need a folder, not -. Write -o FOLDER")
    folder.mkdir(parents=True, exist_ok=True)

    total = len(source.contents.visible) + len(source.contents.backup)
    digits = len(str(total))
    for number, (index, lines) in enumerate(screens(source, still(source, theme), size), 1):
        name = re.sub(r"[^\w-]", "", source.contents.heads[index].id) or "slide"
        file = folder / f"{number:0{digits}}-{name}.png"
        with whole(file) as out:
            png.save(lines, THEMES[theme], out, size.width, max(size.height, len(lines)), SCALE)
    count = many(total, "picture")
    pixels = f"{size.width * png.CELL_W * SCALE}x{size.height * png.CELL_H * SCALE}"
    print(f"{folder}: {count} of {pixels}")
    return DONE

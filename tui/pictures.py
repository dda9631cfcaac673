"""`export --png`: a picture of each slide as the room saw it, with its panel and its answers."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from slides.check import USUAL, Size, declared_size, read_size
from slides.export import png
from slides.palette import THEMES
from tui.commands.present import complain
from tui.handout import Handout
from tui.still import Still

if TYPE_CHECKING:
    from tui.commands.export import Source

DONE = 0
SCALE = 2


def pictures(source: Source, args: argparse.Namespace) -> int:
    """One file for each slide of the talk; 2 where something is missing."""
    if not png.available():
        return complain(png.INSTALL)
    deck = source.contents.deck
    theme = args.theme or (deck.meta.get("theme") if deck.meta.get("theme") in THEMES else "dark")
    if theme not in THEMES:
        return complain(f"--theme {theme!r} is none of {', '.join(THEMES)}")
    declared = declared_size(deck)
    size = read_size(args.size) if args.size else declared if isinstance(declared, Size) else USUAL
    if size is None:
        return complain(f"--size {args.size!r} is no size. Write {USUAL}")
    folder = Path(args.output or f"{source.name}-slides")
    if args.output == "-":
        return complain("pictures need a folder, not -. Write -o FOLDER")
    folder.mkdir(parents=True, exist_ok=True)

    still = Still(source.contents, source.state, role="audience")
    still.drawing.theme = theme
    handout = Handout(still, source.state, source.ran)
    shown = (*source.contents.visible, *source.contents.backup)
    digits = len(str(len(shown)))
    for number, index in enumerate(shown, 1):
        for demo in source.contents.demos(index):
            if (snapshot := handout.snapshot(demo)) is not None:
                still.room.snapshots[demo.id] = snapshot
        lines = still.screen(index, size)
        name = re.sub(r"[^\w-]", "", source.contents.heads[index].id) or "slide"
        file = folder / f"{number:0{digits}}-{name}.png"
        png.save(lines, THEMES[theme], file, size.width, max(size.height, len(lines)), SCALE)
        if sys.stderr.isatty():
            print(f"\r{number} of {len(shown)}", end="", file=sys.stderr, flush=True)
    pictures = "1 picture" if len(shown) == 1 else f"{len(shown)} pictures"
    pixels = f"{size.width * png.CELL_W * SCALE}x{size.height * png.CELL_H * SCALE}"
    print(f"{folder}: {pictures} of {pixels}")
    return DONE

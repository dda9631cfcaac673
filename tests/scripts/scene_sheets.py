"""Makes sheets of pictures of scenes, every step of each, to be looked at.

    python tests/scripts/scene_sheets.py FOLDER                        # all scenes, sizes and surfaces
    python tests/scripts/scene_sheets.py FOLDER fsdp hsdp --size 80x24 --surface sextants

A step stands there as on a slide of that size without a title: the picture, its legend, its words, its bar.
What a shot of one step cannot show is what jumps from one to the next; watch `teachrun scene NAME` for that.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import get_args

from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import tui  # noqa: F401  # brings what slides cannot know
from slides.drawing.text import Line
from slides.export.drawings.png import save
from slides.palette import DARK
from slides.scenes import composition, registry
from slides.scenes.painting import Surface, lines
from slides.scenes.scene_request import Asked, asked

SIZES = ("80x24", "100x30", "160x45")
ACROSS, DOWN = 3, 4  # steps on a sheet
WIDE = 700  # pixels of a step on a sheet, at most


def shot(of: Asked, step: int, columns: int, rows: int, surface: Surface, at: Path) -> Image.Image:
    """Return a step on a screen of that size, as large as it stands on a sheet."""

    def picture(wide: int, high: int) -> list[Line]:
        return lines(of.state(step), wide, high, DARK, surface)

    save(composition.composed(of, step, columns, rows, picture), DARK, at, columns, rows)
    with Image.open(at) as image:
        scale = min(1.0, WIDE / image.width)
        return image.convert("RGB").resize((round(image.width * scale), round(image.height * scale)))


def sheet(shots: list[Image.Image]) -> Image.Image:
    """Return steps in reading order, with a line between them."""
    wide, high = shots[0].width + 4, shots[0].height + 4
    made = Image.new("RGB", (min(ACROSS, len(shots)) * wide, -(-len(shots) // ACROSS) * high), "#808080")
    for n, image in enumerate(shots):
        made.paste(image, (n % ACROSS * wide + 2, n // ACROSS * high + 2))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("scenes", nargs="*", help="names, with parameters as `ring,ranks=8`; all, if none")
    parser.add_argument("--size", choices=SIZES, help="only this size")
    parser.add_argument("--surface", choices=get_args(Surface), help="only this surface")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    for wanted in args.scenes or registry.names():
        name, *words = wanted.split(",")
        of = asked(name, dict(word.split("=", 1) for word in words))
        for size in [args.size] if args.size else SIZES:
            columns, rows = map(int, size.split("x"))
            for surface in [args.surface] if args.surface else get_args(Surface):
                with tempfile.TemporaryDirectory() as folder:
                    one = partial(
                        shot, columns=columns, rows=rows, surface=surface, at=Path(folder) / "s.png"
                    )
                    for first in range(0, of.steps, ACROSS * DOWN):
                        steps = range(first, min(of.steps, first + ACROSS * DOWN))
                        made = args.folder / f"{wanted}-{size}-{surface}-{first + 1:03}.png"
                        sheet([one(of, step) for step in steps]).save(made)
                        print(made, flush=True)


if __name__ == "__main__":
    main()

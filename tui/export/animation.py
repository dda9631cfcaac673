"""`export --gif|--webp`: a recording, or the steps of a slide, as a picture that moves."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from runtime import paths
from runtime.atomic_write import whole
from slides.deck import AnyBlock, Scene
from slides.drawing.blocks import image
from slides.drawing.screen_reader_lines import many
from slides.drawing.text import Line
from slides.export.drawings import animation_writer as writers
from slides.export.drawings import png
from slides.export.drawings.animation_writer import Cut, Film, Frame
from slides.palette import THEMES
from slides.problems import one_line
from slides.reading_order import blocks as walk
from teachrun import install_extra
from tui.command_line.exit_codes import DONE
from tui.command_line.refusals import complain
from tui.export.screen_images import setting, still
from tui.figures.numbers import clock
from tui.recording import film_frames as recorded
from tui.recording.cast import CastError

if TYPE_CHECKING:
    from tui.export.deck_or_class import Options, Source

Kind = Literal["gif", "webp"]
STEP_S, FRAME_S, END_S = 1.6, 1.6, 3.0  # that a step is shown, one of a scene, the last
MOVE_S, MOMENTS = 0.6, 9  # that a scene is on its way to the next step, and as how many pictures


def recording(what: str) -> Path | str | None:
    """The file of a recording that is meant, or why there is none; None: a deck is meant, or a class."""

    if what.endswith(".cast"):
        return Path(what) if Path(what).is_file() else f"there is no recording {what}"
    if what != "last" and (Path(what).exists() or not paths.valid_class_id(what)):
        return None
    class_id = paths.newest_class() if what == "last" else what
    if class_id is None or not paths.journal_file(class_id).exists():
        return None  # the caller reports a missing class
    found = sorted((paths.classes_dir() / class_id / "recordings").glob("*.cast"))
    return found[-1] if found else None


def of_recording(cast: Path, kind: Kind, options: Options) -> int:
    """A film of a recording; 2 where something is missing."""
    for option, given in (("--theme", options.theme), ("--size", options.size)):
        if given:
            print(f"teachrun: {option} is left out: a recording is as it was recorded", file=sys.stderr)
    if not recorded.available():
        return complain(f"a film needs Pillow and pyte: {install_extra('film')}")
    _give_way()
    told = _Told()
    try:
        made = recorded.film(cast, options.slide, told.reading)
    except CastError as error:
        return complain(str(error))
    return _write(made, kind, options.output or f"{cast.stem}.{kind}", told)


def of_slide(source: Source, kind: Kind, options: Options) -> int:
    """A film of the steps of one slide; 2 where something is missing."""
    if not image.available():
        return complain(image.no_pillow())
    chosen = setting(source, options, "dark")
    if isinstance(chosen, str):
        return complain(chosen)
    contents = source.contents
    labels = [contents.label(n) for n in range(len(contents))]
    index = contents.find(options.slide) if options.slide else None
    if index is None and options.slide in labels:
        index = labels.index(options.slide)
    if index is None:
        wanted = options.slide
        said = f"there is no slide {wanted!r}" if wanted else "one slide of a deck is made a film"
        return complain(f"{said}. Write --slide with its number, 1 to {len(contents.visible)}, or its id")
    _give_way()
    (theme, size), of = chosen, still(source, chosen.theme)
    slide = contents.slide(index)
    frames: list[Frame] = []
    animated = _animated(slide.blocks)

    def add(seconds: float, lines: Sequence[Line]) -> None:
        frames.append(Frame(seconds, tuple(tuple(png.row_of(line, THEMES[theme])) for line in lines)))

    for step in range(slide.steps):
        for n in range(1, MOMENTS if of.moves(index, step) else 1):
            add(MOVE_S / MOMENTS, of.screen(index, size, step, n / MOMENTS))
        seconds = END_S if step == slide.steps - 1 else FRAME_S if step in animated else STEP_S
        add(seconds, of.screen(index, size, step))
    height = max(size.height, *(len(frame.rows) for frame in frames))
    ground = THEMES[theme].colour("background") or png.GROUND
    name = f"{source.name}-{contents.heads[index].id}"
    return _write(Film(frames, size.width, height, ground), kind, options.output or f"{name}.{kind}", _Told())


def _animated(blocks: Sequence[AnyBlock]) -> set[int]:
    """Steps that only move something on."""
    moving = (block for block in walk(blocks) if isinstance(block, Scene))
    return {step for block in moving for step in range(block.at, block.at + block.frames - 1)}


def _give_way() -> None:
    """A class may go on beside it."""
    with contextlib.suppress(OSError):
        os.nice(10)


class _Told:
    """Says how far it is, where somebody waits for it: reading is the first half."""

    def __init__(self) -> None:
        self._on, self._last, self._begun = sys.stderr.isatty(), -1, 0.0

    def reading(self, part: float) -> None:
        self._begun = 0.5
        self._say(part / 2)

    def writing(self, part: float) -> None:
        self._say(self._begun + part * (1 - self._begun))

    def _say(self, part: float) -> None:
        percent = int(100 * part)
        if self._on and percent != self._last:
            print(f"\r{percent} %", end="", file=sys.stderr, flush=True)
            self._last = percent

    def done(self) -> None:
        if self._on and self._last >= 0:
            print("\r      \r", end="", file=sys.stderr, flush=True)


def _write(made: Film, kind: Kind, output: str, told: _Told) -> int:
    write: Callable[..., Cut] = writers.gif if kind == "gif" else writers.webp
    if output == "-":
        cut = write(made, 1, sys.stdout.buffer.write, told.writing)
        sys.stdout.flush()
        told.done()
        return DONE
    path = Path(output)
    with whole(path) as file:
        cut = write(made, 1, file.write, told.writing)
    told.done()
    pictures = many(cut.frames, "picture")

    print(f"{one_line(output)}: {pictures}, {clock(cut.seconds)}, {path.stat().st_size / 1e3:.0f} kB")
    if cut.frames < len(made.frames) or len(made.frames) >= recorded.MOST_FRAMES:
        said = f"only the first {clock(cut.seconds)} are in it: the rest would make it too large"
        print(f"teachrun: {said}. --slide takes a part of a recording", file=sys.stderr)
    return DONE

"""A class that was held as one HTML page: its moments at their times, in the player of recordings.

The page needs nothing else and runs nothing. It is drawn from the journal: of what nobody recorded, a
terminal on a slide or the output of code, it has nothing.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rich.color import ColorSystem

from slides.drawing import cells
from slides.drawing.text import Line
from slides.languages.program_words import say_in
from slides.palette import THEMES, Palette
from slides.screen_size import Size
from tui.deck import languages
from tui.playback import caption_cues
from tui.recording import player_page
from tui.recording.captions import Caption, captions
from tui.recording.cast import line
from tui.recording.scenes_and_chapters import Chapter, Scene
from tui.rendering import first_paint
from tui.replay.moment_drawing import Walk
from tui.replay.moments import going_on

SIZE = Size(120, 36)
LOOK_S = 2.0  # between two looks at a run that goes on
_CLEAR = "\x1b[2J\x1b[H"


def page(walk: Walk, theme: str, size: Size = SIZE) -> bytes:
    """Return the page as UTF-8. Raises `OSError` where the player cannot be read."""
    first = walk.contents(walk.moments[0]) if walk.moments else None
    say = say_in(languages.own(first.deck) if first is not None else "en")
    with tempfile.TemporaryDirectory(prefix="teachrun-replay-") as folder:
        cast = Path(folder) / "class.cast"
        with cast.open("wb") as file:
            header = {"version": 2, "width": size.width, "height": size.height, "title": walk.title}
            file.write(json.dumps(header).encode() + b"\n")
            for n, (t, shown) in enumerate(frames(walk, size)):
                # The first is there at once: it is the picture of the page before anybody plays it.
                file.write(line(t if n else 0.0, "o", _written(shown, THEMES[theme], size)))
            file.write(line(walk.length_s, "o", ""))
        return player_page.page(
            walk.title,
            cast,
            _chapters(walk),
            _captions(walk),
            [],
            size=size,
            credit=say(_CREDIT),
            transcript=say(_TRANSCRIPT),
            # A little later each: what is drawn at a second is there after it.
            stops=[0.0, *(moment.at + 0.02 for moment in walk.moments[1:])],
        )


_CREDIT = "Made with teachrun from the journal of the class."
_TRANSCRIPT = "Text of the slides, as a transcript"


def frames(walk: Walk, size: Size) -> Iterator[tuple[float, list[Line]]]:
    """(second, screen) of each moment, and of runs while they go on; the same screen is there once."""
    before: list[Line] = []
    for number, moment in enumerate(walk.moments):
        for run in walk.needed(moment):
            walk.fetch(run)
        later = walk.moments[number + 1].at if number + 1 < len(walk.moments) else walk.length_s
        looks = [0.0]
        if going_on(moment):
            looks = [n * LOOK_S for n in range(max(1, min(600, int((later - moment.at) / LOOK_S))))]
        for after_s in looks:
            shown = walk.screen(number, size, after_s)[: size.height]
            if shown != before:
                yield moment.at + after_s, shown
            before = shown


def _written(rows: list[Line], palette: Palette, size: Size) -> str:
    """A screen as a terminal reads it."""
    blank = first_paint.drawn(
        [*rows, *[()] * (size.height - len(rows))], palette, size.width, ColorSystem.TRUECOLOR
    )
    return f"{_CLEAR}{blank}"


def _chapters(walk: Walk) -> list[Chapter]:
    found: list[Chapter] = []
    for number, moment in enumerate(walk.moments):
        title = cells.clean(walk.place(number))
        if not found or found[-1].title != title:
            found.append(Chapter(moment.at, moment.at, title))
    ends = [chapter.start for chapter in found[1:]] + [walk.length_s]
    return [chapter._replace(end=end) for chapter, end in zip(found, ends, strict=True)]


def _captions(walk: Walk) -> list[Caption]:
    """The words of each step as it came: what the room read, no notes."""
    steps: list[tuple[float, str, int, int]] = []
    for number, moment in enumerate(walk.moments):
        here = (moment.state.pos.slide, moment.state.pos.step)
        if not steps or steps[-1][1:3] != here:
            steps.append((moment.at, *here, number))
    ends = [at for at, *_ in steps[1:]] + [walk.length_s]
    seen: set[tuple[str, int]] = set()
    scenes: list[Scene] = []
    numbers: dict[tuple[str, int], int] = {}
    for (at, slide, step, number), end in zip(steps, ends, strict=True):
        scenes.append(Scene(at, end, slide, step, (slide, step) in seen))
        seen.add((slide, step))
        numbers[slide, step] = number

    def said(slide: str, step: int) -> list[str]:
        contents = walk.contents(walk.moments[numbers[slide, step]])
        index = contents.find(slide) if contents is not None else None
        if contents is None or index is None:
            return []
        return [
            cue for text in caption_cues.text_at(contents, index, step) for cue in caption_cues.cues(text)
        ]

    return captions(scenes, said)

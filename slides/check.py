"""Checks a deck without showing it to anybody.

Whatever the reader of a deck could not use is a problem already; here is what only shows when slides are
looked at one by one: files that words name, formulas, times. What does not fit a size is `slides.overflow`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from slides import header_and_footer, reading_order
from slides.common_mistakes import slips
from slides.deck import NATIVE, AnyBlock, Box, Code, Deck, Image, Math, Scene, Slide
from slides.drawing.blocks import image
from slides.drawing.links import slide_id
from slides.highlighting import highlight
from slides.palette import DARK
from slides.problems import Mistake, Problem, did_you_mean, quoted
from slides.reading import front_matter
from slides.reading.from_disk.source import MAX_FILE, read_bytes
from slides.reading.markdown import diffs
from slides.screen_size import front_line

SHORTEST_S = 10.0  # of a slide without a time of its own: less is nothing that can be said
_NAMED = re.compile(r"`([^`]+?)…?`|'([^']+)'")


# -- what is written -------------------------------------------------------------------------------------


def reading(deck: Deck, slides: Sequence[Slide]) -> list[Problem]:
    """Return all problems in the text of a deck, in order."""
    found = list(deck.problems)
    for slide in slides:
        found += slide.problems
        for block in reading_order.blocks(slide.blocks):
            here = _of_block(block, Path(deck.path), deck.format == NATIVE)
            found += (p._replace(file=block.file) for p in here) if block.file else here
        found += _of_notes(deck, slide)
    if deck.format == NATIVE:
        found += [*slips(deck), *_jumps(deck, slides)]
    return in_order([*found, *_open_front(deck), *_header_and_footer(deck), *times(deck, slides)])


def _open_front(deck: Deck) -> Iterator[Problem]:
    """Settings that never end, in a deck of ours: they are words on its first slide."""
    lines = deck.source.split("\n")
    if not deck.places and front_matter.is_open(lines):
        message = "the front matter that begins here never ends, and is text of the first slide"
        yield Problem(deck.path, 1, message, "Write a line `---` below its last setting.")


def _header_and_footer(deck: Deck) -> Iterator[Problem]:
    """Header, footer and logo of all pages."""
    for key, mistake in header_and_footer.problems(deck.meta, Path(deck.path).parent):
        yield Problem(deck.path, front_line(deck, key), mistake.message, mistake.mend)


def _of_block(block: AnyBlock, deck: Path, named: bool = True) -> Iterator[Problem]:
    """`named`: pictures have words for who cannot see them. Other programs keep sizes in their place."""
    if isinstance(block, Box):
        yield block.problem
    elif isinstance(block, Math):
        yield from _of_formula(block.tex, str(deck), block.line)
    elif isinstance(block, Image):
        yield from _of_image(block, str(deck), named)
    elif isinstance(block, Code):
        yield from _of_code(block, str(deck))
    elif isinstance(block, Scene):
        yield from _of_scene(block, str(deck))
    for part in reading_order.inlines(block):
        if part.math:
            yield from _of_formula(part.text, str(deck), block.line)
        elif part.image:
            yield from _of_picture(part.href, deck, block.line)
            if named and not part.text.strip():
                yield _nameless(str(deck), block.line)


def _of_scene(block: Scene, file: str) -> Iterator[Problem]:
    """Its first step that fails."""
    from slides.scenes import on_slide, scene_request

    scene = on_slide.of(block)
    for step in range(scene.steps):
        try:
            scene.state(step)
        except Exception as error:  # a scene may be somebody's own
            message = f"step {step + 1} of scene {block.name} cannot be drawn: {scene_request.failure(error)}"
            yield Problem(file, block.line, message, "Show it with other parameters, or fix the scene.")
            return


def _jumps(deck: Deck, slides: Sequence[Slide]) -> Iterator[Problem]:
    """Links to slides that are not there."""
    ids = {head.id for head in deck.slides}
    for slide in slides:
        for block in reading_order.blocks(slide.blocks):
            for part in reading_order.inlines(block):
                if not part.image and (wanted := slide_id(part.href)) and wanted not in ids:
                    near = did_you_mean(wanted, ids)
                    mend = (
                        f"Did you mean `#{near}`?"
                        if near
                        else "Give the slide meant that id: `# Title {#id}`."
                    )
                    yield Problem(
                        block.file or deck.path, block.line, f"no slide has the id {quoted(wanted)}", mend
                    )


def _of_code(block: Code, file: str) -> Iterator[Problem]:
    """Code of a known language that has no colours all the same."""
    versions = [diffs.version(block.source, block.diff, sign) for sign in "+-"] if block.diff else ()
    for source in versions or (block.source,):
        if why := highlight.plain_because(block.lang, source):
            message = f"this {quoted(block.lang)} is shown without colours: {why}"
            yield Problem(file, block.line, message, "Show less of it, or name no language.")
            return


def _of_image(block: Image, file: str, named: bool) -> Iterator[Problem]:
    """A picture that stands alone: it is decoded, as the screen would have to."""
    if named and not block.alt.strip():
        yield _nameless(file, block.line)
    if image.available():
        try:
            image.picture(Path(block.path), 1, 1, DARK)
        except image.Unreadable as why:
            yield Problem(file, block.line, str(why), "Save it as PNG or JPEG.")


def _of_picture(written: str, deck: Path, line: int) -> Iterator[Problem]:
    """A picture within words; one that stands alone is a box already where it is not there."""
    try:
        header_and_footer.located(written, deck.parent)
    except Mistake as mistake:
        yield Problem(str(deck), line, mistake.message, mistake.mend)


def _nameless(file: str, line: int) -> Problem:
    mend = "Say in a few words what it shows: `![four ranks in a ring](ring.png)`."
    return Problem(file, line, "this picture says nothing to someone who cannot see it", mend)


def _of_formula(source: str, file: str, line: int) -> Iterator[Problem]:
    from slides.math import parser

    try:
        parser.parse(source)
    except parser.TexError as error:
        yield Problem(
            file, line, f"the formula {quoted(source)} cannot be drawn: {error}", "Write it otherwise."
        )
    except RecursionError:
        yield Problem(file, line, "this formula is nested too deep to be drawn", "Part it.")


def _of_notes(deck: Deck, slide: Slide) -> Iterator[Problem]:
    from slides.reading.parse import parse_blocks

    for note in slide.notes:
        for block in reading_order.blocks(parse_blocks(note.markdown, deck.path, note.line or slide.line)):
            yield from _of_block(block, Path(deck.path))


def in_order(problems: Iterable[Problem]) -> list[Problem]:
    """By file and line, each once: the splitter and the reader may both have said it, one in more words."""
    found: list[Problem] = []
    for problem in sorted(dict.fromkeys(problems), key=lambda p: (p.file, p.line, p.column or 0, p.message)):
        last = found[-1] if found else None
        if last and last[:2] == problem[:2] and problem.message.startswith(last.message):
            found[-1] = problem
        else:
            found.append(problem)
    return found


def with_columns(problems: Iterable[Problem]) -> Iterator[Problem]:
    """Each with the column of the word that it is about, else with where its line begins."""
    texts: dict[str, list[str]] = {}
    for problem in problems:
        if problem.file not in texts:
            try:
                data = read_bytes(Path(problem.file), MAX_FILE)
                texts[problem.file] = data.decode("utf-8-sig", "replace").split("\n")
            except (OSError, ValueError):
                texts[problem.file] = []
        line = "".join(texts[problem.file][problem.line - 1 : problem.line])
        if problem.column is None and texts[problem.file]:
            words = (re.escape(match[0] or match[1]) for match in _NAMED.findall(problem.message))
            named = next(filter(None, (re.search(rf"(?<!\w){word}(?!\w)", line) for word in words)), None)
            at = named.start() if named else len(line) - len(line.lstrip())
            problem = problem._replace(column=at + 1)
        yield problem


# -- times -----------------------------------------------------------------------------------------------


def times(deck: Deck, slides: Sequence[Slide]) -> list[Problem]:
    """The times of slides against the length of the whole; only slides of the talk are counted."""
    end = deck.meta.get("end", "")
    if end and front_matter.time_of_day(end) is None:
        mend = "Write when the class has to be over: `end: 15:30`."
        line, message = front_line(deck, "end"), f"{quoted(end)} is not a time of day"
        return [Problem(deck.path, line, message, mend), *_lengths(deck)]
    return _lengths(deck)


def _lengths(deck: Deck) -> list[Problem]:
    if deck.time_s is None:
        return []
    counted = [head for head in deck.slides if not (head.hidden or head.backup)]
    timed = [head.time_s for head in counted if head.time_s is not None]
    untimed = len(counted) - len(timed)
    total, planned = sum(timed), deck.time_s
    line = front_line(deck, "time")
    if total > planned:
        message = f"the slides take {clock(total)} together, and the front matter says {clock(planned)}"
        return [
            Problem(deck.path, line, message, f"Write `time: {minutes(total)}`, or give slides less time.")
        ]
    if untimed and (planned - total) / untimed < SHORTEST_S:
        left = f"{clock(planned - total)} of the {clock(planned)}"
        message = f"{left} is left for what has no time: {_slides(untimed)}"
        return [Problem(deck.path, line, message, "Give timed slides less, or the deck more time.")]
    if counted and not untimed and total < planned:
        message = f"the slides take {clock(total)} together, and the front matter says {clock(planned)}"
        return [
            Problem(deck.path, line, message, f"Write `time: {minutes(total)}`, or give slides more time.")
        ]
    return []


def clock(seconds: float) -> str:
    """Format seconds as `35:00`."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def minutes(seconds: float) -> str:
    """Format seconds as decks do: `35m`, `90s`."""
    return f"{int(seconds) // 60}m" if seconds % 60 == 0 else f"{int(seconds)}s"


def _slides(count: int) -> str:
    return "1 slide" if count == 1 else f"{count} slides"

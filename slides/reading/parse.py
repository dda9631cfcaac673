"""Parses one slide's text into blocks, notes and steps.

Comments are taken out first, then the directives are told apart, and only what is left is Markdown. Every
mistake becomes a `Box` where the element stood, or a `Problem` of the slide where the element can still be
shown; nothing raises.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from msgspec.structs import replace

from slides.deck import NATIVE, AnyBlock, Box, Code, Deck, Image, Note, Paragraph, Rule, Slide
from slides.problems import Mistake, Problem, did_you_mean, quoted
from slides.reading import directives
from slides.reading.directives import Leaf, Misplaced, Outline, Part, Plot, Question, Split, Stray, Text
from slides.reading.from_disk import named_files
from slides.reading.from_disk.includes import Includes, stood_in
from slides.reading.from_disk.named_files import DemoFile, MayRead, Sources, never
from slides.reading.from_disk.source import normalise
from slides.reading.markdown import blocks
from slides.reading.scan import ALIGN, Comment, Marks, blank_comment, is_separator, replace_comments, scan
from slides.reading.steps import Steps
from slides.reading.titles import as_titled

MAX_SLIDE = 20_000  # characters outside code: more is no slide, and Markdown's worst cases grow quadratically
MAX_LINE, MAX_LINES = 2000, 5000  # of a slide that is too long, as far as it is shown as written
COMMENTS = {"pause": "", "notes": ": …", "slide": ": …", "end": "", "align": ": center"}  # as one begins

_REFERENCE = re.compile(r"^ {0,3}\[(?!\^)[^\]\n]{1,200}\]:[ \t]*\S.*$", re.MULTILINE)
_LIST_MARKS = " \t>*+-.)0123456789"  # what may stand before the first block of an item or a quote
_NOTE = re.compile(r"\s*notes?:[ \t]?")


def parse_slide(
    deck: Deck,
    index: int,
    *,
    demo_file: DemoFile | None = None,
    trusted: bool = True,
    may_read: MayRead = never,
    table: str = "",
) -> Slide:
    """Return the slide at `index`. `demo_file` finds the file of `file=demo:NAME`; `table` has what scenes
    say in the deck's language, where that came with it (`slides.scenes.captions.sent`).

    Files are read only for a `trusted` deck, inside its folder or where `may_read` agrees. Never raises for
    any text.
    """
    head = deck.slides[index]
    folder = Path(deck.path).parent if trusted and deck.path else None
    sources = Sources(folder, demo_file, may_read)
    lang = deck.meta.get("lang", "").strip()
    steps = Steps(most=head.steps)
    reader = _Reader(deck.path, head.id, sources, references(deck.source), steps, lang=lang, table=table)
    try:
        places = deck.places[head.row - 1 : head.row + head.raw.count("\n")]
        found = reader.page(head.raw, deck.path, head.line, places)
        if head.layout == "two columns":
            found = [_parted(block) for block in found]
        if head.layout == "title" and index == 0 and deck.format == NATIVE:
            from slides.reading.title_slide import completed

            found = completed(found, deck.meta, head.raw)
    except Exception as error:  # a class goes on, whatever one slide holds
        found = [reader.failed(deck.path, head.line, error)]
    return Slide(
        id=head.id,
        index=index,
        line=head.line,
        title=head.title,
        blocks=tuple(as_titled(found)),
        notes=tuple(reader.notes),
        steps=head.steps or reader.steps.end + 1,
        section=head.section,
        time_s=head.time_s,
        optional=head.optional,
        hidden=head.hidden,
        problems=tuple(reader.problems),
        layout=head.layout,
        size=head.size,
        files=tuple(reader.files),
    )


def _parted(block: AnyBlock) -> AnyBlock:
    """In this layout the line that parts columns does so without `::: columns` around it, as a rule does."""
    parts = isinstance(block, Paragraph) and "".join(part.text for part in block.content) == "+++"
    return Rule(at=block.at, line=block.line) if parts else block


def parse_blocks(markdown: str, file: str = "", line: int = 1) -> tuple[AnyBlock, ...]:
    """Return the blocks of notes, a stem or an option that begins on `line` of `file`. Never raises."""
    reader = _Reader(file, "", Sources(Path(file).parent if file else None), {})
    try:
        return tuple(reader.page(normalise(markdown), file, line))
    except Exception as error:  # as above
        return (reader.failed(file, line, error),)


@lru_cache(maxsize=4)
def references(source: str) -> dict[str, object]:
    """Return markdown-it's table of all link definitions of a deck: as on GitHub they hold everywhere."""
    written = _REFERENCE.findall(source)
    env: dict[str, dict[str, object]] = {}
    if written:
        blocks.markdown().parse("\n\n".join(line.strip() for line in written[:2000]), env)
    return env.get("references", {})


@dataclass(slots=True)
class _Reader:
    """What the pages of one slide share: the slide's own text and the files it includes."""

    file: str
    slide_id: str
    sources: Sources
    references: dict[str, object]
    steps: Steps = field(default_factory=Steps)
    notes: list[Note] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    numbered: int = 0
    includes: Includes = field(init=False)
    files: dict[str, None] = field(default_factory=dict)
    depth: int = 0
    lang: str = ""
    table: str = ""
    side: str = ""

    def __post_init__(self) -> None:
        self.includes = Includes(self.sources.may_read)

    def names(self, written: str) -> None:
        """A file that the slide shows: when it changes, so does the slide."""
        folder = self.sources.folder
        if folder is not None and written and not written.startswith("demo:"):
            self.files[str(folder / written)] = None

    def page(self, text: str, file: str, line: int, places: Sequence[int] = ()) -> list[AnyBlock]:
        page = _Page(self, text, file, line, places)
        size = sum(len(row) for row, held in zip(page.lines, page.marks.held, strict=True) if not held)
        if size > MAX_SLIDE:
            message = f"this slide has {size} characters of text, and at most {MAX_SLIDE} are read"
            return [page.box(0, Mistake(message, directives.shorter(page.lines))), *page.unread()]
        return page.read()

    def failed(self, file: str, line: int, error: Exception, raw: str = "") -> Box:
        message = f"this could not be read: {type(error).__name__}: {quoted(str(error), 80)}"
        return Box(
            Problem(file, line, message, "Write it in another way, and report this."), raw[:2000], line=line
        )

    def block_id(self, given: str) -> tuple[str, bool]:
        """(a unique id for a demo or question, whether `given` was taken)."""
        self.numbered += 1
        name = base = given or f"{self.slide_id}/{self.numbered}"
        count = 1
        while name in self.ids:
            count += 1
            name = f"{base}-{count}"
        self.ids.add(name)
        return name, bool(given) and count > 1


class _Page:
    """One Markdown text of a slide. Lines are 0-based here and of the file in what comes out."""

    def __init__(self, reader: _Reader, text: str, file: str, first: int, places: Sequence[int] = ()) -> None:
        self.reader, self.file, self.first, self.places = reader, file, first, places
        raw = text.split("\n")
        self.marks: Marks = scan(raw)
        self.lines: Sequence[str] = replace_comments(raw, self.marks.comments, blank_comment)
        self.erased = frozenset(
            line
            for comment in self.marks.comments
            for line in range(comment.first, comment.last + 1)
            if not self.lines[line].strip()
        )
        self.comments = list(reversed(self.marks.comments))
        self.raw = raw

    def read(self) -> list[AnyBlock]:
        found = self.outline(directives.outline(self.lines, self.marks.held))
        self.reach(len(self.lines) + 1)
        for comment in self.marks.comments:
            if not comment.closed:
                message = "this comment is never closed and hides the rest of the slide"
                found.append(self.box(comment.first, Mistake(message, "Close it with `-->`.")))
        for fence in self.marks.fences:
            if not fence.closed:
                self.warn(
                    fence.first, "this code block is never closed", f"Close it with a line {fence.mark}"
                )
        return found

    # What `slides.reading.markdown.blocks` and `slides.reading.elements` ask of a page.

    def place(self, line: int) -> int:
        return self.places[line] if line < len(self.places) else self.first + line

    @property
    def side(self) -> str:
        return self.reader.side

    def reach(self, line: int, frames: int = 1) -> int:
        """Takes in the comments above `line`, and returns the step at which a block there appears."""
        while self.comments and self._is_above(self.comments[-1], line):
            self._comment(self.comments.pop())
        at = self.reader.steps.now
        self.reader.steps.frames(frames)
        return at

    def code(self, info: str, source: str, line: int) -> AnyBlock:
        from slides.reading.markdown import diagrams, fences

        read = fences.parse_info(info)
        if read.lang == "mermaid" and (diagram := diagrams.read(self, read, source, line)) is not None:
            return diagram
        for key in ("file", "diff"):
            self.reader.names(read.get(key))
        try:
            code = fences.read_code(read, source, self.reader.sources)
        except Mistake as mistake:
            return self.box(line, mistake, source)
        for word in read.unknown:
            if near := fences.did_you_mean_key(word):
                self.warn(line, f"{quoted(word)} means nothing on a code block", f"Did you mean `{near}`?")
        if code.run:
            code = replace(code, id=self.block_id(line, code.id))
        if code.pinned:
            message = f"{quoted(code.path)} has changed: its hash is {code.sha}, here stands {code.pinned}"
            self.warn(line, message, f"Look at the code again, then write `sha={code.sha}`.")
        return replace(code, line=self.place(line), at=self.reach(line, code.frames))

    def image(self, path: str, alt: str, line: int, attributes: str) -> Image | Box:
        shown, width = path, blocks.picture_width(attributes)
        if width is None:
            message = f"{quoted(attributes)} means nothing for a picture"
            self.warn(line, message, "Write `{width=50%}` of the room there is, or `{width=40}` cells.")
        if self.reader.sources.folder is not None:
            from urllib.parse import unquote

            try:
                if not path.strip():
                    raise Mistake("this picture names no file", "Write it: `![what it shows](ring.png)`.")
                if re.match(r"[a-zA-Z][\w+.-]+:", path):
                    mend = "Save it beside the deck and name that file: a class needs no network."
                    raise Mistake(f"the picture {quoted(path)} is not a file", mend)
                self.reader.names(unquote(path))
                shown = str(self.located(unquote(path)))
            except Mistake as mistake:
                return self.box(line, mistake, alt)
        return Image(shown, alt, width or 0.0, line=self.place(line), at=self.reach(line))

    def located(self, written: str) -> Path:
        return named_files.locate(self.reader.sources.folder, written, self.reader.sources.may_read)

    def text_of(self, written: str) -> str:
        self.reader.names(written)
        return named_files.read(self.located(written), written)[0]

    def script(self, written: str) -> tuple[Path, str] | None:
        if self.reader.sources.folder is None:
            return None
        self.reader.names(written)
        path = self.located(written)
        return path, named_files.read(path, written)[0]

    def shows(self, file: str) -> None:
        self.reader.names(file)

    def captions(self) -> tuple[str, ...]:
        from slides.scenes import captions

        found = captions.files(self.reader.sources.folder, self.reader.lang)
        for file in found[:-1]:  # a course's own: those that come with the program are no file of the deck
            self.reader.names(file)
        return (self.reader.table, *found) if self.reader.table and found else found

    def unread(self) -> list[AnyBlock]:
        """The text as it was written; nothing of one with questions, whose keys stand in it."""
        asks = directives.asks(directives.outline(self.lines, self.marks.held))
        shown = (line[:MAX_LINE] for line in self.lines[:MAX_LINES])
        return [] if asks else [Code("", "\n".join(shown), line=self.place(0))]

    def warn(self, line: int, message: str, mend: str) -> None:
        problem = Problem(self.file, self.place(line), message, mend)
        if self.reader.problems[-1:] != [problem]:
            self.reader.problems.append(problem)

    def box(self, line: int, mistake: Mistake, raw: str = "") -> Box:
        problem = Problem(self.file, self.place(line), mistake.message, mistake.mend)
        return Box(problem, raw, line=self.place(line), at=self.reach(line))

    def block_id(self, line: int, given: str) -> str:
        name, twice = self.reader.block_id(given)
        if twice:
            self.warn(line, f"the block id {quoted(given)} is used twice", "Give one of them another id.")
        return name

    # Comments

    def _is_above(self, comment: Comment, line: int) -> bool:
        if comment.first != line:
            return comment.first < line
        # On the block's own line a comment counts where only list and quote marks stand before it.
        return not self.raw[line][: comment.start].strip(_LIST_MARKS)

    def _comment(self, comment: Comment) -> None:
        body = comment.body.strip()
        if body == "pause":
            self.reader.steps.pause()
            before = self.raw[comment.first][: comment.start].strip(_LIST_MARKS)
            if before and self.raw[comment.last][comment.end :].strip():
                mend = "Put it on a line of its own between the two."
                self.warn(comment.first, "this pause is in the middle of a line, not between blocks", mend)
        elif note := _NOTE.match(comment.body):
            text = comment.body[note.end() :]
            lines = text.split("\n")
            skipped = next((n for n, row in enumerate(lines) if row.strip()), 0)
            line = comment.first + comment.body[: note.end()].count("\n") + skipped
            self.reader.notes.append(
                Note(_dedented(lines[skipped:], skipped == 0), self.reader.steps.now, self.place(line))
            )
        elif body.startswith("slide:"):
            if self.reader.depth:
                mend = "Write it into the deck, on the slide that includes this file."
                self.warn(comment.first, "an included file cannot set anything of a slide", mend)
        elif body == "end":
            pass  # the splitter's
        elif aligned := ALIGN.fullmatch(body):
            self.reader.side = "" if aligned[1] == "left" else aligned[1]
        elif near := did_you_mean(body.split(":")[0], COMMENTS) if "\n" not in body else "":
            mend = f"Did you mean `<!-- {near}{COMMENTS[near]} -->`?"
            self.warn(comment.first, f"the comment {quoted(body)} does nothing", mend)

    # Directives

    def outline(self, parts: Outline) -> list[AnyBlock]:
        found: list[AnyBlock] = []
        for part in parts:
            found += self._part(part)
        return found

    def _part(self, part: Part) -> list[AnyBlock]:
        line = part.first if isinstance(part, Text) else part.line
        try:
            if isinstance(part, Text):
                return blocks.read(self, part.first, part.end, self.reader.references)
            from slides.reading import elements  # a slide of words has none

            match part:
                case Leaf(name="include"):
                    return self._include(part)
                case Leaf():
                    return [elements.of_leaf(self, part)]
                case Question():
                    return elements.of_question(self, part)
                case Plot():
                    return elements.of_plot(self, part)
                case Split():
                    return elements.of_split(self, part)
                case Stray() | Misplaced():
                    raise directives.not_followed(part)
        except Mistake as mistake:
            return [self.box(line, mistake, self.lines[line].strip())]
        except Exception as error:  # one bad element must not take its slide with it
            return [self.reader.failed(self.file, self.place(line), error, self.lines[line])]

    def _include(self, leaf: Leaf) -> list[AnyBlock]:
        written = leaf.rest.strip("\"'")
        self.reader.names(written)
        path, text, first = self.reader.includes.read(self.reader.sources.folder, written, self.reader.depth)
        self.reach(leaf.line)
        lines = text.split("\n")
        held = scan(lines).held
        for line in (n for n in range(1, len(lines)) if not held[n] and is_separator(lines, n)):
            mend = "Write `***` for a rule, or make two files of it."
            self.reader.problems.append(
                Problem(str(path), first + line, "an included file cannot end a slide", mend)
            )
        self.reader.depth += 1
        try:
            return stood_in(str(path), self.reader.page(text, str(path), first))
        finally:
            self.reader.depth -= 1


def _dedented(lines: Sequence[str], headed: bool) -> str:
    """Note text without the indentation its lines share; one `headed` by `notes:` has no say in it."""
    margins = [len(line) - len(line.lstrip(" ")) for line in lines[headed:] if line.strip()]
    margin = min(margins, default=0)
    rest = [line[margin:] for line in lines[headed:]]
    return "\n".join([lines[0].lstrip(), *rest] if headed else rest).rstrip()

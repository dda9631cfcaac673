"""Splits a deck's text into heads of slides by scanning lines; no Markdown is parsed before a slide is shown.

A slide ends at a line that is exactly `---` under a blank line, outside fences and comments.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from slides import palette
from slides.deck import LAYOUTS, NATIVE, SIZES, Deck, Head
from slides.dialects.detect import declared, detect
from slides.dialects.registry import BY_SUFFIX
from slides.problems import Problem, did_you_mean, quoted
from slides.reading import end_mark, front_matter, titles
from slides.reading.from_disk.named_files import MayRead, never
from slides.reading.from_disk.source import normalise, read
from slides.reading.notes_boxes import as_comments
from slides.reading.scan import Comment, Marks, blank_comment, is_separator, replace_comments, scan

if TYPE_CHECKING:
    from slides.dialects.native import Translation

SETTINGS = ("id", "title", "time", "section", "optional", "hidden", "layout", "size", "try", "of")
_BLOCK_ID = re.compile(r" {0,3}:{3,}+.*?(?:\{#|[ {]id=\"?)([^\s{}#/\"'=<>`]+)")

Pull = Callable[[str, Path], "Translation | None"]
"""Puts what is kept elsewhere into a native text that asks for it; None where it asks for nothing."""


def load(path: Path | str, format: str = "", may_read: MayRead = never, pull: Pull | None = None) -> Deck:
    """Load the deck at `path`. Text that is not UTF-8 is replaced and reported in the deck's problems.

    `format` says for which program it was written, one of `slides.dialects.NAMES`; "": its marks do. Decks of
    other programs may take in files of slides: those in their folder, and where `may_read` agrees. Ours may
    `pull` in what is kept elsewhere.

    Raises:
        DeckError: there is no readable text at `path`.
    """
    text, problems = read(Path(path))
    text = normalise(text)
    if not format and "\nformat:" in text[:4000]:
        format = declared(text.split("\n", 400))
    if not format and (format := detect(text)) == NATIVE:  # what shows no marks tells by its name
        format = BY_SUFFIX.get(Path(path).suffix.lower(), NATIVE)
    if format == NATIVE:
        native = pull(text, Path(path)) if pull else None
        if native is None:
            return _split(text, str(path), problems)
    else:
        from slides import dialects

        native = dialects.translate(text, format, Path(path), may_read)
    return made_of(native.text, str(path), format, native.places, native.files, (*problems, *native.problems))


def split(text: str, path: str) -> Deck:
    """Return the deck written in `text`; `path` names it in messages. Never raises, whatever the text."""
    return _split(text, path, ())


def made_of(
    text: str,
    path: str,
    format: str,
    places: tuple[int, ...],
    files: tuple[str, ...],
    problems: tuple[Problem, ...] = (),
) -> Deck:
    """Return the deck of native `text` made of the file at `path`; see `Deck` for `places` and `files`."""
    deck = _split(text, path, ())
    placed = (
        _placed(deck, places, problems) if places else replace(deck, problems=(*deck.problems, *problems))
    )
    return replace(placed, format=format, files=files)


def _placed(deck: Deck, places: tuple[int, ...], problems: tuple[Problem, ...]) -> Deck:
    """`deck`, which is the translation of a file, with the lines of that file in place of its own."""
    found = [problem._replace(line=places[problem.line - 1]) for problem in deck.problems]
    return replace(
        deck,
        slides=tuple(replace(head, line=places[head.row - 1]) for head in deck.slides),
        problems=tuple(sorted((*found, *problems), key=lambda problem: problem.line)),
        places=places,
    )


class _Piece(NamedTuple):
    """A slide on its way to a `Head`: `lines[start:end]`, and what is known before ids are made unique."""

    start: int
    end: int
    title: str
    heading: bool
    given_id: str
    settings: dict[str, str]
    ends: end_mark.Place = end_mark.NOWHERE
    told: int = 0
    """The line of the deck on which its settings are, 0 where it has none."""


def _split(text: str, path: str, problems: Iterable[Problem]) -> Deck:
    text = as_comments(normalise(text))
    everything = text.split("\n")
    front = front_matter.length(everything)
    found = list(problems)
    meta: dict[str, str] = {}
    if front:
        meta, troubles = front_matter.mapping("\n".join(everything[1 : front - 1]), path, 2)
        found.extend(troubles)
    elif everything[0].rstrip() == "---":
        front = 1  # a deck that begins with a separator: nothing ended yet
    lines = everything[front:]
    found.extend(_unknown_theme(meta, path, everything))
    marks = scan(lines)
    found.extend(_swallowed(lines, marks, path, front))
    bare = replace_comments(lines, marks.comments, blank_comment)
    pieces = [
        _piece(bare, marks, start, end, path, front, found) for start, end in _extents(lines, marks.held)
    ]
    pieces = _without_bare_end(bare, marks, pieces)
    heads = _heads(lines, pieces, path, front, found)
    _warn_of_twin_blocks(lines, marks.held, path, front, found)
    title = (
        titles.tidy(meta.get("title", ""))
        or next((head.title for head in heads if head.title), "")
        or Path(path).stem
    )
    return Deck(
        path=path,
        rev=hashlib.sha256(text.encode()).hexdigest()[:16],
        title=title,
        slides=tuple(heads),
        time_s=_time(meta, path, _line_of(everything[:front], "time"), found),
        meta=meta,
        source=text,
        problems=tuple(sorted(found, key=lambda problem: problem.line)),
    )


def _line_of(lines: Sequence[str], key: str) -> int:
    """The line of a setting in the front matter."""
    return next((n for n, text in enumerate(lines, 1) if text.lstrip().startswith(key)), 1)


def _unknown_theme(meta: dict[str, str], path: str, lines: Sequence[str]) -> Iterable[Problem]:
    name = meta.get("theme", "").strip()
    if (
        name and not name.endswith(".toml") and not palette.is_known(name)
    ):  # a file is looked at by who wears it
        near = did_you_mean(name, palette.names())
        mend = f"Did you mean `{near}`?" if near else f"Known are {', '.join(palette.names())}."
        yield Problem(path, _line_of(lines, "theme"), f"unknown theme {quoted(name)}", mend)


def _extents(lines: Sequence[str], held: bytearray) -> list[tuple[int, int]]:
    """The (start, end) of each slide, without blank lines around it; nothing after the last `---` is none."""
    cuts = [
        at for at, line in enumerate(lines) if line[:3] == "---" and not held[at] and is_separator(lines, at)
    ]
    extents = [
        _trimmed(lines, start, end)
        for start, end in zip([0, *(cut + 1 for cut in cuts)], [*cuts, len(lines)], strict=True)
    ]
    if len(extents) > 1 and extents[-1][0] == extents[-1][1]:
        extents.pop()
    return extents


def _trimmed(lines: Sequence[str], start: int, end: int) -> tuple[int, int]:
    while start < end and not lines[end - 1].strip():
        end -= 1
    while start < end and not lines[start].strip():
        start += 1
    return start, end


def _piece(
    lines: Sequence[str], marks: Marks, start: int, end: int, path: str, offset: int, found: list[Problem]
) -> _Piece:
    settings: dict[str, str] = {}
    ended: list[Comment] = []
    told = 0
    for comment in _between(marks.comments, start, end):
        body = comment.body.lstrip()
        if end_mark.is_one(comment):
            ended.append(comment)
        if body.startswith("slide:"):
            read, troubles = front_matter.mapping(_unindented(body[6:]), path, offset + comment.first + 1)
            found.extend(troubles)
            for key in read.keys() - set(SETTINGS):
                near = did_you_mean(key, SETTINGS)
                mend = f"Did you mean `{near}`?" if near else f"Slides know {', '.join(SETTINGS)}."
                found.append(
                    Problem(path, offset + comment.first + 1, f"unknown slide setting {quoted(key)}", mend)
                )
            settings |= read
            told = offset + comment.first + 1
    title, heading = titles.find(lines, marks.held, start, end)
    title, given = titles.parted(title)
    ends = end_mark.place(lines, start, ended)
    return _Piece(start, end, titles.tidy(title), heading, given, settings, ends, told)


def _without_bare_end(lines: Sequence[str], marks: Marks, pieces: list[_Piece]) -> list[_Piece]:
    """A mark between two `---` is not a slide of its own: the one before it is the last of the talk."""
    kept: list[_Piece] = []
    for piece in pieces:
        bare = piece.ends.above and not any(line.strip() for line in lines[piece.start : piece.end])
        if bare and kept and len(list(_between(marks.comments, piece.start, piece.end))) == 1:
            kept[-1] = kept[-1]._replace(ends=kept[-1].ends._replace(below=True))
        else:
            kept.append(piece)
    return kept


def _unindented(text: str) -> str:
    """A mapping on the comment's own line without the space before it; one on lines of its own as it is."""
    return text if "\n" in text.strip() else text.strip()


def _between(comments: tuple[Comment, ...], start: int, end: int) -> Iterable[Comment]:
    from bisect import bisect_left

    low = bisect_left(comments, start, key=lambda comment: comment.first)
    while low < len(comments) and comments[low].first < end:
        yield comments[low]
        low += 1


def _heads(
    lines: Sequence[str], pieces: list[_Piece], path: str, offset: int, found: list[Problem]
) -> list[Head]:
    ids = _ids(pieces, path, offset, found)
    heads, section = [], ""
    backup = end_mark.behind([piece.ends for piece in pieces])
    for index, (piece, slide_id) in enumerate(zip(pieces, ids, strict=True)):
        line = offset + piece.start + 1
        told = piece.told or line
        section = titles.tidy(piece.settings.get("section", section))
        heads.append(
            Head(
                id=slide_id,
                index=index,
                line=line,
                title=titles.tidy(piece.settings.get("title", "")) or piece.title,
                raw="\n".join(lines[piece.start : piece.end]),
                section=section,
                time_s=_time(piece.settings, path, told, found),
                optional=_flag(piece.settings, "optional", path, told, found),
                hidden=_flag(piece.settings, "hidden", path, told, found),
                backup=backup[index],
                layout=_one_of(LAYOUTS, "layout", piece.settings, path, told, found),
                size=_one_of(SIZES, "size", piece.settings, path, told, found),
                tries=tuple(piece.settings.get("try", "").replace(",", " ").split()),
                row=line,
            )
        )
    return heads


def _ids(pieces: list[_Piece], path: str, offset: int, found: list[Problem]) -> list[str]:
    """Unique ids. What an author wrote wins; a title's slug and `slide-3` (third untitled) make way."""
    wanted = [titles.given_id(piece.settings.get("id", "")) or piece.given_id for piece in pieces]
    taken: set[str] = set()
    for place, piece in enumerate(pieces):
        if wanted[place] in taken:
            message = f"the slide id {quoted(wanted[place])} is used twice"
            found.append(Problem(path, offset + piece.start + 1, message, "Give this slide another id."))
            wanted[place] = ""
        elif wanted[place]:
            taken.add(wanted[place])
    ids: list[str] = []
    counts: dict[str, int] = {}
    untitled = 0
    for piece, given in zip(pieces, wanted, strict=True):
        name = given
        if not name:
            name = titles.slug(piece.title) if piece.heading else ""
            if not name:
                untitled += 1
                name = f"slide-{untitled}"
            base = name
            while name in taken:
                counts[base] = counts.get(base, 1) + 1
                name = f"{base}-{counts[base]}"
            taken.add(name)
        ids.append(name)
    return ids


def _time(settings: dict[str, str], path: str, line: int, found: list[Problem]) -> float | None:
    text = settings.get("time", "")
    if not text:
        return None
    time_s = front_matter.seconds(text)
    if time_s is None:
        mend = "Write 35m, 90s, 1h10m, or a number of minutes."
        found.append(Problem(path, line, f"{quoted(text)} is not a length of time", mend))
    return time_s


def _one_of(
    known: Sequence[str], key: str, settings: dict[str, str], path: str, line: int, found: list[Problem]
) -> str:
    name = " ".join(re.split(r"[\s_-]+", settings.get(key, "").strip().lower()))
    if not name or name in known:
        return name
    near = did_you_mean(name, known)
    mend = f"Did you mean `{near}`?" if near else f"Known {'are' if known[1:] else 'is'} {', '.join(known)}."
    found.append(Problem(path, line, f"unknown {key} {quoted(name)}", mend))
    return ""


def _flag(settings: dict[str, str], key: str, path: str, line: int, found: list[Problem]) -> bool:
    value = front_matter.truth(settings.get(key, "") or "false")
    if value is None:
        message = f"`{key}` is {quoted(settings[key])}, which is neither true nor false"
        found.append(Problem(path, line, message, f"Write `{key}: true`."))
    return bool(value)


def _swallowed(lines: Sequence[str], marks: Marks, path: str, offset: int) -> Iterable[Problem]:
    """Fences and comments that were left open, or that hold what looks like the next one's beginning."""
    for fence in marks.fences:
        if not fence.closed:
            message, mend = "this code block is never closed", f"Close it with a line {quoted(fence.mark)}."
            yield Problem(path, offset + fence.first + 1, message, mend)
            continue
        for at in range(fence.first + 1, fence.end - 1):
            line = lines[at].strip()
            if line.startswith(fence.mark) and line.lstrip(fence.mark[0]) and lines[at][:4] != "    ":
                message = "a second code block opens inside this one"
                mend = f"Close the one from line {offset + fence.first + 1}, or fence it with one mark more."
                yield Problem(path, offset + at + 1, message, mend)
                break
    for comment in marks.comments:
        if not comment.closed:
            yield Problem(
                path, offset + comment.first + 1, "this comment is never closed", "Close it with `-->`."
            )
        elif "<!--" in comment.body:
            message = "a second comment opens inside this one"
            yield Problem(path, offset + comment.first + 1, message, "Close the first with `-->` before it.")


def _warn_of_twin_blocks(
    lines: Sequence[str], held: bytearray, path: str, offset: int, found: list[Problem]
) -> None:
    """Ids of demos and questions are keys of the class's journal: two blocks must not share one."""
    seen: dict[str, int] = {}
    for at, line in enumerate(lines):
        if ":::" in line[:6] and not held[at] and (match := _BLOCK_ID.match(line[:4096])):
            if match[1] in seen:
                message = f"the block id {quoted(match[1])} is also used on line {seen[match[1]]}"
                found.append(Problem(path, offset + at + 1, message, "Give one of them another id."))
            seen.setdefault(match[1], offset + at + 1)

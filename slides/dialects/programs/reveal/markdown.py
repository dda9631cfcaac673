"""reveal-md: patterns part slides, one sideways and one downwards, wherever they match, in code as well."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from itertools import accumulate
from typing import Any

from slides.dialects import foreign_front_matter
from slides.dialects.html import markup
from slides.dialects.native import Snippet, Translation, aside, assemble, note
from slides.dialects.pictures_behind import shown_alone
from slides.dialects.source import Source
from slides.dialects.translation import Draft, Row, Text
from slides.reading.scan import Comment, Fence, scan

_SEPARATORS = (r"\r?\n---\r?\n", r"\r?\n----\r?\n")
_FRONT = re.compile(r"-{3}\n([\w\W]+?)\n-{3}")
# Hugo's settings are TOML, and its theme for reveal.js has words of its own for notes and steps.
_HUGO = re.compile(
    r"\s{0,9}\+{3}\n(?:(?!\+{3}\n)(?:title[ \t]*=[ \t]*\"([^\"\n]*)\")?.*\n){1,60}\+{3}(?:\n|\Z)"
)
_SHORTCODE = re.compile(r"\{\{[%<]\s{0,9}(/?)\s{0,9}(note|fragment|section|slide)\b[^{}\n]{0,400}\}\}")
_SHORTCODES = {
    ("", "note"): '<aside class="notes">',
    ("/", "note"): "</aside>",
    ("", "fragment"): '<span class="fragment">',
    ("/", "fragment"): "</span>",
}
_NOTES = r"^notes?:"
_ELEMENT = re.compile(r"\s*\.element\b:?\s*(.*?)\s*", re.DOTALL)
_SLIDE = re.compile(r"\s*\.slide:\s*(.*?)\s*", re.DOTALL)
_FOCUS = re.compile(r"\[\s*+(?:([0-9]*+)\s*+:)?\s*+([\s0-9,|-]*+)\]")
# What a separator may be made of: one character or one of a set, how often, and a choice between such.
_ATOM = re.compile(r"\\[nrtsSdDwW^$.*+?()\[\]{}|/\\-]|\[\^?[^\[\]\\]+\]|[^\\\[\](){}*+?|]|[|^$]")
_OFTEN = re.compile(r"[?*+]|\{([0-9]{1,2})(,([0-9]{0,2}))?\}")
_MOST_OFTEN = 12
_MOST_WAYS = 700  # in which a pattern may match at one place


def read(
    text: Text, source: Source, usual: tuple[str, str] = _SEPARATORS, notes: str = _NOTES
) -> Translation:
    """`usual` are the patterns of what parts slides where the deck names none, "" where nothing does; `notes`
    is that of what begins its notes."""
    hugo = _HUGO.match("\n".join(text.lines))
    if hugo:
        text = _without_hugo(text, hugo[0].count("\n"))
    whole = "\n".join(text.lines)
    match = _FRONT.match(whole)
    settings = _beside(source) | ((foreign_front_matter.read(match[1]) if match else None) or {})
    settings |= {"title": hugo[1]} if hugo and hugo[1] else {}
    count = match[0].count("\n") + 1 if match else 0
    settings.setdefault("notesSeparator", notes)
    # What stands behind the last dash of the settings is text of the program's first slide.
    start = match.end() if match else 0
    if match and not whole[start:]:
        count, start = 0, 0  # the program then shows the whole file
    found = parted(text, settings, usual, source, start)
    if count and found:
        found[0] = aside("\n".join(text.lines[1 : count - 1]), 2) + found[0]
    meta = {key: foreign_front_matter.words(settings, key) for key in ("title", "author")}
    return assemble(found, meta, source.problems)


def _without_hugo(text: Text, count: int) -> Text:
    """A deck of Hugo's theme for reveal.js without settings; its shortcodes are the HTML they stand for."""
    lines = list(text.lines[count:])
    for n, line in enumerate(lines):
        if "{{" in line:
            lines[n] = _SHORTCODE.sub(lambda match: _SHORTCODES.get((match[1], match[2]), ""), line)
    return Text(lines, text.places[count:], text.base)


def parted(
    text: Text, settings: Mapping[str, Any], usual: tuple[str, str], source: Source, start: int = 0
) -> list[list[Row]]:
    """Return the rows of each slide of a text from its character `start` on; `usual` as of `read`."""
    whole = "\n".join(text.lines)
    pattern = _pattern(settings, source, usual)
    slides = []
    # The page it is put into indents it, and that stays where a line end is the first of the text.
    above = "\n" + " " * 12 * whole.startswith("\n", start)
    for first, last in _extents(f"{above}{whole[start:]}\n{' ' * 10}", pattern):
        slides.append(_cut(text, whole, start + max(first - len(above), 0), start + last - len(above)))
    return [rows for each in slides if (rows := slide(each, settings, source)) is not None]


def _beside(source: Source) -> dict[str, Any]:
    """What the program's own file in the deck's folder says of separators."""
    found = foreign_front_matter.read(source.text_of("reveal-md.json")) or {}
    return {key: value for key, value in found.items() if key.lower().endswith("separator")}


def _pattern(settings: Mapping[str, Any], source: Source, separators: tuple[str, str]) -> re.Pattern[str]:
    given = [foreign_front_matter.words(settings, key) for key in ("separator", "verticalSeparator")]
    patterns = []
    for written, usual in zip(given, separators, strict=True):
        if not written and not usual:
            continue
        safe = bounded(written or usual)
        if safe is None:
            source.say(
                1, f"this separator is not understood: {written[:40]!r}", "Use `\\n---\\n` or the like."
            )
            safe = usual
        patterns.append(safe)
    return re.compile("|".join(f"(?:{p})" for p in patterns), re.MULTILINE)


def bounded(written: str) -> str | None:
    """A pattern that can be searched for in time linear in the text; None where it might not be one.

    What may come any number of times comes at most so often as blank lines and rows of dashes need.
    """
    out: list[str] = []
    ways = 1
    at, text = 0, written.replace("\r\n", "\n")
    while at < len(text):
        atom = _ATOM.match(text, at)
        if not atom:
            return None
        at = atom.end()
        often = _OFTEN.match(text, at)
        repeat = ""
        if often and atom[0] not in "|^$":
            at = often.end()
            low, high = {"?": (0, 1), "*": (0, _MOST_OFTEN), "+": (1, _MOST_OFTEN)}.get(
                often[0],
                (int(often[1] or 0), int(often[3] or _MOST_OFTEN) if often[2] else int(often[1] or 0)),
            )
            high = max(low, min(high, _MOST_OFTEN))
            ways *= high - low + 1
            if low > _MOST_OFTEN or ways > _MOST_WAYS:
                return None
            repeat = f"{{{low},{high}}}"
        out.append(atom[0] + repeat)
    try:
        pattern = re.compile("".join(out), re.MULTILINE)
    except re.error:
        return None
    return None if pattern.match("") else pattern.pattern


def _extents(text: str, pattern: re.Pattern[str]) -> list[tuple[int, int]]:
    found, last = [], 0
    for match in pattern.finditer(text):
        if match.end() > match.start():
            found.append((last, match.start()))
            last = match.end()
    return [*found, (last, len(text))]


def _cut(text: Text, whole: str, start: int, end: int) -> Text:
    """Characters `start` up to `end` of the `whole` text, without the line ends around them."""
    end = min(max(end, 0), len(whole))
    start = min(max(start, 0), end)
    start += whole.startswith("\n", start, end)
    first = whole.count("\n", 0, start)
    lines = whole[start:end].removesuffix("\n").split("\n") if whole[start:end].strip() else []
    return text._replace(lines=lines, places=text.places[first : first + len(lines)])


def slide(text: Text, settings: Mapping[str, Any], source: Source, notes: str = _NOTES) -> list[Row] | None:
    """Return the rows of a slide; None of one that is not shown at all. `notes` as of `read`, "": no such."""
    text, said = _without_notes(text, foreign_front_matter.words(settings, "notesSeparator") or notes)
    draft = Draft(text)
    fragments: list[Comment] = []
    behind = foreign_front_matter.words(settings, "data-background")
    for comment in draft.marks.comments:
        if match := _SLIDE.fullmatch(comment.body):
            known = markup.attributes(match[1])
            behind = known.get("data-background-image") or known.get("data-background") or behind
        if (match := _SLIDE.fullmatch(comment.body)) and 'data-visibility="hidden"' in match[1]:
            return None
        if (match := _ELEMENT.fullmatch(comment.body)) and "fragment" in match[1]:
            fragments.append(comment)
    draft.keep(lambda comment: not _ELEMENT.fullmatch(comment.body) and draft.alone(comment))
    for fence in draft.marks.fences:
        _code(draft, fence)
    for block in draft.outline.blocks:
        draft.undash(block)
    steps = _Steps(draft)
    for comment in fragments:
        known = markup.attributes((_ELEMENT.fullmatch(comment.body) or [""])[1])
        steps.at(_element(draft, comment), known.get("data-fragment-index", ""))
    markup.unwrap(draft, source, lambda path: source.within(path, text.base), steps.tag)
    steps.settle()
    rows, asides = _without_asides(draft)
    rows = shown_alone(rows, source.within(behind, text.base) if behind else "", draft.place(0))
    return [*asides, *said, *rows]  # they are of the whole slide, not of its last step


def _without_notes(text: Text, separator: str) -> tuple[Text, list[Row]]:
    """What is shown of a slide, and from its separator on the notes: a pattern, wherever it matches."""
    if not separator:
        return text, []
    pattern = re.compile(bounded(separator) or _NOTES, re.IGNORECASE | re.MULTILINE)
    whole = "\n".join(text.lines)
    starts = [0, *accumulate(len(line) + 1 for line in text.lines)][: len(text.lines)]
    held: bytearray | None = None
    for match in pattern.finditer(whole):
        first, last = (max(bisect_right(starts, at) - 1, 0) for at in match.span())
        held = scan(text.lines).held if held is None else held
        if not held[last]:
            shown = whole[: match.start()].split("\n")
            said = note(whole[match.end() :], text.places[last])
            return text._replace(lines=shown, places=text.places[: first + 1]), said
    return text, []


def _element(draft: Draft, comment: Comment) -> int:
    """The line of the element that a comment is about: the one it stands in, else the one before it."""
    at = comment.first
    if not draft.text.lines[at][: comment.start].strip():
        at = next((n for n in range(at - 1, -1, -1) if draft.bare[n].strip()), at)
    block = draft.outline.block_at(at)
    if block is None:
        return at
    items = [item for item in draft.outline.items_in(block.first, at + 1) if at < item.end]
    return items[-1].line if items else block.first


class _Steps:
    """The lines that come with a step of their own, and with which."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.found: dict[int, str] = {}

    def at(self, line: int, index: str) -> None:
        self.found.setdefault(line, index)

    def tag(self, line: int, name: str, text: str) -> bool:
        known = markup.attributes(text)
        if "fragment" in known.get("class", "").split() and not name.startswith("/"):
            self.at(line, known.get("data-fragment-index", ""))
        return False

    def settle(self) -> None:
        before = ""
        for line, index in sorted(self.found.items()):
            if not index or index != before:
                self.draft.pause(line)
            before = index


def _without_asides(draft: Draft) -> tuple[list[Row], list[Row]]:
    """The rows, and those of `<aside class="notes">` among them as notes."""
    lines = draft.text.lines
    end = len(lines)
    out: list[Row] = []
    said: list[Row] = []
    done = 0
    for line in range(end):
        if line < done or draft.coded[line] or "<aside" not in lines[line]:
            continue
        if not re.match(r" {0,3}<aside[^<>]*\bnotes\b", lines[line]):
            continue
        close = next((n for n in range(line, end) if "</aside>" in lines[n]), end - 1)
        body = "\n".join(lines[line : close + 1])
        out += draft.rows(done, line)
        said += note(re.sub(r"^\s*<aside[^<>]*>|</aside>.*\Z", "", body, flags=re.DOTALL), draft.place(line))
        done = close + 1
    return out + draft.rows(done, end), said


def _code(draft: Draft, fence: Fence) -> None:
    code = draft.code(fence)
    lang = re.split(r"[\s\[{]", fence.info, maxsplit=1)[0]
    match = _FOCUS.search(fence.info)
    first = int(match[1]) if match and match[1] and len(match[1]) < 7 else 1
    focus = match[2].strip() if match else ""
    draft.recode(fence, Snippet(lang, _frames(focus), max(first, 1), numbers=bool(match)).info(code))


def _frames(spec: str) -> str:
    """The steps of a code block; an empty one is the whole block, a lone `-` as well."""
    return (
        "|".join(part.strip(" -") if part.strip(" -") else "all" for part in spec.split("|")) if spec else ""
    )

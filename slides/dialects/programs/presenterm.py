"""presenterm: comments are commands, a setext heading is a slide's title, front matter makes a first slide.

A slide ends at `<!-- end_slide -->`; by options also at a rule, or above a title. What follows the last mark
is a slide, be there nothing. Commands count at the beginning of a line only, as HTML blocks of CommonMark.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from slides.dialects import foreign_front_matter, foreign_header_and_footer
from slides.dialects.native import (
    Snippet,
    Translation,
    aside,
    assemble,
    columns,
    note,
    picture,
    settings,
    spans,
    without_last_pause,
)
from slides.dialects.source import Source
from slides.dialects.translation import PAUSE, Block, Draft, Row, Text
from slides.reading.scan import Comment, Fence

_COMMAND = re.compile(r"([a-z_]+)\s*(?::\s*(.*))?", re.DOTALL)
_NAMES = frozenset((
    "alignment", "column", "end_slide", "font_size", "include", "incremental_lists", "column_layout",
    "jump_to_middle", "list_item_newlines", "new_line", "newline", "new_lines", "newlines", "no_footer",
    "pause", "reset_layout", "skip_slide", "speaker_note", "snippet_output",
))  # fmt: skip
_INTRO = ("title", "sub_title", "event", "location", "date", "author", "authors")
_IMAGE = re.compile(r"!\[([^\[\]\n]{0,400})\]\(([^()\s]{0,2000}|<[^<>\n]{0,2000}>)\)")
_SIZE = re.compile(r"^(?:image:)?w(?:idth)?:([0-9]{1,3})%$")
# Lines with this prefix run and are not shown (the program's own table, by language).
_SLASHED = (
    "python", "bash", "fish", "shell", "sh", "zsh", "kotlin", "java", "javascript", "js", "typescript",
    "ts", "c", "c++", "cpp", "go", "csharp", "c#", "php", "ruby", "perl", "lua",
)  # fmt: skip
_HIDDEN = dict.fromkeys(_SLASHED, "/// ") | {"rust": "# ", "rust-script": "# "}
_LANGUAGES = {"shell": "bash", "rust-script": "rust"}


class _Command(NamedTuple):
    name: str
    value: str
    line: int
    end: int


def read(text: Text, source: Source) -> Translation:
    """Translate a deck of presenterm to native text."""
    count = foreign_front_matter.block(text.lines)
    settings = foreign_front_matter.read("\n".join(text.lines[1 : count - 1])) if count else None
    if settings is None:
        count, settings = 0, {}
    deck = _Deck(source, foreign_front_matter.within(settings, "options"))
    if any(key in settings for key in _INTRO):
        deck.slides.append(_intro(settings))
    if count and settings:
        deck.rows += aside("\n".join(text.lines[1 : count - 1]), 2)
    deck.read(text.part(count))
    deck.end()
    meta = {
        "title": " ".join(foreign_front_matter.words(settings, "title").split()),
        "author": _authors(settings),
    }
    meta |= foreign_header_and_footer.of_presenterm(settings)
    return assemble(deck.slides, meta, source.problems)


def _authors(settings: Mapping[str, Any]) -> str:
    return foreign_front_matter.words(settings, "author") or foreign_front_matter.words(settings, "authors")


def _intro(settings: Mapping[str, Any]) -> list[Row]:
    """The slide that the program makes of a front matter."""
    title = [line for line in foreign_front_matter.words(settings, "title").split("\n") if line.strip()]
    rows = [Row("<!-- slide: {layout: title} -->", 1)]
    if title:
        rows += [Row(f"# {foreign_front_matter.heading(' '.join(title))}", 1), Row("", 1)]
    rows += [Row(line, 1) for line in foreign_front_matter.words(settings, "sub_title").split("\n")]
    rest = [foreign_front_matter.words(settings, key) for key in ("event", "location", "date")]
    for line in (*rest, _authors(settings)):
        rows += [Row("", 1), Row(" ".join(line.split()), 1)] if line.strip() else []
    return rows


@dataclass
class _Layout:
    widths: list[int]
    place: int
    parts: dict[int, list[Row]] = field(default_factory=dict)
    column: int | None = None


@dataclass
class _Deck:
    """The slides so far, and the one that is being read."""

    source: Source
    options: Mapping[str, Any]
    slides: list[list[Row]] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    layout: _Layout | None = None
    skipped: bool = False
    incremental: bool | None = None
    last: Literal["none", "list", "other"] = "none"
    owed: bool = False  # a pause that only counts if something follows it
    headed: bool = False
    titled: bool = False
    title: str = ""  # of a slide on which another heading stands above it

    def read(self, text: Text) -> None:
        """The lines of the deck, or of a file that it includes, which may end slides as well."""
        draft = Draft(text, text.lines, commonmark=True)
        commands = list(self._commands(draft))
        lines = {line for command in commands for line in range(command.line, command.end)}
        draft.keep(lambda comment: comment.first not in lines)
        for fence in draft.marks.fences:
            _code(draft, fence, self.source)
        draft.break_lines(within="blockquote")
        self._pictures(draft)
        done = 0
        events: list[tuple[int, int, _Command | Block]] = [(c.line, 0, c) for c in commands]
        events += [(b.first, 1, b) for b in draft.outline.blocks]
        for first, _, event in sorted(events, key=lambda event: event[:2]):
            end = event.end
            if first < done:
                continue
            self._emit(draft, done, first)
            if isinstance(event, _Command):
                self._obey(event, draft)
                done = end
            else:
                done = self._block(event, draft)
        self._emit(draft, done, len(text.lines))

    def end(self) -> None:
        """The slide ends here."""
        self._leave()
        rows = without_last_pause(self.rows)
        if self.title and rows:
            rows = [*settings(rows[0].place, title=self.title), *rows]
        if not self.skipped:
            self.slides.append(rows)
        elif rows and self.slides:
            self.slides[-1] += aside("\n".join(row.text for row in rows), rows[0].place)
        self.rows, self.skipped, self.incremental, self.last, self.owed = [], False, None, "none", False
        self.headed, self.titled, self.title = False, False, ""

    # -- lines and blocks ---------------------------------------------------------------------------------

    def _emit(self, draft: Draft, start: int, end: int) -> None:
        self._target().extend(draft.rows(start, end))

    def _target(self) -> list[Row]:
        layout = self.layout
        if layout is None or layout.column is None:
            return self.rows
        return layout.parts.setdefault(layout.column, [])

    def _block(self, block: Block, draft: Draft) -> int:
        """Takes in a block; returns the line behind it."""
        if block.kind == "heading" and block.markup in ("=", "-"):
            if foreign_front_matter.true(self.options, "implicit_slide_ends") and self.last != "none":
                self.end()
            words = foreign_front_matter.heading(
                " ".join(line.strip() for line in draft.bare[block.first : block.end - 1])
            )
            draft.replace(block.first, block.end, f"# {words}")
            if self.headed and not self.titled:
                self.title = words
            self.titled = True
        elif block.kind == "heading":
            self.headed = True
        elif block.kind == "hr":
            if foreign_front_matter.true(self.options, "end_slide_shorthand"):
                self.end()
                return block.end
            draft.replace(block.first, block.end, "***")
        elif block.kind == "html_block" and draft.bare[block.first].lstrip().startswith("<speaker-note>"):
            return self._note(block.first, draft)
        elif block.kind == "html_block" and draft.text.lines[block.first].lstrip().startswith("<!--"):
            self._emit(draft, block.first, block.end)
            return block.end
        self._show(draft.place(block.first))
        step_by_step = self._stepwise() if block.kind == "list" else False
        if step_by_step:
            for item in draft.outline.items_in(block.first, block.end):
                draft.pause(item.line)
        self._emit(draft, block.first, block.end)
        self.last = "list" if block.kind == "list" else "other"
        self.owed = step_by_step
        return block.end

    def _note(self, first: int, draft: Draft) -> int:
        """`<speaker-note>`, which may hold empty lines; returns the line behind it."""
        lines = draft.text.lines
        last = next((n for n in range(first, len(lines)) if "</speaker-note>" in lines[n]), len(lines) - 1)
        body = (
            "\n".join(lines[first : last + 1]).partition("<speaker-note>")[2].partition("</speaker-note>")[0]
        )
        self._target().extend(note(body, draft.place(first)))
        return last + 1

    def _stepwise(self) -> bool:
        if self.incremental is None:
            return foreign_front_matter.true(self.options, "incremental_lists")
        return self.incremental

    def _show(self, place: int) -> None:
        """Something is to be seen here: a pause behind a list counts now."""
        if self.owed:
            self._target().extend([Row("", place), Row(PAUSE, place), Row("", place)])
            self.owed = False

    def _pictures(self, draft: Draft) -> None:
        def ours(match: re.Match[str]) -> str:
            size = _SIZE.match(match[1])
            path = self.source.within(match[2].strip("<>"), draft.text.base)
            return picture(path, "" if size else match[1], f"{size[1]}%" if size else "")

        draft.shown = [
            _IMAGE.sub(ours, line) if "](" in line and not draft.coded[n] else line
            for n, line in enumerate(draft.shown)
        ]

    # -- commands -----------------------------------------------------------------------------------------

    def _commands(self, draft: Draft) -> Iterable[_Command]:
        prefix = foreign_front_matter.words(self.options, "command_prefix")
        for comment in draft.marks.comments:
            before = draft.text.lines[comment.first][: comment.start]
            if before.strip() or len(before) > 3 or not comment.closed:
                continue
            body = comment.body.strip()
            while prefix and body.startswith(prefix):
                body = body[len(prefix) :]
            match = _COMMAND.fullmatch(body.strip())
            if match and match[1] in _NAMES and (match[2] is not None or "\n" not in body):
                yield _Command(match[1], _value(match, comment), comment.first, comment.last + 1)

    def _obey(self, command: _Command, draft: Draft) -> None:
        place = draft.place(command.line)
        self._target().append(Row("", place))  # a command stands between blocks, and parts them
        match command.name:
            case "end_slide":
                self.end()
            case "pause":
                self._show(place)
                self._target().append(Row(PAUSE, place))
            case "speaker_note":
                self._target().extend(note(command.value, place))
            case "skip_slide":
                self.skipped = True
            case "incremental_lists":
                self.incremental = command.value.strip().lower() == "true"
            case "alignment":
                self._target().append(Row(f"<!-- align: {command.value.strip()} -->", place))
            case "column_layout":
                self._leave()
                widths = [int(n) for n in re.findall(r"[0-9]{1,3}", command.value)]
                self.layout = _Layout(widths, place) if widths and all(widths) else None
            case "column":
                if self.layout and command.value.strip().isdecimal():
                    column = int(command.value)
                    self.layout.column = column if column < len(self.layout.widths) else None
                    self._target().append(Row("", place))
            case "reset_layout":
                self._leave()
            case "include":
                found = self.source.take(command.value.strip().strip("\"'"), draft.text.base, place)
                if isinstance(found, Text):
                    self.read(found)
                    self.source.done()
                else:
                    self._target().extend(found)
        # Sizes, footers and empty lines are how the program draws, and nothing of the deck.

    def _leave(self) -> None:
        """Back from columns to the whole width."""
        layout, self.layout = self.layout, None
        if layout is not None and any(row.text.strip() for part in layout.parts.values() for row in part):
            parts = [layout.parts.get(n, []) for n in range(len(layout.widths))]
            self.rows += columns(layout.widths, parts, layout.place)


def _value(match: re.Match[str], comment: Comment) -> str:
    """The value of a command: YAML where it is more than a few plain words."""
    value = (match[2] or "").strip()
    if "\n" in value or value[:1] in ("|", ">", '"', "'"):
        read = foreign_front_matter.read(match[0])
        return foreign_front_matter.words(read, match[1]) if read else value
    return value


def _code(draft: Draft, fence: Fence, source: Source) -> None:
    """A code block with the program's words translated."""
    lang, _, rest = fence.info.partition(" ")
    focus = re.search(r"\{([^{}]*)\}", rest)
    words = re.findall(r"\+([\w:%./-]+)", re.sub(r"\{[^{}]*\}", " ", rest))
    names = {word.partition(":")[0] for word in words}
    code = draft.code(fence)
    snippet = Snippet(
        lang=_LANGUAGES.get(lang.lower(), lang),
        focus=focus[1] if focus else "",
        numbers="line_numbers" in names,
        run=bool(names & {"exec", "auto_exec", "exec_replace", "acquire_terminal", "image"}),
        gives="image" if "image" in names else "replace" if "exec_replace" in names else "",
        expect="failure" if {"expect:failure", "expect:fail"} & set(words) else "",
    )
    if lang == "file" and (named := foreign_front_matter.read("\n".join(code))):
        _from_file(draft, fence, snippet, named, source)
        return
    prefix = _HIDDEN.get(lang.lower())
    hidden = [n for n, row in enumerate(code, 1) if prefix and row.startswith(prefix)]
    if not prefix or not hidden or len(hidden) == len(code):
        draft.recode(fence, snippet.info(code))
        return
    whole = [row.removeprefix(prefix) if n in hidden else row for n, row in enumerate(code, 1)]
    kept = [n for n in range(1, len(code) + 1) if n not in hidden]
    apart = kept[-1] - kept[0] >= len(kept)
    given = {"numbers": False} if apart else {}
    snippet = Snippet(**{**_fields(snippet), **given, "hide": spans(hidden)})
    draft.recode(fence, snippet.info(whole), whole)


def _from_file(
    draft: Draft, fence: Fence, snippet: Snippet, named: Mapping[str, Any], source: Source
) -> None:
    low, high = foreign_front_matter.words(named, "start_line"), foreign_front_matter.words(named, "end_line")
    lines = f"{low or 1}-{high}" if high.isdecimal() else ""
    path = source.within(foreign_front_matter.words(named, "path"), draft.text.base)
    snippet = Snippet(
        **{
            **_fields(snippet),
            "lang": foreign_front_matter.words(named, "language"),
            "file": path,
            "lines": lines,
        }
    )
    draft.recode(fence, snippet.info([]), [])


def _fields(snippet: Snippet) -> dict[str, Any]:
    return {name: getattr(snippet, name) for name in Snippet.__slots__}

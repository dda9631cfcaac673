"""Finds directives, the lines of a slide that start with `:::`, before any Markdown is read.

`demo`, `scene` (or `animate`), `compare`, `estimate`,
`strategies`, `duel`, `exercise`, `puzzle`, `include` and `terminal` are one-line leaves.
`columns`, `chart`, `quiz`, `predict` and `poll` close with `:::`; a chart of a file or of a run is a leaf.
A question in a list or a quote, or under a misspelt name, asks nothing; its lines, which tell its key, are no
text of the slide either.
Reader and redaction walk the same outline, so they agree on where a question ends.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct, field

from slides.problems import Mistake, did_you_mean, quoted

LEAVES = (
    "demo", "scene", "animate", "compare", "estimate", "strategies", "duel", "exercise", "puzzle",
    "include", "terminal",
)  # fmt: skip
QUESTIONS = ("quiz", "predict", "poll")
_ASKS = ("question", "questions")  # said for `quiz`
KNOWN = (*LEAVES, "columns", "chart", *QUESTIONS)
DEEPEST = 6  # columns within columns

_DIRECTIVE = re.compile(r" {0,3}:{3,}[ \t]*(.*)")
_ITEM = re.compile(r"(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]|$)")
_WITHIN = re.compile(rf"((?:[ \t>]|{_ITEM.pattern})*):{{3,}}[ \t]*([\w-]*)")  # in lists and quotes
_TICKED = re.compile(r"[ \t>]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+\[[xX]\](?:[ \t]|$)")
_WORD = re.compile(r"""(?:"[^"]*"|'[^']*'|[^\s{}"']|["'])+""")
_QUOTED = re.compile(r""""[^"]*"|'[^']*'""")


class Text(NamedTuple):
    """Plain Markdown: lines `first` up to but not including `end`."""

    first: int
    end: int


class Leaf(NamedTuple):
    """A directive of one line: the line (0-based), its name, and what stands behind the name. A scene without
    a name has a body, up to but not including `end`."""

    line: int
    name: str
    rest: str
    end: int = 0


class Question(NamedTuple):
    """`quiz`, `predict` or `poll`; its body is lines `first` up to but not including `end`."""

    line: int
    name: str
    rest: str
    first: int
    end: int
    closed: bool


class Plot(NamedTuple):
    """`chart`: its numbers are lines `first` up to but not including `end`; none where it names a `file`, or
    values of a run."""

    line: int
    rest: str
    first: int
    end: int
    closed: bool
    file: str = ""


class Split(Struct, frozen=True):
    """`columns`: an outline per column. `line` is its `:::` line, `end` the line after its last."""

    line: int
    rest: str
    end: int
    closed: bool
    columns: tuple[Outline, ...]


class Stray(NamedTuple):
    """A directive that cannot be followed: unknown, nested too deep, or (name "") a close of nothing."""

    line: int
    name: str
    rest: str


class Misplaced(NamedTuple):
    """A question in a list item or a quote: `before` stands before its `:::`, its body reaches up to but not
    including line `end`."""

    line: int
    before: str
    name: str
    end: int


Part = Text | Leaf | Question | Plot | Split | Stray | Misplaced
Outline = tuple[Part, ...]


class Words(Struct):
    """The arguments of a directive: bare words, `key=value` pairs, and the id of `{#id}` or `id=`."""

    bare: list[str] = field(default_factory=list)
    params: dict[str, str] = field(default_factory=dict)
    id: str = ""


def name_of(line: str) -> tuple[str, str] | None:
    """Return (name, rest) of a directive line; the name of a bare `:::` is ""; None for any other line."""
    if ":::" not in line[:6]:
        return None
    match = _DIRECTIVE.fullmatch(line)
    if not match:
        return None
    name, _, rest = match[1].strip().rstrip(":").partition(" ")
    if "{" in name:
        name, rest = name.split("{", 1)[0], match[1][match[1].index("{") :]
    return name.strip(), rest.strip()


def shorter(lines: Sequence[str]) -> str:
    """Return how a slide of too much text gets shorter."""
    if any((name_of(line) or ("",))[0] == "chart" for line in lines):
        return "Split it with `---`, or have the chart's table in a file: `::: chart line loss.csv`."
    return "Split it with `---`."


def words(rest: str) -> Words:
    """Read `ddp ranks=4 note="two words" {#id kind=single}`; braces only group.

    Raises:
        Mistake: a brace stands alone, a key or an id is given twice, or an id is not an id.
    """
    bare = _QUOTED.sub("", rest)
    if (opened := bare.count("{")) != (closed := bare.count("}")):
        example = "`{#id kind=single}`"
        if opened > closed:
            raise Mistake("the `{` is not closed", f"Write `}}` at the end of the line: {example}.")
        raise Mistake("the `}` closes nothing", f"Write `{{` before the first word: {example}.")
    found = Words()
    for word in _WORD.findall(rest):
        key, equals, value = word.partition("=")
        if word[0] == "#":
            key, equals, value = "id", "=", word[1:]
        if not equals or not key.replace("_", "a").replace("-", "a").replace(".", "a").isalnum():
            if word[0] != "." or "/" in word:  # a class of `{.cls}` means nothing to us, a path does
                found.bare.append(_unquoted(word))
            continue
        if key in found.params or (key == "id" and found.id):
            raise Mistake(f"{quoted(key)} is given twice", "Keep one of them.")
        value = _unquoted(value)
        if key == "id":
            if not value or any(c in value or c.isspace() for c in "/\"'=<>#{}`") or not value.isprintable():
                raise Mistake(
                    f"{quoted(value)} is not an id", "Use letters, digits and `-`: `{#ring-bytes}`."
                )
            found.id = value
        else:
            found.params[key] = value
    return found


def widths(rest: str, columns: int) -> tuple[int, ...]:
    """Return the relative widths of `::: columns 3,2`; equal ones if none are written.

    Raises:
        Mistake: they are no small whole numbers, or not one for each column.
    """
    written = rest.strip().strip("{}").replace(",", " ").split()
    if not written:
        return (1,) * columns
    example = "`::: columns " + ",".join(["3", "2", *["1"] * (columns - 2)][:columns]) + "`"
    if not all(word.isascii() and word.isdigit() and len(word) < 4 and int(word) for word in written):
        raise Mistake(
            f"{quoted(rest)} are not column widths", f"Write whole numbers, one a column: {example}."
        )
    if len(written) != columns:
        message = f"{len(written)} widths for {columns} {'column' if columns == 1 else 'columns'}"
        raise Mistake(
            message, f"Write one width for each column ({example}); columns are separated by a line `+++`."
        )
    return tuple(int(word) for word in written)


def unknown(name: str) -> Mistake:
    """Return the mistake that reports an unknown directive, with the name that was probably meant."""
    near = _meant(name)
    mend = f"Did you mean `::: {near}`?" if near else f"Known are {', '.join(KNOWN)}."
    return Mistake(f"unknown directive {quoted(name)}", mend)


def not_followed(part: Stray | Misplaced) -> Mistake:
    """Return the mistake that reports a directive that cannot be followed where it stands."""
    if isinstance(part, Misplaced):
        where = "a quote" if ">" in part.before else "a list"
        message = f"`::: {part.name}` asks nothing within {where}"
        return Mistake(message, f"Write its lines without {where} around them, each from its first column.")
    if part.name == "columns":
        return Mistake("columns are nested too deep", "Use fewer columns within columns.")
    if not part.name:
        mend = "Remove it: leaves like `::: demo` are never closed."
        return Mistake("this `:::` closes nothing", mend)
    return unknown(part.name)


def resembles_question(name: str) -> bool:
    """Whether an unknown directive is likely a misspelt question, whose key must not be shown."""
    return _meant(name) in QUESTIONS


def _is_question(name: str) -> bool:
    return name in QUESTIONS or resembles_question(name)


def _meant(name: str) -> str:
    """The known name that was probably meant, or ""."""
    return did_you_mean(name, KNOWN) or ("quiz" if did_you_mean(name, _ASKS, 0.8) else "")


def asks(outline: Outline) -> bool:
    """Whether there is a question in it, be it misspelt or misplaced."""
    return any(
        isinstance(part, Question | Misplaced) or (isinstance(part, Split) and any(map(asks, part.columns)))
        for part in outline
    )


def outline(lines: Sequence[str], held: Sequence[int]) -> Outline:
    """Return the parts of a slide in order. `lines` are without comments; `held` lines are only text."""
    return _Outliner(lines, held).run()


class _Open(NamedTuple):
    """Columns whose close is not met yet: the columns before the current one, and its parts."""

    line: int
    rest: str
    done: list[Outline]
    parts: list[Part]


class _Outliner:
    def __init__(self, lines: Sequence[str], held: Sequence[int]) -> None:
        self.lines, self.held = lines, held
        self.open = [_Open(-1, "", [], [])]
        self.text_from = 0
        self.in_item = False  # whether an indented line belongs to an item

    def run(self) -> Outline:
        at, count = 0, len(self.lines)
        awaited = 0  # unknown directives so far whose close, if one comes, is not a mistake of its own
        while at < count:
            line = self.lines[at]
            if self.held[at]:
                at += 1
                continue
            if line[:3] == "+++" and line.rstrip() == "+++" and len(self.open) > 1:
                self._text(at)
                self._next_column()
                at = self.text_from = at + 1
                continue
            if line[:1].strip():
                self.in_item = bool(_ITEM.match(line))
            directive = name_of(line)
            if directive is None:
                at = self._misplaced(at)
                continue
            self._text(at)
            name, rest = directive
            after = at + 1
            if name == "scene" and not rest and self._closes(end := self._question_end(after)):
                self._add(Leaf(at, name, rest, end))
                after = end + 1
            elif name in LEAVES:
                self._add(Leaf(at, name, rest))
            elif name in QUESTIONS:
                end = self._question_end(after)
                closed = self._closes(end)
                self._add(Question(at, name, rest, after, end, closed))
                after = end + closed
            elif name == "chart" and ((file := _file_of(rest)) or _of_run(rest)):
                self._add(Plot(at, rest, after, after, True, file))
            elif name == "chart":
                end = self._question_end(after)
                closed = end < count and name_of(self.lines[end]) == ("", "")
                self._add(Plot(at, rest, after, end, closed))
                after = end + closed
            elif name == "columns" and len(self.open) <= DEEPEST:
                self.open.append(_Open(at, rest, [], []))
            elif name:
                end = self._question_end(after)
                closed = self._closes(end)
                if resembles_question(name) or (closed and self._ticked(after, end)):
                    self._add(Question(at, name, rest, after, end, closed))
                    after = end + closed
                else:
                    self._add(Stray(at, name, rest))
                    awaited += did_you_mean(name, KNOWN) not in LEAVES
            elif len(self.open) > 1:
                self._close(after, True)
            elif awaited:
                awaited -= 1
            else:
                self._add(Stray(at, "", ""))
            at = self.text_from = after
        self._text(count)
        while len(self.open) > 1:
            self._close(count, False)
        return tuple(self.open[0].parts)

    def _question_end(self, start: int) -> int:
        """The line of the next directive: a question's close, or its end where the close is missing."""
        lines = self.lines
        return next(
            (at for at in range(start, len(lines)) if not self.held[at] and name_of(lines[at]) is not None),
            len(lines),
        )

    def _closes(self, line: int) -> bool:
        return line < len(self.lines) and name_of(self.lines[line]) == ("", "")

    def _ticked(self, first: int, end: int) -> bool:
        """Whether an answer is ticked in these lines."""
        return any(not self.held[at] and _TICKED.match(self.lines[at]) for at in range(first, end))

    def _misplaced(self, at: int) -> int:
        """Take in a question that stands in a list or a quote in line `at`; returns the line after it, or
        after that line where it is none."""
        found = _WITHIN.match(self.lines[at]) if ":::" in self.lines[at] else None
        if not found or not (self.in_item or found[1].strip()) or not _is_question(found[2]):
            return at + 1
        self._text(at)
        end = next((n for n in range(at + 1, len(self.lines)) if self._ends_misplaced(n)), len(self.lines))
        self._add(Misplaced(at, found[1], found[2], end))
        self.text_from = end + (end < len(self.lines) and self._closes_within(end))
        return self.text_from

    def _ends_misplaced(self, at: int) -> bool:
        if self.held[at]:
            return False
        line = self.lines[at]
        parts = len(self.open) > 1 and line[:3] == "+++" and line.rstrip() == "+++"
        return parts or name_of(line) is not None or self._closes_within(at)

    def _closes_within(self, at: int) -> bool:
        """Whether a line closes a question in a list or a quote. At the margin it is that of the columns."""
        if self._closes(at):
            return len(self.open) == 1
        found = _WITHIN.fullmatch(self.lines[at].rstrip())
        return bool(found and not found[2])

    def _add(self, part: Part) -> None:
        self.open[-1].parts.append(part)

    def _text(self, end: int) -> None:
        if end > self.text_from:
            self._add(Text(self.text_from, end))
        self.text_from = end

    def _next_column(self) -> None:
        current = self.open[-1]
        current.done.append(tuple(current.parts))
        current.parts.clear()

    def _close(self, end: int, closed: bool) -> None:
        self._next_column()
        columns = self.open.pop()
        self._add(Split(columns.line, columns.rest, end, closed, tuple(columns.done)))


def _file_of(rest: str) -> str:
    """The file that a chart names behind its kind."""
    try:
        return next(iter(words(rest).bare[1:2]), "")
    except Mistake:
        return ""


def _of_run(rest: str) -> bool:
    """Whether a chart is of the values of a run."""
    try:
        return "values" in words(rest).params
    except Mistake:
        return False


def _unquoted(word: str) -> str:
    return word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'" else word

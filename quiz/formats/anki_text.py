"""Reads notes that Anki exports as "Notes in Plain Text (.txt)": lines of `#key:value`, then rows of fields.

A note with `{{c1::answer}}` is a text with gaps. Of any other the first field asks and the second answers:
a word or two are typed, more than that is what is shown after an essay.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

from msgspec.structs import replace

from quiz.formats.read_result import MOST, Bank, Names, beyond, named
from quiz.question import Accepted, Gap, Markup, Question, Trouble

MAX_FIELD = 1 << 20
MAX_BROKEN = 100  # places behind which reading goes on
TYPED = 60  # letters of an answer that can be asked to be typed
_HEAD = re.compile(r"#([a-z ]{1,20}):(.*)")
_SEPARATORS = {
    "tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "colon": ":", "space": " ",
}  # fmt: skip
_GAP = re.compile(r"\{\{c[0-9]{1,3}::((?:(?!\{\{|\}\}|::).)+)(?:::((?:(?!\{\{|\}\}).)*))?\}\}", re.S)
_BREAK = re.compile(r"<(?:br|/div|/p|/li|/tr)\b[^>]{0,200}>", re.I)
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,400}>")
_LOST = re.compile(r"\[sound:[^\]\n]{0,400}\]|<img\b[^>]{0,400}>", re.I)
_FORMULA = re.compile(r"\[(\$\$?)\](.{0,2000}?)\[/\1\]|\[latex\](.{0,2000}?)\[/latex\]", re.S)
_MEND = 'Let each note have a row, with its fields in quotes and "" for a quote'


class _Head(NamedTuple):
    """What the lines at the top say; columns count from 1, 0 for none."""

    separator: str
    markup: Markup
    deck: str
    columns: dict[str, int]
    begin: int


def read(text: str) -> Bank:
    """Read all notes of a file, and what is wrong with the others. Never raises."""
    lines = io.StringIO(text.removeprefix("\ufeff").replace("\0", "\ufffd"), newline="").readlines()
    head = _head(lines)
    found: list[Question] = []
    troubles: list[Trouble] = []
    notes: list[Trouble] = []
    names = Names()
    for line, row in _rows(lines, head):
        if isinstance(row, Trouble):
            troubles.append(row)
        elif len(found) >= MOST:
            troubles.append(beyond(line))
            break
        elif any(field.strip() for field in row):
            question = _question(row, head, line)
            if isinstance(question, Trouble):
                troubles.append(question)
                continue
            found.append(replace(question, id=names.take("", _plain(question.stem))))
            if lost := _LOST.search("".join(row)):
                what = f"a sound or a picture is left out: {lost[0][:40]}"
                notes.append(Trouble(line, what, "Say it in words", 1))
    return named(found, troubles, notes)


def _head(lines: list[str]) -> _Head:
    said: dict[str, str] = {}
    begin = 0
    for line in lines[:40]:
        match = _HEAD.fullmatch(line.rstrip("\r\n"))
        if not match:
            break
        said[match[1]] = match[2]
        begin += 1
    columns = {
        key.removesuffix(" column"): int(value)
        for key, value in said.items()
        if key.endswith(" column") and value.strip().isdecimal() and len(value.strip()) < 4
    }
    written = said.get("separator", "")
    separator = _SEPARATORS.get(written.strip().lower(), written[:1]) or "\t"
    markup: Markup = "html" if said.get("html", "").strip().lower() == "true" else "plain"
    return _Head(separator, markup, said.get("deck", "").strip(), columns, begin)


def _rows(lines: list[str], head: _Head) -> Iterator[tuple[int, list[str] | Trouble]]:
    """Every row with its line. One that cannot be parted is told, and the next line begins anew."""
    csv.field_size_limit(MAX_FIELD)
    begin = head.begin
    for _ in range(MAX_BROKEN):
        line = begin + 1
        try:
            reader = csv.reader(lines[begin:], delimiter=head.separator, strict=True)
            for row in reader:
                yield line, row
                line = begin + 1 + reader.line_num
            return
        except (csv.Error, TypeError) as error:
            yield line, Trouble(line, f"this row is none of Anki's: {error}", _MEND, 1)
            begin = line


def _question(row: list[str], head: _Head, line: int) -> Question | Trouble:
    of_note = set(head.columns.values())
    fields = [_written(field, head.markup) for n, field in enumerate(row, 1) if n not in of_note]
    front, back, *_ = (*fields, "", "")
    made = Question(
        id="",
        kind="essay",
        stem=front,
        explain=back,
        tags=tuple(_column(row, head, "tags").split()),
        category=(_column(row, head, "deck") or head.deck).replace("::", "/"),
        line=line,
        markup=head.markup,
    )
    if _GAP.search(front):
        return _gapped(made)
    if not front or not back:
        what = "a note without its question" if back else "a note without its answer"
        return Trouble(line, what, "Fill in both of its sides in Anki", 1)
    answer = _plain(back) if head.markup == "html" else back
    if "\n" in answer or len(answer) > TYPED or not answer or "$" in back or "\\(" in back:
        return made
    return replace(made, kind="text", accepted=(_accepted(answer),), explain="")


def _gapped(made: Question) -> Question:
    """A gap for each `{{c1::answer}}`; hints are those of the whole."""
    gaps: list[Gap] = []
    hints: list[str] = []

    def take(match: re.Match[str]) -> str:
        text = _plain(match[1]) if made.markup == "html" else match[1].strip()
        gaps.append(Gap((_accepted(text),)))
        if match[2] and match[2].strip():
            hints.append(match[2].strip())
        return "{{" + str(len(gaps)) + "}}"

    stem = _GAP.sub(take, made.stem)
    points = float(len(gaps))
    return replace(made, kind="cloze", stem=stem, gaps=tuple(gaps), hints=tuple(hints), points=points)


def _accepted(text: str) -> Accepted:
    """A text to be typed as it is: a star of its own stands for itself."""
    return Accepted(text.replace("*", "\\*"))


def _column(row: list[str], head: _Head, name: str) -> str:
    at = head.columns.get(name, 0)
    return row[at - 1].strip() if 0 < at <= len(row) else ""


def _written(field: str, markup: Markup) -> str:
    """A field without what is not text, its formulas in MathJax's signs."""
    text = _LOST.sub("", field) if markup == "html" or "[sound:" in field else field
    if "[" in text:
        text = _FORMULA.sub(
            lambda m: f"\\[{m[2]}\\]" if m[1] == "$$" else f"\\({m[2] or m[3] or ''}\\)", text
        )
    return text.strip()


def _plain(text: str) -> str:
    """The words of HTML, a line for each of its own."""
    words = unescape(_TAG.sub("", _BREAK.sub("\n", text))).replace("\N{NO-BREAK SPACE}", " ")
    return "\n".join(filter(None, (" ".join(line.split()) for line in words.split("\n"))))

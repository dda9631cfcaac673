"""The formats: name, file suffixes, reader and writer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # a module is imported with its format
    from quiz.formats.nearest_kind import Loss
    from quiz.formats.read_result import Bank
    from quiz.question import Question


class Format(NamedTuple):
    """`reader` and `writer` are modules with `read` and `write`; "" where it only goes one way."""

    name: str
    suffixes: tuple[str, ...]
    reader: str = ""
    writer: str = ""

    def read(self, text: str) -> Bank:
        """Read the questions in `text`, and what is wrong with the others."""
        read: Callable[[str], Bank] = import_module(self.reader).read
        return read(text)

    def write(self, questions: Iterable[Question]) -> tuple[str, list[Loss]]:
        """Return the file's text, and what was lost."""
        write: Callable[[Iterable[Question]], tuple[str, list[Loss]]] = import_module(self.writer).write
        return write(questions)


_HERE = "quiz.formats."
FORMATS = (
    Format("gift", (".gift",), _HERE + "gift.reader", _HERE + "gift.writer"),
    Format("moodle", (".xml",), _HERE + "moodle.reader", _HERE + "moodle.writer"),
    Format("qti", (".qti",), _HERE + "qti.reader"),
    Format("cloze", (".cloze",), _HERE + "moodle.cloze_text"),
    Format("aiken", (".aiken",), _HERE + "aiken", _HERE + "aiken"),
    Format("csv", (".csv", ".tsv"), _HERE + "table.rows", _HERE + "table.rows"),
    Format("anki", (".anki.txt",), _HERE + "anki_text"),
    Format("markdown", (".md", ".markdown"), "", _HERE + "native"),
    Format("json", (".json",), "", _HERE + "json_file"),
)
_EMBEDDED = re.compile(r"(?<!\\)\{[\d.]{0,9}:[A-Z]")  # an answer in a text, as only Moodle's Cloze has it
_QTI = re.compile(r"<(?:\w+:)?(?:questestinterop|(?:qti-)?assessment-?(?:item|test))\b", re.IGNORECASE)
_ANKI = re.compile(r"#(?:separator|html|deck|notetype|columns|tags|(?:guid|notetype|deck|tags) column):")
_TABLE = re.compile(r"(?:MC|MA|TF|ESS|ORD|MAT|FIB|FIB_PLUS|FIL|NUM|SR|OP)\t")  # Blackboard's `.txt`


def named(name: str) -> Format | None:
    """Return the format of that name, None if there is none."""
    return next((one for one in FORMATS if one.name == name), None)


def recognised(path: str, text: str = "") -> Format | None:
    """Return the format of a file by its name; of a `.txt`, used by Moodle's text formats, by its content."""
    lower = path.casefold()
    by_name = next((one for one in FORMATS if lower.endswith(one.suffixes)), None)
    head = text[:65536].lstrip("\ufeff \t\r\n")
    if head.startswith("<") and (by_name is None or by_name.name == "moodle"):
        return named("qti" if _QTI.search(head[:4096]) else "moodle")
    if by_name is not None:
        return by_name
    if _TABLE.match(head):
        return named("csv")
    if _ANKI.match(head):
        return named("anki")
    if _EMBEDDED.search(head):
        from quiz.formats.moodle.cloze_text import marked

        if marked(head):
            return named("cloze")
    answers = re.search(r"^[^\S\n]*ANSWER[^\S\n]*:", head, re.M | re.I)
    braces = re.search(r"(?<!\\)\{|^::|^\$CATEGORY:", head, re.M)
    # Code in a question has braces too; lettered lines above an answer are no GIFT.
    if answers and (not braces or re.search(r"^[^\S\n]*[A-Z][.)]\s", head[: answers.start()], re.M)):
        return named("aiken")
    return named("gift") if re.search(r"(?<!\\)[{}]|^\$CATEGORY:|^::", head, re.M) else None

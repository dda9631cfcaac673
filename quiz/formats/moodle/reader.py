"""Reads Moodle XML a question at a time, with the position of every element.

Nothing of XML's dangerous parts is followed: a document type or an entity declared is named and passed by,
nothing is fetched. Behind a broken place reading goes on at the next question.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from xml.parsers import expat

from msgspec.structs import replace

from quiz.formats.moodle.question_types import Node, answers_unread, question
from quiz.formats.read_result import Bank, doubts, named
from quiz.question import File, Question, Trouble

MAX_DEPTH = 40
MAX_BROKEN = 100  # places behind which reading goes on
MAX_FILE = 8 << 20  # characters of base64
_FED = 1 << 20  # characters parsed at a time

_QTI = ("questestinterop", "assessmentItem", "assessmentTest", "manifest")
_OPENED = re.compile(r"<question\b")


class _Broken(Exception):
    """What is told, where, and where it broke: the parser itself goes on to the end of what it was fed."""

    def __init__(self, message: str, mend: str, told: tuple[int, int], at: tuple[int, int]) -> None:
        super().__init__(message)
        self.message, self.mend, self.told, self.at = message, mend, told, at


def read(text: str) -> Bank:
    """Read all questions of a file, and what is wrong with the others. Never raises."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    reading = _Reading(text)
    at = len(text) - len(text.lstrip())  # Moodle, too, takes blanks above the declaration
    for n in range(MAX_BROKEN):
        broken = reading.broken(at, n > 0)
        begin = _OPENED.search(text, broken) if broken is not None else None
        if begin is None:
            break
        at = begin.start()
    else:
        what = f"more than {MAX_BROKEN} broken places: the rest is not read"
        last = reading.troubles[-1]
        reading.troubles.append(Trouble(last.line, what, "Export the file again", last.column + 1))
    return named(reading.found, reading.troubles, reading.notes)


class _Reading:
    """What was found in `text` so far."""

    def __init__(self, text: str) -> None:
        self.found: list[Question] = []
        self.troubles: list[Trouble] = []
        self.notes: list[Trouble] = []
        self.line = 1  # of the place where the parser began
        self._text = text
        self._begin = self._column = 0
        self._category = ""
        self._open: list[Node] = []
        self._within: Node | None = None  # an element inside a text of the open question
        self._parser = expat.ParserCreate()

    def broken(self, at: int, inside: bool) -> int | None:
        """Read on from offset `at`, the file's begin or that of a question `inside` it: where it broke, or
        None."""
        text = self._text
        self._open, self._within = [], None
        self.line += text.count("\n", self._begin, at)
        self._begin = at
        self._column = at - text.rfind("\n", 0, at) - 1
        parser = self._parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._data
        parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = self._forbid
        parser.ExternalEntityRefHandler = self._forbid
        try:
            if inside:
                parser.Parse("<quiz>", False)
                self._column -= len("<quiz>")
            for begin in range(at, len(text), _FED):
                parser.Parse(text[begin : begin + _FED], False)
            parser.Parse("", True)
        except _Broken as error:
            self.troubles.append(Trouble(error.told[0], error.message, error.mend, error.told[1]))
            return self._behind(*error.at)
        except expat.ExpatError as error:
            here = told = self._place(error.lineno, error.offset)
            if error.code in _NEVER_ENDS and len(self._open) > 1:
                told = self._open[1].line, self._open[1].column
            what = f"this is no XML: {expat.ErrorString(error.code)}"
            self.troubles.append(Trouble(told[0], what, _MENDS.get(error.code, _MEND), told[1]))
            return self._behind(*here)
        except (ValueError, UnicodeError) as error:
            self.troubles.append(Trouble(self.line, f"this cannot be read: {error}", "Save it as UTF-8", 1))
        return None

    def _place(self, line: int, offset: int) -> tuple[int, int]:
        """Line and column (from 1) in the file of a place in what the parser was fed."""
        return self.line + line - 1, offset + 1 + (self._column if line == 1 else 0)

    def _here(self) -> tuple[int, int]:
        return self._place(self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber)

    def _offset(self, line: int, column: int) -> int:
        """The offset of a place behind the one where the parser began."""
        at = self._text.rfind("\n", 0, self._begin) + 1
        for _ in range(line - self.line):
            at = self._text.find("\n", at) + 1
        return at + max(0, column - 1)

    def _behind(self, line: int, column: int) -> int:
        """Where to look for the next question: behind the begin of an open one, which may have taken in all
        that follows, else behind the place that broke."""
        if len(self._open) > 1:
            return self._offset(self._open[1].line, self._open[1].column) + 1
        return self._offset(line, column)

    def _start(self, tag: str, attrs: dict[str, str]) -> None:
        line, column = here = self._here()
        if len(self._open) >= MAX_DEPTH:
            raise _Broken("elements too deep in each other", "Delete them", here, here)
        if tag == "question" and len(self._open) > 1:
            above = self._open[1].line, self._open[1].column
            raise _Broken("this question is not closed", "Write </question> behind it", above, here)
        node = Node(tag, attrs, line, column)
        if not self._open and tag != "quiz":
            what, mend = f"the file is a <{tag[:20]}>, not a <quiz>", "Export Moodle XML"
            if tag.partition(" ")[0] in _QTI:
                what, mend = f"this is QTI (<{tag[:20]}>)", "Say --format qti, or give the whole package"
            self.troubles.append(Trouble(line, what, mend, 1))
        if len(self._open) > 1:
            self._open[-1].children.append(node)
            if self._open[-1].tag == "text":
                self._within = self._within or node
        self._open.append(node)

    def _forbid(self, *_: object) -> int:
        here = self._here()
        raise _Broken("a document type or an entity: not followed", "Delete it", here, here)

    def _data(self, text: str) -> None:
        if len(self._open) > 1:  # what stands between questions says nothing
            self._open[-1].pieces.append(text)

    def _end(self, tag: str) -> None:
        node = self._open.pop()
        if len(self._open) != 1 or tag != "question":
            return
        if node.attrs.get("type") == "category":
            self._category = node.said("category")
            return
        if "</questiontext>" in node.said("questiontext"):
            self._open.append(node)  # for what it took in is looked through again
            what, mend = "its text goes on into the next question", "Write ]]> where the CDATA ends"
            raise _Broken(what, mend, (node.line, node.column), self._here())
        if within := self._within:
            self._within = None
            what, mend = (
                f"<{within.tag[:20]}> inside a text",
                "Write <![CDATA[ before the text and ]]> behind it",
            )
            self.troubles.append(Trouble(within.line, what, mend, within.column))
            return
        before = len(self.troubles)
        made = question(node, self._category, self.troubles)
        if made is not None and len(self.troubles) == before:
            self.found.append(self._noted(node, made))
        elif len(self.troubles) == before:
            self.troubles.append(
                Trouble(node.line, "this question cannot be read", "Export it again", node.column)
            )

    def _noted(self, node: Node, question: Question) -> Question:
        """The question with its files; what is no mistake, and yet worth a word, is noted."""
        files: dict[str, File] = {}
        if old := _pictured(node):
            node.children.append(old)
            question = replace(
                question, stem=f'{question.stem}\n<img src="@@PLUGINFILE@@/{old.attrs["name"]}">'
            )
        for one in _files(node):
            name, data = one.attrs.get("name", ""), "".join(one.text.split())
            if why := _unfit(name, data, one.attrs.get("encoding", "base64"), files):
                what = f"the file {name[:60]!r} is left out: {why}"
                self.notes.append(Trouble(one.line, what, "Show it on a slide", one.column))
            else:
                files[name] = File(name, data)
        self.notes += [Trouble(node.line, *doubt, node.column) for doubt in doubts(question)]
        gone = [tag for tag in ("graderinfo", "responsetemplate") if node.said(tag)]
        if any(row.said("feedbacktext") for row in node.all("row")):
            gone.append("feedback of rows")
        if sum(len(units.all("unit")) for units in node.all("units")) > 1:
            gone.append("units but the first")
        if unread := answers_unread(node, question):
            self.notes.append(Trouble(node.line, *unread, node.column))
        if gone:
            what = f"left out of this question: {', '.join(gone)}"
            self.notes.append(
                Trouble(node.line, what, "Say it in the question, where it matters", node.column)
            )
        return replace(question, files=tuple(files.values())) if files else question


_NEVER_ENDS = [
    expat.errors.codes[expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION],
    expat.errors.codes[expat.errors.XML_ERROR_UNCLOSED_TOKEN],
    expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS],
]
_MEND = "Fix it here, or export the file again"
_MENDS = {
    expat.errors.codes[expat.errors.XML_ERROR_UNDEFINED_ENTITY]: "Write the sign itself, or as &#160;",
    expat.errors.codes[expat.errors.XML_ERROR_INVALID_TOKEN]: "Write &lt; for < and &amp; for &, or CDATA",
    expat.errors.codes[expat.errors.XML_ERROR_TAG_MISMATCH]: "Close what was opened last",
    expat.errors.codes[expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION]: "Write ]]> behind it",
    expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS]: "Close what is open: the file ends here",
}


def _pictured(node: Node) -> Node | None:
    """The picture of a question as Moodle 1 wrote it, as a file of today."""
    data = next(iter(node.all("image_base64")), None)
    name = node.said("image").rpartition("/")[2]
    if data is None or not name:
        return None
    return Node("file", {"name": name, "encoding": "base64"}, data.line, data.column, pieces=data.pieces)


def _files(node: Node) -> Iterator[Node]:
    if node.tag == "file":
        yield node
    for child in node.children:
        yield from _files(child)


def _unfit(name: str, data: str, encoding: str, there: dict[str, File]) -> str:
    """Why a file cannot be kept; "" where it can."""
    if not name or re.search(r"[/\\\x00-\x1f\x7f]", name) or name in (".", ".."):
        return "it has no plain name"
    if encoding != "base64":
        return f"it is written as {encoding[:20]!r}"
    if len(data) > MAX_FILE:
        return f"it is above {MAX_FILE * 3 // 4 >> 20} MB"
    if name in there and there[name].data != data:
        return "another one has its name"
    try:
        base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return "its bytes are not base64"
    return ""

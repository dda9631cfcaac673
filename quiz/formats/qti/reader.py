"""Reads QTI 1.2 (IMS Question & Test Interoperability, ASI XML binding), an `<item>` at a time.

Nothing is fetched, and an entity is refused. An item of QTI 2 is a file of its own, which `second` reads.
"""

from __future__ import annotations

import re
from xml.parsers import expat

from quiz.formats.moodle.question_types import Node
from quiz.formats.qti.item_kinds import question
from quiz.formats.read_result import MOST, Bank, beyond, named
from quiz.question import Question, Trouble

MAX_DEPTH = 60
_FED = 1 << 20  # characters parsed at a time
_ROOT = "questestinterop"
_SECOND = re.compile(r"<(?:\w+:)?(?:qti-)?assessment-?(?:item|test)\b", re.IGNORECASE)


class _Refused(Exception):
    """What is told, and what to do instead."""


def read(text: str) -> Bank:
    """Read all questions of a file, and what is wrong with the others. Never raises."""
    if _SECOND.search(text[:4096]):
        from quiz.formats.qti import versions_2_and_3

        return versions_2_and_3.read(text)
    reading = _Reading()
    text = text.removeprefix("\ufeff").lstrip().replace("\r\n", "\n").replace("\r", "\n")
    try:
        for begin in range(0, len(text), _FED):
            reading.parser.Parse(text[begin : begin + _FED], False)
        reading.parser.Parse("", True)
    except _Refused as error:
        what, mend = error.args
        reading.says(what, mend)
    except expat.ExpatError as error:
        what = f"this is no XML: {expat.ErrorString(error.code)}"
        reading.troubles.append(Trouble(error.lineno, what, "Export the file again", error.offset + 1))
    except (ValueError, UnicodeError) as error:
        reading.says(f"this cannot be read: {error}", "Save it as UTF-8")
    return named(reading.found, reading.troubles, reading.notes)


class _Reading:
    def __init__(self) -> None:
        self.found: list[Question] = []
        self.troubles: list[Trouble] = []
        self.notes: list[Trouble] = []
        self._open: list[Node] = []
        self._depth = 0
        self._title = ""
        self.parser = parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._data
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = self._forbid
        parser.ExternalEntityRefHandler = self._forbid

    def says(self, message: str, mend: str) -> None:
        """Tell a problem at the place the parser has come to."""
        line, column = self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1
        self.troubles.append(Trouble(line, message, mend, column))

    def _doctype(self, *_: object) -> None:
        line, column = self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1
        self.notes.append(Trouble(line, "a document type: not followed", "Nothing is lost by it", column))

    def _forbid(self, *_: object) -> int:
        raise _Refused("an entity of its own: not followed", "Delete it")

    def _start(self, tag: str, attrs: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _Refused("elements too deep in each other", "Export the file again")
        if self._depth == 1 and tag != _ROOT:
            raise _Refused(f"the file is a <{tag[:20]}>, not a <{_ROOT}>", "Export QTI 1.2")
        if tag == "assessment":
            self._title = attrs.get("title", "")[:200]
        if tag == "item" or self._open:
            node = Node(tag, attrs, self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1)
            if self._open:
                self._open[-1].children.append(node)
            self._open.append(node)

    def _data(self, text: str) -> None:
        if self._open:
            self._open[-1].pieces.append(text)

    def _end(self, tag: str) -> None:
        self._depth -= 1
        if not self._open:
            return
        node = self._open.pop()
        if self._open:
            return
        if len(self.found) >= MOST:
            if not self.troubles or not self.troubles[-1].message.startswith("more than"):
                self.troubles.append(beyond(node.line))
            return
        made = question(node, self._title, self.troubles, self.notes)
        if made is not None:
            self.found.append(made)

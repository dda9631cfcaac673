"""The questions of a file in any format, a deck's too, and where the bank is."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

from quiz.formats.encoding import decoded, packed
from quiz.formats.read_result import Bank
from quiz.formats.registry import FORMATS, named, recognised
from quiz.question import Question, Trouble

MAX_BYTES = 64 * 1024 * 1024
FORMATS_READ = [*(one.name for one in FORMATS if one.reader), "deck"]


class Refused(Exception):
    """A file that cannot be read at all; the text says what to do."""


class Source(NamedTuple):
    """Questions, where they are from, and what of it could not be read."""

    name: str
    format: str
    bank: Bank


def bank_path() -> Path:
    """The file of somebody's own questions."""
    from runtime.paths import data_dir

    return data_dir() / "bank.sqlite"


def read(path: str, format: str = "") -> Source:
    """The questions of a file in any format, a deck's too. Raises Refused."""
    name = format or ("deck" if Path(path).suffix.casefold() in (".md", ".markdown") else "")
    if name == "deck":
        return _deck(path)
    data = _bytes(path)
    if name in ("", "qti") and data.startswith(b"PK"):
        from quiz.formats.qti.package import is_package, read_package

        if is_package(data):
            return Source(path, "qti", read_package(data))
    text = _text(path, data)
    found = named(name) if name else recognised(path, text)
    if found is None or not found.reader:
        known = ", ".join(f"{one.name} ({' '.join(one.suffixes)})" for one in FORMATS if one.reader)
        raise Refused(f"{path}: what it is written in cannot be told. Say --format: {known}")
    return Source(path, found.name, found.read(text))


def _bytes(path: str) -> bytes:
    from slides.reading.from_disk.source import read_bytes

    try:
        # Not more than the limit is ever read: what a name stands for may have no end.
        most = MAX_BYTES + 1
        data = sys.stdin.buffer.read(most) if path == "-" else read_bytes(Path(path), most)
    except (OSError, ValueError) as error:
        raise Refused(f"{path} cannot be read ({getattr(error, 'strerror', '') or error})") from error
    if len(data) > MAX_BYTES:
        mend = "Split it into files of fewer questions; in Moodle, export one category at a time"
        raise Refused(f"{path} has more than {MAX_BYTES >> 20} MB and is not read. {mend}")
    return data


def _text(path: str, data: bytes) -> str:
    if (what := packed(data, path)) and path != "-":
        raise Refused(f"{path} is {what}, then read that")
    return decoded(data)


def _deck(path: str) -> Source:
    """The questions of a deck in order; a prediction is asked by its key, where it has one."""
    from quiz.parse import parse_question
    from slides.check import with_columns
    from slides.problems import Problem
    from slides.reading.directives import QUESTIONS, name_of
    from slides.reading.from_disk.source import DeckError
    from tui.deck.contents import Contents, open_deck

    try:
        deck = open_deck(path)
    except DeckError as error:
        raise Refused(str(error.problem)) from error
    contents = Contents(deck)
    questions: list[Question] = []
    # What is wrong with the deck itself may hide questions: an include, a bank that has not as many.
    problems = list(deck.problems)
    for index in range(len(contents)):
        for box in contents.boxes(index):
            directive = name_of(box.raw.partition("\n")[0])
            if directive and directive[0] in QUESTIONS:
                problems.append(box.problem)
        for block in contents.quizzes(index):
            kind = block.kind or ("poll" if block.directive == "poll" else "")
            found = parse_question(block.id, kind, block.attrs, block.body, block.body_line)
            if isinstance(found, Question):
                questions.append(found)
            elif block.directive != "predict":  # its key may be what is measured
                problems += [Problem(path, t.line, t.message, t.mend, t.column or None) for t in found]
    troubles = [Trouble(p.line, p.message, p.mend, p.column or 0) for p in with_columns(problems)]
    return Source(path, "deck", Bank(tuple(questions), tuple(sorted(troubles, key=lambda t: t.line))))

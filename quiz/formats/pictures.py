"""Extracts files inside questions, to lie beside the deck that shows them."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable
from html import escape
from pathlib import PurePosixPath
from urllib.parse import quote

import msgspec

from quiz.formats.read_result import slug
from quiz.question import Question


def placed(questions: Iterable[Question], folder: str) -> tuple[list[Question], dict[str, bytes]]:
    """The questions with their texts pointing into `folder` beside them, and what belongs there by name.

    Names are made of ours alone: nothing that a file calls itself leads out of the folder.
    """
    found: list[Question] = []
    beside: dict[str, bytes] = {}
    for question in questions:
        names: dict[str, str] = {}
        for n, file in enumerate(question.files, start=1):
            try:
                data = base64.b64decode(file.data, validate=True)
            except (binascii.Error, ValueError):
                continue
            kind = re.sub(r"[^.a-z0-9]", "", PurePosixPath(file.name).suffix.casefold())[:6]
            name = f"{slug(question.id) or 'question'}-{n}-{slug(PurePosixPath(file.name).stem)[:24]}{kind}"
            beside[name] = data
            for said in (file.name, quote(file.name), escape(file.name)):
                names[f"@@PLUGINFILE@@/{said}"] = f"./{folder}/{name}"
        found.append(swapped(msgspec.structs.replace(question, files=()), names) if names else question)
    return found, beside


def swapped(question: Question, names: dict[str, str]) -> Question:
    """The question with the names in all its texts replaced."""
    return msgspec.convert(_swapped(msgspec.to_builtins(question), names), Question)


def _swapped(value: object, names: dict[str, str]) -> object:
    """`value` with the names in all its texts replaced."""
    match value:
        case str():
            for name in sorted(names, key=len, reverse=True):
                value = value.replace(name, names[name])
            return value
        case list() | tuple():
            return [_swapped(one, names) for one in value]
        case dict():
            return {key: _swapped(one, names) for key, one in value.items()}
        case _:
            return value

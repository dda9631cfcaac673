"""Every question whole, as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable

import msgspec

from quiz.formats.nearest_kind import Loss
from quiz.question import Question


def rows(questions: Iterable[Question]) -> list[dict[str, object]]:
    """Return a mapping for each question: every field, and its `key` (0-based, as `sequence`)."""
    return [{**msgspec.to_builtins(question), "key": list(question.key)} for question in questions]


def write(questions: Iterable[Question]) -> tuple[str, list[Loss]]:
    """Return the questions as a JSON document; nothing is lost."""
    return json.dumps({"questions": rows(questions)}, ensure_ascii=False, indent=1) + "\n", []

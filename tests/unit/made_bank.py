"""A bank of questions and what is put into it."""

from __future__ import annotations

from msgspec.structs import replace

from quiz.question import Option, Question


def question(n: int, *tags: str, **changes: object) -> Question:
    made = Question(f"q{n}", "single", f"Question {n}?", (Option("a", True), Option("b")), tags=tags)
    return replace(made, **changes)  # type: ignore[arg-type]

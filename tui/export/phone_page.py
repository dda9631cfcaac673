"""What phones show of a slide, as JSON: its questions without their keys, and the words that stand on it.

Text is HTML of the exporter, which escapes everything a deck says; pictures have an address of the gate, or
are named. What is right is told for questions that are revealed, and only then.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec

from quiz.answer_key import held, key_in_words
from quiz.answers.option_labels import labels
from quiz.question import Question
from runtime.classroom.question_state import QuestionState
from slides.deck import Paragraph
from slides.drawing.cells import clean
from slides.export.html import Writer
from slides.export.pictures import Address
from slides.reading.parse import parse_blocks
from tui.deck import search
from tui.deck.contents import Contents
from tui.export.question_parts import words

MOST_CAPTION = 24  # lines
MOST_LINE = 300  # characters of one
_GAP = re.compile(r"\{\{(\d+)\}\}")
_Html = Callable[[str], str]  # of Markdown
_STYLE = re.compile(r' style="[^"]*"')  # the page's policy takes none


def named_only(path: str) -> str:
    """No picture has an address: each is named."""
    return ""


def page(
    contents: Contents,
    index: int,
    step: int,
    asked: Sequence[tuple[Question, QuestionState | None]],
    address: Address = named_only,
) -> bytes:
    """The page for a slide at a step, with the questions that it shows; one without a state is not open yet.

    `address` is of a picture of a question, by its path.

    Returns:
        A JSON object. `questions` has of each its `id`, `kind`, `stem` (HTML) and what there is to choose
        from; `heading` and `caption` are the words on the room's screen.
    """
    deck, write = contents.deck, partial(html, address=address)
    shown = {
        "title": clean(deck.title),
        "lang": clean(deck.meta.get("lang", "")) or "en",
        "heading": clean(contents.slide(index).title),
        "caption": _caption(contents, index, step),
        "questions": [_question(question, state, write) for question, state in asked],
    }
    return msgspec.json.encode(shown)


def _caption(contents: Contents, index: int, step: int) -> list[str]:
    texts = search.texts(contents, index, lambda block: None)
    title = clean(contents.slide(index).title)
    lines = [clean(text.text)[:MOST_LINE] for text in texts if text.step <= step and not text.note]
    return [line for line in lines if line.strip() and line != title][:MOST_CAPTION]


def _question(question: Question, state: QuestionState | None, html: _Html) -> dict[str, Any]:
    stem = _GAP.sub(lambda gap: f"\\_\\_\\_\\_ ({gap[1]})", question.stem)
    found: dict[str, Any] = {
        "id": question.id,
        "kind": question.kind,
        "stem": html(stem),
        "options": [html(option.text) for option in question.options],
        "plain": [words(option.text) for option in question.options],
        "labels": labels([option.text for option in question.options]),
        "prompts": [html(prompt) for prompt in question.prompts],
        "gaps": [{"offered": gap.offered, "many": gap.many} for gap in question.gaps],
        "lines": question.code.split("\n") if question.code else [],
        "many": False,
    }
    if question.axis is not None:
        low, high, unit = question.axis.low, question.axis.high, question.axis.unit
        found["axis"] = {"low": low, "high": high, "unit": unit, "log": question.axis.logarithmic}
    if state is not None and state.hints:
        found["hints"] = [html(hint) for hint in state.hints]
    if state is not None and state.phase == "revealed":
        found["told"] = _told(question, state, html)
    return found


def _told(question: Question, state: QuestionState, html: _Html) -> dict[str, Any]:
    """What the reveal said."""
    told = held(question, state.key, state.accepted) if state.key or state.accepted else question
    listed = question.options and not question.prompts
    explain = [html(text) if text else "" for text in state.explain] if listed else []
    return {
        "explain": explain,
        "general": html(state.general) if state.general else "",
        "answer": key_in_words(told, words) if state.key or state.accepted else "",
    }


def html(markdown: str, address: Address = named_only) -> str:
    """Markdown as HTML that a page without styles of its own can show."""
    writer = Writer(lambda block: None, address)
    blocks = parse_blocks(markdown)
    if len(blocks) == 1 and isinstance(blocks[0], Paragraph):
        written = writer.blocks(blocks)
        written = written.removeprefix("<p>").removesuffix("</p>")
    else:
        written = writer.blocks(blocks)
    return _STYLE.sub("", written)

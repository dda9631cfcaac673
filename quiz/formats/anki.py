"""Questions as cards of Anki, written by genanki: the question in front, answer and explanation behind.

Ids of notes are made of the questions' ids, so that a second import brings the cards up to date and keeps
what Anki knows of them.
"""

from __future__ import annotations

import html
import zlib
from collections.abc import Iterable
from pathlib import Path

import genanki

from quiz.formats.native import number
from quiz.formats.nearest import Loss
from quiz.question import Question

# Any two fixed numbers, as genanki asks for: they name our kind of note and our deck for ever.
_MODEL = genanki.Model(
    1_874_302_617,
    "teachrun",
    fields=[{"name": "Question"}, {"name": "Answer"}],
    templates=[{"name": "Card", "qfmt": "{{Question}}", "afmt": "{{FrontSide}}<hr id=answer>{{Answer}}"}],
    css=".card{font-family:sans-serif;font-size:18px;text-align:left}li{margin:.3em 0}",
)


def write(questions: Iterable[Question], path: Path, deck: str = "teachrun") -> list[Loss]:
    """The cards at `path`; questions that have no answer to learn are left out and told."""
    losses: list[Loss] = []
    cards = genanki.Deck(zlib.crc32(deck.encode()) + (1 << 31), deck)
    for question in questions:
        if not question.keyed:
            losses.append(Loss(question.id, f"`{question.kind}` has no answer to learn: left out"))
            continue
        note = genanki.Note(
            model=_MODEL,
            fields=[_front(question), _back(question)],
            tags=["_".join(tag.split()) for tag in question.tags],
            guid=genanki.guid_for("teachrun", question.id),
        )
        cards.add_note(note)
    genanki.Package(cards).write_to_file(path)
    return losses


def _front(question: Question) -> str:
    import re

    stem = _shown(question, question.stem)
    if question.kind == "cloze":
        stem = re.sub(r"\{\{\d+\}\}", "_____", stem)
    parts = [stem]
    if question.code:
        rows = "\n".join(f"{n:3} {line}" for n, line in enumerate(question.code.split("\n"), start=1))
        parts.append(f"<pre>{html.escape(rows)}</pre>")
    if question.prompts:
        parts.append(_list("ul", [_shown(question, prompt) for prompt in question.prompts]))
    # What is to be put in order, or matched, must not lie there as the answer.
    options = (
        sorted(question.options, key=lambda o: o.text)
        if question.kind in ("order", "match")
        else question.options
    )
    if options:
        parts.append(_list("ol", [_shown(question, option.text) for option in options]))
    return "".join(parts)


def _back(question: Question) -> str:
    match question.kind:
        case "numeric" | "text":
            right = [number(a.number) if a.number else a.text for a in question.accepted if a.weight >= 1]
            parts = [" or ".join(html.escape(text) for text in right)]
        case "cloze":
            rights = [gap.right[: None if gap.many else 1] for gap in question.gaps]
            texts = [", ".join(number(a.number) if a.number else a.text for a in right) for right in rights]
            parts = [_list("ol", [html.escape(text) for text in texts])]
        case "match":
            pairs = zip(question.prompts, question.key, strict=True)
            rows = [f"{_shown(question, p)} → {_shown(question, question.options[r].text)}" for p, r in pairs]
            parts = [_list("ul", rows)]
        case "line":
            lines = question.code.split("\n")
            parts = [f"<pre>{html.escape(f'{n + 1}: {lines[n]}')}</pre>" for n in question.key]
        case _:
            tag = "ol" if question.kind == "order" else "ul"
            parts = [_list(tag, [_shown(question, question.options[n].text) for n in question.key])]
    whys = [
        f"{_shown(question, o.text)}: {_shown(question, o.explain)}" for o in question.options if o.explain
    ]
    if whys:
        parts.append(_list("ul", whys))
    if question.explain:
        parts.append(f"<p>{_shown(question, question.explain)}</p>")
    return "".join(parts)


def _shown(question: Question, text: str) -> str:
    """HTML stays what it is; Markdown becomes HTML by the library that reads decks."""
    if question.markup == "html":
        return text
    if question.markup == "markdown":
        from markdown_it import MarkdownIt

        made: str = MarkdownIt("js-default").render(text)
        return made.removeprefix("<p>").removesuffix("</p>\n") if made.count("<p>") == 1 else made
    return html.escape(text).replace("\n", "<br>")


def _list(tag: str, rows: list[str]) -> str:
    return f"<{tag}>{''.join(f'<li>{row}</li>' for row in rows)}</{tag}>"

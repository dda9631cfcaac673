"""Writes questions as Anki cards by genanki: the question in front, answer and explanation behind.

Ids of notes are made of where a question is from and of its id, so that a second import brings the cards up
to date and keeps what Anki knows of them, and two decks with a question of one id have a card each. An id
that is only a place (`slide-3/1`) is another question's once a slide comes before it: its words stand for it.
Formulas are MathJax's, which Anki brings along: `\\( … \\)` and `\\[ … \\]`.
"""

from __future__ import annotations

import html
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import genanki

from quiz.formats.nearest_kind import Loss, dropped
from quiz.kinds.registry import ARRANGED
from quiz.kinds.shared.accepted import typed
from quiz.question import Accepted, Question

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

KEPT = (
    "points", "explain", "tags", "options", "title", "category", "source", "shuffle", "case", "partial",
    "time_s", "verdicts", "axis",
)  # fmt: skip
_PICTURE = re.compile(r"!\[[^\]]*\]\(|<img\b", re.I)
_PLACE = re.compile(r"(?:.*/)?slide-[0-9]+/[0-9]+")  # as decks call what has neither an id nor a heading
_MATH = re.compile(r"\$\$(.+?)\$\$", re.S)
# Any two fixed numbers, as genanki asks for: they name our kind of note and our deck for ever.
_MODEL = genanki.Model(
    1_874_302_617,
    "teachrun",
    fields=[{"name": "Question"}, {"name": "Answer"}],
    templates=[{"name": "Card", "qfmt": "{{Question}}", "afmt": "{{FrontSide}}<hr id=answer>{{Answer}}"}],
    css=".card{font-family:sans-serif;font-size:18px;text-align:left}li{margin:.3em 0}",
)


def write(questions: Iterable[Question], path: Path, deck: str = "teachrun", origin: str = "") -> list[Loss]:
    """Write the cards to `path`; questions without an answer to learn are left out and reported. `origin` is
    the file or the bank that they are from; "" for a bank from before banks had names."""
    losses: list[Loss] = []
    cards = genanki.Deck(zlib.crc32(deck.encode()) + (1 << 31), deck)
    words: Counter[str] = Counter()
    for question in questions:
        if not question.keyed:
            losses.append(Loss(question.id, f"`{question.kind}` has no answer to learn: left out", -1))
            continue
        dropped(question, KEPT, losses)
        if _PICTURE.search(f"{question.stem}{question.explain}{[o.text for o in question.options]}"):
            losses.append(Loss(question.id, "left out: its pictures"))
        note = genanki.Note(
            model=_MODEL,
            fields=[_front(question), _back(question)],
            tags=["_".join(tag.split()) for tag in question.tags],
            guid=genanki.guid_for("teachrun", *filter(None, (origin,)), *_called(question, words)),
        )
        cards.add_note(note)
    genanki.Package(cards).write_to_file(path)
    return losses


def of_a_place(question: Question) -> bool:
    """Whether its id says no more than where it stands."""
    return _PLACE.fullmatch(question.id) is not None


def _called(question: Question, words: Counter[str]) -> list[str]:
    """What a note is known by; of questions with the same words, which of them it is."""
    if not of_a_place(question):
        return [question.id]
    words[question.stem] += 1
    return [
        " ".join(question.stem.split()),
        *([str(words[question.stem])] if words[question.stem] > 1 else []),
    ]


def _front(question: Question) -> str:
    stem = _shown(question, question.stem)
    if question.gaps:
        stem = re.sub(r"\{\{\d+\}\}", "_____", stem)
    parts = [stem]
    for n, gap in enumerate(question.gaps, 1):
        if gap.offered:
            lead = f"{n}: " if len(question.gaps) > 1 else ""
            parts.append(f"<p>{lead}{' · '.join(_offered(question, text) for text in gap.offered)}</p>")
    if question.code:
        rows = "\n".join(f"{n:3} {line}" for n, line in enumerate(question.code.split("\n"), start=1))
        parts.append(f"<pre>{html.escape(rows)}</pre>")
    if question.prompts:
        parts.append(_list("ul", [_shown(question, prompt) for prompt in question.prompts]))
    # What is to be put in order, or matched, must not lie there as the answer.
    options = (
        sorted(question.options, key=lambda o: o.text) if question.kind in ARRANGED else question.options
    )
    if options:
        parts.append(_list("ol", [_shown(question, option.text) for option in options]))
    return "".join(parts)


def _back(question: Question) -> str:
    if question.accepted:
        right = [typed(answer) for answer in question.accepted if answer.weight >= 1]
        parts = [" or ".join(html.escape(text) for text in right)]
    elif question.gaps:
        rows = []
        for gap in question.gaps:
            keys = gap.right[: None if gap.many else 1]
            rows.append(", ".join(_filled(question, a, bool(gap.offered)) for a in keys))
        parts = [_list("ol", rows)]
    elif question.prompts:
        pairs = zip(question.prompts, question.key, strict=True)
        rows = [f"{_shown(question, p)} → {_shown(question, question.options[r].text)}" for p, r in pairs]
        parts = [_list("ul", rows)]
    elif question.code:
        lines = question.code.split("\n")
        parts = [f"<pre>{html.escape(f'{n + 1}: {lines[n]}')}</pre>" for n in question.key]
    else:
        tag = "ol" if question.kind in ARRANGED else "ul"
        parts = [_list(tag, [_shown(question, question.options[n].text) for n in question.key])]
    whys = [
        f"{_shown(question, o.text)}: {_shown(question, o.explain)}" for o in question.options if o.explain
    ]
    answers = [(a, False) for a in question.accepted]
    answers += [(a, bool(gap.offered)) for gap in question.gaps for a in gap.accepted]
    for a, offered in answers:
        said = _filled(question, a, offered)
        half = f" ({100 * a.weight:.0f} %)" if 0 < a.weight < 1 else " ✗" if a.weight <= 0 else ""
        if a.explain or half.endswith(")"):
            whys.append(
                f"{said}{half}{': ' * bool(a.explain)}{_shown(question, a.explain) if a.explain else ''}"
            )
    if whys:
        parts.append(_list("ul", whys))
    if question.explain:
        parts.append(f"<p>{_shown(question, question.explain)}</p>")
    return "".join(parts)


def _filled(question: Question, answer: Accepted, offered: bool) -> str:
    """An answer of a gap: one that was to choose as it was offered, one that was to type letter by letter."""
    if offered:
        return _offered(question, answer.text)
    return html.escape(typed(answer))


def _offered(question: Question, text: str) -> str:
    """What a gap offers, with its formulas where the question is Markdown; elsewhere it is plain text."""
    return _shown(question, text) if question.markup == "markdown" else html.escape(text)


def _shown(question: Question, text: str) -> str:
    """HTML stays what it is; Markdown becomes HTML by the library that reads decks."""
    if question.markup in ("html", "moodle"):  # `$$ … $$` is how Moodle marks a formula
        return _MATH.sub(lambda match: f"\\[{match[1]}\\]", text)
    if question.markup == "markdown":
        made = str(_renderer().render(text))
        return made.removeprefix("<p>").removesuffix("</p>\n") if made.count("<p>") == 1 else made
    return html.escape(text).replace("\n", "<br>")


@cache
def _renderer() -> MarkdownIt:
    """As decks are read, formulas in the signs of MathJax."""
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin
    from mdit_py_plugins.subscript import sub_plugin
    from mdit_py_plugins.superscript import superscript_plugin

    def math(source: str, options: Mapping[str, object]) -> str:
        escaped = html.escape(source.strip(), quote=False)
        return f"\\[{escaped}\\]" if options["display_mode"] else f"\\({escaped}\\)"

    parser = MarkdownIt("js-default")
    parser.use(dollarmath_plugin, allow_space=False, allow_labels=False, double_inline=True, renderer=math)
    parser.use(superscript_plugin).use(sub_plugin)
    return parser


def _list(tag: str, rows: list[str]) -> str:
    return f"<{tag}>{''.join(f'<li>{row}</li>' for row in rows)}</{tag}>"

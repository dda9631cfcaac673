"""Everything that reads a text that somebody else wrote, by name."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from quiz.formats.registry import FORMATS, recognised
from quiz.parse import KINDS, parse_question
from slides import dialects
from slides.audience_deck import audience_deck
from slides.check import reading
from slides.drawing import cells
from slides.drawing.layout import layout
from slides.drawing.screen_reader_lines import linear
from slides.drawing.text import Span
from slides.export import mathml
from slides.math import layout as math_layout
from slides.problems import Mistake
from slides.reading import charts
from slides.reading.from_disk.source import normalise
from slides.reading.parse import parse_slide
from slides.reading.split import made_of, split
from slides.slide_times import retimed

Read = Callable[[str], object]
# What stands around the text in a file of questions, so that it is read further than to its first line.
_AROUND = {
    "gift": ("::a:: b {{{}}}", "::a:: b {{={}}}", "::a:: b {{#{}x}}"),
    "moodle": (
        "<quiz><question type='multichoice'><questiontext format='html'><text><![CDATA[{}]]></text>"
        "</questiontext><answer fraction='100'><text>a</text></answer></question></quiz>",
        "<quiz><question type='cloze'><questiontext format='html'><text><![CDATA[{}]]></text></questiontext>"
        "</question></quiz>",
    ),
    "qti": (
        "<questestinterop><item><presentation><material><mattext>{0}</mattext></material>"
        "<response_lid ident='r'><response_label ident='a'><mattext>{0}</mattext></response_label>"
        "<response_label ident='b'><mattext>b</mattext></response_label></response_lid></presentation>"
        "<respcondition><conditionvar><varequal respident='r'>a</varequal></conditionvar>"
        "<setvar>1</setvar></respcondition></item></questestinterop>",
        "<assessmentItem><responseDeclaration identifier='R'><correctResponse><value>a</value>"
        "</correctResponse></responseDeclaration>"
        "<itemBody><p>{0}</p><choiceInteraction responseIdentifier='R'>"
        "<simpleChoice identifier='a'>{0}</simpleChoice><simpleChoice identifier='b'>b</simpleChoice>"
        "</choiceInteraction></itemBody></assessmentItem>",
    ),
    "cloze": ("a {{1:MC:={}~b}}", "a {{1:SA:=b}} {}"),
    "anki": ("#separator:tab\n#html:true\n{}\tb\n", "#separator:,\n#html:true\na {{{{c1::{}}}}}\n"),
    "aiken": ("q\nA. {}\nB. b\nANSWER: A\n",),
    "csv": ("question,answer\n{}\n",),
}


def _slides(text: str) -> None:
    deck = split(text, "deck.md")
    for head in deck.slides:
        slide = parse_slide(deck, head.index, trusted=False)
        layout(slide, slide.steps - 1, 80, 30)
        linear(slide.blocks, -1, slide.steps)


def _in_code(lang: str) -> Read:
    fence = "~" * 20
    return lambda text: _slides(f"# A\n\n{fence}{lang}\n{text}\n{fence}\n")


def _checked(text: str) -> None:
    deck = split(text, "deck.md")
    reading(deck, [parse_slide(deck, head.index, trusted=False) for head in deck.slides])


def _line(text: str) -> None:
    """On the lines of directives and fences, and as a title."""
    row = text.replace("\n", " ")
    _slides(f"# {row}\n\n::: demo ddp {row}\n\n::: quiz {row}\n:::\n\n::: {row}\n\n``` {row}\na\n```\n")


def _settings(text: str) -> None:
    row = text.replace("\n", " ")
    split(f"---\n{text}\n---\n# A\n", "deck.md")
    split(f"---\ntitle: {row}\n---\n# A\n\n<!-- slide: {{{row}}} -->\n", "deck.md")
    retimed(f"<!-- slide: {{id: a, {row} -->\n\nwords\n", {"a": 60.0})


def _cells(text: str) -> None:
    row = cells.clean(text.replace("\n", "x"))
    spans = (Span(row),)
    cells.wrap(spans, 40)
    cells.chop(spans, 40)
    cells.clip(spans, 40)


def _formula(text: str) -> None:
    math_layout.display(text)
    math_layout.pieces(text)
    math_layout.inline(text)
    mathml.mathml(text)


def _dialect(name: str) -> Read:
    def read(text: str) -> None:
        for written in (text, f"---\ntitle: a\n---\n\n# A\n\n{text}"):
            found = dialects.translate(normalise(written), name, Path("/nowhere/deck.md"))
            made_of(found.text, "deck.md", name, found.places, found.files, found.problems)

    return read


def _question(kind: str) -> Read:
    def read(text: str) -> None:
        row = text.replace("\n", " ")
        for body in (text, f"Stem\n\n= {row}\n", f"Stem {row}\n\n- [x] {row}\n- [ ] b\n"):
            parse_question("q", kind, {}, body, 2)

    return read


def _file(read: Read, around: tuple[str, ...]) -> Read:
    def all_of(text: str) -> None:
        for one in ("{}", *around):
            read(one.format(text))

    return all_of


def _numbers(text: str) -> None:
    """As a CSV, and as a chart in a deck that an audience gets."""
    with suppress(Mistake):
        charts.read("line", {}, charts.of_csv(text))
    for kind in ("bars", "scatter"):
        parse_slide(audience_deck(split(f"::: chart {kind}\n{text}\n:::\n", "deck.md")), 0, trusted=False)


def _written(text: str) -> None:
    """As a scene of a deck, its words in every place."""
    from slides.scenes.author_scene import states

    for body in (
        text,
        f"row: {text}",
        f"row: a{text}b",
        f"row: a\nstep: {text}\n{text}",
        f"row: a, b\nstep: c\nnote: a = {text}",
    ):
        with suppress(Mistake):
            states(body)


READERS: dict[str, Read] = {
    "scene": _written,
    "slides": _slides,
    "check": _checked,
    "audience": lambda text: audience_deck(split(text, "deck.md")),
    "code": _in_code("python"),
    "diff": _in_code("diff"),
    "a line": _line,
    "settings": _settings,
    "numbers of a chart": _numbers,
    "cells": _cells,
    "formula": _formula,
    "detect": lambda text: (dialects.detect(normalise(text)), recognised("a.txt", text)),
    **{f"deck of {name}": _dialect(name) for name in dialects.NAMES[1:]},
    **{f"question {kind}": _question(kind) for kind in ("", *KINDS)},
    **{f"file of {one.name}": _file(one.read, _AROUND.get(one.name, ())) for one in FORMATS if one.reader},
}

"""Writes Moodle XML: every share is one that Moodle knows, every text escaped by the library."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from urllib.parse import quote
from xml.etree import ElementTree as ET

from quiz.answers.tolerance_as_written import around
from quiz.formats.moodle.cloze import written
from quiz.formats.moodle.question_types import VERDICTS, unnamed
from quiz.formats.nearest_kind import Loss, dropped, nearest
from quiz.formats.read_result import legal
from quiz.formats.texmath import for_moodle
from quiz.question import File, Markup, Question

KINDS = (
    "single", "multi", "truefalse", "numeric", "text", "match", "order", "cloze", "essay", "description",
)  # fmt: skip
KEPT = (
    "points", "explain", "hints", "title", "category", "tags", "shuffle", "case", "options", "verdicts",
    "files",
)  # fmt: skip
_TYPES = {
    "single": "multichoice",
    "multi": "multichoice",
    "numeric": "numerical",
    "text": "shortanswer",
    "match": "matching",
    "order": "ordering",
}
_FORMATS: dict[Markup, str] = {
    "html": "html",
    "markdown": "markdown",
    "plain": "plain_text",
    "moodle": "moodle_auto_format",
}
# Characters that XML 1.0 cannot hold in any form.
_ILLEGAL = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write(questions: Iterable[Question]) -> tuple[str, list[Loss]]:
    """Return the file's text, and what was lost of each question."""
    losses: list[Loss] = []
    quiz = ET.Element("quiz")
    category = ""
    for question in questions:
        for told in nearest(question, KINDS, losses):
            dropped(told, KEPT, losses)
            if told.category != category:
                category = told.category
                node = ET.SubElement(quiz, "question", type="category")
                _text(ET.SubElement(node, "category"), category or "$course$/top")
            _question(quiz, told, losses)
    ET.indent(quiz)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(quiz, "unicode") + "\n", losses


def _text(parent: ET.Element, text: str) -> ET.Element:
    node = ET.SubElement(parent, "text")
    node.text = _ILLEGAL.sub("�", text)
    return parent


def _child(parent: ET.Element, tag: str, text: str) -> None:
    ET.SubElement(parent, tag).text = _ILLEGAL.sub("�", text)


def _question(quiz: ET.Element, question: Question, losses: list[Loss]) -> None:
    format = {"format": _FORMATS[question.markup]}
    node = ET.SubElement(quiz, "question", type=_TYPES.get(question.kind, question.kind))
    _text(ET.SubElement(node, "name"), question.title or unnamed(question.stem))
    question = for_moodle(question)
    stem = (
        written(question.stem, question.gaps, question.markup) if question.kind == "cloze" else question.stem
    )
    _text(ET.SubElement(node, "questiontext", format), stem)
    _text(ET.SubElement(node, "generalfeedback", format), question.explain)
    if question.kind != "cloze":
        _child(node, "defaultgrade", f"{question.points:.7f}")
    elif question.points != (points := sum(gap.weight for gap in question.gaps)):
        losses.append(Loss(question.id, f"its gaps make it {points:g} points, not {question.points:g}"))
    _child(node, "hidden", "0")
    _child(node, "idnumber", question.id)
    _answers(node, question, format, losses)
    for name, verdict in zip(VERDICTS, question.verdicts, strict=False):
        _text(ET.SubElement(node, name, format), verdict)
    for hint in question.hints:
        _text(ET.SubElement(node, "hint", format), hint)
    if question.tags:
        tags = ET.SubElement(node, "tags")
        for tag in question.tags:
            _text(ET.SubElement(tags, "tag"), tag)
    _attach(node, question.files)


def _attach(node: ET.Element, files: Sequence[File]) -> None:
    """Each file in every element whose text shows it, for Moodle keeps them apart; else in the stem's."""
    for file in files:
        shown = [f"@@PLUGINFILE@@/{name}" for name in (file.name, quote(file.name), escape(file.name))]
        found = [one for one in node.iter() if any(sign in (one.findtext("text") or "") for sign in shown)]
        for one in found or node.findall("questiontext"):
            ET.SubElement(one, "file", name=file.name, path="/", encoding="base64").text = file.data


def _answers(node: ET.Element, question: Question, format: dict[str, str], losses: list[Loss]) -> None:
    def answer(text: str, weight: float, explain: str) -> ET.Element:
        made = ET.SubElement(node, "answer", {"fraction": _fraction(question, weight, losses), **format})
        _text(made, text)
        _text(ET.SubElement(made, "feedback", format), explain)
        return made

    match question.kind:
        case "single" | "multi":
            _child(node, "single", "true" if question.kind == "single" else "false")
            _child(node, "shuffleanswers", "true" if question.shuffle else "false")
            right = len(question.key)
            # By our rule a wrong pick loses what a right one earns; Moodle has to be told.
            default = (1 / right, -1 / right) if question.kind == "multi" else (1.0, 0.0)
            for option in question.options:
                rule = default[0] if option.right else default[1]
                answer(option.text, rule if option.weight is None else option.weight, option.explain)
        case "truefalse":
            for option, word in zip(question.options, ("true", "false"), strict=True):
                answer(word, float(option.right), option.explain)
        case "text":
            _child(node, "usecase", "1" if question.case else "0")
            for one in question.accepted:
                answer(one.text, one.weight, one.explain)
        case "numeric":
            _numeric(node, question, answer)
        case "match":
            _child(node, "shuffleanswers", "true")
            pairs = [
                (p, question.options[r].text) for p, r in zip(question.prompts, question.key, strict=True)
            ]
            pairs += [("", o.text) for n, o in enumerate(question.options) if n not in question.key]
            for left, right_side in pairs:
                pair = _text(ET.SubElement(node, "subquestion", format), left)
                _text(ET.SubElement(pair, "answer"), right_side)
        case "order":
            for n, place in enumerate(question.key, start=1):
                made = ET.SubElement(node, "answer", {"fraction": f"{n}.0", **format})
                _text(made, question.options[place].text)
        case _:
            pass


def _numeric(node: ET.Element, question: Question, answer: object) -> None:
    assert callable(answer)
    unit = next((a.number.unit for a in question.accepted if a.number), "")
    for one in question.accepted:
        number = one.number
        if number is None:
            answer("*", one.weight, one.explain)
            continue
        middle, off = around(number)
        _child(answer(middle, one.weight, one.explain), "tolerance", off)
    if unit:
        units = ET.SubElement(ET.SubElement(node, "units"), "unit")
        _child(units, "multiplier", "1")
        _child(units, "unit_name", unit)


def _fraction(question: Question, weight: float, losses: list[Loss]) -> str:
    near = legal(weight * 100)
    if abs(near - weight * 100) > 0.01:
        losses.append(Loss(question.id, f"Moodle has no share of {weight * 100:g} %: {near:g} is written"))
    return f"{near:.7g}"

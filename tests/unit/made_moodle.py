"""Files of Moodle XML with the questions that a test is about."""

from __future__ import annotations

from quiz.formats.moodle import reader
from quiz.formats.read_result import Bank
from quiz.question import Question


def item(kind: str, inner: str, stem: str = "Q?") -> str:
    return (
        f'<question type="{kind}"><name><text>N</text></name><questiontext format="html">'
        f"<text><![CDATA[{stem}]]></text></questiontext>{inner}</question>"
    )


def answer(text: str, fraction: object, feedback: str = "", more: str = "") -> str:
    return (
        f'<answer fraction="{fraction}" format="html"><text>{text}</text>'
        f"<feedback><text>{feedback}</text></feedback>{more}</answer>"
    )


def quiz(*items: str) -> Bank:
    return reader.read('<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n' + "\n".join(items) + "\n</quiz>")


def one(kind: str, inner: str, stem: str = "Q?") -> Question:
    bank = quiz(item(kind, inner, stem))
    assert bank.troubles == () and len(bank.questions) == 1, bank
    return bank.questions[0]

"""What an item of QTI 1.2 says: its texts, what there is to answer, and what each answer earns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from typing import NamedTuple

from quiz.formats.moodle.question_types import Node

PACKAGED = "$IMS-CC-FILEBASE$/"  # how Common Cartridge says that a file lies in the package
PICTURE_STAYS = "its picture stays in the package", "Put it into a deck by hand"
# Canvas draws a formula as a picture that has its TeX beside it.
_FORMULA = re.compile(
    r"<img\b[^>]{0,4000}?\bdata-equation-content=\"([^\"]{1,2000})\"[^>]{0,4000}>", re.IGNORECASE
)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,400}>")


class Label(NamedTuple):
    """Something to choose."""

    ident: str
    text: str


@dataclass(slots=True)
class Response:
    """One thing to answer: its labels, where there are some to choose from. `text` stands before it."""

    ident: str
    kind: str
    """`lid` to choose, `str` to type, `num` a number, `grp` or `xy` what is not read."""
    many: bool
    ordered: bool
    text: str
    labels: list[Label] = field(default_factory=list)


class Test(NamedTuple):
    """A comparison of an answer: `op` is equal, gte, gt, lte or lt; `inverted`: it must not hold."""

    respident: str
    op: str
    value: str
    inverted: bool


class Condition(NamedTuple):
    """What is compared, the share it then earns (None: it says nothing of points), and what is told."""

    tests: tuple[Test, ...]
    earns: float | None
    adds: bool
    feedback: tuple[str, ...]
    other: bool


@dataclass(slots=True)
class Item:
    """An item as it is written; texts are HTML."""

    node: Node
    fields: dict[str, str]
    stem: str
    responses: list[Response]
    conditions: list[Condition]
    feedback: dict[str, str]
    most: float
    """The points of a full answer, as its conditions count them."""


def read(node: Node) -> Item:
    """Read an `<item>`."""
    fields = {
        one.said("fieldlabel").casefold(): one.said("fieldentry") for one in _every(node, "qtimetadatafield")
    }
    stem: list[str] = []
    responses: list[Response] = []
    for presentation in node.all("presentation"):
        _presented(presentation, stem, responses)
    most = next(
        (
            found
            for decvar in _every(node, "decvar")
            if decvar.attrs.get("varname", "SCORE").upper() in ("SCORE", "QUE_SCORE")
            and (found := _number(decvar.attrs.get("maxvalue", "")))
        ),
        0.0,
    )
    conditions = [_condition(one) for one in _every(node, "respcondition")]
    best = max((one.earns for one in conditions if one.earns), default=1.0)
    feedback = {one.attrs.get("ident", ""): _text(one) for one in node.all("itemfeedback")}
    return Item(node, fields, "".join(stem).strip(), responses, conditions, feedback, most or best)


def _every(node: Node, tag: str) -> Iterator[Node]:
    """All elements of a tag below a node, in their order."""
    for child in node.children:
        if child.tag == tag:
            yield child
        yield from _every(child, tag)


def _number(text: str) -> float | None:
    try:
        value = float(text.strip())
    except ValueError:
        return None
    return value if abs(value) < 1e15 else None


def _text(node: Node) -> str:
    """The texts of all `<mattext>` below a node, as HTML."""
    return "".join(_written(one) for one in _every(node, "mattext")).strip()


def _written(mattext: Node) -> str:
    text = mattext.text
    if "html" not in mattext.attrs.get("texttype", "").casefold() and not _TAG.search(text):
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _FORMULA.sub(lambda found: rf"\({unescape(found[1])}\)", text)


def _presented(node: Node, stem: list[str], responses: list[Response]) -> None:
    for child in node.children:
        if child.tag.startswith("response_") and child.tag != "response_label":
            responses.append(_response(child))
        elif child.tag == "material":
            stem.append(_text(child))
        else:  # `flow` and what else only arranges it
            _presented(child, stem, responses)


def _response(node: Node) -> Response:
    made = Response(
        node.attrs.get("ident", ""),
        node.tag.removeprefix("response_"),
        (cardinality := node.attrs.get("rcardinality", "").casefold()) == "multiple",
        cardinality == "ordered",
        "".join(_text(one) for one in node.all("material")).strip(),
    )
    for label in _every(node, "response_label"):
        if text := _text(label):  # a row of the form that was left empty has none
            made.labels.append(Label(label.attrs.get("ident", ""), text))
    return made


_OPS = {
    "varequal": "equal",
    "vargte": "gte",
    "vargt": "gt",
    "varlte": "lte",
    "varlt": "lt",
    "varsubstring": "part",
}


def _condition(node: Node) -> Condition:
    tests: list[Test] = []
    for conditionvar in node.all("conditionvar"):
        _tested(conditionvar, False, tests)
    earns: float | None = None
    adds = False
    for setvar in node.all("setvar"):
        if setvar.attrs.get("varname", "SCORE").upper() in ("SCORE", "QUE_SCORE"):
            earns, adds = _number(setvar.text), setvar.attrs.get("action", "Set").casefold() == "add"
    told = tuple(one.attrs.get("linkrefid", "") for one in node.all("displayfeedback"))
    return Condition(tuple(tests), earns, adds, told, bool(list(_every(node, "other"))))


def _tested(node: Node, inverted: bool, tests: list[Test]) -> None:
    for child in node.children:
        if child.tag in _OPS:
            tests.append(Test(child.attrs.get("respident", ""), _OPS[child.tag], child.text, inverted))
        else:
            _tested(child, inverted != (child.tag == "not"), tests)

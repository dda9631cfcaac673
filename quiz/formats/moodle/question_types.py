"""Reads each type of Moodle's questions from its elements; one function a type, all in `_KINDS`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from msgspec.structs import replace

from quiz.formats.moodle.cloze import as_read, embedded
from quiz.formats.read_result import LEGAL_WITHIN, legal, shared
from quiz.formats.texmath import from_moodle
from quiz.markup import within
from quiz.question import Accepted, Gap, Markup, Number, Option, Question, Trouble

_MARKUPS: dict[str, Markup] = {
    "html": "html",
    "markdown": "markdown",
    "plain_text": "plain",
    "moodle_auto_format": "moodle",
}

VERDICTS = ("correctfeedback", "partiallycorrectfeedback", "incorrectfeedback")


@dataclass(slots=True)
class Node:
    """An element: `text` is all character data directly in it."""

    tag: str
    attrs: dict[str, str]
    line: int
    column: int
    children: list[Node] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Text of the element itself, without its children's."""
        return "".join(self.pieces).strip()

    def all(self, tag: str) -> list[Node]:
        """Return the children with that tag, in their order."""
        return [child for child in self.children if child.tag == tag]

    def said(self, tag: str, default: str = "") -> str:
        """Return the text of a child, direct or in its `<text>`; `default` without that child."""
        for child in self.children:
            if child.tag == tag:
                return _inner(child)
        return default


def _inner(node: Node) -> str:
    texts = node.all("text")
    return texts[0].text if texts else node.text


def _written(node: Node, whole: Markup) -> str:
    """The text of an element as it is written among those of a question; it may say its own format."""
    own = _MARKUPS.get(node.attrs.get("format", ""), whole)
    return within(_inner(node), own, whole)


def _told(node: Node, tag: str, whole: Markup) -> str:
    return next((_written(child, whole) for child in node.all(tag)), "")


def question(node: Node, category: str, troubles: list[Trouble]) -> Question | None:
    """Return the question in `node`; None if something is wrong with it, which goes into `troubles`."""

    def says(at: Node, message: str, mend: str) -> None:
        troubles.append(Trouble(at.line, message, mend, at.column))

    kind = node.attrs.get("type", "")
    read = _KINDS.get(kind)
    if read is None:
        known = ", ".join(sorted(_KINDS))
        says(node, f"questions of type {kind[:30]!r} are not read", f"Known are {known}")
        return None
    body = next(iter(node.all("questiontext")), None)
    stem = _inner(body) if body else ""
    if not stem:
        says(node, "the question itself is missing", "Write it in <questiontext><text>")
        return None
    points = _float(node.said("defaultgrade", "1"))
    if points is None or points < 0:
        says(node, "its <defaultgrade> is not a number", "Write one, as in 1.0")
        return None
    markup = _MARKUPS.get(body.attrs.get("format", "html") if body else "html", "html")
    verdicts = tuple(_told(node, verdict, markup) for verdict in VERDICTS)
    made = Question(
        id=node.said("idnumber"),
        kind="description",
        stem=stem,
        explain=_told(node, "generalfeedback", markup),
        points=points,
        tags=tuple(filter(None, (_inner(tag) for tags in node.all("tags") for tag in tags.all("tag")))),
        line=node.line,
        hints=tuple(filter(None, (_written(hint, markup) for hint in node.all("hint")))),
        title=node.said("name"),
        category=category,
        markup=markup,
        shuffle=node.said("shuffleanswers", "0") in ("1", "true"),
        verdicts=verdicts if any(verdicts) else (),
    )
    found = read(made, node, says)
    if not found:
        return None
    found = from_moodle(found)
    return replace(found, title="") if found.title == unnamed(found.stem) else found


_PLACE = re.compile(r"\{\{[0-9]+\}\}")  # of a gap


def unnamed(stem: str) -> str:
    """Return a name for a question without a title: in Moodle every question has one."""
    return " ".join(_PLACE.sub("_____", stem).split())[:80]


_Read = Callable[[Question, Node, Callable[[Node, str, str], None]], Question | None]
_NodeSays = Callable[[Node, str, str], None]


def _float(text: str) -> float | None:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return None
    return value if abs(value) < 1e15 else None


def _share(answer: Node, says: _NodeSays) -> float | None:
    """What an answer earns, 1 for all; None: no number, or none that Moodle takes."""
    percent = _float(answer.attrs.get("fraction", "0"))
    if percent is None or abs(percent) > 100.001:
        says(
            answer,
            f"fraction={answer.attrs.get('fraction', '')[:12]!r} is not a share",
            "Write one from -100 to 100",
        )
        return None
    if abs((near := legal(percent)) - percent) > LEGAL_WITHIN:
        mend = "Write 100 for all of it: shares are per cent" if 0 < percent <= 1 else f"Write {near:.7g}"
        says(answer, f"Moodle refuses fraction={percent:g}", mend)
        return None
    return round(percent / 100, 7)


def _answers(node: Node) -> list[Node]:
    """Those with a text; the others are left out, as Moodle does."""
    return [answer for answer in node.all("answer") if _inner(answer)]


def _multichoice(made: Question, node: Node, says: _NodeSays) -> Question | None:
    answers = _answers(node)
    shares = [_share(answer, says) for answer in answers]
    if len(answers) < 2:
        says(node, "a choice without two answers", "Write an <answer> for each")
        return None
    if None in shares:
        return None
    set_ = node.attrs.get("type") == "multichoiceset"  # a common plugin: all of them or nothing
    single = not set_ and node.said("single", "true") in ("1", "true")
    options = tuple(
        Option(
            _written(answer, made.markup),
            (share or 0) >= 0.999 if single else (share or 0) > 0,
            _told(answer, "feedback", made.markup),
            None if set_ else share,
        )
        for answer, share in zip(answers, shares, strict=True)
    )
    if not any(option.right for option in options):
        says(node, "no answer is right", 'Give the right one fraction="100"')
        return None
    if single:
        plain = (0.0, 1.0)
        options = tuple(replace(o, weight=None if o.weight in plain else o.weight) for o in options)
        return replace(made, kind="single", options=options)
    return replace(made, kind="multi", options=options if set_ else shared(options), partial=not set_)


def answers_unread(node: Node, question: Question) -> tuple[str, str] | None:
    """Return problems with the answers of a question that was read, and what to do."""
    texts = [_inner(answer) for answer in node.all("answer")]
    if question.kind == "truefalse" and {text.casefold() for text in texts} != _TRUTHS:
        return "its answers are not `true` and `false`: the first is taken for `true`", "Write these words"
    if question.kind in ("single", "multi", "text", "numeric", "order") and "" in texts:
        return "an answer without a text is left out", "Write it in <answer><text>"
    return None


_TRUTHS = {"true", "false"}


def _truefalse(made: Question, node: Node, says: _NodeSays) -> Question | None:
    """As in Moodle, answers in other words are true, then false."""
    answers = node.all("answer")
    if len(answers) != 2:
        says(node, "the answers are not `true` and `false`", "Write an <answer> for each")
        return None
    if {_inner(answer).casefold() for answer in answers} == _TRUTHS:
        answers.sort(key=lambda answer: _inner(answer).casefold() != "true")
    right = [(_float(answer.attrs.get("fraction", "0")) or 0) > 0 for answer in answers]
    if right[0] == right[1]:
        says(node, "one of true and false must be right", 'Give it fraction="100", the other 0')
        return None
    options = tuple(
        Option(word, is_right, _told(answer, "feedback", made.markup))
        for word, is_right, answer in zip(("True", "False"), right, answers, strict=True)
    )
    return replace(made, kind="truefalse", options=options)


def _shared(node: Node, says: _NodeSays) -> Iterator[tuple[Node, float]]:
    """Answers that earn something or nothing; the others are told, all of them."""
    for answer in _answers(node):
        if (share := _share(answer, says)) is not None:
            yield answer, share


def _shortanswer(made: Question, node: Node, says: _NodeSays) -> Question | None:
    accepted = []
    for answer, share in _shared(node, says):
        accepted.append(Accepted(_inner(answer), max(0.0, share), _told(answer, "feedback", made.markup)))
    case = node.said("usecase", "0") in ("1", "true")
    return _rightly(replace(made, kind="text", accepted=tuple(accepted), case=case), node, says)


def _numerical(made: Question, node: Node, says: _NodeSays) -> Question | None:
    units = [unit for units in node.all("units") for unit in units.all("unit")]
    unit = next((u.said("unit_name") for u in units if (_float(u.said("multiplier", "1")) or 0) == 1), "")
    accepted = []
    for answer, share in _shared(node, says):
        text = _inner(answer)
        if text == "*":
            accepted.append(Accepted("*", max(0.0, share), _told(answer, "feedback", made.markup)))
            continue
        value, width = (
            _float(text),
            _float(answer.said("tolerance", answer.attrs.get("tolerance", "0")) or "0"),
        )
        if value is None or width is None:
            says(
                answer,
                f"{text[:20]!r} with its tolerance is not a number",
                "Write <text>3</text> and <tolerance>0",
            )
            return None
        number = Number(value - abs(width), value + abs(width), unit, value)
        accepted.append(Accepted(text, max(0.0, share), _told(answer, "feedback", made.markup), number))
    return _rightly(replace(made, kind="numeric", accepted=tuple(accepted)), node, says)


def _rightly(made: Question, node: Node, says: _NodeSays) -> Question | None:
    if any(answer.weight >= 0.999 for answer in made.accepted):
        return made
    says(node, "no answer is right", 'Give the right one fraction="100"')
    return None


def _matching(made: Question, node: Node, says: _NodeSays) -> Question | None:
    prompts: list[str] = []
    rights: list[str] = []
    sequence: list[int] = []
    for pair in node.all("subquestion"):
        left, right = _written(pair, made.markup) if pair.all("text") else "", pair.said("answer")
        if not right:
            says(pair, "this pair has no answer", "Write <answer><text>")
            return None
        if right not in rights:
            rights.append(right)
        if left:
            prompts.append(left)
            sequence.append(rights.index(right))
    if len(prompts) < 2:
        says(node, "there are not two pairs to match", "Write a <subquestion> for each")
        return None
    options = tuple(Option(right) for right in rights)
    pairs = replace(made, kind="match", prompts=tuple(prompts), options=options, sequence=tuple(sequence))
    return replace(pairs, shuffle=False)  # pairs always are


def _rows(made: Question, node: Node, says: _NodeSays) -> Question | None:
    """Rows that each belong to a column, mostly true or false (two common plugins): pairs."""
    columns = [column.said("responsetext") for column in node.all("column")]
    right: dict[str, int] = {}
    for weight in node.all("weight"):
        if (_float(weight.said("value", "0")) or 0) > 0:
            column = _float(weight.attrs.get("columnnumber", ""))
            if column is None or not 1 <= column <= len(columns):
                says(weight, "this weight is in no column", "Write columnnumber=, from 1")
                return None
            right.setdefault(weight.attrs.get("rownumber", ""), int(column) - 1)
    rows = [(row.attrs.get("number", ""), row.said("optiontext"), row) for row in node.all("row")]
    for number, text, row in rows:
        if not text or number not in right:
            says(row, "this row has no text or no right column", "Write <optiontext>, and a <weight> of 1")
            return None
    if len(rows) < 2 or len(set(columns)) < 2:
        says(node, "there are not two rows and two columns", "Write a <row> and a <column> for each")
        return None
    return replace(
        made,
        kind="match",
        prompts=tuple(text for _, text, _ in rows),
        options=tuple(map(Option, columns)),
        sequence=tuple(right[number] for number, _, _ in rows),
        partial=not node.said("scoringmethod").endswith("onezero"),
        shuffle=False,
    )


def _ordering(made: Question, node: Node, says: _NodeSays) -> Question | None:
    answers = _answers(node)
    if len(answers) < 2:
        says(node, "there is nothing to put in order", "Write an <answer> for each item, in right order")
        return None
    answers.sort(key=lambda answer: _float(answer.attrs.get("fraction", "0")) or 0)
    options = tuple(Option(_written(answer, made.markup)) for answer in answers)
    return replace(made, kind="order", options=options, sequence=tuple(range(len(options))), shuffle=False)


def _cloze(made: Question, node: Node, says: _NodeSays) -> Question | None:
    stem, gaps, errors = embedded(made.stem)
    if errors:
        body = next(iter(node.all("questiontext")[0].all("text")), node)
        lead = len(raw := "".join(body.pieces)) - len(raw.lstrip())
        for error in errors:
            line = body.line + raw.count("\n", 0, lead + error.at)
            says(Node("", {}, line, body.column if line == body.line else 1), str(error), error.mend)
        return None
    points = sum(gap.weight for gap in gaps)
    return replace(made, kind="cloze", stem=stem, gaps=as_read(gaps, made.markup), points=points)


def _selected(made: Question, node: Node, says: _NodeSays) -> Question | None:
    """Words dragged or chosen into `[[1]]`: a gap each, with the words of its group to choose from."""
    choices = [(_inner(c), c.said("group", "1")) for c in (*node.all("dragbox"), *node.all("selectoption"))]
    gaps: list[Gap] = []

    def take(match: re.Match[str]) -> str:
        n = int(match[1]) - 1
        if not 0 <= n < len(choices):
            raise IndexError(match[0])
        text, group = choices[n]
        offered = tuple(sorted({word for word, of in choices if of == group}))
        gaps.append(Gap((Accepted(text),), offered))
        return "{{" + str(len(gaps)) + "}}"

    try:
        stem = re.sub(r"\[\[(\d+)\]\]", take, made.stem)
    except IndexError as error:
        says(node, f"the gap {error} has no word", "Write a choice for each number")
        return None
    if not gaps:
        says(node, "there is no gap `[[1]]` in the text", "Write one where a word belongs")
        return None
    return replace(made, kind="cloze", stem=stem, gaps=tuple(gaps), shuffle=False)


def _essay(made: Question, node: Node, says: _NodeSays) -> Question | None:
    return replace(made, kind="essay")


def _description(made: Question, node: Node, says: _NodeSays) -> Question | None:
    return replace(made, points=0.0)


_KINDS: dict[str, _Read] = {
    "multichoice": _multichoice,
    "multichoiceset": _multichoice,
    "truefalse": _truefalse,
    "shortanswer": _shortanswer,
    "numerical": _numerical,
    "matching": _matching,
    "match": _matching,
    "ddmatch": _matching,
    "mtf": _rows,
    "kprime": _rows,
    "ordering": _ordering,
    "cloze": _cloze,
    "multianswer": _cloze,
    "gapselect": _selected,
    "ddwtos": _selected,
    "essay": _essay,
    "description": _description,
}

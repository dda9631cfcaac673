"""Moodle's XML, read a question at a time with the place of every element.

Nothing of XML's dangerous parts is followed: a document type or an entity declared is named and passed by,
nothing is fetched. Behind a broken place reading goes on at the next question.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from msgspec.structs import replace

from quiz.formats.bank import Bank, named, shared
from quiz.formats.cloze import embedded
from quiz.question import Accepted, File, Gap, Markup, Number, Option, Question, Trouble

MAX_DEPTH = 40
MAX_BROKEN = 100  # places behind which reading goes on
MAX_FILE = 8 << 20  # characters of base64
_FED = 1 << 20  # characters parsed at a time

# The shares that Moodle's editor knows, in per cent (question/engine's grade options); others it refuses.
FRACTIONS = (
    100.0, 90.0, 83.33333, 80.0, 75.0, 70.0, 66.66667, 60.0, 50.0, 40.0, 33.33333, 30.0, 25.0, 20.0, 16.66667,
    14.28571, 12.5, 11.11111, 10.0, 5.0, 0.0,
)  # fmt: skip
_MARKUPS: dict[str, Markup] = {
    "html": "html",
    "markdown": "markdown",
    "plain_text": "plain",
    "moodle_auto_format": "moodle",
}

VERDICTS = ("correctfeedback", "partiallycorrectfeedback", "incorrectfeedback")
_OPENED = re.compile(r"<question\b")


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
        return "".join(self.pieces).strip()

    def all(self, tag: str) -> list[Node]:
        return [child for child in self.children if child.tag == tag]

    def said(self, tag: str, default: str = "") -> str:
        """The text of a child, itself or in its `<text>`; `default` where there is none."""
        for child in self.children:
            if child.tag == tag:
                return _inner(child)
        return default


def _inner(node: Node) -> str:
    texts = node.all("text")
    return texts[0].text if texts else node.text


class _Broken(Exception):
    """What is told, where, and where it broke: the parser itself goes on to the end of what it was fed."""

    def __init__(self, message: str, mend: str, told: tuple[int, int], at: tuple[int, int]) -> None:
        super().__init__(message)
        self.message, self.mend, self.told, self.at = message, mend, told, at


def read(text: str) -> Bank:
    """All questions of a file, and what is wrong with the others. Never raises."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    reading = _Reading(text)
    at = 0
    for _ in range(MAX_BROKEN):
        broken = reading.broken(at)
        begin = _OPENED.search(text, broken) if broken is not None else None
        if begin is None:
            break
        at = begin.start()
    else:
        what = f"more than {MAX_BROKEN} broken places: the rest is not read"
        last = reading.troubles[-1]
        reading.troubles.append(Trouble(last.line, what, "Export the file again", last.column + 1))
    troubles = sorted(reading.troubles, key=lambda t: (t.line, t.column))
    return Bank(named(reading.found), tuple(troubles), tuple(reading.notes))


class _Reading:
    """What was found in `text` so far."""

    def __init__(self, text: str) -> None:
        self.found: list[Question] = []
        self.troubles: list[Trouble] = []
        self.notes: list[Trouble] = []
        self.line = 1  # of the place where the parser began
        self._text = text
        self._column = 0
        self._category = ""
        self._open: list[Node] = []
        self._parser = expat.ParserCreate()

    def broken(self, at: int) -> int | None:
        """Read on from offset `at`, the file's begin or that of a question: where it broke, or None."""
        text = self._text
        self._open = []
        self.line = 1 + text.count("\n", 0, at)
        self._column = at - text.rfind("\n", 0, at) - 1
        parser = self._parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._data
        parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = self._forbid
        parser.ExternalEntityRefHandler = self._forbid
        try:
            if at:
                parser.Parse("<quiz>", False)
                self._column -= len("<quiz>")
            for begin in range(at, len(text), _FED):
                parser.Parse(text[begin : begin + _FED], False)
            parser.Parse("", True)
        except _Broken as error:
            self.troubles.append(Trouble(error.told[0], error.message, error.mend, error.told[1]))
            return self._offset(*error.at)
        except expat.ExpatError as error:
            line, column = self._place(error.lineno, error.offset)
            what = f"this is no XML: {expat.ErrorString(error.code)}"
            self.troubles.append(Trouble(line, what, _MENDS.get(error.code, _MEND), column))
            return self._offset(line, column)
        except (ValueError, UnicodeError) as error:
            self.troubles.append(Trouble(self.line, f"this cannot be read: {error}", "Save it as UTF-8", 1))
        return None

    def _place(self, line: int, offset: int) -> tuple[int, int]:
        """Line and column (from 1) in the file of a place in what the parser was fed."""
        return self.line + line - 1, offset + 1 + (self._column if line == 1 else 0)

    def _here(self) -> tuple[int, int]:
        return self._place(self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber)

    def _offset(self, line: int, column: int) -> int:
        at = 0
        for _ in range(line - 1):
            at = self._text.find("\n", at) + 1
        return at + max(0, column - 1)

    def _start(self, tag: str, attrs: dict[str, str]) -> None:
        line, column = here = self._here()
        if len(self._open) >= MAX_DEPTH:
            raise _Broken("elements too deep in each other", "Delete them", here, here)
        if tag == "question" and len(self._open) > 1:
            above = self._open[1].line, self._open[1].column
            raise _Broken("this question is not closed", "Write </question> behind it", above, here)
        node = Node(tag, attrs, line, column)
        if not self._open and tag != "quiz":
            what = f"the file is a <{tag[:20]}>, not a <quiz>"
            self.troubles.append(Trouble(line, what, "Export Moodle XML", 1))
        if len(self._open) > 1:
            self._open[-1].children.append(node)
        self._open.append(node)

    def _forbid(self, *_: object) -> int:
        here = self._here()
        raise _Broken("a document type or an entity: not followed", "Delete it", here, here)

    def _data(self, text: str) -> None:
        if len(self._open) > 1:  # what stands between questions says nothing
            self._open[-1].pieces.append(text)

    def _end(self, tag: str) -> None:
        node = self._open.pop()
        if len(self._open) != 1 or tag != "question":
            return
        if node.attrs.get("type") == "category":
            self._category = node.said("category")
            return
        before = len(self.troubles)
        question = _question(node, self._category, self.troubles)
        if question is not None and len(self.troubles) == before:
            self.found.append(self._noted(node, question))
        elif len(self.troubles) == before:
            self.troubles.append(
                Trouble(node.line, "this question cannot be read", "Export it again", node.column)
            )

    def _noted(self, node: Node, question: Question) -> Question:
        """The question with its files; what is no mistake, and yet worth a word, is noted."""
        files: dict[str, File] = {}
        for one in _files(node):
            name, data = one.attrs.get("name", ""), "".join(one.text.split())
            if why := _unfit(name, data, one.attrs.get("encoding", "base64"), files):
                what = f"the file {name[:60]!r} is left out: {why}"
                self.notes.append(Trouble(one.line, what, "Show it on a slide", one.column))
            else:
                files[name] = File(name, data)
        earned = sum(o.weight for o in question.options if o.weight is not None and o.weight > 0)
        if question.kind == "multi" and earned and abs(earned - 1) > 0.01:
            what = f"the right answers come to {100 * earned:.4g} %, and to Moodle that is worth a warning"
            self.notes.append(Trouble(node.line, what, "Let them come to 100", node.column))
        return replace(question, files=tuple(files.values())) if files else question


_MEND = "Mend it here, or export the file again"
_MENDS = {
    expat.errors.codes[expat.errors.XML_ERROR_UNDEFINED_ENTITY]: "Write the sign itself, or as &#160;",
    expat.errors.codes[expat.errors.XML_ERROR_INVALID_TOKEN]: "Write &lt; for < and &amp; for &, or CDATA",
    expat.errors.codes[expat.errors.XML_ERROR_TAG_MISMATCH]: "Close what was opened last",
}


def _files(node: Node) -> Iterator[Node]:
    if node.tag == "file":
        yield node
    for child in node.children:
        yield from _files(child)


def _unfit(name: str, data: str, encoding: str, there: dict[str, File]) -> str:
    """Why a file cannot be kept; "" where it can."""
    if not name or re.search(r"[/\\\x00-\x1f\x7f]", name) or name in (".", ".."):
        return "it has no plain name"
    if encoding != "base64":
        return f"it is written as {encoding[:20]!r}"
    if len(data) > MAX_FILE:
        return f"it is above {MAX_FILE * 3 // 4 >> 20} MB"
    if name in there and there[name].data != data:
        return "another one has its name"
    try:
        base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return "its bytes are no base64"
    return ""


def _question(node: Node, category: str, troubles: list[Trouble]) -> Question | None:
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
        says(node, "its <defaultgrade> is no number", "Write one, as in 1.0")
        return None
    made = Question(
        id=node.said("idnumber"),
        kind="description",
        stem=stem,
        explain=node.said("generalfeedback"),
        points=points,
        tags=tuple(filter(None, (_inner(tag) for tags in node.all("tags") for tag in tags.all("tag")))),
        line=node.line,
        hints=tuple(filter(None, (_inner(hint) for hint in node.all("hint")))),
        title=node.said("name"),
        category=category,
        markup=_MARKUPS.get((body.attrs if body else {}).get("format", "html"), "html"),
        shuffle=node.said("shuffleanswers", "0") in ("1", "true"),
        verdicts=verdicts if any(verdicts := tuple(map(node.said, VERDICTS))) else (),
    )
    return read(made, node, says)


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
            f"fraction={answer.attrs.get('fraction', '')[:12]!r} is no share",
            "Write one from -100 to 100",
        )
        return None
    if not any(abs(abs(percent) - legal) < 1.001e-3 for legal in FRACTIONS):
        near = min(FRACTIONS, key=lambda legal: abs(legal - abs(percent)))
        says(answer, f"Moodle refuses fraction={percent:g}", f"Write {near if percent > 0 else -near:.7g}")
        return None
    return round(percent / 100, 7)


def _multichoice(made: Question, node: Node, says: _NodeSays) -> Question | None:
    answers = node.all("answer")
    shares = [_share(answer, says) for answer in answers]
    if len(answers) < 2:
        says(node, "a choice without two answers", "Write an <answer> for each")
        return None
    if None in shares:
        return None
    single = node.said("single", "true") in ("1", "true")
    options = tuple(
        Option(
            _inner(answer),
            (share or 0) >= 0.999 if single else (share or 0) > 0,
            answer.said("feedback"),
            share,
        )
        for answer, share in zip(answers, shares, strict=True)
    )
    if not any(option.right for option in options):
        says(node, "no answer is right", 'Give the right one fraction="100"')
        return None
    if single:
        plain = (0.0, 1.0)
        options = tuple(replace(o, weight=None if o.weight in plain else o.weight) for o in options)
    return replace(made, kind="single" if single else "multi", options=options if single else shared(options))


def _truefalse(made: Question, node: Node, says: _NodeSays) -> Question | None:
    found = {_inner(answer).casefold(): answer for answer in node.all("answer")}
    if found.keys() != {"true", "false"}:
        says(node, "the answers are not `true` and `false`", "Write an <answer> for each")
        return None
    right = {word: (_float(answer.attrs.get("fraction", "0")) or 0) > 0 for word, answer in found.items()}
    if right["true"] == right["false"]:
        says(node, "one of true and false must be right", 'Give it fraction="100", the other 0')
        return None
    options = tuple(Option(w.title(), right[w], found[w].said("feedback")) for w in ("true", "false"))
    return replace(made, kind="truefalse", options=options)


def _shared(node: Node, says: _NodeSays) -> Iterator[tuple[Node, float]]:
    """Answers that earn something or nothing; the others are told, all of them."""
    for answer in node.all("answer"):
        if (share := _share(answer, says)) is not None:
            yield answer, share


def _shortanswer(made: Question, node: Node, says: _NodeSays) -> Question | None:
    accepted = []
    for answer, share in _shared(node, says):
        accepted.append(Accepted(_inner(answer), max(0.0, share), answer.said("feedback")))
    case = node.said("usecase", "0") in ("1", "true")
    return _rightly(replace(made, kind="text", accepted=tuple(accepted), case=case), node, says)


def _numerical(made: Question, node: Node, says: _NodeSays) -> Question | None:
    units = [unit for units in node.all("units") for unit in units.all("unit")]
    unit = next((u.said("unit_name") for u in units if (_float(u.said("multiplier", "1")) or 0) == 1), "")
    accepted = []
    for answer, share in _shared(node, says):
        text = _inner(answer)
        if text == "*":
            accepted.append(Accepted("*", max(0.0, share), answer.said("feedback")))
            continue
        value, width = (
            _float(text),
            _float(answer.said("tolerance", answer.attrs.get("tolerance", "0")) or "0"),
        )
        if value is None or width is None:
            says(
                answer,
                f"{text[:20]!r} with its tolerance is no number",
                "Write <text>3</text> and <tolerance>0",
            )
            return None
        number = Number(value - abs(width), value + abs(width), unit, value)
        accepted.append(Accepted(text, max(0.0, share), answer.said("feedback"), number))
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
        left, right = next((t.text for t in pair.all("text")), ""), pair.said("answer")
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
    return replace(made, kind="match", prompts=tuple(prompts), options=options, sequence=tuple(sequence))


def _ordering(made: Question, node: Node, says: _NodeSays) -> Question | None:
    answers = node.all("answer")
    if len(answers) < 2:
        says(node, "there is nothing to put in order", "Write an <answer> for each item, in right order")
        return None
    answers.sort(key=lambda answer: _float(answer.attrs.get("fraction", "0")) or 0)
    options = tuple(Option(_inner(answer)) for answer in answers)
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
    return replace(made, kind="cloze", stem=stem, gaps=gaps, points=points)


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
    "truefalse": _truefalse,
    "shortanswer": _shortanswer,
    "numerical": _numerical,
    "matching": _matching,
    "match": _matching,
    "ordering": _ordering,
    "cloze": _cloze,
    "multianswer": _cloze,
    "gapselect": _selected,
    "ddwtos": _selected,
    "essay": _essay,
    "description": _description,
}

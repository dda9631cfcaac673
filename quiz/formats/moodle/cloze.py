"""Moodle's embedded answers: `The ring takes {1:NUMERICAL:=6:0} steps on {1:MULTICHOICE:=4~8~2} ranks.`

As Moodle reads them: a sign of the format is itself behind a backslash, entities of HTML are resolved, of
several right picks (`MULTIRESPONSE`) each earns its part, and without shares a wrong one takes as much away.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from typing import NamedTuple

from quiz.answers.tolerance_as_written import around
from quiz.formats.texmath import bare
from quiz.markup import in_gaps, with_formulas, with_marks, with_tags
from quiz.question import Accepted, Gap, Markup, Number


class _Type(NamedTuple):
    kind: str
    case: bool = False


def _named(type: _Type, *names: str) -> dict[str, _Type]:
    return dict.fromkeys(names, type)


_TYPES = {
    **_named(_Type("text"), "SHORTANSWER", "SA", "MW"),
    **_named(_Type("text", case=True), "SHORTANSWER_C", "SAC", "MWC"),
    **_named(_Type("number"), "NUMERICAL", "NM"),
    **_named(_Type("choice"), "MULTICHOICE", "MC", "MULTICHOICE_V", "MCV", "MULTICHOICE_H", "MCH"),
    **_named(_Type("choice"), "MULTICHOICE_S", "MCS", "MULTICHOICE_VS", "MCVS", "MULTICHOICE_HS", "MCHS"),
    **_named(_Type("many"), "MULTIRESPONSE", "MR", "MULTIRESPONSE_H", "MRH"),
    **_named(_Type("many"), "MULTIRESPONSE_S", "MRS", "MULTIRESPONSE_HS", "MRHS"),
}
BEGIN = re.compile(r"\{(?P<weight>\d*(?:\.\d+)?):(?P<type>[A-Z][A-Z0-9_]*):")
_BODY = re.compile(r"((?:\\.|[^\\}])*)\}", re.S)
_SIGN = re.compile(r"\\.|~", re.S)
_HASH = re.compile(r"\\.|&#|#", re.S)  # `&#` begins an entity
_SHARE = re.compile(r"%(-?\d+(?:[.,]\d*)?)%")
_ESCAPE = re.compile(r"\\([~=/\"\\])")  # as people write it, though Moodle shows the backslash
_TAKEN = re.compile(r"\\([}#])")  # as Moodle has it, once entities are signs
_SIGNS = re.compile(r"(?P<taken>\\(?=[}#]))|[\\~}#]|&(?=#?\w+;|$)")


class ClozeError(Exception):
    """`at` is the offset in the text."""

    def __init__(self, message: str, mend: str) -> None:
        super().__init__(message)
        self.mend, self.at = mend, 0


def embedded(text: str) -> tuple[str, tuple[Gap, ...], list[ClozeError]]:
    """Return the stem with `{{1}}` for each gap, the gaps, and what is wrong with others."""
    gaps: list[Gap] = []
    errors: list[ClozeError] = []
    stem, at = "", 0
    while begin := BEGIN.search(text, at):
        stem += text[at : begin.start()]
        at = begin.end()
        try:
            kind = _TYPES.get(begin["type"])
            if kind is None:
                known = f"Known are {', '.join(_TYPES)}"
                raise ClozeError(f"gaps of type {begin['type'][:20]} are not read", known)
            body = _BODY.match(text, at)
            if body is None:
                raise ClozeError("a gap is not closed", "Write `}` behind its answers")
            at = body.end()
            gaps.append(_gap(kind, body[1], float(begin["weight"] or 1)))
            stem += "{{" + str(len(gaps)) + "}}"
        except ClozeError as error:
            error.at = begin.start()
            errors.append(error)
            if kind is not None and body is None:  # nor is any gap behind it closed
                break
    if not gaps and not errors:
        errors.append(
            ClozeError("there is no gap in the text", "Write `{1:SHORTANSWER:=answer}` where one belongs")
        )
    return stem + text[at:], tuple(gaps), errors


def _gap(type: _Type, body: str, weight: float) -> Gap:
    rows = [_answer(piece) for piece in _parts(body, _SIGN, "~")]
    rows = [row for row in rows if row[1]]
    offered = tuple(dict.fromkeys(text for _, text, _ in rows)) if type.kind in ("choice", "many") else ()
    if type.kind in ("choice", "many") and len(offered) < 2:
        raise ClozeError("a gap has not two answers to choose from", "Write `=right~wrong`")
    if type.kind == "many":
        return _many(rows, offered, weight)
    accepted = [
        Accepted(
            text, min(1.0, max(0.0, share or 0.0)), why, _number(text) if type.kind == "number" else None
        )
        for share, text, why in rows
        if (share or 0) > 0 or why or type.kind == "number"
    ]
    if not any(answer.weight >= 1 for answer in accepted):
        raise ClozeError("a gap has no right answer", "Write `=` or `%100%` before it")
    if offered:  # here no answer hides another, so a right one may come first
        accepted.sort(key=lambda answer: -answer.weight)
    return Gap(tuple(accepted), offered, weight, case=type.case)


def _many(rows: list[tuple[float | None, str, str]], offered: tuple[str, ...], weight: float) -> Gap:
    """Shares of right picks come to one; where none is said, a wrong pick takes what a right one gives."""
    total = sum(share for share, _, _ in rows if share and share > 0)
    if not total:
        raise ClozeError("a gap has no right answer", "Write `=` before each")
    said = any(share not in (None, 1.0) for share, _, _ in rows)

    def worth(share: float | None) -> float:
        if share and share > 0:
            return round(share / total, 7)
        return (share or 0.0) if said else round(-1 / total, 7)

    accepted = tuple(Accepted(text, worth(share), why) for share, text, why in rows)
    return Gap(accepted, offered, weight, many=True)


def _answer(piece: str) -> tuple[float | None, str, str]:
    """What an answer earns (None: not said), its text and its feedback."""
    raw, *feedback = _parts(piece, _HASH, "#")
    raw = raw.strip()
    share: float | None = None
    if match := _SHARE.match(raw):
        share, raw = round(float(match[1].replace(",", ".")) / 100, 7), raw[match.end() :]
    elif raw.startswith("="):
        share, raw = 1.0, raw[1:]
    return share, _meant(raw), _meant("#".join(feedback))


def _meant(raw: str) -> str:
    return _TAKEN.sub(r"\1", html.unescape(_ESCAPE.sub(r"\1", raw))).strip()


def _number(text: str) -> Number | None:
    """None for the `*` that stands for any other number."""
    if text == "*":
        return None
    value, _, width = text.partition(":")
    try:
        middle, around = float(value.replace(",", ".")), abs(float((width or "0").replace(",", ".")))
    except ValueError:
        raise ClozeError(f"{text[:20]!r} is not a number", "Write `=3:0.1`") from None
    return Number(middle - around, middle + around, "", middle)


def _parts(text: str, pattern: re.Pattern[str], sign: str) -> list[str]:
    parts, begin = [], 0
    for match in pattern.finditer(text):
        if match[0] == sign:
            parts.append(text[begin : match.start()])
            begin = match.end()
    return [*parts, text[begin:]]


def written(stem: str, gaps: Iterable[Gap], markup: Markup = "html") -> str:
    """Return the stem with each `{{1}}` as Moodle embeds it, choices and feedback of `markup` as HTML."""
    codes = [_code(gap, markup) for gap in gaps]
    return re.sub(r"\{\{(\d+)\}\}", lambda m: codes[int(m[1]) - 1] if int(m[1]) <= len(codes) else m[0], stem)


def as_read(gaps: Iterable[Gap], markup: Markup) -> tuple[Gap, ...]:
    """The gaps of a Markdown text, whose choices and feedback are HTML all the same, in our Markdown."""
    gaps = tuple(gaps)
    if markup != "markdown":
        return gaps
    return in_gaps(gaps, lambda text: with_formulas(html.unescape(with_marks(text))))


def _code(gap: Gap, markup: Markup) -> str:
    known = {answer.text: answer for answer in gap.accepted}
    answers = [known.get(text, Accepted(text, 0.0)) for text in gap.offered] or list(gap.accepted)
    number = any(answer.number for answer in gap.accepted)
    kind = (
        "MULTIRESPONSE" if gap.many
        else "MULTICHOICE" if len(gap.offered) > 1  # of one there is nothing to choose
        else "NUMERICAL" if number
        else "SHORTANSWER_C" if gap.case
        else "SHORTANSWER"
    )  # fmt: skip
    if kind == "MULTICHOICE" and any(
        _as_html(text, markup) != html.escape(text, quote=False)
        for text in gap.offered
        if markup == "markdown"
    ):
        kind = "MULTICHOICE_H"  # in the lines of a menu nothing is set as a formula
    pieces = [_piece(answer, gap.many, markup, bool(gap.offered)) for answer in answers]
    return f"{{{gap.weight:g}:{kind}:{'~'.join(pieces)}}}"


def _piece(answer: Accepted, many: bool, markup: Markup, offered: bool) -> str:
    text = _escaped(_as_html(answer.text, markup) if offered else answer.text)
    if (number := answer.number) is not None:
        text = ":".join(around(number))
    mark = f"%{round(answer.weight * 100, 5)!r}%".replace(".0%", "%")
    if answer.weight >= 1 and not many:
        mark = "="
    elif answer.weight == 0 and not many and text[:1] not in ("=", "%"):
        mark = ""
    return mark + text + (f"#{_escaped(_as_html(answer.explain, markup))}" if answer.explain else "")


def _as_html(text: str, markup: Markup) -> str:
    if markup in ("html", "moodle"):
        return text
    text = html.escape(text, quote=False)
    return bare(with_tags(text)) if markup == "markdown" else text


def _escaped(text: str) -> str:
    """Without the signs of the format: of a backslash before one Moodle takes only `\\}` and `\\#` away, and
    would show the others."""

    def entity(sign: re.Match[str]) -> str:
        return f"&#{ord(sign[0])};" * (2 if sign["taken"] else 1)

    return _SIGNS.sub(entity, text)

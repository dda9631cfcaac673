"""Moodle's embedded answers: `The ring takes {1:NUMERICAL:=6:0} steps on {1:MULTICHOICE:=4~8~2} ranks.`"""

from __future__ import annotations

import re
from collections.abc import Iterable

from quiz.quantity import plain
from quiz.question import Accepted, Gap, Number

_TYPES = {
    **dict.fromkeys(("SHORTANSWER", "SA", "MW", "SHORTANSWER_C", "SAC", "MWC"), "text"),
    **dict.fromkeys(("NUMERICAL", "NM"), "number"),
    **dict.fromkeys(("MULTICHOICE", "MC", "MULTICHOICE_V", "MCV", "MULTICHOICE_H", "MCH"), "choice"),
    **dict.fromkeys(("MULTICHOICE_S", "MCS", "MULTICHOICE_VS", "MCVS", "MULTICHOICE_HS", "MCHS"), "choice"),
}
_BEGIN = re.compile(r"\{(?P<weight>\d*(?:\.\d+)?):(?P<type>[A-Z_]+):")
_BODY = re.compile(r"((?:\\.|[^\\}])*)\}", re.S)
_SIGN = re.compile(r"\\.|~", re.S)
_HASH = re.compile(r"\\.|&#|#", re.S)  # `&#` begins an entity
_SHARE = re.compile(r"%(-?\d+(?:[.,]\d*)?)%")


class ClozeError(Exception):
    def __init__(self, message: str, mend: str) -> None:
        super().__init__(message)
        self.mend = mend


def embedded(text: str) -> tuple[str, tuple[Gap, ...]]:
    """The stem with `{{1}}` for each gap, and the gaps. Raises ClozeError."""
    gaps: list[Gap] = []
    stem, at = "", 0
    while begin := _BEGIN.search(text, at):
        kind = _TYPES.get(begin["type"])
        if kind is None:
            raise ClozeError(
                f"gaps of type {begin['type'][:20]} are not read", f"Known are {', '.join(_TYPES)}"
            )
        body = _BODY.match(text, begin.end())
        if body is None:
            raise ClozeError("a gap is not closed", "Write `}` behind its answers")
        gaps.append(_gap(kind, body[1], float(begin["weight"] or 1)))
        stem += text[at : begin.start()] + "{{" + str(len(gaps)) + "}}"
        at = body.end()
    if not gaps:
        raise ClozeError("there is no gap in the text", "Write `{1:SHORTANSWER:=answer}` where one belongs")
    return stem + text[at:], tuple(gaps)


def _gap(kind: str, body: str, weight: float) -> Gap:
    accepted, offered = [], []
    for piece in _parts(body, _SIGN, "~"):
        raw = _parts(piece, _HASH, "#")[0]
        share = 0.0
        if match := _SHARE.match(raw.strip()):
            share, raw = float(match[1].replace(",", ".")) / 100, raw.strip()[match.end() :]
        elif raw.strip().startswith("="):
            share, raw = 1.0, raw.strip()[1:]
        answer = re.sub(r"\\(.)", r"\1", raw).strip()
        if not answer:
            continue
        offered.append(answer)
        if share > 0:
            accepted.append(
                Accepted(answer, min(1.0, share), number=_number(answer) if kind == "number" else None)
            )
    if not any(answer.weight >= 1 for answer in accepted):
        raise ClozeError("a gap has no right answer", "Write `=` or `%100%` before it")
    return Gap(tuple(accepted), tuple(offered) if kind == "choice" else (), weight)


def _number(text: str) -> Number:
    value, _, width = text.partition(":")
    try:
        middle, around = float(value.replace(",", ".")), abs(float((width or "0").replace(",", ".")))
    except ValueError:
        raise ClozeError(f"{text[:20]!r} is no number", "Write `=3:0.1`") from None
    return Number(middle - around, middle + around, "", middle)


def _parts(text: str, pattern: re.Pattern[str], sign: str) -> list[str]:
    parts, begin = [], 0
    for match in pattern.finditer(text):
        if match[0] == sign:
            parts.append(text[begin : match.start()])
            begin = match.end()
    return [*parts, text[begin:]]


def written(stem: str, gaps: Iterable[Gap]) -> str:
    """The stem with each `{{1}}` as Moodle embeds it."""
    codes = [_code(gap) for gap in gaps]
    return re.sub(r"\{\{(\d+)\}\}", lambda m: codes[int(m[1]) - 1] if int(m[1]) <= len(codes) else m[0], stem)


def _code(gap: Gap) -> str:
    right = {answer.text for answer in gap.accepted}
    pieces = []
    for answer in gap.accepted:
        mark = "=" if answer.weight >= 1 else f"%{answer.weight * 100:g}%"
        number = answer.number
        if number is None:
            pieces.append(mark + _escaped(answer.text))
        else:
            middle = number.stated if number.stated is not None else (number.low + number.high) / 2
            pieces.append(f"{mark}{plain(middle)}:{plain(round(number.high - middle, 12))}")
    pieces += [_escaped(text) for text in gap.offered if text not in right]
    number_gap = any(answer.number for answer in gap.accepted)
    kind = "MULTICHOICE" if gap.offered else "NUMERICAL" if number_gap else "SHORTANSWER"
    return f"{{{gap.weight:g}:{kind}:{'~'.join(pieces)}}}"


def _escaped(text: str) -> str:
    return re.sub(r'([\\~}#="/])', r"\\\1", text)

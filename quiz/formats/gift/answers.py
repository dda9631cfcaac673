"""Reads what is between GIFT's braces: the kind of a question and its answers.

Places are not kept: where something is wrong, they are counted then.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial

from quiz.formats.gift.text import ESCAPE, GONE, Misread, bare, meant
from quiz.formats.read_result import shared
from quiz.kinds.registry import Kind
from quiz.question import Accepted, Markup, Number, Option

# A kind, its options, accepted answers, prompts and sequence, and what explains it all.
Answers = tuple[Kind, tuple[Option, ...], tuple[Accepted, ...], tuple[str, ...], tuple[int, ...], str]
NONE: Answers = ("description", (), (), (), (), "")
Reader = Callable[[str], str]  # what a piece of the file means: without blanks, marks and escapes

EMBEDDED = re.compile(r"\d*:[A-Z_]+:")  # `{1:MC:=a~b}`: of Moodle's questions with gaps, which GIFT has not
_MARK = re.compile("~?=|~")  # `~=` is a right one, too, as Moodle reads it
_RISKY = re.compile(r"[~{}]|\d:[A-Z]+|\n.*\n")
_PERCENT = re.compile(r"-?[0-9]+(?:\.[0-9]*)?")
# Each digit in one way only: `1..2` is a range, so the first of two dots is none of the number.
_FLOAT = r"[+-]?(?:[0-9]++(?:\.(?!\.)[0-9]*+)?+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+"
_NUMBER = re.compile(rf"({_FLOAT})(?:\s*:\s*({_FLOAT})|\s*\.\.\s*({_FLOAT}))?")
_TRUTH = {"T": True, "TRUE": True, "F": False, "FALSE": False}


def answers(body: str, markup: Markup, plainly: bool) -> Answers:
    """What `body`, the text between the braces, asks for in a question of that `markup`.

    `plainly`: it has no marks and hides nothing. Raises Misread with an offset in `body`.
    """
    plainly = plainly or not ("[" in body or ESCAPE in body or GONE in body)
    read: Reader = str.strip if plainly else partial(meant, whole=markup)
    letters: Reader = str.strip if plainly else bare
    explain = ""
    asked = body.strip()
    if "####" in asked:
        asked, _, general = asked.rpartition("####")
        asked, explain = asked.strip(), read(general)
    if not asked:
        return "essay", (), (), (), (), explain
    try:
        sign = asked[0]
        if sign == "=" or sign == "~":
            if "~" in asked:
                kind: Kind = "single" if "=" in asked else "multi"
                return kind, _choice(asked, read), (), (), (), explain
            if "->" in asked:
                options, prompts, sequence = _pairs(asked, read, letters)
                return "match", options, (), prompts, sequence, explain
            return "text", (), _texts(asked, read, letters), (), (), explain
        if sign == "#":
            return "numeric", (), _numbers(asked, read, letters), (), (), explain
        word, _, feedback = asked.partition("#")
        true = _TRUTH.get(word) if word in _TRUTH else _TRUTH.get(word.strip().upper())
        if true is None and word.strip() and not (EMBEDDED.match(asked) or _RISKY.search(asked)):
            # To Moodle an answer without a mark is a short one.
            return "text", (), _texts(f"={asked}", read, letters), (), (), explain
        if true is None:
            mend = "Write them as Moodle XML" if EMBEDDED.match(asked) else "Write `=right` or `~wrong`"
            raise Misread(0, "an answer begins with neither `=` nor `~`", mend)
        return "truefalse", _truths(true, feedback, read), (), (), (), explain
    except Misread as error:
        error.shift(body.find(asked[0]))
        raise


def _parts(asked: str) -> list[str]:
    """What stands before the first mark, then each answer: behind its `~`, or with its `=`."""
    if "~=" in asked:
        asked = asked.replace("~=", "=")
    return asked.replace("=", "~=").split("~")


def _tell(asked: str, wrong: list[tuple[int, Misread]]) -> None:
    """Raises what is wrong with the answers of these numbers, from 0; -1 is the one before the first mark."""
    if wrong:
        places = [0, *(match.start() for match in _MARK.finditer(asked))]
        for n, error in wrong:
            error.at += places[n + 1]
        first, *first_more = (error for _, error in wrong)
        first.more = first_more
        raise first


def _pieces(asked: str, read: Reader, letters: Reader) -> list[Option]:
    """The answers of `asked` as they are written; what stands before the first mark is none.

    `letters` reads their texts, `read` their feedback. Right is what stands behind an `=`; by its share,
    where it says one: of a choice without `=` any, else all.
    """
    found: list[Option] = []
    wrong: list[tuple[int, Misread]] = []
    weighed, several = "%" in asked, "=" not in asked
    weight: float | None = None
    apart: bool | None = None
    text = explain = before = ""
    parts = _parts(asked)
    for part in parts[1:]:
        marked = right = part[:1] == "="
        answer = part[1:] if marked else part
        try:
            if marked and before and before[-1].isalnum():
                if apart is None:
                    apart = any(one[-1:].isspace() for one in parts[1:-1])
                # Where other answers of these braces stand apart, this is `header=True`, not an answer.
                if apart:
                    raise Misread(0, "an `=` inside a word", "Write `\\=`, or a blank before an answer")
            before = answer
            if weighed:
                weight, answer = _weighed(answer) if "%" in answer else (None, answer)
                if weight is not None:
                    right = weight >= 1 or (several and weight > 0)
            if "#" in answer:
                answer, _, explain = answer.partition("#")
                explain = read(explain)
            elif explain:
                explain = ""
            text = letters(answer)
            if not text and (marked or not explain or asked[0] != "#"):
                mend = f"Write it behind the `{'=' if marked else '~'}`, or delete the sign"
                raise Misread(0, "this answer is empty", mend)
        except Misread as error:
            wrong.append((len(found), error))
        found.append(Option(text, right, explain, weight))
    _tell(asked, wrong)
    return found


def _weighed(answer: str) -> tuple[float | None, str]:
    """The weight before an answer, and the answer. Raises Misread at 1, behind its mark."""
    cut = answer.split("%", 2)
    if len(cut) < 3 or (cut[0] and not cut[0].isspace()):
        return None, answer
    percent = cut[1]
    weight = _share(percent)
    if weight is None:
        if "\n" in percent:
            return None, answer
        raise Misread(1, f"`{f'%{percent}%'[:12]}` is not a weight", "Write a number, as in `%50%`")
    if not -1 <= weight <= 1:
        raise Misread(1, f"a weight of {percent} %", "Write one from `%-100%` to `%100%`")
    return weight, cut[2]


@lru_cache(256)  # a file has few
def _share(percent: str) -> float | None:
    return round(float(percent) / 100, 7) if _PERCENT.fullmatch(percent) else None


def _truths(true: bool, feedback: str, read: Reader) -> tuple[Option, ...]:
    """The first feedback is for who answers wrong, the second for who answers right."""
    wrong, _, right = feedback.partition("#")
    wrong, right = read(wrong), read(right)
    return Option("True", true, right if true else wrong), Option("False", not true, wrong if true else right)


def _choice(asked: str, read: Reader) -> tuple[Option, ...]:
    """Where no `=` is among them, several may be right."""
    single = "=" in asked
    options = _pieces(asked, read, read)
    if len(options) < 2:
        raise Misread(0, "a choice of one answer", "Write `=right` and `~wrong` ones")
    if single and "%" not in asked:
        return tuple(options)
    if not any(option.right for option in options):
        mend = "Put `=` before the right one" + ("" if single else ", or `~%50%` before several")
        raise Misread(0, "no answer is right", mend)
    return tuple(options) if single else shared(tuple(options))


def _texts(asked: str, read: Reader, letters: Reader) -> tuple[Accepted, ...]:
    return _right(
        [
            Accepted(one.text, 1.0 if one.weight is None else max(0.0, one.weight), one.explain)
            for one in _pieces(asked, read, letters)
        ]
    )


def _pairs(
    asked: str, read: Reader, letters: Reader
) -> tuple[tuple[Option, ...], tuple[str, ...], tuple[int, ...]]:
    """Right sides whose left is empty are there to mislead; equal ones are one."""
    pairs = asked[1:].split("=")
    prompts: list[str] = []
    rights: dict[str, int] = {}
    sequence: list[int] = []
    wrong: list[tuple[int, Misread]] = []
    for n, pair in enumerate(pairs):
        left, arrow, right = pair.partition("->")  # a second arrow is text
        if not arrow:
            mend = "Write `=left -> right`, `\\=` for the sign itself"
            wrong.append((n, Misread(0, "this pair has no `->`", mend)))
        left, right = read(left), letters(right)
        if arrow and not right:
            what = "the right side of this pair is empty"
            wrong.append((n, Misread(0, what, "Write `=left -> right`")))
        side = rights.setdefault(right, len(rights))
        if left:
            prompts.append(left)
            sequence.append(side)
    _tell(asked, wrong)
    if len(pairs) < 2 or not prompts:
        raise Misread(0, "there are not two pairs to match", "Write `=left -> right` for each")
    return tuple(map(Option, rights)), tuple(prompts), tuple(sequence)


def _numbers(asked: str, read: Reader, letters: Reader) -> tuple[Accepted, ...]:
    """A number before the first mark is right, as one behind `=` is."""
    marked = "=" in asked or "~" in asked
    first = _parts(asked)[0][1:] if marked else asked[1:]
    pieces = _pieces(asked, read, letters) if marked else []
    unmarked = not pieces or not (first == "" or first.isspace())
    if unmarked:
        text, _, explain = first.partition("#")
        pieces.insert(0, Option(letters(text), True, read(explain)))
    accepted = []
    wrong: list[tuple[int, Misread]] = []
    for n, one in enumerate(pieces, start=-1 if unmarked else 0):
        text = one.text if one.text or n < 0 else "*"  # then it is told for whatever else is answered
        number: Number | None = None
        if text != "*":
            try:
                number = _number(text)
            except Misread as error:
                wrong.append((n, error))
        worth = (1.0 if one.right else 0.0) if one.weight is None else max(0.0, one.weight)
        accepted.append(Accepted(text, worth, one.explain, number))
    _tell(asked, wrong)
    return _right(accepted, 1)


def _number(text: str) -> Number:
    """Raises Misread at 1, behind its mark."""
    match = _NUMBER.fullmatch(text)
    if not match:
        what = repr(text[:20]) if text else "nothing"
        raise Misread(1, f"{what} is not a number", "Write `#3`, `#3:0.1` or `#2.9..3.1`")
    value, width, end = match.groups()
    first = float(value)
    if width:
        around = abs(float(width))
        return Number(first - around, first + around, "", first)
    if end:
        last = float(end)
        if last < first:
            raise Misread(1, f"a range from {value} down to {end}", "Write the smaller number first")
        return Number(first, last)
    return Number(first, first, "", first)


def _right(accepted: list[Accepted], at: int = 0) -> tuple[Accepted, ...]:
    if accepted[0].weight < 1 and not any(answer.weight >= 1 for answer in accepted):
        raise Misread(at, "no answer is right", "Write one as `=right`, without a weight")
    return tuple(accepted)

"""GIFT, Moodle's question format in plain text, read with every position kept.

    // a comment; [id:q1] [tag:ring] in one are the next question's
    $CATEGORY: course/ring

    ::Title:: [markdown]Stem, with \\= \\~ \\# \\{ \\} \\: escaped {
      =right ~wrong#why ~%50%half right
      ####general feedback
    }

The kind follows from the braces: `{}` essay, none at all a description, `{T}` `{FALSE}` true or false,
`{#3:0.1}` `{#1..2}` numeric, `{=a -> b …}` match, only `=` a short text, any `~` a choice (several right ones
where no `=` is among them). Text behind the braces makes a gap in the sentence. A blank line ends a question,
even inside its braces. Rules as in Moodle's documentation of the format and its importer; where that guesses
silently (a missing `=`, a lost brace) the place is named instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple, get_args

from quiz.formats.bank import Bank, Names, shared
from quiz.question import Accepted, Markup, Number, Option, Question, Trouble

GAP = "_____"

_MARKUPS: tuple[Markup, ...] = get_args(Markup)
_FORMAT = re.compile(r"\s*\[(\w+)\]")
_ESCAPE = re.compile(r"\\([~=#{}:n\\])")
_BRACE = re.compile(r"\\.|[{}]", re.S)
_MARK = re.compile(r"\\.|[=~]", re.S)
_HASH = re.compile(r"\\.|#", re.S)
_ARROW = re.compile(r"\\.|->", re.S)
_GENERAL = re.compile(r"\\.|####", re.S)
_TITLE_END = re.compile(r"\\.|::", re.S)
_WEIGHT = re.compile(r"\s*%(-?[0-9]+(?:\.[0-9]*)?)%")
_ANY_WEIGHT = re.compile(r"\s*%([^%\n]*)%")
_FLOAT = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_NUMBER = re.compile(rf"({_FLOAT})(?:\s*:\s*({_FLOAT})|\s*\.\.\s*({_FLOAT}))?")
_TAG = re.compile(r"\[(id|tag):((?:\\.|[^\]\\])*)\]")
_BLANKS = re.compile(r"\n(?:[ \t\f\v]*\n)+")
_GONE = "\x1f"  # stands for a comment's text: no blank line, yet blank to `strip`
_CATEGORIES = re.compile(r"(?:\$CATEGORY:([^\n]*)\s*)+")  # the last one counts
_COMMENT = re.compile(r"^[ \t]*//.*", re.M)


class _Error(Exception):
    def __init__(self, at: int, message: str, mend: str) -> None:
        super().__init__(message)
        self.at, self.message, self.mend = at, message, mend


class _Chunk(NamedTuple):
    """What stands between blank lines, comments blanked out: where it begins, its text, ids and tags above,
    its braces. `joined`: it holds blank lines, for its brace was open."""

    at: int
    text: str
    ids: dict[str, list[str]]
    braces: list[re.Match[str]]
    joined: bool = False


_Fields = dict[str, Any]  # of a question, all known before one is made: frozen ones are dear to copy


class _Piece(NamedTuple):
    """One answer: its mark `=` or `~`, the text up to its feedback, both with where they begin."""

    mark: str
    text: str
    at: int
    explain: str
    weight: float | None


def read(text: str) -> Bank:
    """All questions of a GIFT file, and what is wrong with the others. Never raises.

    A broken question is left out whole; what follows it is read as if it were not there.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    found: list[Question] = []
    errors: list[_Error] = []  # each at its offset in the file
    names = Names()
    category = ""
    line, counted = 1, 0
    for chunk in _chunks(text):
        at = chunk.at
        try:
            if named := _CATEGORIES.match(chunk.text):
                category = named[1].strip()
                if named.end() == len(chunk.text):
                    continue
                at += named.end()
                chunk = _chunk(at, chunk.text[named.end() :], chunk.ids)
                what = "a question begins right below its category"
                errors.append(_Error(at, what, "Leave a blank line between"))
            line, counted = line + text.count("\n", counted, at), at
            fields = _question(chunk, line)
            id = names.take(fields.pop("id"), fields["title"] or fields["stem"])
            found.append(Question(id=id, category=category, **fields))
        except _Error as error:
            error.at += at
            errors.append(error)
    return Bank(tuple(found), tuple(_troubles(text, errors)))


def _troubles(text: str, errors: list[_Error]) -> Iterator[Trouble]:
    line, counted = 1, 0
    for error in sorted(errors, key=lambda error: error.at):
        at = min(error.at, len(text))
        line, counted = line + text.count("\n", counted, at), at
        yield Trouble(line, error.message, error.mend, at - text.rfind("\n", 0, at))


def _chunks(text: str) -> Iterator[_Chunk]:
    """A chunk whose brace stays open takes along those up to the one that closes it: one trouble only."""
    ids: dict[str, list[str]] = {}
    lost: _Chunk | None = None  # a chunk whose brace is open
    for start, block in _blocks(text):
        if "//" in block:
            for comment in _COMMENT.findall(block):
                for what, value in _TAG.findall(comment):
                    ids.setdefault(what, []).append(re.sub(r"\\(.)", r"\1", value).strip())
            block = _COMMENT.sub(lambda match: _GONE * len(match[0]), block)
        lead = len(block) - len(block.lstrip())
        chunk = _chunk(start + lead, block[lead:], ids)
        signs = [match[0] for match in chunk.braces]
        if lost is not None and signs[:1] != ["{"]:
            if signs:
                whole = _chunk(lost.at, text[lost.at : start] + block, lost.ids)
                yield whole._replace(joined=True)
                lost, ids = None, {}
            continue
        if lost is not None:
            yield lost
            lost = None
        if signs == ["{"]:
            lost, ids = chunk, {}
        elif chunk.text:
            yield chunk
            ids = {}
    if lost is not None:
        yield lost


def _chunk(at: int, text: str, ids: dict[str, list[str]]) -> _Chunk:
    return _Chunk(at, text, ids, [match for match in _BRACE.finditer(text) if match[0] in "{}"])


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for gap in _BLANKS.finditer(text):
        yield at, text[at : gap.start()]
        at = gap.end()
    yield at, text[at:]


def _question(chunk: _Chunk, line: int) -> _Fields:
    """The fields of the question in `chunk`, which begins at `line`."""
    text = chunk.text
    if chunk.joined and (blank := _BLANKS.search(text)):
        raise _Error(
            blank.start() + 1, "a blank line ends this question before its `}`", "Delete the blank line"
        )
    if (nul := text.find("\0")) >= 0:
        raise _Error(nul, "a NUL byte in the text", "Delete it, or save the file as UTF-8")
    if (lost := text.find("\n$CATEGORY:")) >= 0:
        raise _Error(lost + 1, "a category right below a question", "Leave a blank line between")
    begin, title = _title(text)
    opened, closed = _answers([brace for brace in chunk.braces if brace.start() >= begin], text)
    head, tail = text[begin:opened], text[closed + 1 :] if closed >= 0 else ""
    markup: Markup = "moodle"
    prefix = _FORMAT.match(head) if "[" in head else None
    if prefix and prefix[1] in _MARKUPS:
        markup, head = prefix[1], head[prefix.end() :]
    stem = _plain(head + GAP + tail if tail.strip() else head)
    if not stem:
        raise _Error(begin, "the question itself is missing", "Write it before the `{`")
    fields: _Fields = {
        "id": next(iter(chunk.ids.get("id", ())), ""),
        "stem": stem,
        "title": _text(title),
        "tags": tuple(chunk.ids.get("tag", ())),
        "line": line + text.count("\n", 0, begin),
        "markup": markup,
    }
    if closed < 0:
        return {**fields, "kind": "description", "points": 0.0}
    return fields | _answered(text[opened + 1 : closed], opened + 1)


def _title(chunk: str) -> tuple[int, str]:
    """Where the stem begins, and the title before it."""
    if not chunk.startswith("::"):
        return 0, ""
    end = next((m.start() for m in _TITLE_END.finditer(chunk, 2) if m[0] == "::"), -1)
    if end < 0:
        raise _Error(0, "the title opened here is not closed", "Write `::Title::` before the question")
    return end + 2, chunk[2:end]


def _answers(braces: list[re.Match[str]], chunk: str) -> tuple[int, int]:
    """The offsets of `{` and `}`; the end of the text and -1 for a description."""
    if not braces:
        return len(chunk), -1
    if braces[0][0] == "}":
        raise _Error(braces[0].start(), "a `}` that closes nothing", "Write `\\}` for the sign itself")
    if len(braces) == 1:
        raise _Error(
            braces[0].start(), "the answers opened here are not closed", "Write `}` behind the last one"
        )
    if braces[1][0] == "{":
        raise _Error(
            braces[1].start(), "a `{` inside the answers", "Write `\\{` for the sign itself, or `}` first"
        )
    if len(braces) > 2:
        third = braces[2]
        sign = third[0]
        mend = f"Leave a blank line between two questions, or write `\\{sign}` for the sign itself"
        raise _Error(third.start(), f"a second `{sign}` in one question", mend)
    return braces[0].start(), braces[1].start()


def _answered(body: str, at: int) -> _Fields:
    """Kind and answers from `body`, which begins at offset `at` of its chunk."""
    explain = ""
    if "####" in body and (general := [m for m in _GENERAL.finditer(body) if m[0] == "####"]):
        explain = _text(body[general[-1].end() :])
        body = body[: general[-1].start()]
    at += len(body) - len(body.lstrip())
    return {**_kind(body.strip(), at), "explain": explain}


def _kind(body: str, at: int) -> _Fields:
    if not body:
        return {"kind": "essay"}
    if body.startswith("#"):
        return _numeric(body[1:], at + 1)
    if body[0] in "TtFf":
        word, *feedback = (part for part, _ in _split(body, _HASH, "#"))
        if word.strip().upper() in ("T", "TRUE", "F", "FALSE"):
            return _truefalse(word.strip().upper()[0] == "T", [_text(part) for part in feedback])
    marks = [m for m in _MARK.finditer(body) if m[0] in "=~"]
    if not marks or body[: marks[0].start()].strip():
        raise _Error(at, "an answer begins with neither `=` nor `~`", "Write `=right` or `~wrong`")
    pieces = _pieces(body, marks, at)
    if any(piece.mark == "~" for piece in pieces):
        return _choice(pieces)
    if any(m[0] == "->" for m in _ARROW.finditer(body)):
        return _match(body, marks, at)
    accepted = tuple(
        Accepted(p.text, 1.0 if p.weight is None else max(0.0, p.weight), p.explain) for p in pieces
    )
    return {"kind": "text", "accepted": _right(accepted, at)}


def _pieces(body: str, marks: list[re.Match[str]], at: int) -> list[_Piece]:
    found = []
    spaced = any(body[mark.start() - 1].isspace() for mark in marks[1:])
    for mark, after in zip(marks, [*(m.start() for m in marks[1:]), len(body)], strict=True):
        if spaced and mark[0] == "=" and mark.start() and body[mark.start() - 1].isalnum():
            # Elsewhere in these braces answers stand apart: this is `header=True`, not an answer.
            raise _Error(
                at + mark.start(), "an `=` inside a word", "Write `\\=`, or a blank before an answer"
            )
        text, begin = body[mark.end() : after], mark.end()
        weight = None
        if "%" not in text:
            pass
        elif match := _WEIGHT.match(text):
            weight = float(match[1]) / 100
            if abs(weight) > 1:
                raise _Error(at + begin, f"a weight of {match[1]} %", "Write one from `%-100%` to `%100%`")
            text, begin = text[match.end() :], begin + match.end()
        elif wrong := _ANY_WEIGHT.match(text):
            raise _Error(
                at + begin, f"`{wrong[0].strip()[:12]}` is no weight", "Write a number, as in `%50%`"
            )
        (text, _), *rest = _split(text, _HASH, "#")
        explain = _text("#".join(part for part, _ in rest)) if rest else ""
        if not text.strip() and not (mark[0] == "~" and explain):
            raise _Error(
                at + mark.start(),
                "this answer is empty",
                f"Write it behind the `{mark[0]}`, or delete the sign",
            )
        found.append(_Piece(mark[0], _text(text), at + mark.start(), explain, weight))
    return found


def _truefalse(true: bool, feedback: list[str]) -> _Fields:
    """The first feedback is for who answers wrong, the second for who answers right."""
    wrong, right = (*feedback, "", "")[:2]
    options = (
        Option("True", true, right if true else wrong),
        Option("False", not true, wrong if true else right),
    )
    return {"kind": "truefalse", "options": options}


def _choice(pieces: list[_Piece]) -> _Fields:
    single = any(piece.mark == "=" for piece in pieces)
    full = [p for p in pieces if p.mark == "=" and p.weight is None]
    if len(pieces) < 2:
        raise _Error(pieces[0].at, "a choice of one answer", "Write `=right` and `~wrong` ones")
    for piece in pieces:
        if not piece.text:
            raise _Error(
                piece.at, "this answer is empty", f"Write it behind the `{piece.mark}`, or delete the sign"
            )
    if single and not full and not any((p.weight or 0) >= 1 for p in pieces):
        raise _Error(pieces[0].at, "no answer is right", "Put `=` before the right one")
    if not single and not any((p.weight or 0) > 0 for p in pieces):
        raise _Error(
            pieces[0].at, "no answer is right", "Put `=` before the right one, or `~%50%` before several"
        )

    def right(p: _Piece) -> bool:
        return (p in full or (p.weight or 0) >= 1) if single else (p.weight or 0) > 0

    options = tuple(Option(p.text, right(p), p.explain, p.weight) for p in pieces)
    return {"kind": "single" if single else "multi", "options": options if single else shared(options)}


def _match(body: str, marks: list[re.Match[str]], at: int) -> _Fields:
    """Right sides whose left is empty are there to mislead; equal ones are one."""
    prompts: list[str] = []
    rights: list[str] = []
    sequence: list[int] = []
    for mark, after in zip(marks, [*(m.start() for m in marks[1:]), len(body)], strict=True):
        pair = body[mark.end() : after]
        sides = _split(pair, _ARROW, "->")
        if len(sides) == 1:
            raise _Error(
                at + mark.start(),
                "this pair has no `->`",
                "Write `=left -> right`, `\\=` for the sign itself",
            )
        left, right = _text(sides[0][0]), _text(pair[sides[1][1] :])  # a second arrow is text
        if not right:
            raise _Error(at + mark.start(), "the right side of this pair is empty", "Write `=left -> right`")
        if right not in rights:
            rights.append(right)
        if left:
            prompts.append(left)
            sequence.append(rights.index(right))
    if len(marks) < 2 or not prompts:
        raise _Error(at, "there are not two pairs to match", "Write `=left -> right` for each")
    options = tuple(Option(right) for right in rights)
    return {"kind": "match", "prompts": tuple(prompts), "options": options, "sequence": tuple(sequence)}


def _numeric(body: str, at: int) -> _Fields:
    marks = [m for m in _MARK.finditer(body) if m[0] in "=~"]
    if not marks:
        (text, _), *rest = _split(body, _HASH, "#")
        explain = _text("#".join(part for part, _ in rest)) if rest else ""
        number = _number(text, at)
        return {"kind": "numeric", "accepted": (Accepted(_text(text), 1.0, explain, number),)}
    if body[: marks[0].start()].strip():
        raise _Error(at, "an answer before the first `=`", "Write `=` before each number")
    accepted = []
    for piece in _pieces(body, marks, at):
        worth = (1.0 if piece.mark == "=" else 0.0) if piece.weight is None else max(0.0, piece.weight)
        if piece.text in ("", "*"):  # feedback for whatever else is answered
            accepted.append(Accepted("*", worth, piece.explain))
        else:
            accepted.append(Accepted(piece.text, worth, piece.explain, _number(piece.text, piece.at + 1)))
    return {"kind": "numeric", "accepted": _right(tuple(accepted), at)}


def _number(text: str, at: int) -> Number:
    match = _NUMBER.fullmatch(text.strip())
    if not match:
        what = repr(text.strip()[:20]) if text.strip() else "nothing"
        raise _Error(at, f"{what} is no number", "Write `#3`, `#3:0.1` or `#2.9..3.1`")
    first = float(match[1])
    if match[2]:
        width = abs(float(match[2]))
        return Number(first - width, first + width, "", first)
    if match[3]:
        last = float(match[3])
        if last < first:
            raise _Error(at, f"a range from {match[1]} down to {match[3]}", "Write the smaller number first")
        return Number(first, last)
    return Number(first, first, "", first)


def _right(accepted: tuple[Accepted, ...], at: int) -> tuple[Accepted, ...]:
    if not any(answer.weight >= 1 for answer in accepted):
        raise _Error(at, "no answer is right", "Write one as `=right`, without a weight")
    return accepted


def _split(text: str, pattern: re.Pattern[str], sign: str) -> list[tuple[str, int]]:
    """`text` cut at each unescaped `sign`, with the offset of each part."""
    if sign not in text:
        return [(text, 0)]
    parts, begin = [], 0
    for match in pattern.finditer(text):
        if match[0] == sign:
            parts.append((text[begin : match.start()], begin))
            begin = match.end()
    return [*parts, (text[begin:], begin)]


def _text(raw: str) -> str:
    """The text meant by `raw`: without format mark and comments, escapes resolved, no blanks around it."""
    prefix = _FORMAT.match(raw) if "[" in raw else None
    if prefix and prefix[1] in _MARKUPS:
        raw = raw[prefix.end() :]
    return _plain(raw)


def _plain(raw: str) -> str:
    if _GONE in raw:
        raw = re.sub(f"{_GONE}+\n?", "", raw)
    raw = raw.strip()
    return _ESCAPE.sub(lambda m: "\n" if m[1] == "n" else m[1], raw).strip() if "\\" in raw else raw

"""GIFT, Moodle's question format in plain text, read with every position kept.

    // a comment; [id:q1] [tag:ring] in one are the next question's
    $CATEGORY: course/ring

    ::Title:: [markdown]Stem, with \\= \\~ \\# \\{ \\} \\: escaped {
      =right ~wrong#why ~%50%half right
      ####general feedback
    }

The kind follows from the braces: `{}` essay, none at all a description, `{T}` `{FALSE}` true or false,
`{#3:0.1}` `{#1..2}` `{#=3 =%50%2..4 ~#else}` numeric, `{=a -> b …}` match, only `=` a short text, any `~` a
choice (several right ones where no `=` is among them). Text behind the braces makes a gap in the sentence. A
blank line ends a question, even inside its braces. Rules as in Moodle's documentation of the format and its
importer; where that guesses silently (a missing `=`, a lost brace) the place is named instead.

A bank has thousands, so what an escape or a comment hides is put out of the way first, by as many characters:
then every control character left is one, `find` and `split` do, and offsets stay those of the file. Lines and
columns are only counted for what is told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, get_args

import msgspec

from quiz.formats.bank import Bank, Names, doubts, shared
from quiz.question import Accepted, Markup, Number, Option, Question, Trouble

GAP = "_____"

_MARKUPS: tuple[Markup, ...] = get_args(Markup)
_FORMAT = re.compile(r"\[(\w+)\]")
_WEIGHT = re.compile(r"%(-?[0-9]+(?:\.[0-9]*)?)%")
_ANY_WEIGHT = re.compile(r"%([^%\n]*)%")
_FLOAT = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_NUMBER = re.compile(rf"({_FLOAT})(?:\s*:\s*({_FLOAT})|\s*\.\.\s*({_FLOAT}))?")
_TAG = re.compile(r"\[(id|tag):((?:\\.|[^\]\\])*)\]")
_BLANKS = re.compile(r"\n(?:[ \t\f\v]*\n)+")
_CATEGORIES = re.compile(r"(?:\$CATEGORY:([^\n]*)\s*)+")  # the last one counts
_BELOW = re.compile(r"\}[ \t\f\v]*\n\s*(?=[^{}]*\{)")  # behind it begins another question
_COMMENT = re.compile(r"^[ \t]*//.*", re.M)
_GONE = "\x1f"  # stands for a comment's text: no blank line, yet blank to `strip`
_ESCAPE = "\x0e"  # stands for the backslash of an escape, another control character for what it escapes
_MEANT = dict(zip("\x01\x02\x03\x04\x05\x06\x07\x08", "\\~=#{}:\n", strict=True))
_STANDS = {"\\" + ("n" if sign == "\n" else sign): _ESCAPE + stand for stand, sign in _MEANT.items()}
_ESCAPES = re.compile(r"\\[\\~=#{}:n]")
_ESCAPED = re.compile(_ESCAPE + r"(.)", re.S)


class _Error(Exception):
    def __init__(self, at: int, message: str, mend: str) -> None:
        super().__init__(message)
        self.at, self.message, self.mend = at, message, mend


class _Chunk(msgspec.Struct, gc=False):
    """What stands between blank lines: where it begins, its text, ids and tags above. `joined`: it holds
    blank lines, for its brace was open."""

    at: int
    text: str
    ids: dict[str, list[str]]
    joined: bool = False


_Fields = dict[str, Any]  # of a question
_Reader = Callable[[str], str]  # what a piece of the file means: without blanks, marks and escapes

# An answer: its mark `=` or `~`, its text, its feedback, its share of the points, and its offset.
_Piece = tuple[str, str, str, float | None, int]


def read(text: str) -> Bank:
    """All questions of a GIFT file, and what is wrong with the others. Never raises.

    A broken question is left out whole; what follows it is read as if it were not there.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    found: list[Question] = []
    errors: list[_Error] = []  # each at its offset in the file
    notes: list[Trouble] = []
    names = Names()
    category = ""
    line, counted = 1, 0
    for chunk in _chunks(text):
        at = chunk.at
        try:
            if chunk.text[0] == "$" and (named := _CATEGORIES.match(chunk.text)):
                category = text[at + named.start(1) : at + named.end(1)].strip()
                if named.end() == len(chunk.text):
                    continue
                at += named.end()
                chunk = _Chunk(at, chunk.text[named.end() :], chunk.ids)
                what = "a question begins right below its category"
                errors.append(_Error(at, what, "Leave a blank line between"))
            line, counted = line + text.count("\n", counted, at), at
            found.append(_question(chunk, line, category, names))
            if "%" in chunk.text:
                notes += [Trouble(found[-1].line, *doubt, 1) for doubt in doubts(found[-1])]
        except _Error as error:
            parts = _parts(chunk)
            for part in parts:
                line, counted = line + text.count("\n", counted, part.at), part.at
                found.append(_question(part, line, category, names))
            what = "a question begins right below another"
            errors += [_Error(part.at, what, "Leave a blank line between") for part in parts[1:]]
            if not parts:
                error.at += at
                errors.append(error)
    return Bank(tuple(found), tuple(_troubles(text, errors)), (*notes, *names.notes(found)))


def _troubles(text: str, errors: list[_Error]) -> Iterator[Trouble]:
    line, counted = 1, 0
    for error in sorted(errors, key=lambda error: error.at):
        at = min(error.at, len(text))
        line, counted = line + text.count("\n", counted, at), at
        yield Trouble(line, error.message, error.mend, at - text.rfind("\n", 0, at))


def _hidden(text: str) -> str:
    """The text with comments and escapes out of the way, each by as many characters as it has."""
    text = text.replace(_GONE, " ").replace(_ESCAPE, " ").replace("\n\ufeff", "\n ")
    if "//" in text:
        text = _COMMENT.sub(lambda match: _GONE * len(match[0]), text)
    if "\\" in text:
        text = _ESCAPES.sub(lambda match: _STANDS[match[0]], text)
    return text


def _chunks(source: str) -> Iterator[_Chunk]:
    """A chunk whose brace stays open takes along those up to the one that closes it: one trouble only."""
    text = _hidden(source)
    ids: dict[str, list[str]] = {}
    lost: _Chunk | None = None  # a chunk whose brace is open
    for start, block in _blocks(text):
        if _GONE in block:
            for comment in _COMMENT.findall(source, start, start + len(block)):
                for what, value in _TAG.findall(comment):
                    ids.setdefault(what, []).append(re.sub(r"\\(.)", r"\1", value).strip())
        body = block.lstrip()
        if not body:
            continue
        chunk = _Chunk(start + len(block) - len(body), body.rstrip(), ids)
        opened, closed = body.count("{"), body.count("}")
        if lost is None and opened == closed:  # as nearly always
            yield chunk
            ids = {}
            continue
        begins = opened and (not closed or body.index("{") < body.index("}"))
        if lost is not None and not begins:
            if closed:
                yield _Chunk(lost.at, text[lost.at : start] + block, lost.ids, joined=True)
                lost, ids = None, {}
            continue
        if lost is not None:
            yield lost
            lost = None
        if (opened, closed) == (1, 0):
            lost = chunk
        else:
            yield chunk
        ids = {}
    if lost is not None:
        yield lost


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for gap in _BLANKS.finditer(text):
        yield at, text[at : gap.start()]
        at = gap.end()
    yield at, text[at:]


def _parts(chunk: _Chunk) -> list[_Chunk]:
    """The questions in a chunk that holds several without a blank line between, if each of them is whole."""
    ends = [0, *(match.end() for match in _BELOW.finditer(chunk.text)), len(chunk.text)]
    parts = [
        _Chunk(chunk.at + begin, chunk.text[begin:end].rstrip(), {} if begin else chunk.ids)
        for begin, end in pairwise(ends)
    ]
    if len(parts) == 1 or chunk.joined:
        return []
    try:
        for part in parts:
            _question(part, 0, "", Names())
    except _Error:
        return []
    return parts


def _question(chunk: _Chunk, line: int, category: str, names: Names) -> Question:
    """The question in `chunk`, which begins at `line`."""
    text = chunk.text
    if chunk.joined and (blank := _BLANKS.search(text)):
        raise _Error(
            blank.start() + 1, "a blank line ends this question before its `}`", "Delete the blank line"
        )
    if "\0" in text:
        raise _Error(text.index("\0"), "a NUL byte in the text", "Delete it, or save the file as UTF-8")
    if "\n$CATEGORY:" in text:
        at = text.index("\n$CATEGORY:") + 1
        raise _Error(at, "a category right below a question", "Leave a blank line between")
    begin, title = _title(text)
    opened, closed = _braces(text, begin)
    head, tail = text[begin:opened].lstrip(), text[closed + 1 :] if closed >= 0 else ""
    markup: Markup = "moodle"
    if head[:1] == "[" and (prefix := _FORMAT.match(head)) and prefix[1] in _MARKUPS:
        markup, head = prefix[1], head[prefix.end() :]
    stem = _plain(head + GAP + tail if tail.strip() else head)
    if not stem:
        raise _Error(begin, "the question itself is missing", "Write it before the `{`")
    if closed < 0:
        answers: _Fields = {"kind": "description", "points": 0.0}
    else:
        answers = _answered(text[opened + 1 : closed], opened + 1)
    ids = chunk.ids
    return Question(
        id=names.take(ids["id"][0] if "id" in ids else "", title or stem),
        stem=stem,
        title=title,
        category=category,
        tags=tuple(ids["tag"]) if "tag" in ids else (),
        line=line + text.count("\n", 0, begin),
        markup=markup,
        **answers,
    )


def _title(text: str) -> tuple[int, str]:
    """Where the stem begins, and the title before it."""
    if not text.startswith("::"):
        return 0, ""
    end = text.find("::", 2)
    if end < 0:
        raise _Error(0, "the title opened here is not closed", "Write `::Title::` before the question")
    return end + 2, _text(text[2:end])


def _braces(text: str, begin: int) -> tuple[int, int]:
    """The offsets of `{` and `}` from `begin` on; the end of the text and -1 for a description."""
    opened, closed = text.find("{", begin), text.find("}", begin)
    if 0 <= opened < closed and text.rfind("{") == opened and text.rfind("}") == closed:
        return opened, closed
    if opened < 0 and closed < 0:
        return len(text), -1
    if opened < 0 or 0 <= closed < opened:
        raise _Error(closed, "a `}` that closes nothing", "Write `\\}` for the sign itself")
    second = text.find("{", opened + 1)
    if closed < 0 and second < 0:
        raise _Error(opened, "the answers opened here are not closed", "Write `}` behind the last one")
    if closed < 0 or 0 <= second < closed:
        raise _Error(second, "a `{` inside the answers", "Write `\\{` for the sign itself, or `}` first")
    third = min(at for at in (second, text.find("}", closed + 1)) if at >= 0)
    mend = f"Leave a blank line between two questions, or write `\\{text[third]}` for the sign itself"
    raise _Error(third, f"a second `{text[third]}` in one question", mend)


def _answered(body: str, at: int) -> _Fields:
    """Kind and answers from `body`, which begins at offset `at` of its chunk."""
    # Mostly there is nothing to resolve; then blanks are all that is cut off.
    read: _Reader = _text if "[" in body or _ESCAPE in body or _GONE in body else str.strip
    explain = ""
    if "####" in body:
        body, _, general = body.rpartition("####")
        explain = read(general)
    stripped = body.strip()
    fields = _kind(stripped, at + body.find(stripped[:1]), read)
    if explain:
        fields["explain"] = explain
    return fields


def _kind(body: str, at: int, read: _Reader) -> _Fields:
    if not body:
        return {"kind": "essay"}
    if body[0] == "#":
        return _numeric(body[1:], at + 1, read)
    if body[0] in "TtFf":
        word, *feedback = body.split("#", 2)
        if word.strip().upper() in ("T", "TRUE", "F", "FALSE"):
            return _truefalse(body[0] in "Tt", [read(part) for part in feedback])
    if body[0] not in "=~":
        raise _Error(at, "an answer begins with neither `=` nor `~`", "Write `=right` or `~wrong`")
    if "~" not in body and "->" in body:
        return _match(body, at, read)
    pieces = _pieces(_marked(body)[1:], at, read)
    if "~" in body:
        return _choice(pieces)
    accepted = [
        Accepted(text, 1.0 if weight is None else max(0.0, weight), explain)
        for _, text, explain, weight, _ in pieces
    ]
    return {"kind": "text", "accepted": _right(accepted, at)}


def _marked(body: str) -> list[str]:
    """What stands before the first mark, then each answer: behind its `~`, or with its `=`."""
    return body.replace("=", "~=").split("~")


def _pieces(parts: list[str], at: int, read: _Reader) -> list[_Piece]:
    """The answers in `parts`, as `_marked` gives them; the first of them stands at `at`."""
    found: list[_Piece] = []
    before = ""
    apart: bool | None = None
    for part in parts:
        mark, answer = ("=", part[1:]) if part[:1] == "=" else ("~", part)
        if mark == "=" and before[-1:].isalnum():
            if apart is None:
                apart = any(one[-1:].isspace() for one in parts[:-1])
            # Where other answers of these braces stand apart, this is `header=True`, not an answer.
            if apart:
                raise _Error(at, "an `=` inside a word", "Write `\\=`, or a blank before an answer")
        width = 1 + len(answer)
        weight: float | None = None
        explain = ""
        before = answer
        if "%" in answer:
            weight, answer = _weight(answer, at + 1)
        if "#" in answer:
            answer, _, explain = answer.partition("#")
            explain = read(explain)
        answer = read(answer)
        if not answer and not (mark == "~" and explain):
            raise _Error(at, "this answer is empty", f"Write it behind the `{mark}`, or delete the sign")
        found.append((mark, answer, explain, weight, at))
        at += width
    return found


def _weight(text: str, at: int) -> tuple[float | None, str]:
    """The weight before an answer, and the answer; `text` begins at `at`."""
    text = text.lstrip()
    if match := _WEIGHT.match(text):
        weight = round(float(match[1]) / 100, 7)
        if abs(weight) > 1:
            raise _Error(at, f"a weight of {match[1]} %", "Write one from `%-100%` to `%100%`")
        return weight, text[match.end() :]
    if wrong := _ANY_WEIGHT.match(text):
        raise _Error(at, f"`{wrong[0][:12]}` is no weight", "Write a number, as in `%50%`")
    return None, text


def _truefalse(true: bool, feedback: list[str]) -> _Fields:
    """The first feedback is for who answers wrong, the second for who answers right."""
    wrong, right = (*feedback, "", "")[:2]
    options = (
        Option("True", true, right if true else wrong),
        Option("False", not true, wrong if true else right),
    )
    return {"kind": "truefalse", "options": options}


def _choice(pieces: list[_Piece]) -> _Fields:
    """One is right where an `=` is among them, else every one with a share."""
    if len(pieces) < 2:
        raise _Error(pieces[0][4], "a choice of one answer", "Write `=right` and `~wrong` ones")
    single = any(piece[0] == "=" for piece in pieces)
    options = []
    some = False
    for mark, text, explain, weight, at in pieces:
        if not text:
            raise _Error(at, "this answer is empty", f"Write it behind the `{mark}`, or delete the sign")
        right = mark == "=" if weight is None else weight >= 1 if single else weight > 0
        some = some or right
        options.append(Option(text, right, explain, weight))
    if not some:
        mend = "Put `=` before the right one" + ("" if single else ", or `~%50%` before several")
        raise _Error(pieces[0][4], "no answer is right", mend)
    made = tuple(options)
    return {"kind": "single", "options": made} if single else {"kind": "multi", "options": shared(made)}


def _match(body: str, at: int, read: _Reader) -> _Fields:
    """Right sides whose left is empty are there to mislead; equal ones are one."""
    pairs = body[1:].split("=")
    prompts: list[str] = []
    rights: dict[str, int] = {}
    sequence: list[int] = []
    place = at
    for pair in pairs:
        left, arrow, right = pair.partition("->")  # a second arrow is text
        if not arrow:
            mend = "Write `=left -> right`, `\\=` for the sign itself"
            raise _Error(place, "this pair has no `->`", mend)
        left, right = read(left), read(right)
        if not right:
            raise _Error(place, "the right side of this pair is empty", "Write `=left -> right`")
        side = rights.setdefault(right, len(rights))
        if left:
            prompts.append(left)
            sequence.append(side)
        place += 1 + len(pair)
    if len(pairs) < 2 or not prompts:
        raise _Error(at, "there are not two pairs to match", "Write `=left -> right` for each")
    options = tuple(map(Option, rights))
    return {"kind": "match", "prompts": tuple(prompts), "options": options, "sequence": tuple(sequence)}


def _numeric(body: str, at: int, read: _Reader) -> _Fields:
    """A number before the first mark is right, as one behind `=` is."""
    first, *parts = _marked(body)
    pieces: list[_Piece] = []
    if first.strip() or not parts:
        answer, _, explain = first.partition("#")
        pieces.append(("=", read(answer), read(explain), None, at - 1))
    pieces += _pieces(parts, at + len(first), read)
    accepted = []
    for mark, text, explain, weight, place in pieces:
        worth = (1.0 if mark == "=" else 0.0) if weight is None else max(0.0, weight)
        if text == "*" or (mark == "~" and not text):  # feedback for whatever else is answered
            accepted.append(Accepted("*", worth, explain))
        else:
            accepted.append(Accepted(text, worth, explain, _number(text, place + 1)))
    return {"kind": "numeric", "accepted": _right(accepted, at)}


def _number(text: str, at: int) -> Number:
    match = _NUMBER.fullmatch(text)
    if not match:
        what = repr(text[:20]) if text else "nothing"
        raise _Error(at, f"{what} is no number", "Write `#3`, `#3:0.1` or `#2.9..3.1`")
    value, width, end = match.groups()
    first = float(value)
    if width:
        around = abs(float(width))
        return Number(first - around, first + around, "", first)
    if end:
        last = float(end)
        if last < first:
            raise _Error(at, f"a range from {value} down to {end}", "Write the smaller number first")
        return Number(first, last)
    return Number(first, first, "", first)


def _right(accepted: list[Accepted], at: int) -> tuple[Accepted, ...]:
    if accepted[0].weight < 1 and not any(answer.weight >= 1 for answer in accepted):
        raise _Error(at, "no answer is right", "Write one as `=right`, without a weight")
    return tuple(accepted)


def _text(raw: str) -> str:
    """The text meant by `raw`: without format mark and comments, escapes resolved, no blanks around it."""
    raw = raw.strip()
    if raw[:1] == "[" and (prefix := _FORMAT.match(raw)) and prefix[1] in _MARKUPS:
        raw = raw[prefix.end() :]
    return _plain(raw)


def _plain(raw: str) -> str:
    if _GONE in raw:
        raw = re.sub(f"{_GONE}+\n?", "", raw)
    raw = raw.strip()
    return _ESCAPED.sub(lambda match: _MEANT[match[1]], raw).strip() if _ESCAPE in raw else raw

"""What each kind makes of the answers below a stem; one function a kind, all in `BUILDERS`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from quiz.kinds import quantity
from quiz.kinds.traits import Kind
from quiz.question import Accepted, Gap, Number, Option

MAX_OPTIONS = 9  # an option is picked with one digit
MAX_PAIRS = 26  # and of a match with one letter

Says = Callable[[int, str, str], None]

_PERCENT = re.compile(r"(-?[0-9]{1,3}(?:\.[0-9]{1,2})?)%")
_WEIGHTED = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,5})?)% +(?=\S)")
_RANGE = re.compile(r"(?P<low>.+?)\s*\.\.\s*(?P<high>[+−-]?[0-9.,].*)")
_AROUND = re.compile(r"(?P<value>.+?)\s*(?:±|\+/-|\+-)\s*(?P<tolerance>[^\s%]+)\s*(?P<rest>.*)")
_GAP = re.compile(r"\{\{(?P<body>[^{}]*)\}\}")
_OPENS = re.compile(r" {0,3}(`{3,}+|~{3,}+)([^`]*)")
_LONGEST_NUMBER = 200  # characters: longer is none


@dataclass(slots=True)
class Draft:
    """An answer being read. `indent` is the column at which its text goes on."""

    line: int
    mark: str
    indent: int
    text: list[str]
    explain: list[str] = field(default_factory=list)

    @property
    def whole(self) -> str:
        return "\n".join(map(str.rstrip, self.text)).strip("\n")

    @property
    def why(self) -> str:
        return "\n".join(map(str.rstrip, self.explain)).strip("\n")


class Parts(NamedTuple):
    """`head` is the directive's line, `body_line` the first of the body."""

    kind: Kind
    stem: list[str]
    drafts: list[Draft]
    head: int
    body_line: int
    redacted: bool


class Made(NamedTuple):
    """What a kind adds to the question; `stem` where it differs from the one written."""

    options: tuple[Option, ...] = ()
    sequence: tuple[int, ...] = ()
    prompts: tuple[str, ...] = ()
    accepted: tuple[Accepted, ...] = ()
    gaps: tuple[Gap, ...] = ()
    code: str = ""
    lang: str = ""
    stem: str = ""


def _few(parts: Parts, says: Says, count: int, line: int) -> None:
    if count > MAX_OPTIONS:
        says(
            line,
            f"{count} options, and one digit picks from at most {MAX_OPTIONS}",
            "Drop some, or ask two questions",
        )


def _weight(draft: Draft) -> float | None:
    """The share in the box: `[50%]` half, `[-25%]` a quarter lost; None for what is no share."""
    match = _PERCENT.fullmatch(draft.mark.strip())
    return float(match[1]) / 100 if match and abs(float(match[1])) <= 100 else None


def _choice(parts: Parts, says: Says) -> Made:
    drafts = parts.drafts
    right = [draft for draft in drafts if draft.mark in ("x", "X") or _weight(draft) == 1.0]
    for draft in drafts:
        if draft.mark not in (" ", "x", "X") and _weight(draft) is None:
            held = repr(draft.mark) if draft.mark else "nothing"
            says(
                draft.line,
                f"the box of this option holds {held}",
                "Write `- [ ]` for a wrong option, `- [x]` for a right one, `- [50%]` for a share, "
                "`- \\[` for a plain bracket",
            )
    if parts.kind == "multi":  # there every share above nothing is a right pick
        right = [d for d in drafts if d.mark in ("x", "X") or (_weight(d) or 0) > 0]
    gaps = "; for a text with gaps, `kind=cloze`" if any(map(_GAP.search, parts.stem)) else ""
    if not drafts:
        says(
            parts.head, "there are no options", f"Write `- [ ] text` for each, `- [x]` for a right one{gaps}"
        )
    elif not right and not parts.redacted:
        says(drafts[0].line, "no option is right", f"Mark the right one with `- [x]`{gaps}")
    if len(drafts) > MAX_OPTIONS:
        _few(parts, says, len(drafts), drafts[MAX_OPTIONS].line)
    # Whoever writes `[100%]` beside means that either is right.
    crossed = [draft for draft in drafts if draft.mark in ("x", "X")]
    if parts.kind == "single" and len(crossed) > 1:
        says(
            crossed[1].line,
            f"a single-choice question with {len(crossed)} right options",
            "Keep one `[x]`, or write `kind=multi`, or `[100%]` where either is right",
        )
    lines = {draft.line for draft in right}  # each has its own
    return Made(tuple(Option(d.whole, d.line in lines, d.why, _weight(d)) for d in drafts))


def _truefalse(parts: Parts, says: Says) -> Made:
    """`= true`, or two boxes whose texts are the author's own words for true and false, in this order."""
    drafts = parts.drafts
    if drafts and drafts[0].mark not in ("=", "~"):
        if len(drafts) != 2:
            says(drafts[0].line, f"true or false with {len(drafts)} options", "Write `= true` or `= false`")
        return _choice(parts, says)
    words = {draft.whole.casefold(): draft for draft in drafts}
    if not parts.redacted and (len(drafts) not in (1, 2) or not words.keys() <= {"true", "false"}):
        line = drafts[0].line if drafts else parts.head
        says(line, "neither true nor false is marked as right", "Write `= true` or `= false`")
    right = next((word for word, draft in words.items() if draft.mark == "="), "")
    # Of two `=` lines, or only a `~` line, nothing is clear.
    if drafts and sum(draft.mark == "=" for draft in drafts) != 1:
        says(
            drafts[0].line,
            "one of true and false must be right",
            "Write `= true`; `~ false` explains the other",
        )
    why = {word: draft.why for word, draft in words.items()}
    return Made(tuple(Option(w.title(), w == right, why.get(w, "")) for w in ("true", "false")))


def _poll(parts: Parts, says: Says) -> Made:
    for draft in parts.drafts:
        if draft.mark in ("x", "X"):
            says(draft.line, "nothing is right in a poll", "Write `- text`, or make it a `::: quiz`")
    if len(parts.drafts) < 2:
        says(parts.head, "a poll needs two options at least", "Write `- text` for each")
    else:
        _few(parts, says, len(parts.drafts), parts.drafts[-1].line)
    return Made(tuple(Option(draft.whole, False, draft.why) for draft in parts.drafts))


def _order(parts: Parts, says: Says) -> Made:
    count = len(parts.drafts)
    if count < 2:
        says(
            parts.head,
            "there is nothing to put in order",
            "Write the items in right order: `1. first`, `2. then`",
        )
    else:
        _few(parts, says, count, parts.drafts[-1].line)
    options = tuple(Option(draft.whole, False, draft.why) for draft in parts.drafts)
    return Made(options, () if parts.redacted else tuple(range(count)))


def _match(parts: Parts, says: Says) -> Made:
    """Rights that belong to nothing have an empty left: they are there to mislead. Equal rights are one."""
    rights: list[str] = []
    explains: dict[str, str] = {}
    prompts: list[str] = []
    sequence: list[int] = []
    for draft in parts.drafts:
        left, _, right = (part.strip() for part in draft.whole.partition("=>"))
        if not right and not (parts.redacted and left):
            says(draft.line, "the right side of this pair is empty", "Write `- left => right`")
            continue
        if right and right not in rights:
            rights.append(right)
            explains[right] = draft.why
        if left:
            prompts.append(left)
            sequence.append(rights.index(right) if right else -1)
    if len(prompts) < 2:
        says(parts.head, "there are not two pairs to match", "Write `- left => right` for each")
    if (count := max(len(rights), len(prompts))) > MAX_PAIRS:
        says(
            parts.drafts[-1].line,
            f"{count} pairs, and one letter tells at most {MAX_PAIRS} apart",
            "Drop some, or ask two questions",
        )
    options = tuple(Option(right, False, explains[right]) for right in rights)
    return Made(options, () if parts.redacted else tuple(sequence), tuple(prompts))


def _accepted(parts: Parts, says: Says, read: Callable[[str], Number | None] | None) -> tuple[Accepted, ...]:
    found: list[Accepted] = []
    for draft in parts.drafts:
        text, weight = draft.whole, 1.0 if draft.mark == "=" else 0.0
        if match := _WEIGHTED.match(text):
            weight, text = float(match[1]) / 100, text[match.end() :]
            if weight > 1:
                says(draft.line, "an answer is worth more than all its points", "Write at most `100%`")
        for one in text.split(" | ") if read is None else [text]:
            number = read(one) if read else None
            if read is not None and number is None and one.strip() != "*":
                says(
                    draft.line,
                    f"{one.strip()!r} is no number",
                    "Write `= 16.6 GB`, `= 16.6 ± 0.1 GB`, `= 16.6 ± 5%` or `= 16..17 GB`",
                )
            elif one.strip():
                found.append(Accepted(one.strip(), weight, draft.why, number))
    if not any(answer.weight >= 1 for answer in found) and not parts.redacted:
        line = parts.drafts[0].line if parts.drafts else parts.head
        says(line, "no answer is right", "Write `= ` and the right answer below the question")
    return tuple(found)


def _numeric(parts: Parts, says: Says) -> Made:
    return Made(accepted=_accepted(parts, says, number))


def _text(parts: Parts, says: Says) -> Made:
    return Made(accepted=_accepted(parts, says, None))


def number(text: str) -> Number | None:
    """`16.6`, `16.6 GB`, `16.6 ± 0.1 GB`, `16.6 GB ± 5%`, `16.6 GB ± 100 MB` or `16..17 GB`; None for
    anything else, also for what is only near: a key says how near."""
    text = text.strip()
    if text.startswith(tuple(quantity.NEAR)) or len(text) > _LONGEST_NUMBER:
        return None
    if match := _RANGE.fullmatch(text):
        low, high = quantity.read(match["low"]), quantity.read(match["high"])
        if low is None or high is None:
            return None
        unit = high.unit or low.unit
        value = quantity.converted(low, unit)
        return Number(value, high.value, unit) if value is not None and value <= high.value else None
    if match := _AROUND.fullmatch(text):
        percent = match["rest"].startswith("%")
        rest = match["rest"].removeprefix("%").strip()
        stated = quantity.read(match["value"])
        tolerance = quantity.read(match["tolerance"] if percent else f"{match['tolerance']} {rest}")
        if stated is None or tolerance is None or (percent and rest and stated.unit):
            return None
        unit = stated.unit or (rest if percent else tolerance.unit)
        width = stated.value * tolerance.value / 100 if percent else quantity.converted(tolerance, unit)
        if width is None:
            return None
        width = abs(width)
        return Number(stated.value - width, stated.value + width, unit, stated.value)
    found = quantity.read(text)
    return Number(found.value, found.value, found.unit, found.value) if found else None


def _cloze(parts: Parts, says: Says) -> Made:
    """`{{answer|other}}` is typed, `{{right|~wrong|~wrong}}` is chosen, `{{= 16 ± 1 GB}}` is a number."""
    gaps: list[Gap] = []

    def take(line: int, match: re.Match[str]) -> str:
        body = match["body"].strip()
        if parts.redacted and (not body or body.isdecimal() or body.startswith("~")):
            offered = tuple(one.strip().lstrip("~").strip() for one in body.split("|") if "~" in body)
            gaps.append(Gap((), offered))
        elif body.startswith("="):
            value = number(body[1:])
            if value is None:
                says(line, f"{body!r} is no number", "Write `{{= 16.6 ± 0.1 GB}}`")
            gaps.append(Gap((Accepted(body[1:].strip(), number=value),)))
        else:
            pieces = [one.strip() for one in body.split("|")]
            right = tuple(Accepted(one) for one in pieces if one and not one.startswith("~"))
            wrong = [one[1:].strip() for one in pieces if one.startswith("~") and one[1:].strip()]
            if not right:
                says(line, "this gap has no right answer", "Write `{{answer}}` or `{{answer|other}}`")
            offered = tuple(sorted((*(answer.text for answer in right), *wrong))) if wrong else ()
            gaps.append(Gap(right, offered))
        return "{{" + str(len(gaps)) + "}}"

    lines = [_GAP.sub(partial(take, at), line) for at, line in enumerate(parts.stem, parts.body_line)]
    if not gaps:
        says(parts.head, "there is no gap in the text", "Write `{{answer}}` where one is to be filled in")
    return Made(gaps=tuple(gaps), stem="\n".join(map(str.rstrip, lines)).strip("\n"))


def _line(parts: Parts, says: Says) -> Made:
    """The stem holds one code block; `= 7` or `= 7 | 8` are lines of it, counted from 1."""
    lines = "\n".join(parts.stem).split("\n")
    found = _code_block(lines)
    if found is None:
        says(parts.head, "there is no code to pick a line from", "Put a code block into the question")
        return Made()
    first, end, info = found
    code = "\n".join(lines[first + 1 : end])
    count = code.count("\n") + 1
    right: list[int] = []
    for draft in parts.drafts:
        for word in re.split(r"[|,]", draft.whole):
            if not word.strip().isdecimal() or not 1 <= int(word) <= count:
                says(draft.line, f"{word.strip()!r} is no line of the code", f"Write `= ` and 1 to {count}")
            else:
                right.append(int(word) - 1)
    if not parts.drafts and not parts.redacted:
        says(parts.head, "no line is right", f"Write `= ` and a line of the code, 1 to {count}")
    lang = info.split()[0] if info.split() else ""
    above, below = "\n".join(lines[:first]).rstrip(), "\n".join(lines[end + 1 :]).lstrip("\n")
    text = f"{above}\n\n{below}".strip("\n")
    return Made(sequence=tuple(dict.fromkeys(right)), code=code, lang=lang, stem=text or "Which line?")


def _code_block(lines: list[str]) -> tuple[int, int, str] | None:
    """(its first line, its last, what stands behind its first marks) of the last code block."""
    found: tuple[int, int, str] | None = None
    opened: tuple[int, str, str] | None = None
    for at, line in enumerate(lines):
        if opened is None:
            if match := _OPENS.fullmatch(line):
                opened = at, match[1], match[2]
            continue
        first, marks, info = opened
        bare = line.strip(" ")
        if len(line) - len(line.lstrip(" ")) < 4 and bare.startswith(marks) and not bare.strip("`~"):
            found, opened = (first, at, info), None
    return found


def _plain(parts: Parts, says: Says) -> Made:
    return Made()


BUILDERS: dict[Kind, Callable[[Parts, Says], Made]] = {
    "single": _choice,
    "multi": _choice,
    "truefalse": _truefalse,
    "numeric": _numeric,
    "text": _text,
    "order": _order,
    "match": _match,
    "cloze": _cloze,
    "line": _line,
    "poll": _poll,
    "essay": _plain,
    "description": _plain,
}

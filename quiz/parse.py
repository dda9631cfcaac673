"""A quiz block's raw text -> a Question, or what is wrong with it and how to mend it.

The body is a stem (any Markdown), then what the kind answers with, then perhaps an explanation of the whole:

    Stem, as long as it needs to be.

    - [ ] an option
      that goes on here
      > why it is wrong
    - [x] the right one

    > hint: Count the links first.
    > What everybody should take home.

Where no answers stand below it (a text with gaps, a free answer, a prediction whose key is measured) the
quotes that end the text explain the whole.

Answers stand on lines that begin with `- [ ]` (choices), `= ` (numbers, texts, lines), `1. ` (an order) or
`- left => right` (pairs); `quiz/kinds/` makes of them what a kind needs. Scanned by line, because only
four things matter: code fences (nothing inside one is an answer), the answers, what is indented under one,
and `>`. Any other line belongs to whatever part began last.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import get_args

from quiz.answers import scale
from quiz.kinds.kind import BOX, MAX_OPTIONS, Draft, Parts, of, text_of
from quiz.kinds.registry import SILENT, Kind
from quiz.kinds.shared.options import ticked
from quiz.question import Question, Trouble

__all__ = ["ATTRIBUTES", "KINDS", "MAX_OPTIONS", "parse_question"]

KINDS: tuple[Kind, ...] = get_args(Kind)
ATTRIBUTES = (
    "kind",
    "points",
    "tags",
    "title",
    "source",
    "time",
    "shuffle",
    "case",
    "partial",
    "axis",
)  # that mean something

_STUCK = re.compile(r" ?[-*+] +\[[ xX]\](?=[^\s(:\[])")  # a box with its text too near to be one
_FENCE = re.compile(r" {0,3}(?P<ticks>`{3,}|~{3,})(?P<info>.*)$")
_QUOTE = re.compile(r" ?> ?(?P<text>.*)$")
_HINT = re.compile(r"hint: *(?P<text>.*)$", re.IGNORECASE)
_TIME = re.compile(r"([0-9]{1,5}(?:\.[0-9]{1,3})?)(s|m|min)?")


@dataclass(slots=True)
class _Scan:
    """The body split into its parts. `troubles` collects what does not fit; the line is the file's."""

    body: str
    first: int
    begins: re.Pattern[str]
    boxed: bool
    stem: list[str] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)
    explain: list[str] = field(default_factory=list)
    hints: list[str] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)
    _part: list[str] = field(default_factory=list)  # where a line goes that begins nothing new
    _explain_line: int = 0
    _fence_line: int = 0
    _fence: str = ""  # the marks that opened the code fence we are in

    def __post_init__(self) -> None:
        self._part = self.stem
        for number, line in enumerate(self.body.split("\n"), start=self.first):
            self._take(line.rstrip("\r").expandtabs(4), number)
        if self._fence:
            self.trouble(
                self._fence_line, "the code fence opened here stays open", f"Close it with `{self._fence}`"
            )

    def trouble(self, line: int, message: str, mend: str) -> None:
        self.troubles.append(Trouble(line, message, mend))

    def _take(self, line: str, number: int) -> None:
        last = self.drafts[-1] if self.drafts else None
        under = last if last and not self.explain and line.startswith(" " * last.indent) else None
        inner = line[under.indent :] if under else line
        fenced = bool(self._fence)
        self._fence, opened = turned(self._fence, inner)
        self._fence_line = number if opened else self._fence_line
        quote = _QUOTE.match(inner)
        hint = _HINT.match(quote["text"]) if quote and not under else None
        if fenced:
            self._part.append(inner)
        elif answer := self.begins.match(inner if not under else ""):
            self._begin(answer, number)
            self._fence, opened = turned("", (answer["text"] or "").strip())  # code may be all of it
            self._fence_line = number if opened else self._fence_line
        elif hint:
            self.hints.append(hint["text"].strip())
        elif quote and last:
            if not under and not self.explain:
                self._explain_line = number
            self._part = under.explain if under else self.explain
            self._part.append(quote["text"])
        elif self.boxed and not under and _STUCK.match(inner):
            self.trouble(number, "this box and its text have no blank between them", "Write `- [x] text`")
        elif not last or under or self.explain or not line.strip():
            self._part.append(inner)
        else:
            self.trouble(
                number,
                "this text is below the options and belongs to none",
                "Indent it by two spaces to continue the option above, or begin it with `> ` to explain",
            )

    def _begin(self, match: re.Match[str], number: int) -> None:
        if self.explain:
            self.trouble(
                self._explain_line,
                "this explanation stands between two options",
                "Indent it by two spaces to explain the option above, or move it below the last one",
            )
            self.explain = []
        mark = match.groupdict().get("mark")
        text = (match["text"] or "").strip()
        if not text:
            mend = "Write it after the box, as `- [ ] text`" if self.boxed else "Write it on the same line"
            self.trouble(number, "this option has no text", mend)
        draft = Draft(number, mark or "", len(match["bullet"]), [text])
        self.drafts.append(draft)
        self._part = draft.text


def turned(fence: str, line: str) -> tuple[str, bool]:
    """The code fence open after `line` ("": none) and whether this line opened it, by CommonMark's rule."""
    match = _FENCE.match(line)
    if not match:
        return fence, False
    if not fence and "`" not in match["info"]:
        return match["ticks"], True
    if fence and match["ticks"].startswith(fence) and not match["info"].strip():
        return "", False
    return fence, False


def _family(body: str, measured: bool) -> Kind | None:
    """The kind a body without one is written as; None leaves it to the boxes. What will be `measured` is a
    number, where nothing to choose says another."""
    fence = ""
    lines = []
    for line in body.split("\n"):
        before = fence
        fence, _ = turned(fence, line.rstrip("\r"))
        if not before and not fence:
            lines.append(line.rstrip("\r"))
    if any(BOX.match(line) for line in lines):
        return None
    written = next((kind for kind in KINDS if of(kind).recognised(lines)), None)
    return written or ("numeric" if measured else None)


def parse_question(
    id: str,
    kind: str,
    attrs: Mapping[str, str],
    body: str,
    body_line: int,
    *,
    redacted: bool = False,
) -> Question | tuple[Trouble, ...]:
    """The question in a quiz block, or every trouble found in it, in order of line.

    `kind` may be empty: it is then taken from how the answers are written; one right option makes a `single`,
    several a `multi`. `body_line` is the 1-based line of the body's first line in the file; the directive
    stands one above. `redacted` reads a body whose key was taken out for an audience: no right answer is
    expected, and without a `kind` it counts as single. `Question.line` is the line its stem begins on. Never
    raises.
    """
    known = next((one for one in KINDS if one == kind), None)
    wanted: Kind | None = known if kind else _family(body, "metric" in attrs)
    begins = of(wanted or "single").begins(body)
    scan = _Scan(body, body_line, begins, begins is BOX)
    head = max(1, body_line - 1)

    if kind and known is None:
        names = ", ".join(f"`{one}`" for one in KINDS)
        scan.trouble(head, f"unknown kind {kind!r}", f"Write `kind=` and one of {names}")
    points = _number(attrs, "points", 1.0)
    if points is None:
        scan.trouble(head, f"points={attrs['points']!r} is not a number", "Write one, as in `points=2`")
    limit = _seconds(attrs.get("time", ""))
    if limit is None:
        scan.trouble(head, f"time={attrs['time']!r} is not a time", "Write seconds or minutes: `time=30s`")
    axis = scale.read(attrs["axis"], attrs.get("unit", "")) if "axis" in attrs else None
    if "axis" in attrs and (axis is None or wanted != "numeric"):
        what = f"axis={attrs['axis']!r} has no two ends" if axis is None else f"kind={wanted} has no axis"
        scan.trouble(head, what, f"Write it for `kind=numeric`, the smaller end first: {scale.EXAMPLE}")
    flags: dict[str, bool] = {}
    for name, default in (("shuffle", False), ("case", False), ("partial", True)):
        flag = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False, "": default}
        word = attrs.get(name, "").strip().lower()
        if word not in flag:
            scan.trouble(head, f"{name}={attrs[name]!r} is neither yes nor no", f"Write `{name}=yes`")
        flags[name] = flag.get(word, default)
    if not any(map(str.strip, scan.stem)):
        scan.trouble(head, "the question itself is missing", "Write it above the first option")

    if not scan.drafts and wanted not in SILENT:  # nothing parts what explains from the text
        scan.explain = _closing(scan.stem)
    derived: Kind = wanted or ("multi" if sum(ticked(draft) for draft in scan.drafts) > 1 else "single")
    parts = Parts(scan.stem, scan.drafts, head, body_line, redacted)
    made = of(derived).build(parts, scan.trouble)
    if scan.troubles or points is None:
        return tuple(sorted(scan.troubles, key=lambda trouble: trouble.line))
    return Question(
        id=id,
        kind=derived,
        stem=made.stem or text_of(scan.stem),
        options=made.options,
        explain=text_of(scan.explain),
        points=points,
        tags=tuple(tag.strip() for tag in attrs.get("tags", "").split(",") if tag.strip()),
        line=body_line + next(n for n, line in enumerate(scan.stem) if line.strip()),
        sequence=made.sequence,
        prompts=made.prompts,
        accepted=made.accepted,
        gaps=made.gaps,
        code=made.code,
        lang=made.lang,
        hints=tuple(hint for hint in scan.hints if hint),
        title=attrs.get("title", ""),
        source=attrs.get("source", ""),
        shuffle=flags["shuffle"],
        case=flags["case"],
        partial=flags["partial"],
        time_s=limit or None,
        axis=axis,
    )


def _closing(stem: list[str]) -> list[str]:
    """Take the quotes that end the text of a question without lines of answers out of it: they explain. One
    that goes on to something else, or holds a gap, is of the text."""
    fence, quoted, first = "", False, None
    for at, line in enumerate(stem):
        before = fence
        fence, _ = turned(fence, line)
        quote = None if before or fence else _QUOTE.match(line)
        if quote and "{{" not in line:
            first = at if first is None else first
        elif line.strip() and not (quoted and not quote):  # else it goes on the quote above, without its sign
            first = None
        quoted = bool(line.strip()) and (bool(quote) or quoted)
    if first is None or not any(map(str.strip, stem[:first])):
        return []
    found = [match["text"] if (match := _QUOTE.match(line)) else line for line in stem[first:]]
    del stem[first:]
    return found


def _number(attrs: Mapping[str, str], name: str, default: float) -> float | None:
    """Finite and not negative (a question may count nothing), else None."""
    try:
        value = float(attrs.get(name, default))
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _seconds(text: str) -> float | None:
    """`30s`, `2m` or `30` (seconds); 0 for nothing written, None for what is not a time."""
    if not text.strip():
        return 0.0
    match = _TIME.fullmatch(text.strip().lower())
    if not match or float(match[1]) == 0:
        return None
    return float(match[1]) * (60.0 if match[2] in ("m", "min") else 1.0)

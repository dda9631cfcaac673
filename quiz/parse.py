"""A quiz block's raw text -> a Question, or what is wrong with it and how to mend it.

The body is a stem (any Markdown), then task-list options, then perhaps an explanation of the whole:

    Stem, as long as it needs to be.

    - [ ] an option
      that goes on here
      > why it is wrong
    - [x] the right one

    > What everybody should take home.

Scanned by line, because only four things matter: code fences (nothing inside one is an option), the options,
what is indented under one, and `>`. Any other line belongs to whatever part began last.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import get_args

from quiz.question import Kind, Option, Question, Trouble

KINDS: tuple[Kind, ...] = get_args(Kind)
MAX_OPTIONS = 9  # an option is picked with one digit

# An option is not indented (one space is forgiven); a deeper one is a list inside the option above it.
_OPTION = re.compile(r"(?P<bullet> ?[-*+] +)\[(?P<mark>.?)\](?: +(?P<text>.*))?$")
_FENCE = re.compile(r" {0,3}(?P<ticks>`{3,}|~{3,})(?P<info>.*)$")
_QUOTE = re.compile(r" ?> ?(?P<text>.*)$")


@dataclass(slots=True)
class _Draft:
    """An option being read. `indent` is the column at which its text goes on."""

    line: int
    right: bool
    indent: int
    text: list[str]
    explain: list[str] = field(default_factory=list)

    @property
    def option(self) -> Option:
        return Option(_block(self.text), self.right, _block(self.explain))


class _Scan:
    """The body split into its parts. `troubles` collects what does not fit; the line is the file's."""

    def __init__(self, body: str, first: int) -> None:
        self.stem: list[str] = []
        self.drafts: list[_Draft] = []
        self.explain: list[str] = []
        self.troubles: list[Trouble] = []
        self._part = self.stem  # where a line goes that begins nothing new
        self._explain_line = self._fence_line = 0
        self._fence = ""  # the marks that opened the code fence we are in
        for number, line in enumerate(body.split("\n"), start=first):
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
        self._turn_fence(inner, number)
        quote = _QUOTE.match(inner)
        if fenced:
            self._part.append(inner)
        elif option := _OPTION.match(inner if not under else ""):
            self._begin_option(option, number)
        elif quote and last:
            if not under and not self.explain:
                self._explain_line = number
            self._part = under.explain if under else self.explain
            self._part.append(quote["text"])
        elif not last or under or self.explain or not line.strip():
            self._part.append(inner)
        else:
            self.trouble(
                number,
                "this text is below the options and belongs to none",
                "Indent it by two spaces to continue the option above, or begin it with `> ` to explain",
            )

    def _turn_fence(self, line: str, number: int) -> None:
        """Open or close a code fence, by CommonMark's rule."""
        match = _FENCE.match(line)
        if not match:
            return
        if not self._fence and "`" not in match["info"]:
            self._fence, self._fence_line = match["ticks"], number
        elif self._fence and match["ticks"].startswith(self._fence) and not match["info"].strip():
            self._fence = ""

    def _begin_option(self, match: re.Match[str], number: int) -> None:
        if self.explain:
            self.trouble(
                self._explain_line,
                "this explanation stands between two options",
                "Indent it by two spaces to explain the option above, or move it below the last one",
            )
            self.explain = []
        if match["mark"] not in (" ", "x", "X"):
            held = repr(match["mark"]) if match["mark"] else "nothing"
            self.trouble(
                number,
                f"the box of this option holds {held}",
                "Write `- [ ]` for a wrong option, `- [x]` for a right one, `- \\[` for a plain bracket",
            )
        text = (match["text"] or "").strip()
        if not text:
            self.trouble(number, "this option has no text", "Write it after the box, as `- [ ] text`")
        draft = _Draft(number, match["mark"] in ("x", "X"), len(match["bullet"]), [text])
        self.drafts.append(draft)
        self._part = draft.text


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

    `kind` may be empty: one right option makes a `single`, several a `multi`. `body_line` is the 1-based line
    of the body's first line in the file; the directive stands one above. `redacted` reads a body whose key
    was taken out for an audience: no right option is expected, and without a `kind` it counts as single.
    `Question.line` is the line its stem begins on. Never raises.
    """
    scan = _Scan(body, body_line)
    head = max(1, body_line - 1)
    options = tuple(draft.option for draft in scan.drafts)
    right = [draft for draft in scan.drafts if draft.right]
    derived: Kind = "multi" if len(right) > 1 else "single"
    found = next((known for known in KINDS if known == (kind or derived)), None)
    points = _points(attrs.get("points", "1"))

    if found is None:
        known = " and ".join(f"`kind={known}`" for known in KINDS)
        scan.trouble(head, f"unknown kind {kind!r}", f"This version knows {known}")
    if points is None:
        scan.trouble(head, f"points={attrs['points']!r} is not a number", "Write one, as in `points=2`")
    if not any(map(str.strip, scan.stem)):
        scan.trouble(head, "the question itself is missing", "Write it above the first option")
    if not options:
        scan.trouble(head, "there are no options", "Write `- [ ] text` for each, `- [x]` for a right one")
    elif not right and not redacted:
        scan.trouble(scan.drafts[0].line, "no option is right", "Mark the right one with `- [x]`")
    if len(options) > MAX_OPTIONS:
        scan.trouble(
            scan.drafts[MAX_OPTIONS].line,
            f"{len(options)} options, and one digit picks from at most {MAX_OPTIONS}",
            "Drop some, or ask two questions",
        )
    if found == "single" and len(right) > 1:
        scan.trouble(
            right[1].line,
            f"a single-choice question with {len(right)} right options",
            "Keep one `[x]`, or write `kind=multi`",
        )
    if scan.troubles or found is None or points is None:
        return tuple(sorted(scan.troubles, key=lambda trouble: trouble.line))
    return Question(
        id=id,
        kind=found,
        stem=_block(scan.stem),
        options=options,
        explain=_block(scan.explain),
        points=points,
        tags=tuple(tag.strip() for tag in attrs.get("tags", "").split(",") if tag.strip()),
        line=body_line + next(n for n, line in enumerate(scan.stem) if line.strip()),
    )


def _points(text: str) -> float | None:
    """Finite and not negative (a question may count nothing), else None."""
    try:
        points = float(text)
    except ValueError:
        return None
    return points if math.isfinite(points) and points >= 0 else None


def _block(lines: list[str]) -> str:
    """The lines as one Markdown text without empty lines around it."""
    return "\n".join(map(str.rstrip, lines)).strip("\n")

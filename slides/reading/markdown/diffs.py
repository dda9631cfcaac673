"""Diffs of two versions of a source: one text with a sign for each line, shown as a whole or stepwise.

The notation is that of `diff -u`: ` `, `-` or `+` before a line, and `@@ -a,b +c,d @@` where lines that are
the same in both are left out. A fence that a person wrote is read generously, as documentation writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from textwrap import dedent
from typing import NamedTuple

from slides.problems import Mistake

CONTEXT = 3  # unchanged lines kept around a change
ALIKE = 0.5  # the share of words two lines have in common where one is a new form of the other
MOST_PAIRED = 12  # lines of one change that are looked at for that
MOST_LINES = 2000  # of either version: comparing takes quadratic time at worst

_HUNK = re.compile(r"@@ -(\d{1,7})(?:,(\d{1,7}))? \+(\d{1,7})(?:,(\d{1,7}))? @@")
_HEADS = ("diff --git ", "index ", "new file mode", "deleted file mode", "similarity index", "rename ")


class Row(NamedTuple):
    """One line of a diff. `sign` as in `deck.Code.diff`; `change` numbers the changes from 1 (0: in both
    versions). An `@` row leaves `left_out` lines out, and goes on at line `old` of the older version."""

    sign: str
    change: int = 0
    left_out: int = 0
    old: int = 0


class Shown(NamedTuple):
    """A row as it is to be shown: its place `row` among the rows, its look (`same`, `removed`,
    `added`, `applied` or `fold`) and the number it has now, of a removed line the one it had."""

    row: int
    look: str
    number: int


class Signed(NamedTuple):
    """`source` has the lines without their signs, `signs` one for each; `file` is what a head line names."""

    source: str
    signs: str
    file: str = ""


def parse(body: str) -> Signed:
    """Parse a fence's text into lines with signs. A line without one is in both versions. Never raises."""
    rows: list[tuple[str, str]] = []
    file = ""
    for line in body.split("\n"):
        if _is_head(line, rows):
            if line.startswith("+++ "):
                file = re.sub(r"^[ab]/", "", line[4:].split("\t")[0].strip())
        elif _HUNK.match(line):
            rows.append(("@", line))
        elif line.startswith("\\ No newline"):
            continue
        elif line[:1] in ("+", "-"):
            rows.append((line[0], line[1:]))
        else:
            rows.append((" ", line))
    both = [text for sign, text in rows if sign == " " and text.strip()]
    if all(text.startswith(" ") for text in both):  # as `diff` writes it
        rows = [(sign, text[1:] if sign == " " else text) for sign, text in rows]
    elif all(text.startswith(" ") for sign, text in rows if sign in "+-" and text.strip()):
        # As people write it: `- old`, and common lines at the very left.
        rows = [(sign, text[1:] if sign in "+-" else text) for sign, text in rows]
    return Signed("\n".join(text for _, text in rows), "".join(sign for sign, _ in rows), file)


def _is_head(line: str, rows: Sequence[tuple[str, str]]) -> bool:
    """Lines of `diff` and `git diff` above the first change, which name files."""
    return not rows and (line.startswith(("--- ", "+++ ")) or line.startswith(_HEADS))


def between(before: str, after: str, context: int | None = CONTEXT) -> Signed:
    """Compare two texts, with `context` common lines around each change (None: all of them).

    Raises:
        Mistake: they are equal, or too long to be compared.
    """
    old, new = before.split("\n"), after.split("\n")
    if max(len(old), len(new)) > MOST_LINES:
        message = (
            f"these versions have {max(len(old), len(new))} lines, and at most {MOST_LINES} are compared"
        )
        raise Mistake(message, "Compare parts of them.")
    if old == new:
        raise Mistake("the two versions are the same", "Name the older one in `diff=`, the newer in `file=`.")
    from difflib import SequenceMatcher

    rows: list[tuple[str, str]] = []
    done_old = done_new = 0
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    groups = matcher.get_grouped_opcodes(max(len(old), len(new)) if context is None else context)
    for group in groups:
        first = group[0]
        if first[1] == done_old + 1:
            rows.append((" ", new[done_new]))  # to say that a line is left out takes a line
        elif first[1] > done_old:
            old_end, new_end = group[-1][2], group[-1][4]
            rows.append(("@", _hunk(first[1], old_end, first[3], new_end)))
        for tag, a, b, c, d in group:
            if tag == "equal":
                rows += [(" ", line) for line in new[c:d]]
            else:
                rows += [("-", line) for line in old[a:b]]
                rows += [("+", line) for line in new[c:d]]
            done_old, done_new = b, d
    if done_new == len(new) - 1:
        rows.append((" ", new[done_new]))
    elif done_new < len(new):
        rows.append(("@", _hunk(len(old), len(old), len(new), len(new))))
    return Signed("\n".join(text for _, text in rows), "".join(sign for sign, _ in rows))


def part(signed: Signed, low: int, high: int) -> Signed:
    """Lines `low` to `high` of the newer version, counted from 1, with what was removed before each.

    `signed` is a diff of whole files, nothing left out. What stands above is said to be left out.
    """
    kept: list[tuple[str, str]] = []
    begin = (0, 0)
    old = new = 0
    for sign, line in zip(signed.signs, signed.source.split("\n"), strict=True):
        if low <= new + 1 <= high:
            begin = begin if kept else (old, new)
            kept.append((sign, line))
        old, new = old + (sign in " -"), new + (sign in " +")
    # As of any lines out of the middle of a function: a slide has no room for their indent.
    source, signs = dedent("\n".join(line for _, line in kept)), "".join(sign for sign, _ in kept)
    if begin[1]:
        return Signed(f"{_hunk(begin[0], old, begin[1], new)}\n{source}", f"@{signs}")
    return Signed(source, signs)


def _hunk(old: int, old_end: int, new: int, new_end: int) -> str:
    return f"@@ -{old + 1},{old_end - old} +{new + 1},{new_end - new} @@"


def written(source: str, signs: str) -> str:
    """Write the text that `parse` reads as these lines and signs."""
    lines = source.split("\n")
    return "\n".join(line if sign == "@" else sign + line for sign, line in zip(signs, lines, strict=True))


def rows(source: str, signs: str, first: int = 1) -> list[Row]:
    """Return a row for each line of a diff. `first` numbers the first line in both versions."""
    found: list[Row] = []
    new = first
    change, inside = 0, False
    for number, (sign, line) in enumerate(zip(signs, source.split("\n"), strict=True)):
        match sign:
            case "@":
                hunk = _HUNK.match(line)
                begins = int(hunk[3]) if hunk else new
                found.append(Row("@", 0, max(0, begins - new), int(hunk[1]) if hunk else 0))
                new, inside = begins, False
            case " ":
                found.append(Row(" "))
                new += 1
                # A blank line alone does not part what belongs together.
                inside = inside and not line.strip() and signs[number + 1 : number + 2] in ("+", "-")
            case _:
                change += not inside
                inside = True
                found.append(Row(sign, change))
                new += sign == "+"
    return found


def changes(source: str, signs: str) -> int:
    """Count the changes; adjacent ones are one."""
    return max((row.change for row in rows(source, signs)), default=0)


def version(source: str, signs: str, sign: str) -> str:
    """Return the newer version (`+`) or the older (`-`), as far as it is shown."""
    lines = zip(signs, source.split("\n"), strict=True)
    return "\n".join(line for own, line in lines if own in (" ", sign))


def shown(found: Sequence[Row], frame: int | None, first: int = 1) -> Iterator[Shown]:
    """Return the rows to show, from line `first` on.

    `frame` None shows all changes. Else frame 0 is the older version, frame n has the changes before the nth
    applied and the nth marked, and the last frame, one more than there are changes, is the newer version.
    """
    was = now = first
    for index, row in enumerate(found):
        look = _look(row, frame)
        if row.sign == "@":
            now += row.left_out
            was = row.old if frame is None and row.old else was + row.left_out
        if look and not (look == "fold" and not row.left_out):
            yield Shown(index, look, was if look == "removed" else now)
        was += look in ("same", "removed", "applied")
        now += look in ("same", "added", "applied")


def _look(row: Row, frame: int | None) -> str:
    """How a row is shown in a frame, "" for not at all."""
    if row.sign == "@":
        return "fold"
    if row.sign == " ":
        return "same"
    if frame is None or row.change == frame:
        return "added" if row.sign == "+" else "removed"
    if row.sign == "-":
        return "same" if row.change > frame else ""
    return "applied" if row.change < frame else ""


def words_changed(before: str, after: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return (start, end) of the differences of two lines, in each; none if they have little in common."""
    from difflib import SequenceMatcher

    old, new = _tokens(before), _tokens(after)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if matcher.ratio() < ALIKE:
        return [], []
    gone: list[tuple[int, int]] = []
    come: list[tuple[int, int]] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            gone += _extent(old, a, b)
            come += _extent(new, c, d)
    return gone, come


def _tokens(line: str) -> list[str]:
    return re.findall(r"\w+|\s+|[^\w\s]", line)


def _extent(tokens: Sequence[str], start: int, end: int) -> list[tuple[int, int]]:
    before = sum(map(len, tokens[:start]))
    size = sum(map(len, tokens[start:end]))
    return [(before, before + size)] if size else []


def pairs(found: Sequence[Row], texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Rows (by index) of which the one became the other: of each change, removed and added lines that are
    alike, in order."""
    for _, same in groupby(enumerate(found), lambda item: item[1].change):
        block = list(same)
        old = [index for index, row in block if row.sign == "-"]
        new = [index for index, row in block if row.sign == "+"]
        if len(old) > MOST_PAIRED or len(new) > MOST_PAIRED:
            continue
        for one in old:
            like = max(new, key=lambda other: _likeness(texts[one], texts[other]), default=None)
            if like is not None and _likeness(texts[one], texts[like]) >= ALIKE:
                yield one, like
                new = [index for index in new if index > like]


def _likeness(before: str, after: str) -> float:
    from difflib import SequenceMatcher

    return SequenceMatcher(None, _tokens(before), _tokens(after), autojunk=False).ratio()

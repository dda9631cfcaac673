"""The marks of other programs' decks, counted line by line outside code: those of `registry.py`, and rules
that look at more than a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from slides.deck import NATIVE
from slides.dialects.registry import PROGRAMS
from slides.reading.scan import scan

_MARKS = {program.name: re.compile(program.line) for program in PROGRAMS if program.line}
_FENCES = {program.name: re.compile(program.fence) for program in PROGRAMS if program.fence}
_FIRST = "".join(program.first for program in PROGRAMS)
# Behind `~~~`: maaslalani's slides runs it.
_COMMAND = re.compile(r"[\w./-]+ +-|(?:cat|cowsay|dot|echo|figlet|graph-easy|plantuml|sd|sed|xargs) +[^\s=]")
_KEY = re.compile(r"[A-Za-z][\w-]*:(?:\s|$)")
_SETTING = re.compile(r"[A-Za-z][\w-]*:|[ \t]|#|$")
_NOTE = re.compile(r"Notes?:(?:\s|$)")
_LONGEST = 400
_REMARK_SETTING = re.compile(  # of names, not of prose
    r"(?:class|name|layout|template): *[\w-]+(?:, *[\w-]+)*\s*$|background-image: *\S"
)
_SHOWN = re.compile(r"#{1,6} |!\[")
_MARP_SETTING = re.compile(
    r"\s*(?:_?(?:class|color|paginate|header|footer|background\w+)|headingDivider|theme|style|size)\s*:"
)


def by_marks(lines: Sequence[str], front: int) -> str:
    """Return the program whose marks are most frequent below the `front` lines of settings."""
    counts = dict.fromkeys((*_MARKS, "slides"), 0)
    coded = bytearray(len(lines))
    for fence in scan(lines).fences:
        coded[fence.first : fence.end] = b"\1" * (fence.end - fence.first)
        for name, pattern in _FENCES.items():
            counts[name] += bool(pattern.match(fence.info[:_LONGEST]))
        counts["slides"] += fence.mark[0] == "~" and bool(_COMMAND.match(fence.info))
    for at in range(front, len(lines)):
        line = lines[at][:_LONGEST]
        if line and not coded[at] and ("<" in line or "![[" in line or line.lstrip()[:1] in _FIRST):
            for name, pattern in _MARKS.items():
                counts[name] += bool(pattern.match(line))
            if line.strip() == "<!--" and at + 1 < len(lines):
                counts["marp"] += bool(_MARP_SETTING.match(lines[at + 1][:_LONGEST]))
    counts["slidev"] += _with_settings(lines, coded, front)
    counts["remark"] += _like_remark(lines, coded, front, counts["remark"])
    below = _below(lines, coded, front, counts)
    headed = sum(_heads(lines, at) for at in below)
    counts["obsidian"] += len(below) if 2 * headed >= len(below) else 0
    counts["remark"] += len(below) if 2 * headed < len(below) else 0
    counts["revealmd"] += _downwards(lines, coded, front)
    if counts["obsidian"]:  # which has reveal.js's marks as well
        counts["obsidian"] += counts["revealmd"]
    if not any(counts.values()):  # to none of them `---` right under code is anything but the end of a slide
        ends = {fence.end for fence in scan(lines).fences if fence.closed}
        counts["slides"] = sum(1 for at in ends if front < at < len(lines) and lines[at] == "---")
    best = max(counts, key=lambda name: counts[name])
    if best == "revealmd" and not front and _parted_by_headings(lines, coded):
        return "pandoc"  # which takes the same HTML
    return best if counts[best] else NATIVE


def like_obsidian(lines: Sequence[str], front: int, settings: Mapping[str, str]) -> bool:
    """Whether a deck with settings of reveal.js has Obsidian's marks, or parts slides downwards so."""
    coded = bytearray(len(lines))
    for fence in scan(lines).fences:
        coded[fence.first : fence.end] = b"\1" * (fence.end - fence.first)
    mark = _MARKS["obsidian"]
    if any(mark.match(lines[at][:_LONGEST]) for at in range(front, len(lines)) if not coded[at]):
        return True
    if "verticalSeparator" in settings or any(_rules(lines, coded, front, "----")):
        return False
    return any(_rules(lines, coded, front, "--"))


def _like_remark(lines: Sequence[str], coded: bytearray, front: int, marks: int) -> int:
    """What tells remark for sure: notes behind `???`, settings that nothing closes."""
    sure = sum(1 for at, line in enumerate(lines) if line.rstrip() == "???" and not coded[at])
    first = next((line for line in lines if line.strip()), "")
    opened = bool(_REMARK_SETTING.match(first))
    rules = (at for at in range(front, len(lines)) if lines[at].rstrip() == "---" and not coded[at])
    opened |= any(_settings_alone(lines, at) for at in rules)
    settings = sum(
        1
        for at, line in enumerate(lines)
        if line.startswith(("layout: true", "layout: false", "template:", "exclude: true", "count: false"))
        and not coded[at]
    )
    return 20 * sure + 5 * opened + 5 * settings if sure or opened or (settings and marks) else 0


def _settings_alone(lines: Sequence[str], rule: int) -> bool:
    """Whether settings of a slide stand below its rule and a blank line ends them, or a heading or a picture
    right below, which only remark has: those of Slidev end in a rule, and prose may begin so."""
    at = rule + 1
    while at < len(lines) and not lines[at].strip():
        at += 1
    first = at
    while at < len(lines) and _REMARK_SETTING.match(lines[at]):
        at += 1
    if first == at or at == len(lines) or not lines[at].strip():
        return first < at
    if first > rule + 1 or not _SHOWN.match(lines[at]):
        return False
    end = next((n for n in range(at, min(at + 40, len(lines))) if lines[n].rstrip() == "---"), at)
    return end == at or not _all_settings(lines[at:end])


def _below(lines: Sequence[str], coded: bytearray, front: int, counts: Mapping[str, int]) -> list[int]:
    """The lines `--` in a deck that nothing else is said of: slides below others, of Obsidian, begin with a
    heading; what remark shows next goes on with the slide."""
    if any(counts.values()) or not any(True for _ in _rules(lines, coded, front, "---")):
        return []
    return list(_rules(lines, coded, front, "--"))


def _heads(lines: Sequence[str], rule: int) -> bool:
    """Whether a heading is the first below a line."""
    return next((line for line in lines[rule + 1 : rule + 20] if line.strip()), "").startswith("#")


def _with_settings(lines: Sequence[str], coded: bytearray, front: int) -> int:
    """How many slides begin with settings between two `---`, as only Slidev has them."""
    count, at = 0, front
    while at < len(lines) - 2:
        if lines[at].rstrip() == "---" and not coded[at] and _KEY.match(lines[at + 1]):
            end = next((n for n in range(at + 1, min(at + 40, len(lines))) if lines[n].rstrip() == "---"), 0)
            if end and _all_settings(lines[at + 1 : end]):
                count += 1
                at = end
        at += 1
    return count


def _all_settings(lines: Sequence[str]) -> bool:
    """Whether lines are settings and comments on them; `# A` below a blank line is the title of a slide."""
    titled = any(line[:1] == "#" and not above.strip() for above, line in pairwise(lines))
    return not titled and all(_SETTING.match(line) for line in lines)


def _downwards(lines: Sequence[str], coded: bytearray, front: int) -> int:
    """Marks of reveal-md that alone could stand in any text: `----` beside `---`, notes at a slide's end."""
    parts = list(_rules(lines, coded, front, "---"))
    if not parts:
        return 0
    notes = sum(bool(_NOTE.match(_last_paragraph(lines, at))) for at in (*parts, len(lines)))
    return notes + sum(1 for _ in _rules(lines, coded, front, "----"))


def _rules(lines: Sequence[str], coded: bytearray, front: int, mark: str) -> Iterator[int]:
    """The lines that are `mark` between blank ones."""
    for at in range(max(front, 1), len(lines) - 1):
        if lines[at].rstrip() == mark and not (coded[at] or lines[at - 1].strip() or lines[at + 1].strip()):
            yield at


def _parted_by_headings(lines: Sequence[str], coded: bytearray) -> bool:
    """Whether no line parts slides, and several headings of the first level could."""
    if any(line.startswith("--") and not line.strip("- ") for line in lines):
        return False
    return sum(line.startswith("# ") and not coded[at] for at, line in enumerate(lines)) > 1


def _last_paragraph(lines: Sequence[str], end: int) -> str:
    """The first line of the words right above `end`."""
    while end and not lines[end - 1].strip():
        end -= 1
    while end and lines[end - 1].strip():
        end -= 1
    return lines[end] if end < len(lines) else ""

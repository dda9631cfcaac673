"""`sequenceDiagram`: who says what to whom, one below the other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from slides.drawing.cells import width
from slides.problems import Mistake, quoted
from slides.scenes.mermaid.box_words import box, lines_of
from slides.scenes.mermaid.flowchart_layout import ASPECTS
from slides.scenes.shapes import AnyShape, Box, Label, Path, Point, State

MOST_PEOPLE, MOST_ROWS = 12, 60
_PERSON = re.compile(r"(?:create\s+)?(?:participant|actor)\s+(\S.*)")
_MESSAGE = re.compile(
    r"([^\s+:<>()-][^+:<>()-]*?)\s*(<<-?->>|-?-(?:>>|>|x|\)))\s*[+-]?\s*([^:]+?)\s*:\s*(.*)"
)
_NOTE = re.compile(r"note\s+(over|left of|right of)\s+([^:]+):\s*(.*)", re.IGNORECASE)
_BLOCK = re.compile(r"(loop|alt|else|opt|par|and|critical|option|break|rect)\b\s*(.*)")
_IGNORED = ("activate", "deactivate", "autonumber", "title", "box ", "links ", "link ", "destroy", "accTitle")


@dataclass(slots=True)
class _Row:
    """A message (`ends` differ), a note over some (`note`), or the head of a part (`part`)."""

    words: str
    ends: tuple[str, str] = ("", "")
    dashed: bool = False
    head: bool = True
    note: bool = False
    part: str = ""


@dataclass(slots=True)
class _Diagram:
    people: dict[str, str] = field(default_factory=dict)
    rows: list[_Row] = field(default_factory=list)

    def person(self, name: str) -> str:
        name = name.strip()
        self.people.setdefault(name, name)
        return name


def states(lines: list[str], stepwise: bool) -> Iterator[State]:
    """Return the picture, or one a message.

    Raises:
        Mistake: A line that cannot be read.
    """
    diagram = read(lines)
    if not diagram.people:
        raise Mistake("this diagram has no participants", "Write `rank 0 ->> rank 1: gradients`.")
    if len(diagram.people) > MOST_PEOPLE or len(diagram.rows) > MOST_ROWS:
        raise Mistake(f"more than {MOST_PEOPLE} who speak or {MOST_ROWS} lines", "Cut it in two.")
    until = range(1, len(diagram.rows) + 1) if stepwise and diagram.rows else [len(diagram.rows)]
    for rows in until:
        airs = (2.0, 1.0) if len(diagram.rows) <= 8 else (1.0,)
        first, *instead = (_state(diagram, rows, stepwise, air, aspect) for air in airs for aspect in ASPECTS)
        yield replace(first, instead=tuple(instead))


def read(lines: list[str]) -> _Diagram:
    """Return what the lines below the head say. Raises `Mistake`."""
    found = _Diagram()
    for line in lines:
        if line == "end" or line.startswith(_IGNORED):
            continue
        if match := _PERSON.fullmatch(line):
            name, _, words = match[1].partition(" as ")
            found.people[name.strip()] = words.strip() or name.strip()
        elif match := _NOTE.fullmatch(line):
            names = [found.person(name) for name in match[2].split(",")]
            found.rows.append(_Row(match[3], (names[0], names[-1]), note=True))
        elif match := _BLOCK.fullmatch(line):
            found.rows.append(_Row(match[2], part=match[1]))
        elif match := _MESSAGE.fullmatch(line):
            ends = (found.person(match[1]), found.person(match[3]))
            sign = match[2]
            found.rows.append(_Row(match[4], ends, sign.startswith("--"), sign[-1] != "-"))
        else:
            mend = "Write `A->>B: words`, `participant A as Name` or `Note over A,B: words`."
            raise Mistake(f"{quoted(line)} cannot be read in a sequence", mend)
    return found


def _state(diagram: _Diagram, until: int, stepwise: bool, air: float, aspect: float) -> State:
    names = list(diagram.people)
    heads = [lines_of(words) for words in diagram.people.values()]
    widths = [max(map(width, lines)) + 4.0 for lines in heads]
    gap = max([10.0, *(width(_said(row)) + 4.0 for row in diagram.rows if _neighbours(row, names))])
    pitch = max(gap, max(widths) + 3.0)
    tall = max(map(len, heads)) + 2.0
    wide, high = pitch * (len(names) - 1) + max(widths), tall + air * len(diagram.rows) + 1.0
    wide += 2 * max([0.0, *(width(_said(row)) + 8.0 - max(widths) / 2 for row in diagram.rows if _own(row))])
    size = (max(wide, aspect * high), max(high, wide / aspect))
    left = (size[0] - pitch * (len(names) - 1)) / 2
    top = 0.0
    middles = {name: left + n * pitch for n, name in enumerate(names)}
    step = (size[1] - tall - 1.0) / max(1, len(diagram.rows))
    shapes: list[AnyShape] = []
    for name, lines, wide_ in zip(names, heads, widths, strict=True):
        x = middles[name]
        shapes += box(name, lines, (x - wide_ / 2, top), (wide_, tall), "accent")
        for m, (low, high) in enumerate(_free(diagram.rows[:until], middles, x, tall, step, size[1] - 0.5)):
            shapes.append(Path(id=f"life {name} {m}", points=((x, low), (x, high)), ink="line", layer=-1))
    for n, row in enumerate(diagram.rows[:until]):
        y = tall + (n + 1) * step - 0.5
        shapes += _row(n, row, y, step, middles, size[0], n == until - 1 and stepwise)
    now = diagram.rows[until - 1] if stepwise and until else None
    lead = _told(now, diagram) if now else ""
    unseen = "" if stepwise else "; ".join(_told(row, diagram) for row in diagram.rows[:12] if not row.part)
    return State(tuple(shapes), lead, size=size, apart=1.0, needs=size, unseen=unseen)


def _note(row: _Row, middles: dict[str, float]) -> tuple[float, float]:
    """From where to where along x a note stands."""
    ends = [middles[end] for end in row.ends]
    half = (width(_said(row)) + 4.0) / 2
    middle = sum(ends) / 2
    return min(*ends, middle - half + 2) - 2, max(*ends, middle + half - 2) + 2


def _free(
    rows: list[_Row], middles: dict[str, float], x: float, top: float, step: float, bottom: float
) -> Iterator[tuple[float, float]]:
    """The pieces of a line down from a name that no note lies upon."""
    for n, row in enumerate(rows):
        if row.note and (span := _note(row, middles))[0] <= x <= span[1]:
            y = top + (n + 1) * step - 0.5
            yield top, y - 1.0
            top = y + 1.0
    yield top, bottom


def _row(
    n: int, row: _Row, y: float, step: float, middles: dict[str, float], wide: float, now: bool
) -> list[AnyShape]:
    words = _said(row)
    if row.part:
        line = Path(id=f"part {n}", points=((0.0, y), (wide, y)), ink="faint", dashed=True)
        return [
            line,
            Label(id=f"part name {n}", at=(1.0, y), text=f" {words} ", ink="dim", anchor="left", layer=2),
        ]
    x0, x1 = (middles[end] for end in row.ends)
    if row.note:
        low, high = _note(row, middles)
        at, size = (low, y - 0.5), (high - low, 1.0)
        return [Box(id=f"note {n}", at=at, size=size, ink="warning", text=words, layer=2)]
    ink = "heading" if now else "text"
    above = -1.0 if step >= 1.9 else 0.0
    if x0 == x1:
        points: tuple[Point, ...] = ((x0, y - 0.9), (x0 + 4, y - 0.9), (x0 + 4, y), (x0, y))
        label = Label(
            id=f"says {n}", at=(x0 + 6, y - 0.5), text=words, ink=ink, anchor="left", bold=now, layer=2
        )
    else:
        points = ((x0, y), (x1, y))
        text = words if above else f" {words} "
        label = Label(id=f"says {n}", at=((x0 + x1) / 2, y + above), text=text, ink=ink, bold=now, layer=2)
    path = Path(
        id=f"message {n}", points=points, ink="accent" if now else "dim", head=row.head, dashed=row.dashed
    )
    return [path, label] if words else [path]


def _said(row: _Row) -> str:
    words = " ".join(lines_of(row.words))
    return f"{row.part} {words}".strip() if row.part else words


def _neighbours(row: _Row, names: list[str]) -> bool:
    return not row.part and not row.note and abs(names.index(row.ends[0]) - names.index(row.ends[1])) == 1


def _own(row: _Row) -> bool:
    return not row.part and not row.note and row.ends[0] == row.ends[1]


def _told(row: _Row, diagram: _Diagram) -> str:
    if row.part:
        return _said(row)
    a, b = (" ".join(lines_of(diagram.people[end])) for end in row.ends)
    if row.note:
        return f"{a}: {_said(row)}" if a == b else f"{a} to {b}: {_said(row)}"
    return f"{a} → {b}: {_said(row)}" if a != b else f"{a}: {_said(row)}"

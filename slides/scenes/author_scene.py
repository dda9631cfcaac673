"""A scene written in a deck: rows of boxes, links between them, and what happens step by step.

    row: rank 0, rank 1 (grads), _, rank 2
    link: rank 0 -> rank 1 -> rank 2
    step: Rank 0 sends
    light: rank 0
    send: rank 0 -> rank 1 (12 MB)

A line is `word: …`; any other line belongs to the words of its step. `_` in a row is a gap, an ink of the
palette stands in brackets. What `show` names is not there before its first `show`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise

from slides.drawing.cells import clean, width
from slides.palette import DARK
from slides.problems import Mistake, did_you_mean, quoted
from slides.scenes import box_layout, mistyped_word
from slides.scenes.scene import MOST_STEPS, Scene, Values
from slides.scenes.shapes import AnyShape, Label, Packet, State

_PER_CELL = 2.4  # units of the plane, on the narrowest screen
MOST_BOXES, MOST_ROWS = 64, 12
MOST_ACROSS = 20  # on 80 columns three cells and a gap each: what is narrower is one bar without names
WORDS = ("row", "link", "legend", "step", "light", "send", "show", "hide", "ink", "note")
_PART = re.compile(r"(?:[^,(]|\([^()]*\)|\()+")  # between commas; one in brackets is none
_BEFORE, _DOING = ("row", "link", "legend"), ("light", "send", "show", "hide", "ink", "note")
_LINE = re.compile(r"\s*([A-Za-z]+)\s*:\s*(.*)")
_INKS = (
    "params", "grads", "optimizer", "activations", "accent", "good", "warning", "bad", "hidden", "exposed",
    "wait", "text", "dim", *(f"rank{n}" for n in range(8)),
)  # fmt: skip


class NotWritten(Mistake):
    """Raised with the line of the block, from 0, that cannot be read; `fatal` False: that is read as words of
    its step, which it hardly is."""

    def __init__(self, message: str, mend: str, line: int = 0, *, fatal: bool = True) -> None:
        super().__init__(message, mend)
        self.line, self.fatal = line, fatal


class _NoBox(Mistake):
    """A name that no row has."""


@dataclass(slots=True)
class _Step:
    """What is said and done in a step; names are those of boxes, `sent` pairs of them with words."""

    lead: str = ""
    words: list[str] = field(default_factory=list)
    light: list[str] = field(default_factory=list)
    sent: list[tuple[str, str, str]] = field(default_factory=list)
    show: list[str] = field(default_factory=list)
    hide: list[str] = field(default_factory=list)
    inks: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)


@lru_cache(256)
def scene(body: str) -> Scene:
    """Return the scene that a block of a deck says.

    Raises:
        NotWritten: A line of it that cannot be read, with what to write instead.
    """
    found, mistakes = _read(body)
    if (worst := next((one for one in mistakes if one.fatal), None)) is not None:
        raise worst
    made = found.states()
    return Scene("scene", "", lambda values: len(made), lambda step, values: _state(made, step, values))


def mistakes(body: str) -> tuple[NotWritten, ...]:
    """Return all that is wrong with a block, from its first line on."""
    return _read(body)[1]


@lru_cache(256)
def _read(body: str) -> tuple[_Reader, tuple[NotWritten, ...]]:
    """Read every line, also those behind one that cannot be read."""
    found = _Reader()
    wrong: list[NotWritten] = []
    rows = True  # whether all of them could be read: else a box that is not there is no mistake of its own
    for number, line in enumerate(body.split("\n")):
        try:
            found.read(line)
        except NotWritten as why:
            why.line = number
            wrong.append(why)
        except _NoBox as why:
            wrong += [NotWritten(why.message, why.mend, number)] if rows else []
        except Mistake as why:
            wrong.append(NotWritten(why.message, why.mend, number))
            rows = rows and bool(found.steps)
    if not found.rows and not wrong:
        wrong.append(NotWritten("a scene needs boxes", "Write `row: rank 0, rank 1`."))
    return found, tuple(wrong)


def states(body: str) -> list[State]:
    """Return the state of every step of the scene that a block says.

    Raises:
        NotWritten: As `scene`.
    """
    found = scene(body)
    return [found.state(step, {}) for step in range(found.steps({}))]


def _state(of: Sequence[State], step: int, values: Values) -> State:
    return of[step]


class _Reader:
    def __init__(self) -> None:
        self.rows: list[list[str]] = []  # names, "" is a gap
        self.inks: dict[str, str] = {}
        self.links: list[tuple[str, str, bool]] = []
        self.legend: list[tuple[str, str]] = []
        self.steps: list[_Step] = []

    def read(self, line: str) -> None:
        """Take a line. Raises `Mistake`."""
        if not line.strip():
            return
        match = _LINE.fullmatch(line)
        word = match[1].lower() if match else ""
        if match is None or (word not in WORDS and self.steps):
            if not self.steps:
                near = did_you_mean(line.split()[0], WORDS)
                mend = f"Did you mean `{near}:`?" if near else "Begin with `row: rank 0, rank 1`."
                raise Mistake(f"{quoted(line.strip())} means nothing before the first step", mend)
            self.steps[-1].words.append(clean(line).strip())
            if match is not None and (meant := mistyped_word.meant(match[1], match[2], WORDS, self.inks)):
                message = f"{quoted(match[1] + ':')} is read as words of its step"
                mend = f"Did you mean `{meant}:`? With a capital letter they are words."
                raise NotWritten(message, mend, fatal=False)
            return
        if word not in WORDS:
            near = mistyped_word.ELSEWHERE.get(word) or did_you_mean(word, WORDS)
            if near == "step":  # what follows is not to be wrong as well
                self.steps.append(_Step())
            mend = f"Did you mean `{near}:`?" if near else f"Brackets are for an ink: {', '.join(WORDS)}."
            raise Mistake(f"a scene knows no {quoted(word)}", mend)
        if word in _DOING and not self.steps:
            self.steps.append(_Step())
            raise Mistake(f"`{word}:` stands before the first step", "Write `step: what happens` above it.")
        if word in _BEFORE and self.steps:
            raise Mistake(f"`{word}:` stands behind a step", "Write it above the first `step:`.")
        text, step = match[2].strip(), self.steps[-1] if self.steps else _Step()
        match word:
            case "row":
                self._row(text)
            case "link":
                self._link(text)
            case "legend":
                self._legend(text)
            case "step":
                self._step(text)
            case "light":
                step.light += self._boxes(text)
            case "show":
                step.show += self._boxes(text)
            case "hide":
                step.hide += self._boxes(text)
            case "send":
                self._send(text)
            case "ink":
                self._ink(text)
            case _:
                self._note(text)

    # --- what there is ------------------------------------------------------------------------------------

    def _row(self, text: str) -> None:
        row: list[str] = []
        for item in text.split(","):
            name, ink = _named(item)
            if name == "_":
                row.append("")
                continue
            if not name:
                raise Mistake("a box without a name", "Write `row: rank 0, rank 1`; `_` is a gap.")
            if any(name in there for there in (*self.rows, row)):
                raise Mistake(f"{quoted(name)} is there twice", "Give each box a name of its own.")
            row.append(name)
            self.inks[name] = _ink(ink) if ink else "params"
        self.rows.append(row)
        if sum(map(len, self.rows)) > MOST_BOXES or len(self.rows) > MOST_ROWS:
            raise Mistake(f"more than {MOST_BOXES} boxes or {MOST_ROWS} rows", "Leave some out.")
        if len(row) > MOST_ACROSS:
            raise Mistake(f"more than {MOST_ACROSS} boxes in a row", "Have some in a `row:` below it.")

    def _link(self, text: str) -> None:
        arrow = "->" if "->" in text else "--"
        for a, b, words in self._ways(text, arrow, "link"):
            if words:
                raise Mistake("a link has no words", f"Write `note: {b} = {words}`, or `send:` them.")
            self.links.append((a, b, arrow == "->"))

    def _ways(self, text: str, arrow: str, word: str) -> Iterator[tuple[str, str, str]]:
        """From box to box, and in brackets what: a box alone behind a comma is led to by the last start."""
        start: list[str] = []
        for part in _PART.findall(text) or [""]:
            path, words = _named(part)
            names = [self._box(name) for name in path.split(arrow)]
            names = [*start, *names] if len(names) == 1 else names
            if len(names) < 2:
                raise Mistake(f"a {word} goes from one box to another", f"Write `{word}: rank 0 -> rank 1`.")
            start = names[:1]
            yield from ((a, b, words) for a, b in pairwise(names))

    def _legend(self, text: str) -> None:
        for item in text.split(","):
            words, ink = _named(item)
            if not ink:
                raise Mistake(f"{quoted(item.strip())} has no ink", "Write `legend: gradients (grads)`.")
            self.legend.append((_ink(ink), words))

    # --- what happens -------------------------------------------------------------------------------------

    def _step(self, text: str) -> None:
        if len(self.steps) >= MOST_STEPS:
            raise Mistake(f"more than {MOST_STEPS} steps", "Leave some out.")
        self.steps.append(_Step(clean(text)))

    def _send(self, text: str) -> None:
        self.steps[-1].sent += self._ways(text, "->", "send")

    def _ink(self, text: str) -> None:
        for item in text.split(","):
            name, ink = _named(item)
            self.steps[-1].inks[self._box(name)] = _ink(ink)

    def _note(self, text: str) -> None:
        name, equals, words = text.partition("=")
        if not equals:
            raise Mistake(f"{quoted(text)} is not a note", "Write `note: rank 0 = 12 MB`.")
        self.steps[-1].notes[self._box(name)] = clean(words).strip()

    def _boxes(self, text: str) -> list[str]:
        return [self._box(name) for name in text.split(",")]

    def _box(self, text: str) -> str:
        name = clean(text).strip()
        if name in self.inks:
            return name
        if not name:
            raise _NoBox("the name of a box is missing", "Write it as its `row:` has it: `rank 0 -> sum`.")
        near = did_you_mean(name, self.inks)
        mend = f"Did you mean {quoted(near)}?" if near else "Name it in a `row:` above."
        raise _NoBox(f"there is no box {quoted(name)}", mend)

    # --- states -------------------------------------------------------------------------------------------

    def states(self) -> list[State]:
        """Return the state of every step, one at least."""
        steps = self.steps or [_Step()]
        boxes = box_layout.placed(self.rows, self.inks)
        below = box_layout.below(len(self.rows))
        gone = {name for step in steps for name in step.show}
        noted = {name for step in steps for name, words in step.notes.items() if words}
        notes: dict[str, str] = {}
        found: list[State] = []
        for step in steps:
            gone = (gone - set(step.show)) | set(step.hide)
            notes |= step.notes
            for name, ink in step.inks.items():
                boxes[name] = replace(boxes[name], ink=ink)
            there = {name: box for name, box in boxes.items() if name not in gone}
            shapes: list[AnyShape] = [
                box_layout.link(there[a], there[b], head, [name in noted for name in (a, b)])
                for a, b, head in self.links
                if a in there and b in there
            ]
            for name, box in there.items():
                shapes.append(replace(box, glow=1.0 if name in step.light else 0.0))
                if notes.get(name):
                    x, y = box_layout.middle(box)
                    at = (x, y + box.size[1] / 2 + below)
                    shapes.append(Label(id=f"note {name}", at=at, text=notes[name], ink="dim"))
            sent_along = box_layout.along(step.sent)
            drawn = {link[:2] for link in self.links}
            for n, (a, b, words) in enumerate(step.sent):
                if a in there and b in there:
                    back = (b, a) in drawn and (a, b) not in drawn  # along the link that there is
                    first, last = (b, a) if back else (a, b)
                    noted_ends = first in noted, last in noted
                    ends = box_layout.link(there[first], there[last], False, noted_ends).points
                    ends = ends[::-1] if back else ends
                    wide = max(8.0, _PER_CELL * width(words))
                    under = [
                        (box_layout.middle(there[name])[0], _PER_CELL * width(notes.get(name, "")))
                        for name in (a, b)
                    ]
                    share = box_layout.past_note(sent_along[n], ends, under, wide)
                    number = f"sent {len(found)} {n}"
                    shapes.append(Packet(id=number, points=ends, size=(wide, 6.0), along=share, text=words,
                                         ink="exposed", layer=1))  # fmt: skip
            caption = " ".join(step.words)
            plane = box_layout.WIDE, box_layout.HIGH
            found.append(State(tuple(shapes), step.lead, caption, plane, None, tuple(self.legend)))
        return found


def _named(item: str) -> tuple[str, str]:
    """`rank 0 (grads)` as its name and what is in brackets."""
    name, bracket, within = item.strip().rpartition("(")  # a pattern looks at every blank from every blank
    if not bracket or not within.endswith(")") or ")" in within[:-1]:
        return clean(item).strip(), ""
    return clean(name).strip(), clean(within[:-1]).strip()


def _ink(name: str) -> str:
    if name in _INKS and name in DARK.colours:
        return name
    if not name:
        raise Mistake("an ink is missing", "Write it in brackets behind the box: `ink: rank 0 (good)`.")
    near = did_you_mean(name, _INKS)
    mend = (
        f"Did you mean `{near}`?"
        if near
        else f"Brackets are for an ink: {', '.join(_INKS[:-8])}, rank0 to rank7."
    )
    raise Mistake(f"there is no ink {quoted(name)}", mend)

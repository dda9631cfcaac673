"""The interface of a kind of question: how it is read, written, answered and graded, and what is right.

A kind is a file here with an instance `KIND` and a row in `quiz.kinds.registry`. It overrides what differs
from a question that takes one free text and grades nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import ClassVar, NamedTuple, Protocol

from quiz.answers.option_labels import labels
from quiz.kinds.registry import KINDS, Kind
from quiz.question import Accepted, Gap, Option, Question

MAX_OPTIONS = 9  # an option is picked with one digit

# What begins an answer is not indented (one space is forgiven); deeper is a list inside the answer above it.
IN_BOX = r"(?:[^\]]{0,6}|-?[0-9]{1,3}\.[0-9]{1,7}%)"
BOX = re.compile(rf"(?P<bullet> ?[-*+] +)\[(?P<mark>{IN_BOX})\](?: +(?P<text>.*))?$")
EQUALS = re.compile(r"(?P<bullet> ?(?P<mark>[=~]) +)(?P<text>.*)$")
NOTHING = re.compile(r"(?!)(?P<bullet>)(?P<text>)")

Says = Callable[[int, str, str], None]  # a trouble: its line, the message and what to write instead


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
        """The answer's text as Markdown, without blank lines around it."""
        return "\n".join(map(str.rstrip, self.text)).strip("\n")

    @property
    def why(self) -> str:
        """Its explanation as Markdown, "" where it has none."""
        return "\n".join(map(str.rstrip, self.explain)).strip("\n")


class Parts(NamedTuple):
    """What was read of a question: `head` is the directive's line, `body_line` the first of the body."""

    stem: list[str]
    drafts: list[Draft]
    head: int
    body_line: int
    redacted: bool


class Made(NamedTuple):
    """The fields a kind adds to the question; `stem` if it differs from the one written."""

    options: tuple[Option, ...] = ()
    sequence: tuple[int, ...] = ()
    prompts: tuple[str, ...] = ()
    accepted: tuple[Accepted, ...] = ()
    gaps: tuple[Gap, ...] = ()
    code: str = ""
    lang: str = ""
    stem: str = ""


class Share(NamedTuple):
    """The share of the points that an answer earns, before it is kept within 0 and 1."""

    earned: float
    right: bool
    parts: tuple[float, ...] = ()
    explain: str = ""


class Reply(NamedTuple):
    """0-based options, lines or places in `choice`; what was typed, one a gap, in `text`."""

    choice: tuple[int, ...] = ()
    text: tuple[str, ...] = ()


class Told(NamedTuple):
    """What a reveal says of what is right. `accepted` are the right texts, of a question with gaps one a gap;
    `explain` belongs to them, or to the options. `undecided` is what a measurement left neither right nor
    wrong: options by their number from 1, or a range of numbers."""

    key: tuple[int, ...]
    accepted: tuple[str, ...]
    explain: tuple[str, ...]
    undecided: tuple[str, ...] = ()


class Remark(NamedTuple):
    """What is said of an answer that is typed (`explain`); `gap` is the one it goes into (from 0)."""

    text: str
    explain: str
    right: bool
    gap: int = 0


class DeckText(Protocol):
    """Writes texts of a question for a deck (`quiz.formats.native`)."""

    def shown(self, text: str) -> str:
        """The text as Markdown."""

    def closed(self, text: str) -> str:
        """The text without a fence that stays open."""

    def row(self, mark: str, option: Option, indent: int | None = None) -> list[str]:
        """An option behind its mark, with its explanation below."""

    def accepted(self, answer: Accepted) -> list[str]:
        """A line for an answer that is accepted, with its explanation below."""


class QuestionKind:
    """Base of all kinds of question, itself that of a free text that is not graded."""

    answer_line: ClassVar[re.Pattern[str]] = NOTHING  # what begins an answer below the stem
    most: ClassVar[int] = MAX_OPTIONS  # options that a deck may give it
    shuffled: ClassVar[bool] = False  # always: as written the options are the key
    exact: ClassVar[bool] = False  # in its answers every blank counts
    between: ClassVar[str] = ""  # what parts its right texts where all of them are needed
    parts: ClassVar[str] = "parts"  # what it earns shares for

    # --- read and written -----------------------------------------------------------------------------------

    def begins(self, body: str) -> re.Pattern[str]:
        """Return the pattern of what begins an answer in this body."""
        return self.answer_line

    def recognised(self, lines: Sequence[str]) -> bool:
        """Whether a body without `kind=` is of this kind; `lines` are those outside code."""
        return False

    def build(self, parts: Parts, says: Says) -> Made:
        """Build the kind's fields from the answers below a stem; `says` reports a trouble."""
        return Made()

    def stem(self, question: Question, stem: str) -> str:
        """Return the stem as it is written in a deck."""
        return stem

    def written(self, question: Question, deck: DeckText) -> list[str]:
        """Return the answers as lines of a deck, without the empty line above; none if it has no answers."""
        return []

    # --- answered -------------------------------------------------------------------------------------------

    def reply(self, question: Question, typed: str) -> Reply | str:
        """Read the answer from a line that is not empty; returns what is expected if it is none."""
        return Reply(text=(typed,))

    def how(self, question: Question) -> str:
        """Describe a line that answers, with an example; "" for free text."""
        return ""

    def typing(self, question: Question) -> str:
        """Return a hint for the person who is typing."""
        return "capitals and spaces count" if question.case else "as you would say it"

    def pick(self, question: Question, picked: tuple[int, ...], option: int) -> tuple[int, ...]:
        """Return the choice after one more pick (0-based); unchanged if that does nothing."""
        return (option,)

    def first(self, question: Question) -> str:
        """Say what to do before an answer can be locked."""
        return "type an answer first: I"

    def labels(self, question: Question) -> tuple[str, ...]:
        """Return the labels of the options for typed answers."""
        return labels([option.text for option in question.options])

    def prompt_labels(self, question: Question) -> tuple[str, ...]:
        """Return the labels of the prompts; prompts with empty ones are answered in order."""
        return ("",) * len(question.prompts)

    def as_typed(self, question: Question, choice: Sequence[int]) -> str:
        """Return a choice (0-based) as it would be typed."""
        said = self.labels(question)
        return ",".join(said[n] for n in choice if n < len(said))

    # --- graded ---------------------------------------------------------------------------------------------

    def share(self, question: Question, choice: tuple[int, ...], text: tuple[str, ...]) -> Share:
        """Return what an answer earns; only called for a question with a key."""
        raise NotImplementedError

    # --- what is right --------------------------------------------------------------------------------------

    def arranged(self, question: Question, places: list[int]) -> list[int]:
        """Correct shuffled places of the options if they would give the key away."""
        return places

    def accepts(self, text: str) -> Accepted:
        """Return a text that was told to be right as an accepted answer."""
        return Accepted(text)

    def told(self, question: Question) -> Told:
        """Return the key as a reveal shows it: only what earns all the points."""
        return Told(question.key, (), tuple(option.explain for option in question.options))

    def remarks(self, question: Question) -> list[Remark]:
        """Return remarks on typical answers that `told` does not explain."""
        return []

    def held(self, question: Question, key: Sequence[int], accepted: Sequence[str]) -> Question:
        """Return the question with the key that was told."""
        return question

    def key_as_typed(self, question: Question) -> str:
        """Return the right answer as it would be typed."""
        return self.as_typed(question, question.key)

    def key_in_words(self, question: Question, words: Callable[[str], str]) -> str:
        """Return the right answer for readers, "" if it is marked among options; `words` reads Markdown."""
        return ""

    def in_words(self, question: Question, choice: Sequence[int]) -> str:
        """Return a choice for a report: options by number (from 1) with their text."""
        texts = [option.text for option in question.options]
        shown = [(n, texts[n]) for n in choice if n < len(texts)]
        return ", ".join(text if text == str(n + 1) else f"{n + 1} {text}" for n, text in shown)

    def part_label(self, n: int) -> str:
        """Return the name of option `n` (0-based) in a report."""
        return str(n + 1)


@cache
def of(kind: Kind) -> QuestionKind:
    """Load a kind by its name. Raises `KeyError` for an unknown one."""
    if kind not in KINDS:
        raise KeyError(kind)
    found: QuestionKind = import_module(f"quiz.kinds.{kind}").KIND
    return found


def text_of(lines: list[str]) -> str:
    """Join lines to one Markdown text without empty lines around it."""
    return "\n".join(map(str.rstrip, lines)).strip("\n")


def named_sign(said: Sequence[str]) -> str:
    """Name what labels are: number, letter or sign."""
    return {"1": "number", "a": "letter"}.get(said[0] if said else "", "sign")

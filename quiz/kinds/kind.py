"""What every kind of question says of itself: how it is read, written, answered and graded, what is right.

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
BOX = re.compile(r"(?P<bullet> ?[-*+] +)\[(?P<mark>[^\]]{0,6})\](?: +(?P<text>.*))?$")
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
    """What a kind adds to the question; `stem` where it differs from the one written."""

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
    """How texts of a question stand in a deck (`quiz.formats.native`)."""

    def shown(self, text: str) -> str:
        """The text as Markdown."""

    def closed(self, text: str) -> str:
        """The text without a fence that stays open."""

    def row(self, mark: str, option: Option, indent: int | None = None) -> list[str]:
        """An option behind its mark, with its explanation below."""

    def accepted(self, answer: Accepted) -> list[str]:
        """A line for an answer that is accepted, with its explanation below."""


class QuestionKind:
    """A kind of question. As it stands here: one free text, which nobody grades."""

    answer_line: ClassVar[re.Pattern[str]] = NOTHING  # what begins an answer below the stem
    most: ClassVar[int] = MAX_OPTIONS  # options that a deck may give it
    shuffled: ClassVar[bool] = False  # always: as written the options are the key
    exact: ClassVar[bool] = False  # in its answers every blank counts
    between: ClassVar[str] = ""  # what parts its right texts where all of them are needed
    parts: ClassVar[str] = "parts"  # what it earns shares for

    # --- read and written -----------------------------------------------------------------------------------

    def begins(self, body: str) -> re.Pattern[str]:
        """What begins an answer in this very body."""
        return self.answer_line

    def recognised(self, lines: Sequence[str]) -> bool:
        """Whether a body is of this kind that does not say which it is; `lines` are those outside code."""
        return False

    def build(self, parts: Parts, says: Says) -> Made:
        """What the kind makes of the answers below a stem."""
        return Made()

    def stem(self, question: Question, stem: str) -> str:
        """The stem as it is written in a deck."""
        return stem

    def written(self, question: Question, deck: DeckText) -> list[str]:
        """The answers as lines of a deck, without the empty line above; nothing where there are none."""
        return []

    # --- answered -------------------------------------------------------------------------------------------

    def reply(self, question: Question, typed: str) -> Reply | str:
        """The answer in a line that is not empty, or what is expected instead."""
        return Reply(text=(typed,))

    def how(self, question: Question) -> str:
        """What a line that answers holds, with an example; "" for words of one's own."""
        return ""

    def typing(self, question: Question) -> str:
        """What to mind while one types."""
        return "capitals and spaces count" if question.case else "as you would say it"

    def pick(self, question: Question, picked: tuple[int, ...], option: int) -> tuple[int, ...]:
        """The choice with one digit more (0-based); as it was where that does nothing."""
        return (option,)

    def first(self, question: Question) -> str:
        """What to do before an answer can be locked."""
        return "type an answer first: I"

    def labels(self, question: Question) -> tuple[str, ...]:
        """What the options are called where answers are typed."""
        return labels([option.text for option in question.options])

    def prompt_labels(self, question: Question) -> tuple[str, ...]:
        """What the prompts are called; empty ones are answered in their order."""
        return ("",) * len(question.prompts)

    def as_typed(self, question: Question, choice: Sequence[int]) -> str:
        """A choice (0-based) as somebody would type it."""
        said = self.labels(question)
        return ",".join(said[n] for n in choice if n < len(said))

    # --- graded ---------------------------------------------------------------------------------------------

    def share(self, question: Question, choice: tuple[int, ...], text: tuple[str, ...]) -> Share:
        """What an answer earns; only called where the question has a key."""
        raise NotImplementedError

    # --- what is right --------------------------------------------------------------------------------------

    def arranged(self, question: Question, places: list[int]) -> list[int]:
        """Shuffled places of the options, put right where they would tell the key."""
        return places

    def accepts(self, text: str) -> Accepted:
        """A text that was told to be right, as an accepted answer."""
        return Accepted(text)

    def told(self, question: Question) -> Told:
        """What a reveal says: only what earns all the points."""
        return Told(question.key, (), tuple(option.explain for option in question.options))

    def remarks(self, question: Question) -> list[Remark]:
        """What there is to say of typical answers that `told` does not explain."""
        return []

    def held(self, question: Question, key: Sequence[int], accepted: Sequence[str]) -> Question:
        """The question with the key that was told."""
        return question

    def key_as_typed(self, question: Question) -> str:
        """The right answer as it would be typed."""
        return self.as_typed(question, question.key)

    def key_in_words(self, question: Question, words: Callable[[str], str]) -> str:
        """The right answer for readers, where it is not marked among options; `words` reads Markdown."""
        return ""

    def in_words(self, question: Question, choice: Sequence[int]) -> str:
        """A choice for a report: options by their number (from 1) with their text."""
        texts = [option.text for option in question.options]
        shown = [(n, texts[n]) for n in choice if n < len(texts)]
        return ", ".join(text if text == str(n + 1) else f"{n + 1} {text}" for n, text in shown)

    def part_label(self, n: int) -> str:
        """What option `n` is called in a report."""
        return str(n + 1)


@cache
def of(kind: Kind) -> QuestionKind:
    """All that a kind says of itself."""
    if kind not in KINDS:
        raise KeyError(kind)
    found: QuestionKind = import_module(f"quiz.kinds.{kind}").KIND
    return found


def text_of(lines: list[str]) -> str:
    """The lines as one Markdown text without empty lines around it."""
    return "\n".join(map(str.rstrip, lines)).strip("\n")


def named_sign(said: Sequence[str]) -> str:
    """What labels are: numbers, letters or signs."""
    return {"1": "number", "a": "letter"}.get(said[0] if said else "", "sign")

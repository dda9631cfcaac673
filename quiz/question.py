"""A question as frozen data. Stem, options and explanations are Markdown as the author wrote it.

How each kind keeps what is right:

    single, multi, truefalse   `options`, right ones marked, or worth a `weight`
    poll                       `options`, none of them right
    order                      `options` to put in order, `sequence` the right order of them
    match                      `prompts` left, `options` right, `sequence` the option of each
    line                       `code` to pick from, `sequence` the 0-based lines that are right
    numeric, text              `accepted` answers, the first that fits counts
    cloze                      `gaps`, each with its accepted answers; `{{1}}` in the stem is the first
    essay, description         nothing: what no program grades, and what asks nothing
"""

from __future__ import annotations

from typing import Literal

import msgspec

from quiz.answers import quantity
from quiz.answers.scale import Scale
from quiz.kinds.registry import ACCEPTING, GAPPED, LINED, SEQUENCED, UNGRADED, Kind

Markup = Literal["markdown", "html", "plain", "moodle"]


class Option(msgspec.Struct, frozen=True, gc=False):
    """`weight` is the share of the points a pick earns, -1 to 1; None: by the rule of the kind."""

    text: str
    right: bool = False
    explain: str = ""
    weight: float | None = None


class Number(msgspec.Struct, frozen=True, gc=False):
    """Every number from `low` to `high` in `unit` ("" for none). `stated` is the one written beside its
    tolerance, None where a range was written."""

    low: float
    high: float
    unit: str = ""
    stated: float | None = None

    def inside(self, unit: str) -> Number | None:
        """The same numbers in another unit; None where it is of another dimension."""
        held = [quantity.converted(quantity.Quantity(end, self.unit), unit) for end in (self.low, self.high)]
        low, high = held
        if low is None or high is None:
            return None
        stated = (
            None
            if self.stated is None
            else quantity.converted(quantity.Quantity(self.stated, self.unit), unit)
        )
        return Number(low, high, unit, stated)


class Accepted(msgspec.Struct, frozen=True, gc=False):
    """An answer that earns `weight` of the points (0 to 1, below 0 only as one of several picks): a number or
    a text, in which `*` stands for anything and `\\*` for itself."""

    text: str
    weight: float = 1.0
    explain: str = ""
    number: Number | None = None


class Gap(msgspec.Struct, frozen=True, gc=False):
    """`offered` are the texts to choose from, right ones among them; empty where the answer is typed. `many`:
    several of them belong here, and each pick earns its weight. `case`: capitals count."""

    accepted: tuple[Accepted, ...]
    offered: tuple[str, ...] = ()
    weight: float = 1.0
    many: bool = False
    case: bool = False

    @property
    def right(self) -> tuple[Accepted, ...]:
        """What a full answer is, the first one enough where not `many` belong here."""
        return tuple(a for a in self.accepted if a.weight > 0 and (self.many or a.weight >= 1))


class File(msgspec.Struct, frozen=True, gc=False):
    """A file that the texts of a question show as `@@PLUGINFILE@@/name`; `data` is its bytes in base64."""

    name: str
    data: str


class Question(msgspec.Struct, frozen=True, gc=False):
    """`time_s` is a limit in seconds, None for none; `axis` is that on which a number is answered; `partial`
    False makes it all or nothing. `verdicts` are told to who answered right, partly right and wrong, whatever
    it was; none, or these three."""

    id: str
    kind: Kind
    stem: str
    options: tuple[Option, ...] = ()
    explain: str = ""
    points: float = 1.0
    tags: tuple[str, ...] = ()
    line: int = 0
    sequence: tuple[int, ...] = ()
    prompts: tuple[str, ...] = ()
    accepted: tuple[Accepted, ...] = ()
    gaps: tuple[Gap, ...] = ()
    code: str = ""
    lang: str = ""
    hints: tuple[str, ...] = ()
    title: str = ""
    category: str = ""
    source: str = ""
    markup: Markup = "markdown"
    shuffle: bool = False
    case: bool = False
    partial: bool = True
    time_s: float | None = None
    axis: Scale | None = None
    verdicts: tuple[str, ...] = ()
    files: tuple[File, ...] = ()

    @property
    def key(self) -> tuple[int, ...]:
        """What is right among the options or lines, 0-based; of `order` and `match` in their order."""
        if self.kind in SEQUENCED:
            return self.sequence
        return tuple(n for n, option in enumerate(self.options) if option.right)

    @property
    def places(self) -> int:
        """How many there are to pick from: options, or lines of code."""
        return self.code.count("\n") + 1 if self.kind in LINED else len(self.options)

    @property
    def keyed(self) -> bool:
        """Whether it can be graded: its kind has a right answer, and that was not taken out."""
        if self.kind in ACCEPTING:
            return any(answer.weight > 0 for answer in self.accepted)
        if self.kind in GAPPED:
            return bool(self.gaps) and all(gap.accepted for gap in self.gaps)
        return self.kind not in UNGRADED and bool(self.key)


class Trouble(msgspec.Struct, frozen=True, gc=False):
    """Why a question could not be read, with the 1-based line of the file and what to write instead.

    `column` counts from 1 too; 0 where the whole line is meant.
    """

    line: int
    message: str
    mend: str
    column: int = 0

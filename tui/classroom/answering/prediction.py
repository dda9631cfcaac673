"""What a prediction is about: a figure of demos of the deck, measured in runs while everybody watches.

    ::: predict {#buckets metric=seven.step_s.median over=one unit=x runs=3}

`metric` names a demo's block, a figure of its run, and `median`: that of the runs. `over` is another block,
and makes it a ratio, run by run in turn, so that a machine that slows down slows both alike. What is shown as
± is half the interquartile range. Without a key the measurement is the key, as far as it goes: what is right
by some of its runs and wrong by others is neither. The lowest to the highest of n runs hold the median of all
that there could be with a probability of 1 − 2^(1−n) (sign test): 3 of 4 for three runs, none for one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING

from quiz.answers import quantity
from quiz.question import Number, Question, Trouble
from runtime.classroom.question_state import QuestionState, Sample
from runtime.protocol.messages import Snapshot
from slides.deck import Demo, Quiz
from tui.deck.contents import Contents
from tui.figures.numbers import quantities
from tui.figures.numbers import quantity as written

if TYPE_CHECKING:  # not on the way to the first slide
    from quiz.answer_key import Told

# What is asked of any run (`runtime.recordings.summary.key_figures`), with its unit; others are the script's
# own.
FIGURES = {
    "step_s": "s",
    "exposed_s": "s",
    "exposed_share": "",
    "overlap": "",
    "loss": "",
    "tokens_per_s": "",
    "memory_bytes": "B",
    "peak_bytes": "B",
    "collective_bytes": "B",
    "payload_bytes_step": "B",
    "wire_bytes_step": "B",
    "theory_bytes_step": "B",
}
MOST_RUNS = 9
ATTRIBUTES = ("metric", "over", "unit", "runs", "steps")  # what stands on its line beside a question's
UNSEEN = ("budget", "keep", "until", "view")  # parameters that change nothing of what is measured
NEAR = 0.2  # share of the measured value by which a number that was predicted may miss it


def unit_of(figure: str) -> str:
    """The base unit of a figure; of one that only its demo knows, what its name says."""
    return FIGURES.get(figure, "B" if figure.endswith("_bytes") else "")


@dataclass(frozen=True, slots=True)
class Prediction:
    """`blocks`: the demo measured, then the one it is divided by, if there is one."""

    question: str
    blocks: tuple[Demo, ...]
    figure: str
    unit: str
    runs: int
    steps: int | None = None  # of each run; None: as many as the demo does

    def params(self) -> dict[str, str]:
        """What a run is asked for in place of what its block says."""
        return {"steps": str(self.steps)} if self.steps else {}

    @property
    def ratio(self) -> bool:
        """Whether the figure is a ratio between two demos."""
        return len(self.blocks) > 1

    def which(self, block: str) -> str:
        """A demo in words: its name, and what is other in its line than in the other one: `one, ranks=1`."""
        own = next((demo for demo in self.blocks if demo.id == block), None)
        other = next((demo for demo in self.blocks if demo.id != block), None)
        told = [block.replace("-", " ")]
        if own is not None and other is not None and own.name == other.name:
            ours, theirs = ({**_defaults(demo.name), **demo.params} for demo in (own, other))
            asked = {*own.params, *other.params}.difference(UNSEEN, self.params())
            told += [
                f"{name}={value}"
                for name, value in ours.items()
                if name in asked and value != theirs.get(name)
            ]
        return ", ".join(told)

    def next(self, state: QuestionState) -> Demo | None:
        """The demo to run now, the one that is divided by first; None: all are measured."""
        counts = [sum(s.block == block.id for s in state.samples) for block in self.blocks]
        turn = min(range(len(counts)), key=lambda n: (counts[n], -n))
        return self.blocks[turn] if counts[turn] < self.runs else None

    def done(self, state: QuestionState) -> int:
        """How many of all runs are over."""
        return len(state.samples)

    @property
    def of(self) -> int:
        """How many runs are measured, over all demos."""
        return self.runs * len(self.blocks)

    def values(self, state: QuestionState) -> list[list[float]]:
        """What was measured of each block, in base units."""
        return [
            [s.value for s in state.samples if s.block == block.id and s.value is not None]
            for block in self.blocks
        ]

    def measured(self, state: QuestionState) -> Spread | None:
        """The figure that was asked for, in its unit; None before there is one."""
        found = self.values(state)
        if self.ratio:
            pairs = zip(*found, strict=False)
            return summary([above / below for above, below in pairs if below])
        _, factor = quantity.measure(self.unit) if self.unit and unit_of(self.figure) else ("", 1.0)
        return summary([value / factor for value in found[0]])

    def verdict(self, question: Question, state: QuestionState) -> Told:
        """What the runs say is right: the option nearest to them, or the numbers that miss them by no more
        than `NEAR`. What only some of them say is right is left undecided, and that is all where one run says
        how long something took. The explanations are those of what came out."""
        from quiz.answer_key import Told

        measured = self.measured(state)
        if measured is None:
            return Told((), (), ())
        one = measured.count < 2 and unit_of(self.figure) != "B"  # bytes are counted, not timed
        if question.options:
            near = self._near(question, measured)
            every = tuple(n for n, value in enumerate(numbers(question, self.unit)) if value is not None)
            left = every if one else near if len(near) > 1 else ()
            why = tuple(option.explain if n in near else "" for n, option in enumerate(question.options))
            return Told(() if left else near, (), why, tuple(str(n + 1) for n in left))
        low, high = (abs(end) * NEAR for end in (measured.low, measured.high))
        sure, perhaps = (
            (measured.high - high, measured.low + low),
            (measured.low - low, measured.high + high),
        )
        key = () if one or sure[0] > sure[1] else (_range(*sure, self.unit),)
        left_open = () if key and sure == perhaps else (_range(*perhaps, self.unit),)
        return Told((), key, ("",) * len(key), left_open)

    def general(self, question: Question, state: QuestionState) -> str:
        """What explains the whole: of the numbers that were explained (`~ 90..110 ms`) those that came out,
        then what closes the question."""
        measured = self.measured(state)
        held = [
            answer.explain
            for answer in question.accepted
            if measured and answer.number and answer.weight == 0 and _meet(answer.number, measured, self.unit)
        ]
        return "\n\n".join(filter(None, (*held, question.explain)))

    def otherwise(self, question: Question, state: QuestionState) -> str:
        """Say that every run contradicts what the deck calls right, "" where none surely does."""
        measured = self.measured(state)
        if measured is None or not question.options or (measured.count < 2 and unit_of(self.figure) != "B"):
            return ""
        near = self._near(question, measured)
        if len(near) != 1 or near[0] in question.key:
            return ""
        label = " ".join(question.options[near[0]].text.split())
        return f"The runs here came out nearest to “{label}”, which the deck does not call right."

    def _near(self, question: Question, measured: Spread) -> tuple[int, ...]:
        """The options that are nearest to something between the lowest run and the highest."""
        held = [(value, n) for n, value in enumerate(numbers(question, self.unit)) if value is not None]
        middle = measured.middle
        best = min((abs(value - middle) for value, _ in held), default=0.0)
        values = sorted({value for value, _ in held})
        parted = [-math.inf, *((a + b) / 2 for a, b in pairwise(values)), math.inf]
        reached = {
            value
            for value, (left, right) in zip(values, pairwise(parted), strict=True)
            if (measured.low < right and measured.high > left) or abs(value - middle) == best
        }
        return tuple(n for value, n in sorted(held, key=itemgetter(1)) if value in reached)


def _defaults(demo: str) -> dict[str, str]:
    """What a demo's parameters are where a line does not say."""
    from runtime.catalog import registry  # not on the way to the first slide

    spec = registry.find(demo)
    known = [(param.name, param.default) for param in spec.params] if spec else []
    return {name: f"{value:g}" if isinstance(value, float) else f"{value}" for name, value in known}


@dataclass(frozen=True, slots=True)
class Spread:
    """The median of `count` values, half their interquartile range (None of fewer than two), the lowest and
    the highest."""

    middle: float
    half: float | None
    count: int
    low: float
    high: float


def summary(values: Sequence[float]) -> Spread | None:
    """Return median, half the interquartile range (None for one value) and extremes; None of nothing."""
    if not values:
        return None
    if len(values) < 2:
        return Spread(values[0], None, 1, values[0], values[0])
    from statistics import median, quantiles  # not on the way to the first slide

    low, _, high = quantiles(values, n=4, method="inclusive")
    return Spread(median(values), (high - low) / 2, len(values), min(values), max(values))


def _range(low: float, high: float, unit: str) -> str:
    """As a key writes it; of four digits, for it is read by people."""
    return quantities(low, high, unit) if low != high else written(low, unit)


def _meet(held: Number, measured: Spread, unit: str) -> bool:
    ends = [quantity.converted(quantity.Quantity(end, held.unit), unit) for end in (held.low, held.high)]
    low, high = ends
    return low is not None and high is not None and low <= measured.high and high >= measured.low


def numbers(question: Question, unit: str) -> list[float | None]:
    """The number that each option holds, in `unit`: `about 1.2x` is 1.2; None where it holds none."""
    found: list[float | None] = []
    for option in question.options:
        text = re.sub(r"[*_`$]", "", option.text)
        match = re.search(r"[0-9][0-9_.,]*(?:[eE][+-]?[0-9]+)?\s*(?:%|[^\W\d_]+(?:/s)?|×)?", text)
        value = number(match[0].rstrip(" .,"), unit) if match else None
        found.append(value)
    return found


def number(text: str, unit: str) -> float | None:
    """A typed number in `unit`; a word behind it that is no unit of its kind means nothing."""
    read = quantity.read(text)
    if read is None:
        return None
    value = quantity.converted(read, unit)
    return read.value if value is None else value


def predicted(contents: Contents, quiz: Quiz) -> Prediction | Trouble | None:
    """What the block of a prediction is about; None: it says nothing of a measurement."""
    written = quiz.attrs.get("metric", "")
    if not written:
        return None
    name, _, rest = written.partition(".")
    figure, _, how = rest.rpartition(".")
    if not name or not figure or how != "median":
        return Trouble(
            quiz.line, f"metric={written} is not a figure of a demo", "Write `metric=block.step_s.median`"
        )
    names = [name, *filter(None, [quiz.attrs.get("over", "")])]
    blocks = [demo_named(contents, one) for one in names]
    for one, block in zip(names, blocks, strict=True):
        if block is None:
            return Trouble(
                quiz.line, f"no demo of this deck is called {one}", "Write `::: demo NAME {#" + one + "}`"
            )
    runs = quiz.attrs.get("runs", "3")
    if not runs.isdecimal() or not 1 <= int(runs) <= MOST_RUNS:
        return Trouble(quiz.line, f"runs={runs} cannot be used", f"Write `runs=` and 1 to {MOST_RUNS}")
    unit = quiz.attrs.get("unit", "x" if len(blocks) > 1 else unit_of(figure))
    base = unit_of(figure)
    if len(blocks) == 1 and base and quantity.measure(unit)[0] != quantity.measure(base)[0]:
        return Trouble(
            quiz.line, f"{figure} is not measured in {unit}", f"Write `unit={base}` or one of its kind"
        )
    steps = quiz.attrs.get("steps", "")
    if steps and not (steps.isdecimal() and 0 < int(steps) < 100_000):
        return Trouble(quiz.line, f"steps={steps} cannot be used", "Write `steps=20`, or leave it out")
    found = tuple(block for block in blocks if block)
    return Prediction(quiz.id, found, figure, unit, int(runs), int(steps) if steps else None)


def awaited(contents: Contents, block: str, questions: Mapping[str, QuestionState]) -> bool:
    """Whether the deck has a prediction about that block which the class has not seen revealed: what earlier
    runs of it gave would answer it."""
    for head in contents.heads:
        if "predict" not in head.raw or block not in head.raw:
            continue  # a slide is read only where it may ask that
        for quiz in contents.quizzes(head.index):
            about = quiz.attrs.get("metric", "").partition(".")[0], quiz.attrs.get("over", "")
            if quiz.directive == "predict" and block in about:
                state = questions.get(quiz.id)
                if state is None or state.phase != "revealed":
                    return True
    return False


def demo_named(contents: Contents, id: str) -> Demo | None:
    """The demo of that block, wherever in the deck it stands."""
    for head in contents.heads:
        if f"#{id}" in head.raw or (id in head.raw and "id=" in head.raw):
            for demo in contents.demos(head.index):
                if demo.id == id:
                    return demo
    return None


def figure_of(snapshot: Snapshot, figure: str) -> float | None:
    """A figure of a run that is over: a key figure, the share of exposed transfer, one of the script's own
    (median of its ranks' means), or a number of its last word, which may have the name of a key figure that
    the run itself does not know. None: it has none."""
    from runtime.recordings.summary import key_figures

    known = key_figures(snapshot)
    if figure == "exposed_share":
        return known.exposed_s / known.step_s if known.exposed_s is not None and known.step_s else None
    if figure in FIGURES and (value := getattr(known, figure)) is not None:
        return float(value)
    for named in snapshot.values:
        if named.name == figure:
            return _middle([sum(rank) / len(rank) for rank in named.ranks if rank])
    told = [row.result.get(figure) for row in snapshot.rows if row.result]
    return _middle([float(one) for one in told if isinstance(one, int | float)])


def _middle(values: Sequence[float]) -> float | None:
    from statistics import median

    return median(values) if values else None


def sample(snapshot: Snapshot, figure: str) -> Sample:
    """Return the figure of one run; its value is None unless the run has finished."""
    return Sample(
        snapshot.block,
        snapshot.run,
        figure_of(snapshot, figure) if snapshot.state == "done" else None,
        snapshot.badge,
        snapshot.bent,
    )

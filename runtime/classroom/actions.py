"""The actions of people and the host in a class: the vocabulary of its journal.

`runtime.classroom.state` folds these into the state. Slides and blocks go by id, never by index.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from runtime.classroom.question_state import Comment, Sample

Role = Literal["console", "audience"]  # of a screen
Visibility = Literal["all", "console"]  # to whom an entry is told
ShowMode = Literal["live", "frozen", "black", "white"]
TimerOp = Literal["start", "pause", "reset"]
# `replay`: the block shows a recorded run, whatever became of that one.
RunState = Literal["launching", "running", "stopping", "done", "failed", "stopped", "lost", "replay"]


class Action(Struct, frozen=True, tag_field="do"):
    """Something a person or the host did in a class. The journal stores actions and nothing else."""


class Begin(Action, frozen=True, tag="begin"):
    """The class starts. `class_id` names its folder; times are wall-clock seconds. `seed` shuffles options of
    its questions; it would undo that, so no audience gets it."""

    class_id: str
    version: str
    seed: str = ""


class Planned(Struct, frozen=True):
    """A slide of the talk in the plan. `time_s` is the time the deck gives it, None if it gives none."""

    slide: str
    title: str = ""
    time_s: float | None = None
    optional: bool = False


class Plan(Struct, frozen=True):
    """How long a class is meant to take: in all (`total_s`), until when (`end`: "15:30"), slide by slide.

    `besides` are the slides of the deck that are not part of the talk: hidden ones, and those after its end.
    """

    total_s: float | None = None
    end: str = ""
    slides: tuple[Planned, ...] = ()
    besides: tuple[Planned, ...] = ()


class Deck(Action, frozen=True, tag="deck"):
    """A deck revision is shown from now on; its two blobs are published beside it. `format` says for which
    program the file at `path` was written."""

    rev: str
    title: str
    path: str
    plan: Plan = Plan()
    format: str = ""


class Move(Action, frozen=True, tag="move", omit_defaults=True):
    """Go to a step of a slide; `down` is how far it is scrolled, from 0 (top) to 1 (end)."""

    slide: str
    step: int
    down: float = 0.0


class Show(Action, frozen=True, tag="show"):
    """What the room sees: the live position, a frozen one, or an empty screen."""

    mode: ShowMode


class Look(Action, frozen=True, tag="look"):
    """How every screen shows the demo of the slide: the name of a view ("": the demo's own), the rank that is
    highlighted, and whether its panel fills the screen. `snippet` is the block of code whose output is shown
    in its place. `estimate` are the words of the slide's estimate where it was turned, `slider` is the one
    that keys turn. All of it is reset on another slide."""

    view: str = ""
    rank: int | None = None
    full: bool = False
    snippet: str = ""
    estimate: tuple[str, ...] = ()
    slider: str = ""


class Timer(Action, frozen=True, tag="timer"):
    """The class timer was started, paused or set to zero."""

    op: TimerOp


class Until(Action, frozen=True, tag="until"):
    """The class has to end at this wall-clock time (seconds); None: as the deck says."""

    at: float | None


class Drop(Action, frozen=True, tag="drop"):
    """These slides, and only these, are skipped from now on."""

    slides: tuple[str, ...]


class Lead(Action, frozen=True, tag="lead"):
    """The console `screen` drives alone from now on; "": every console does."""

    screen: str


class Run(Action, frozen=True, tag="run"):
    """A run of a slide's demo block entered a state. `why` is one line for people."""

    block: str
    run: str
    generation: int
    demo: str
    params: dict[str, str]
    state: RunState
    why: str = ""


class Stepped(Action, frozen=True, tag="stepped"):
    """A run has done its first step: the class waited until then."""

    block: str
    run: str


class Open(Action, frozen=True, tag="open", omit_defaults=True):
    """A question takes answers. `options` is how many there are to pick from, `time_s` how long it takes
    them. One that is another now, of another kind or with other options, is asked anew until it is revealed:
    what was answered was said of options that are gone."""

    question: str
    kind: str
    options: int
    time_s: float | None = None


class Answer(Action, frozen=True, tag="answer", omit_defaults=True):
    """One screen's present answer (0-based options, places or lines; what was typed); a later one of the same
    screen replaces it. `who`: from the room, by the name somebody there chose ("": none); None: a console."""

    question: str
    choice: tuple[int, ...]
    text: tuple[str, ...] = ()
    who: str | None = None


class Hands(Action, frozen=True, tag="hands"):
    """How many hands the teacher counted for each option; an empty tuple takes them back."""

    question: str
    counts: tuple[int, ...]


class Hint(Action, frozen=True, tag="hint"):
    """The hints shown so far. They travel here because audience screens never had them. Text is Markdown."""

    question: str
    hints: tuple[str, ...]


class Lock(Action, frozen=True, tag="lock", omit_defaults=True):
    """Answers are closed; `points` of `out_of` is what the answer given at the driving screen earned, `parts`
    the share of each of its parts. Points None: it gave none, or there is nothing to grade by."""

    question: str
    choice: tuple[int, ...]
    points: float | None
    out_of: float
    text: tuple[str, ...] = ()
    parts: tuple[float, ...] = ()


class Again(Action, frozen=True, tag="again"):
    """The question is asked again, after discussion: a new round."""

    question: str


class Measured(Action, frozen=True, tag="measured"):
    """A run measured the figure that a prediction is about."""

    question: str
    sample: Sample


class Reveal(Action, frozen=True, tag="reveal", omit_defaults=True):
    """The key is shown. It travels here because audience screens never had it. Text is Markdown.

    `explain` belongs to the options, or to the `accepted` texts; of a text with gaps these are one a gap.
    `undecided` is what a measurement left neither right nor wrong: options by number from 1, or a range;
    `comments` are remarks on typical answers.
    """

    question: str
    key: tuple[int, ...]
    explain: tuple[str, ...] = ()
    general: str = ""
    accepted: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    comments: tuple[Comment, ...] = ()


class Consent(Action, frozen=True, tag="consent"):
    """The teacher allowed the code of this deck to run; `key` is its path and hash."""

    key: str


class Record(Action, frozen=True, tag="record"):
    """The recording of a screen was switched on or off."""

    on: bool


class Undo(Action, frozen=True, tag="undo"):
    """The entry `seq` is undone: the state is folded again without it."""

    seq: int


class End(Action, frozen=True, tag="end"):
    """The class is over; `why` is "" where nobody said."""

    why: str = ""


AnyAction = (
    Begin
    | Deck
    | Move
    | Show
    | Look
    | Timer
    | Until
    | Drop
    | Lead
    | Run
    | Stepped
    | Open
    | Answer
    | Hands
    | Hint
    | Lock
    | Again
    | Measured
    | Reveal
    | Consent
    | Record
    | Undo
    | End
)
# What only the console does that has the lead, when one has it.
DRIVING = (
    Move,
    Show,
    Look,
    Timer,
    Until,
    Drop,
    Open,
    Hands,
    Hint,
    Lock,
    Again,
    Measured,
    Reveal,
    Record,
)


class Entry(Struct, frozen=True):
    """One line of the journal: order, wall-clock time in seconds, the screen it came from, who may see it."""

    seq: int
    t: float
    screen: str
    visible: Visibility
    action: AnyAction

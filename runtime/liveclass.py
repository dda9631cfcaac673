"""The state of a class, and the only function that changes it.

`ClassState = fold(apply, journal)`: following, reattach, undo, reports and replay are all readers of the same
journal of actions. Slides and blocks go by id, never by index. The host orders actions; a screen applies its
own at once and lets the host's order win.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from runtime import questions
from runtime.questions import QuestionState as QuestionState
from runtime.questions import Sample as Sample

Visibility = Literal["all", "console"]
ShowMode = Literal["live", "frozen", "black", "white"]
# `replay`: the block shows a recorded run, whatever became of that one.
RunState = Literal["launching", "running", "stopping", "done", "failed", "stopped", "lost", "replay"]


class Action(Struct, frozen=True, tag_field="do"):
    """Something a person or the host did in a class. The journal stores actions and nothing else."""


class Begin(Action, frozen=True, tag="begin"):
    """The class starts. `class_id` names its folder; times are wall-clock seconds. `seed` shuffles what its
    questions shuffle; it would undo that, so no audience is told it."""

    class_id: str
    version: str
    seed: str = ""


class Planned(Struct, frozen=True):
    """A slide of the talk in the plan. `time_s` is what the deck gives it, None where it says nothing."""

    slide: str
    title: str = ""
    time_s: float | None = None
    optional: bool = False


class Plan(Struct, frozen=True):
    """How long a class is meant to take: in all (`total_s`), until when (`end`: "15:30"), slide by slide.

    `besides` are the slides of the deck that are none of the talk's: hidden ones, and those behind its end.
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
    """`down`: how far down what does not fit on a screen is scrolled, from 0 (its top) to 1 (its end)."""

    slide: str
    step: int
    down: float = 0.0


class Show(Action, frozen=True, tag="show"):
    """What the room sees: the live position, a frozen one, or an empty screen."""

    mode: ShowMode


class Look(Action, frozen=True, tag="look"):
    """How the demo of the slide is looked at, on every screen: a `params.View` ("": the demo's own), the rank
    that is pointed at, and whether its panel has all the room. `snippet` is the block of code whose output
    lies open in its place. Another slide begins without."""

    view: str = ""
    rank: int | None = None
    full: bool = False
    snippet: str = ""


class Timer(Action, frozen=True, tag="timer"):
    op: Literal["start", "pause", "reset"]


class Until(Action, frozen=True, tag="until"):
    """The class has to end at this wall-clock time (seconds); None: when the deck says."""

    at: float | None


class Drop(Action, frozen=True, tag="drop"):
    """These slides, and only these, are stepped over from now on."""

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
    """A run has its first step behind it: that is how long the class waited for it."""

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
    """How many hands the teacher counted for each option; none takes them back."""

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
    """The room has talked it over and votes once more."""

    question: str


class Measured(Action, frozen=True, tag="measured"):
    """A run gave a figure that a prediction is about."""

    question: str
    sample: Sample


class Reveal(Action, frozen=True, tag="reveal", omit_defaults=True):
    """The key is shown. It travels here because audience screens never had it. Text is Markdown.

    `explain` belongs to the options, or to the `accepted` texts; of a text with gaps these are one a gap.
    """

    question: str
    key: tuple[int, ...]
    explain: tuple[str, ...] = ()
    general: str = ""
    accepted: tuple[str, ...] = ()


class Consent(Action, frozen=True, tag="consent"):
    """The teacher allowed the code of this deck to run; `key` is its path and hash."""

    key: str


class Record(Action, frozen=True, tag="record"):
    on: bool


class Undo(Action, frozen=True, tag="undo"):
    """The entry `seq` is taken back: the state is folded again without it."""

    seq: int


class End(Action, frozen=True, tag="end"):
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
UNDOABLE = (Answer, Hands, Hint, Lock, Again, Reveal, Timer)
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


class Position(Struct, frozen=True):
    slide: str = ""
    step: int = 0
    down: float = 0.0


class TimerState(Struct, frozen=True):
    """`elapsed` and `spent` (seconds per slide id) up to `since`; running adds `now - since` to both.

    `began` and `paused` are wall-clock times: of the first start, and since when it stands (0: it does not).
    """

    running: bool = False
    started: bool = False
    since: float = 0.0
    elapsed: float = 0.0
    spent: dict[str, float] = {}
    began: float = 0.0
    paused: float = 0.0

    @property
    def counts(self) -> bool:
        """Whether it was started since it was last at zero; that of an ended class stands until a move."""
        return self.started or self.elapsed > 0.0


class RunInfo(Struct, frozen=True):
    run: str
    generation: int
    demo: str
    params: dict[str, str]
    state: RunState
    why: str = ""


class ClassState(Struct, frozen=True):
    """Everything about a class that outlives a screen. `rev` is the last entry folded in.

    `held`: the room is frozen at `shown_at` beneath the empty screen that it is shown.
    """

    rev: int = 0
    class_id: str = ""
    seed: str = ""
    deck_rev: str = ""
    title: str = ""
    path: str = ""
    format: str = ""
    pos: Position = Position()
    shown: ShowMode = "live"
    shown_at: Position = Position()
    held: bool = False
    look: Look = Look()
    shown_look: Look = Look()
    timer: TimerState = TimerState()
    until: float | None = None
    dropped: tuple[str, ...] = ()
    lead: str = ""
    runs: dict[str, RunInfo] = {}
    questions: dict[str, QuestionState] = {}
    consent: tuple[str, ...] = ()
    recording: bool = False
    ended: bool = False

    @property
    def audience(self) -> Position:
        """Where an audience screen stands: frozen rooms stay behind."""
        return self.shown_at if self.stands else self.pos

    @property
    def stands(self) -> bool:
        """Whether the room is frozen, be it blanked besides."""
        return self.held or self.shown == "frozen"


def elapsed(state: ClassState, now: float) -> float:
    """Seconds of class time at wall-clock `now`."""
    timer = state.timer
    return timer.elapsed + (max(0.0, now - timer.since) if timer.running else 0.0)


def spent(state: ClassState, slide: str, now: float) -> float:
    """Seconds spent on `slide` over all visits, at wall-clock `now`."""
    timer = state.timer
    here = timer.running and state.pos.slide == slide
    return timer.spent.get(slide, 0.0) + (max(0.0, now - timer.since) if here else 0.0)


def may_drive(state: ClassState, screen: str) -> bool:
    """Whether `screen` ("": the host) moves the class: all do until one takes the lead."""
    return screen in ("", state.lead) or not state.lead


def _settled(state: ClassState, now: float) -> TimerState:
    """The timer with the time since `since` booked on the current slide."""
    timer = state.timer
    if not timer.running:
        return replace(timer, since=now)
    passed = max(0.0, now - timer.since)
    slide = state.pos.slide
    booked = {**timer.spent, slide: timer.spent.get(slide, 0.0) + passed} if slide else timer.spent
    return replace(timer, since=now, elapsed=timer.elapsed + passed, spent=booked)


def _timer(state: ClassState, action: Timer, now: float) -> TimerState:
    if action.op == "reset":
        return TimerState(since=now)  # the next move starts it again
    timer = _settled(state, now)
    if action.op == "start":
        return replace(timer, running=True, started=True, began=timer.began or now, paused=0.0)
    return replace(timer, running=False, started=True, paused=timer.paused or now)


def _asked(state: ClassState, question: QuestionState) -> ClassState:
    return replace(state, questions={**state.questions, question.id: question})


def _question(state: ClassState, entry: Entry) -> ClassState:
    """What an action does to its question; one that was never opened takes none."""
    action = entry.action
    if isinstance(action, Open):
        known = state.questions.get(action.question)
        if known and (
            known.phase == "revealed" or (known.kind, known.options) == (action.kind, action.options)
        ):
            return state
        fresh = QuestionState(action.question, action.kind, action.options, time_s=action.time_s)
        return _asked(state, questions.opened(fresh, entry.t))
    question = state.questions.get(getattr(action, "question", ""))
    if question is None:
        return state
    match action:
        case Answer() as a:
            question = questions.answered(question, entry.screen, a.choice, a.text, a.who)
        case Hands() as a:
            question = questions.raised(question, a.counts)
        case Hint() as a:
            question = replace(question, hints=a.hints)
        case Lock() as a if question.phase == "open":
            question = questions.answered(question, entry.screen, a.choice, a.text)
            question = replace(question, phase="locked", points=a.points, out_of=a.out_of, parts=a.parts)
        case Again():
            question = questions.again(question, entry.t)
        case Measured() as a:
            question = replace(question, samples=(*question.samples, a.sample))
        case Reveal() as a:
            question = replace(
                question,
                phase="revealed",
                key=a.key,
                explain=a.explain,
                general=a.general,
                accepted=a.accepted,
            )
        case _:
            pass
    return _asked(state, question)


def _move(state: ClassState, action: Move, now: float) -> ClassState:
    pos = Position(action.slide, max(0, action.step), max(0.0, min(action.down, 1.0)))
    if pos == state.pos:
        return state
    timer = _settled(state, now)
    first = not timer.started and bool(state.pos.slide) and pos.slide != state.pos.slide
    if first:  # the clock of a talk starts on the first move off the first slide
        timer = replace(timer, started=True, running=True, since=now, began=timer.began or now, paused=0.0)
    look = state.look if pos.slide == state.pos.slide else Look()
    return replace(state, pos=pos, timer=timer, look=look)


def _show(state: ClassState, mode: ShowMode) -> ClassState:
    """What the room sees from now on. One that was frozen before it was blanked is frozen again after it."""
    if mode in ("black", "white"):
        return replace(state, shown=mode, held=state.held or state.shown == "frozen")
    if state.held:
        return replace(state, shown="frozen", held=False)
    return replace(state, shown=mode, shown_at=state.pos, shown_look=state.look)


def apply(state: ClassState, entry: Entry) -> ClassState:
    """The state after `entry`. Total: an action that does not fit the state changes nothing but `rev`."""
    if isinstance(entry.action, DRIVING) and not may_drive(state, entry.screen):
        return replace(state, rev=entry.seq)
    match entry.action:
        case Begin() as a:
            # The clock of a class that was ended stands until the next move of the resumed one.
            timer = replace(state.timer, started=False) if state.ended else state.timer
            state = replace(state, class_id=a.class_id, ended=False, timer=timer, seed=state.seed or a.seed)
        case Deck() as a:
            state = replace(state, deck_rev=a.rev, title=a.title, path=a.path, format=a.format)
        case Move() as a:
            state = _move(state, a, entry.t)
        case Show() as a:
            state = _show(state, a.mode)
        case Look() as a:
            state = replace(state, look=a)
        case Timer() as a:
            state = replace(state, timer=_timer(state, a, entry.t))
        case Until() as a:
            state = replace(state, until=a.at)
        case Drop() as a:
            state = replace(state, dropped=a.slides)
        case Lead() as a:
            state = replace(state, lead=a.screen)
        case Run() as a:
            info = RunInfo(a.run, a.generation, a.demo, a.params, a.state, a.why)
            state = replace(state, runs={**state.runs, a.block: info})
        case Open() | Answer() | Hands() | Hint() | Lock() | Again() | Measured() | Reveal():
            state = _question(state, entry)
        case Consent() as a:
            state = replace(state, consent=tuple(dict.fromkeys((*state.consent, a.key))))
        case Record() as a:
            state = replace(state, recording=a.on)
        case End():
            timer = replace(_settled(state, entry.t), running=False)
            state = replace(state, timer=timer, ended=True, recording=False)
        case Stepped():
            pass  # for reports
        case Undo():
            pass  # `fold` leaves the undone entry out; by itself an undo changes nothing
    return replace(state, rev=entry.seq)


def fold(entries: Iterable[Entry], state: ClassState | None = None) -> ClassState:
    """The state after all `entries`, undone ones left out (only what `UNDOABLE` names can be undone)."""
    state = state or ClassState()
    for entry in standing(entries):
        state = apply(state, entry)
    return state


def standing(entries: Iterable[Entry]) -> list[Entry]:
    """The entries that were not taken back."""
    lines = list(entries)
    undone = {entry.action.seq for entry in lines if isinstance(entry.action, Undo)}
    return [line for line in lines if line.seq not in undone or not isinstance(line.action, UNDOABLE)]


def visible_to(state: ClassState, role: Literal["console", "audience"]) -> ClassState:
    """What a screen of `role` may know: an audience sees no answers and no keys before their time."""
    if role == "console":
        return state
    seen = {id: questions.public(question) for id, question in state.questions.items()}
    look = state.shown_look if state.stands else state.look
    return replace(
        state,
        pos=state.audience,
        held=False,
        look=look,
        questions=seen,
        seed="",
        consent=(),
        path="",
        format="",
        until=None,
        dropped=(),
        lead="",
    )

"""The state of a class, and the only function that changes it.

`ClassState = fold(apply, journal)`: following, reattach, undo, reports and replay are all readers of the same
journal of actions (`runtime.classroom.actions`). The host orders actions; a screen applies its own at once
and lets the host's order win.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from runtime.classroom import black_or_frozen_room, class_clock, driving_console, question_state, undo
from runtime.classroom.actions import (
    DRIVING,
    Again,
    Answer,
    Begin,
    Consent,
    Deck,
    Drop,
    End,
    Entry,
    Hands,
    Hint,
    Lead,
    Lock,
    Look,
    Measured,
    Move,
    Open,
    Record,
    Reveal,
    Run,
    RunState,
    Show,
    ShowMode,
    Stepped,
    Timer,
    Undo,
    Until,
)
from runtime.classroom.class_clock import TimerState
from runtime.classroom.question_state import QuestionState


class Position(Struct, frozen=True):
    """A slide by id, a step of it (from 0), and how far it is scrolled: `down` from 0 (top) to 1 (end)."""

    slide: str = ""
    step: int = 0
    down: float = 0.0


class RunInfo(Struct, frozen=True):
    """The newest run of a block, as far as the class keeps it: `params` as written, `why` if it failed."""

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
        """The position audience screens show: the live one unless the audience's view is frozen."""
        return self.shown_at if self.stands else self.pos

    @property
    def stands(self) -> bool:
        """Whether the audience's view is frozen, even if it is blanked as well."""
        return black_or_frozen_room.stands(self.shown, self.held)


def _asked(state: ClassState, question: QuestionState) -> ClassState:
    return replace(state, questions={**state.questions, question.id: question})


def _question(state: ClassState, entry: Entry) -> ClassState:
    """Apply an action to its question; one that was never opened ignores it."""
    action = entry.action
    if isinstance(action, Open):
        known = state.questions.get(action.question)
        if known and (
            known.phase == "revealed" or (known.kind, known.options) == (action.kind, action.options)
        ):
            return state
        fresh = QuestionState(action.question, action.kind, action.options, time_s=action.time_s)
        return _asked(state, question_state.opened(fresh, entry.t))
    question = state.questions.get(getattr(action, "question", ""))
    if question is None:
        return state
    match action:
        case Answer() as a:
            question = question_state.answered(question, entry.screen, a.choice, a.text, a.who)
        case Hands() as a:
            question = question_state.raised(question, a.counts)
        case Hint() as a:
            question = replace(question, hints=a.hints)
        case Lock() as a if question.phase == "open":
            question = question_state.answered(question, entry.screen, a.choice, a.text)
            question = replace(question, phase="locked", points=a.points, out_of=a.out_of, parts=a.parts)
        case Again():
            question = question_state.again(question, entry.t)
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
                undecided=a.undecided,
                comments=a.comments,
            )
        case _:
            pass
    return _asked(state, question)


def _move(state: ClassState, action: Move, now: float) -> ClassState:
    pos = Position(action.slide, max(0, action.step), max(0.0, min(action.down, 1.0)))
    if pos == state.pos:
        return state
    timer = class_clock.moved(state.timer, state.pos.slide, pos.slide, now)
    look = state.look if pos.slide == state.pos.slide else Look()
    return replace(state, pos=pos, timer=timer, look=look)


def apply(state: ClassState, entry: Entry) -> ClassState:
    """Return the state after `entry`. Total: an action that does not fit changes nothing but `rev`."""
    if isinstance(entry.action, DRIVING) and not driving_console.may_drive(state.lead, entry.screen):
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
            view = black_or_frozen_room.changed(state.shown, state.held, a.mode)
            if view.here:
                state = replace(state, shown_at=state.pos, shown_look=state.look)
            state = replace(state, shown=view.shown, held=view.held)
        case Look() as a:
            state = replace(state, look=a)
        case Timer() as a:
            state = replace(state, timer=class_clock.changed(state.timer, state.pos.slide, a.op, entry.t))
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
            timer = replace(class_clock.settled(state.timer, state.pos.slide, entry.t), running=False)
            state = replace(state, timer=timer, ended=True, recording=False)
        case Stepped():
            pass  # for reports
        case Undo():
            pass  # `fold` leaves the undone entry out; by itself an undo changes nothing
    return replace(state, rev=entry.seq)


def fold(entries: Iterable[Entry], state: ClassState | None = None) -> ClassState:
    """Return the state after all `entries` but undone ones (`runtime.classroom.undo`)."""
    state = state or ClassState()
    for entry in undo.standing(entries):
        state = apply(state, entry)
    return state

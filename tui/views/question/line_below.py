"""The line below a question: what to do next, or how it went."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from quiz.kinds.kind import of
from quiz.kinds.registry import SEVERAL, TYPED, UNGRADED
from runtime.classroom.question_state import QuestionState
from slides.drawing.text import Span, Style
from tui.figures.numbers import DASH, clock
from tui.views.question import picture, votes
from tui.views.question.picture import Asked

DIM, FAINT, HEAD = Style("dim"), Style("faint"), Style("heading", bold=True)
KEY = Style("accent", bold=True)
_DOT = Span(" · ", FAINT)


class Told(NamedTuple):
    """What this screen may say besides the question: `hints` whether keys are named, `locks` those that only
    the driver has; `left_s` whole seconds until it locks; `people` how many of the room could answer by key;
    `counted` how many have answered, as the room is told it; `onward` the key that goes on once it is locked,
    and its word; `say` puts the program's words into the deck's language."""

    hints: bool = True
    locks: bool = True
    left_s: int | None = None
    people: int = 0
    counted: int | None = None
    onward: tuple[str, str] = ("e", "reveals")
    say: Callable[[str], str] = str


def foot(asked: Asked, told: Told, more: bool = False) -> list[Span]:
    """What to do next, or how it went; `more`: there are explanations that a key shows."""
    return [span if span.style == HEAD else _in_words(span, told.say) for span in _foot(asked, told, more)]


def _in_words(span: Span, say: Callable[[str], str]) -> Span:
    """Of `span`, which is no answer, the words in the deck's language, between the blanks that it has."""
    words = span.text.strip()
    return span._replace(text=span.text.replace(words, say(words))) if words else span


def _foot(asked: Asked, told: Told, more: bool) -> list[Span]:
    state, hints = asked.state, told.hints
    if asked.revealed is not None:
        key = [_DOT, Span("e", KEY), Span(" explains all", DIM)] if more and hints and told.locks else []
        return [*_earned(asked, asked.revealed, told.people), *key]
    vote = [Span("second vote", Style("warning"))] if state is not None and state.before else []
    count = _count(state, told)
    if state is not None and state.phase == "locked":
        said = [Span("locked", Style("warning", bold=True))]
        if hints and not (asked.picked or any(asked.typed) or count):
            count = [Span("no answer given", DIM)]
        onward = []
        if hints and told.locks:
            onward = [Span(told.onward[0], KEY), Span(f" {told.onward[1]}", DIM)]
        return _dotted([vote, said, count, onward])
    left = told.left_s
    late = Style("warning", bold=left is not None and left <= 10)
    time = [Span(clock(left), late), Span(" left", DIM)] if left is not None else []
    if not hints:
        return _dotted([vote, time, count])  # what is picked in the room is not shown to the room
    given = picture.of(asked.question.kind).given(asked)
    answer = [Span("answer ", DIM), Span(given or DASH, HEAD)]
    keys = [[Span(key, KEY), Span(f" {word}", DIM)] for key, word in _keys(asked, bool(given), told.locks)]
    return _dotted([time, vote, answer, count, *keys])


def _dotted(parts: Sequence[list[Span]]) -> list[Span]:
    """Parts with a dot between them; empty ones are left out."""
    spans: list[Span] = []
    for part in filter(None, parts):
        spans += [*([_DOT] if spans else []), *part]
    return spans


def _count(state: QuestionState | None, told: Told) -> list[Span]:
    """How many of the room are in."""
    people = told.people
    if not told.hints or told.counted is not None:
        if not told.counted:
            return []
        of = f" of {max(people, told.counted)}" if people else ""
        return [Span(f"{told.counted}{of} answered", Style("text"))]
    if state is None:
        return [Span(f"0 of {people} answered", Style("text"))] if people else []
    if not (state.people or state.hands or people):
        return []
    if state.hands:
        said = f"{sum(state.hands)} hands" + (f", {len(state.people)} by key" if state.people else "")
    else:
        said = f"{len(state.people)} of {max(people, len(state.people))} answered"
    return [Span(said, Style("text"))]


def _keys(asked: Asked, given: bool, locks: bool) -> list[tuple[str, str]]:
    """The keys of an open question and their words."""
    keys = [*picture.of(asked.question.kind).keys(asked), ("Enter", "locks")]
    return keys if locks and (given or asked.question.kind not in TYPED) else keys[:-1]


def _earned(asked: Asked, state: QuestionState, people: int) -> list[Span]:
    """What the driver's answer earned, and how the room did. Of somebody of the room only whether all was
    right: shares of the points are part of the key, and are not told."""
    question, own, picked, typed = asked.question, asked.own, asked.picked, asked.typed
    share = (
        votes.right_share(question, state, state.undecided) if not state.before else None
    )  # else both stand above
    room = [_DOT, Span(share.words, DIM)] if share is not None and votes.several(state) else []
    if room and share is not None and state.undecided and (left := state.answered - share.of) > 0:
        room += [_DOT, Span(f"{left} undecided", DIM)]
    if room and people > state.answered > 0:
        room += [_DOT, Span(f"{state.answered} of {people} answered", DIM)]
    if state.points is not None and state.out_of:
        full = state.points >= state.out_of
        word = "point" if state.out_of == 1 else "points"
        said = f"{state.points:.3g} of {state.out_of:g} {word}"
    elif own is not None:
        full, said = own.right, "right" if own.right else "not right"
    elif state.undecided and (picked or any(typed)):
        neither = Span("neither right nor wrong: the runs do not tell")
        return [Span("≈ ", Style("warning", bold=True)), neither, *room]
    else:
        written = question.kind in UNGRADED and any(typed)
        return [Span("not graded" if written else "revealed", DIM), *room]
    some = bool(not full and state.points and state.points > 0)
    mark, ink = ("✓ ", "good") if full else ("◐ ", "warning") if some else ("✗ ", "bad")
    spans = [
        Span(mark, Style(ink, bold=True)),
        Span(said, Style("good" if full else "text", bold=True)),
    ]
    parts = state.parts or (own.parts if own else ())
    if parts and not full:
        right = sum(part >= 1.0 for part in parts)
        spans += [_DOT, Span(f"{right} of {len(parts)} {of(question.kind).parts}", DIM)]
    if question.kind in SEVERAL and picked and not full and state.key:
        hit, others = len({*picked} & {*state.key}), len({*picked} - {*state.key})
        told = f"{hit} of {len(state.key)} right ones" + (f", {others} too many" if others else "")
        spans += [_DOT, Span(told, DIM)]
    return spans + room

"""The moments of a class that was held: each state of its journal in which the room saw something else. Pure.

Nothing happens in a journal while a demo runs, so a long look at one has moments in between.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator
from typing import NamedTuple

from runtime.classroom import state as class_state
from runtime.classroom import undo
from runtime.classroom.actions import Entry, Look, Run
from runtime.classroom.question_state import QuestionState
from runtime.classroom.state import ClassState, RunInfo
from runtime.classroom.state_for_the_room import visible_to

TOGETHER_S = 0.25  # what follows so soon on the same step is one moment: a question opens as its slide comes
WATCH_S, MOST_WATCHED = 3.0, 6  # between two looks at a run, and how many of them
PAUSE_S = 600.0  # a longer time without anything is a pause, and is skipped


class Moment(NamedTuple):
    """What the room saw from `t` (wall-clock seconds) on; `at` is the same on the bar, where pauses are left
    out. `what` says in words what had just happened, `since` when each run came to its present state, `here`
    names the blocks whose runs were started on this slide."""

    t: float
    at: float
    state: ClassState
    what: str
    since: dict[str, float]
    here: frozenset[str] = frozenset()


def moments(entries: Iterable[Entry]) -> list[Moment]:
    """Return the moments of a journal in their order; none of a class that never showed a slide."""
    found: list[Moment] = []
    state, before, since, at = ClassState(), ClassState(), dict[str, float](), 0.0
    home: dict[str, str] = {}  # the slide of each block that ran: elsewhere nobody sees it
    for entry, at in _timed(entries):
        state = class_state.apply(state, entry)
        if isinstance(entry.action, Run):
            begins = entry.action.state in ("launching", "replay") or entry.action.block not in home
            home |= {entry.action.block: state.pos.slide} if begins else {}
        since = {
            block: since[block] if block in since and before.runs.get(block) == run else entry.t
            for block, run in state.runs.items()
        }
        seen = visible_to(state, "audience")
        here = frozenset(block for block in seen.runs if home.get(block) == seen.pos.slide)
        if seen.pos.slide and (not found or look(seen, here) != look(found[-1].state, found[-1].here)):
            if found:
                found += _watched(found[-1], at)
            place = _place(seen)
            soon = found and at - found[-1].at < TOGETHER_S
            if soon and place == _place(found[-1].state):
                # A slide that has come says more than its question, open with it; else the last counts.
                arrived = len(found) == 1 or place != _place(found[-2].state)
                what = found[-1].what if arrived and not _told(seen) else _what(found[-1].state, seen, here)
                found[-1] = found[-1]._replace(
                    state=seen, since=since, what=what or found[-1].what, here=here
                )
            else:
                what = _what(found[-1].state if found else ClassState(), seen, here)
                found.append(Moment(entry.t, at, seen, what, since, here))
        before = state
    if found:
        found += _watched(found[-1], at)
    return found


def length_s(found: list[Moment], entries: Iterable[Entry]) -> float:
    """Seconds of the bar: until the last entry, without the pauses."""
    ends = [at for _, at in _timed(entries)]
    return max([*ends[-1:], *(moment.at for moment in found[-1:])], default=0.0)


def _timed(entries: Iterable[Entry]) -> Iterator[tuple[Entry, float]]:
    """Each entry, and its second on the bar: time without its pauses."""
    at, last = 0.0, float("inf")
    for entry in undo.standing(entries):
        if 0.0 < entry.t - last <= PAUSE_S:
            at += entry.t - last
        last = entry.t if last == float("inf") else max(last, entry.t)
        yield entry, at


def _place(state: ClassState) -> tuple[str, int]:
    return state.pos.slide, state.pos.step


def _told(state: ClassState) -> bool:
    """Whether a question has come further than to be open."""
    return any(question.phase not in ("", "open") for question in state.questions.values())


def look(state: ClassState, here: Collection[str]) -> Hashable:
    """All that makes a screen of the room another, but for a run that goes on; `here` are the runs it has."""
    questions = tuple(
        (id, one.phase, len(one.before), one.hands, one.hints, len(one.samples))
        for id, one in state.questions.items()
    )
    runs = tuple((block, run.run, run.generation, run.state) for block, run in _runs(state, here))
    turned = state.look.view, state.look.rank, state.look.full, state.look.estimate
    return state.deck_rev, state.pos.slide, state.pos.step, state.shown, questions, runs, turned


def _runs(state: ClassState, here: Collection[str]) -> list[tuple[str, RunInfo]]:
    return [(block, run) for block, run in state.runs.items() if block in here]


def going_on(moment: Moment) -> bool:
    """Whether a run of the slide went on in this moment."""
    return any(run.state in ("running", "replay") for _, run in _runs(moment.state, moment.here))


def _watched(moment: Moment, until: float) -> list[Moment]:
    """Looks at the runs that go on in a moment, until the next one comes."""
    if not going_on(moment):
        return []
    every = max(WATCH_S, (until - moment.at) / (MOST_WATCHED + 1))
    count = min(MOST_WATCHED, int((until - moment.at - TOGETHER_S) / every))
    return [
        moment._replace(t=moment.t + n * every, at=moment.at + n * every, what="the run goes on")
        for n in range(1, count + 1)
    ]


# --- in words -------------------------------------------------------------------------------------------


def _what(before: ClassState, now: ClassState, here: Collection[str]) -> str:
    """What had just happened, in a few words."""
    if now.shown != before.shown and before.pos.slide:
        return _SHOWN[now.shown]
    if now.pos.slide != before.pos.slide:
        return "another slide" if before.pos.slide else "the class begins"
    if now.pos.step != before.pos.step:
        return f"step {now.pos.step + 1}"
    for id, question in now.questions.items():
        if said := _asked(before.questions.get(id), question):
            return said
    for block, run in _runs(now, here):
        if before.runs.get(block) != run:
            return _ran(run)
    if turned := _turned(before.look, now.look):
        return turned
    return "the deck was changed" if now.deck_rev != before.deck_rev else ""


_SHOWN = {
    "live": "the slide is back",
    "frozen": "the room's screen was frozen",
    "black": "the room's screen was black",
    "white": "the room's screen was white",
}
_RUN = {
    "launching": "is started",
    "running": "runs",
    "stopping": "is being stopped",
    "done": "is done",
    "failed": "has failed",
    "stopped": "was stopped",
    "lost": "was lost",
    "replay": "is shown as it was recorded",
}


def _turned(before: Look, now: Look) -> str:
    if now.view != before.view:
        return f"the view {now.view}" if now.view else "the figures as they began"
    if now.full != before.full:
        return "the figures fill the screen" if now.full else "the slide is back beside the figures"
    if now.rank != before.rank:
        return "no rank is marked" if now.rank is None else f"rank {now.rank} is marked"
    return "the estimate is turned" if now.estimate != before.estimate else ""


def _ran(run: RunInfo) -> str:
    return f"{run.demo} {_RUN[run.state]}"


def _asked(before: QuestionState | None, now: QuestionState) -> str:
    if before is None:
        return "a question is asked"
    if now.phase != before.phase:
        return {"open": "the question is open", "locked": "answers are closed"}.get(
            now.phase, "the answer is shown"
        )
    if len(now.before) > len(before.before):
        return "the question is asked again"
    if now.hands != before.hands:
        return "hands are counted"
    if now.hints != before.hints:
        return "a hint"
    return "a run was measured" if len(now.samples) > len(before.samples) else ""

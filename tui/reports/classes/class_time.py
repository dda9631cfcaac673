"""What became of a class's time, told from its journal alone. Pure.

Planned against spent per slide, pauses, how long the class waited for each demo, how long each question took.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from runtime.classroom import class_clock, undo
from runtime.classroom import state as class_state
from runtime.classroom.actions import Begin, Deck, End, Entry, Lock, Open, Plan, Reveal, Run, Stepped
from runtime.classroom.state import ClassState
from tui.classroom import pace


@dataclass(frozen=True, slots=True)
class SlideTime:
    """Seconds; `planned_s` None where there is no plan. `visits` are those after the clock had started."""

    slide: str
    title: str
    planned_s: float | None
    spent_s: float
    visits: int
    optional: bool = False
    dropped: bool = False
    in_plan: bool = True


@dataclass(frozen=True, slots=True)
class DemoWait:
    """`wait_s`: from the launch to the first step; None: it had none. `state` is the last one known."""

    demo: str
    run: str
    slide: str
    wait_s: float | None = None
    state: str = ""


@dataclass(frozen=True, slots=True)
class QuestionTime:
    """`open_s`: from when it was shown to its lock, `revealed_s` to its explanation; None: it never was."""

    question: str
    slide: str
    kind: str
    open_s: float | None = None
    revealed_s: float | None = None


@dataclass(frozen=True, slots=True)
class Pause:
    """`at_s` of class time; `paused_s` long."""

    at_s: float
    slide: str
    paused_s: float


@dataclass(frozen=True, slots=True)
class ClassReport:
    """`began` and `ended` are wall-clock seconds, None before the clock started and while the class goes on.

    `planned_s` is that of the whole; `spent_s` is class time, without pauses.
    """

    class_id: str
    title: str
    began: float | None
    ended: float | None
    planned_s: float | None
    spent_s: float
    slides: tuple[SlideTime, ...]
    demos: tuple[DemoWait, ...]
    questions: tuple[QuestionTime, ...]
    pauses: tuple[Pause, ...]

    @property
    def paused_s(self) -> float:
        """Seconds that the clock stood still, over all pauses."""
        return sum(pause.paused_s for pause in self.pauses)

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain JSON values, the id of the class under "class"."""
        told = asdict(self)
        del told["class_id"]
        return {"class": self.class_id, **told, "paused_s": self.paused_s}


def report(entries: Sequence[Entry]) -> ClassReport:
    """The report of a journal; a class that was not ended is over with its last line."""
    state = ClassState()
    plan = Plan()
    visits: dict[str, int] = {}
    titles: dict[str, str] = {}
    demos: dict[str, tuple[float, DemoWait]] = {}
    questions: dict[str, tuple[float, QuestionTime]] = {}
    pauses: list[Pause] = []
    ended: float | None = None
    for entry in undo.standing(entries):
        before, state = state, class_state.apply(state, entry)
        here = state.pos.slide
        if state.timer.began and (here != before.pos.slide or not before.timer.began):
            visits[here] = visits.get(here, 0) + 1
        if (since := before.timer.paused) and not state.timer.paused:
            pauses.append(Pause(before.timer.elapsed, before.pos.slide, entry.t - since))
        match entry.action:
            case Begin():
                ended = None
            case End():
                ended = entry.t
            case Deck(plan=named):
                plan = named
                titles |= {slide.slide: slide.title for slide in (*plan.slides, *plan.besides)}
            case Run() as a:
                known = demos.get(a.run)
                if known is None and a.state == "launching":
                    demos[a.run] = entry.t, DemoWait(a.demo, a.run, here, state=a.state)
                elif known is not None:
                    demos[a.run] = known[0], replace(known[1], state=a.state)
            case Stepped(run=run) if run in demos:
                at, wait = demos[run]
                demos[run] = (
                    at,
                    replace(wait, wait_s=wait.wait_s if wait.wait_s is not None else entry.t - at),
                )
            case Open() as a if a.question not in questions:
                questions[a.question] = entry.t, QuestionTime(a.question, here, a.kind)
            case Lock(question=id) | Reveal(question=id) if id in questions:
                at, asked = questions[id]
                if asked.open_s is None:
                    asked = replace(asked, open_s=entry.t - at)
                if isinstance(entry.action, Reveal) and asked.revealed_s is None:
                    asked = replace(asked, revealed_s=entry.t - at)
                questions[id] = at, asked
            case _:
                pass
    over = ended if ended is not None else entries[-1].t if entries else 0.0
    slides = _slides(plan, state, visits, titles, over)
    planned = [slide.planned_s for slide in slides if slide.planned_s is not None]
    return ClassReport(
        class_id=state.class_id,
        title=state.title,
        began=state.timer.began or None,
        ended=ended,
        planned_s=plan.total_s if plan.total_s is not None else sum(planned) if planned else None,
        spent_s=class_clock.elapsed(state.timer, over),
        slides=slides,
        demos=tuple(wait for _, wait in demos.values()),
        questions=tuple(asked for _, asked in questions.values()),
        pauses=tuple(pauses),
    )


def _slides(
    plan: Plan, state: ClassState, visits: dict[str, int], titles: dict[str, str], over: float
) -> tuple[SlideTime, ...]:
    """The slides of the newest plan in order, then others that took time: hidden, backup, of older decks."""
    end = pace.until(plan, state, over)
    began = state.timer.began
    planned = pace.shares(plan, end - began if end is not None and began else None)

    def told(id: str, **marks: bool) -> SlideTime:
        spent = class_clock.spent(state.timer, state.pos.slide, id, over)
        return SlideTime(id, titles.get(id, id), planned.get(id), spent, visits.get(id, 0), **marks)

    inside = [
        told(slide.slide, optional=slide.optional, dropped=slide.slide in state.dropped)
        for slide in plan.slides
    ]
    named = {slide.slide for slide in plan.slides}
    outside = [told(id, in_plan=False) for id in visits if id not in named]
    return (*inside, *outside)

"""What the demos and questions of a deck came to be, for a document: of a class, or of nobody yet.

Figures are those of recorded runs, as their panel showed them at its end: measured, with date and machine, or
not there. Without a class they are of the newest such run made here, else of the recording that ships.
Of questions a document tells what the class was told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from runtime.catalog import registry
from runtime.classroom.question_state import QuestionState
from runtime.classroom.state import ClassState
from runtime.host.blocks.comparison import Contest, Plan
from runtime.host.blocks.comparison import check as check_demo
from runtime.protocol.messages import Snapshot
from runtime.recordings import files, run_choice
from runtime.recordings.files import About, Unreadable
from runtime.recordings.recording import load
from runtime.recordings.replay import Replay
from slides.deck import AnyBlock, Chart, Demo, Estimate, Exercise, Quiz
from slides.drawing.cells import clean
from slides.drawing.text import Line
from slides.export.block_outcomes import Drawing, Figure, Grid, Part
from slides.overflow import needs as seen_rows
from slides.reading_order import blocks as walk
from tui.classroom.runs import demo_requests
from tui.deck import question_of_block
from tui.export import question_parts
from tui.figures import numbers
from tui.rendering.pages.offscreen import Offscreen
from tui.reports.runs.run_table import HEAD, cells_of, tokens_s
from tui.views import registry as view_registry

CELLS = 100
_MOST_RANKS = 16
_LEAST_ROWS = 13


class Handout:
    """`state` is how a class ended, None where there was none; `ran` the runs of each block in it, the
    oldest first. `answers`: where nobody was told the answers yet, they go along."""

    def __init__(
        self,
        still: Offscreen,
        state: ClassState | None = None,
        ran: Mapping[str, Sequence[str]] | None = None,
        *,
        answers: bool = True,
    ) -> None:
        self._still, self._state, self._ran, self._answers = still, state, ran or {}, answers
        self.shown = 0  # demos with figures

    def special(self, block: AnyBlock) -> Part | None:
        """Return what replaces a demo, question, estimate or exercise on paper; None for any other block."""
        if isinstance(block, Demo):
            return self._demo(block)
        if isinstance(block, Quiz):
            return self._quiz(block)
        if isinstance(block, Estimate):
            from tui.export.estimate_figure import estimate_figure

            return estimate_figure(block, self._still.contents.deck.path, CELLS)
        if isinstance(block, Chart) and block.run:
            return self._chart(block)
        if isinstance(block, Exercise):
            from tui.views.blocks.exercise import in_print

            return Figure(*in_print(block))
        return None

    # --- questions ----------------------------------------------------------------------------------------

    def _quiz(self, block: Quiz) -> Part | None:
        question = question_of_block.question(block)
        if question is None:
            return None
        if self._state is None:
            return question_parts.alone(question, answers=self._answers)
        state = self._state.questions.get(block.id) or QuestionState(block.id, "", 0)
        return question_parts.in_class(question, state, self._state.seed)

    # --- demos --------------------------------------------------------------------------------------------

    def _demo(self, block: Demo) -> Figure:
        written = " ".join((block.name, *(f"{k}={v}" for k, v in demo_requests.asked(block).items())))
        asked_for = check_demo(block.name, demo_requests.asked(block), self._still.folder)
        if isinstance(asked_for, registry.Refusal):
            return Figure(written, words=(f"It cannot start: {asked_for.why}.",))
        if isinstance(asked_for, Plan):
            return self._comparison(block, asked_for)
        replays = list(self._replays(block, asked_for.name, asked_for.params))
        told = _told(replays)
        others = len(self._ran.get(block.id, ())) - 1
        more = f"Run {others + 1} times in this class; this is the last with figures." if others > 0 else ""
        if told is None and self._state is None:
            told, more = _recorded(block.id, asked_for.name, asked_for.params)
        if told is None:
            return Figure(written, words=self._not_run(replays, asked_for.title))
        self.shown += 1
        replay, snapshot = told
        return figure(replay, demo_requests.shown(block, snapshot), more)

    def snapshot(self, block: Demo) -> Snapshot | None:
        """The panel of a demo as it last had figures."""
        asked_for = check_demo(block.name, demo_requests.asked(block), self._still.folder)
        if isinstance(asked_for, registry.Refusal | Plan):
            return None
        told = _told(list(self._replays(block, asked_for.name, asked_for.params)))
        if told is None and self._state is None:
            told, _ = _recorded(block.id, asked_for.name, asked_for.params)
        return told[1] if told is not None else None

    def _chart(self, block: Chart) -> Chart:
        """A chart of a run with what its demo came to, or that there is none."""
        from tui.classroom.runs import run_charts

        contents = self._still.contents
        index = next(n for n in range(len(contents)) if block in walk(contents.slide(n).blocks))
        demo = run_charts.demo_of(block, contents, index)
        told = self.snapshot(demo) if demo is not None else None
        return run_charts.filled(block, contents, index, {demo.id: told} if demo and told else {})

    def _not_run(self, replays: Sequence[tuple[Replay, Snapshot]], title: str) -> tuple[str, ...]:
        if replays:
            _, snapshot = replays[0]
            why = f": {snapshot.why}" if snapshot.why else ""
            return (f"{title}.", f"It was {snapshot.state} before there were figures{why}.")
        return (f"{title}.", "Not run in this class." if self._state is not None else "Not run yet.")

    def _replays(
        self, block: Demo, name: str, params: Mapping[str, str]
    ) -> Iterator[tuple[Replay, Snapshot]]:
        """The runs of a block at their ends, the newest first; without a class the newest run like it."""
        if self._state is not None:
            folders = (_found(run) for run in reversed(self._ran.get(block.id, ())))
        else:
            wanted = run_choice.computed(name, params)
            like = (about for about in run_choice.done(name) if not run_choice.differing(wanted, about))
            folders = (_found(about.run) for about in like)
        for folder in folders:
            if folder is not None and (shown := _replayed(block.id, folder)) is not None:
                yield shown, shown.snapshot()

    def _comparison(self, block: Demo, plan: Plan) -> Figure:
        """The table made again of the runs of its strategies."""
        title = "compare " + ", ".join(entry.label for entry in plan.entries)
        contest, last = Contest(plan), None
        taken = dict.fromkeys(range(len(plan.entries)), 0)
        for run in reversed(self._ran.get(block.id, ())):
            folder = _found(run)
            about = _about(folder)
            number = next(
                (
                    n
                    for n, e in enumerate(plan.entries)
                    if about and (e.demo.name, e.demo.params) == (about.demo, about.params)
                ),
                None,
            )
            if folder is None or number is None or about is None or about.state != "done":
                continue
            if taken[number] < plan.runs and (shown := _replayed(block.id, folder)) is not None:
                contest.take(number, shown)
                taken[number] += 1
                last = last or about
        if last is None:
            return Figure(
                title, words=("Not run in this class." if self._state is not None else "Not run yet.",)
            )
        from tui.reports.runs.comparison_page import COLUMNS
        from tui.reports.runs.comparison_text import caption

        self.shown += 1
        table = contest.table()
        rows = tuple(tuple(figure(row) for _, figure in COLUMNS) for row in table.rows)
        fewer = [f"{row.label} {row.runs} of {plan.runs} times" for row in table.rows if row.runs < plan.runs]
        words = (f"Not all was run: {', '.join(fewer)}.",) if fewer else ()
        grid = Grid(caption(table), tuple(name for name, _ in COLUMNS), rows)
        return Figure(title, badge(last), words, (grid,))


def _told(replays: Sequence[tuple[Replay, Snapshot]]) -> tuple[Replay, Snapshot] | None:
    """The first with figures."""
    return next((pair for pair in replays if any(row.step is not None for row in pair[1].rows)), None)


def _recorded(block: str, name: str, params: Mapping[str, str]) -> tuple[tuple[Replay, Snapshot] | None, str]:
    """The recording that `s` would show in class, and a sentence on what it is; None where it is of other
    parameters than its number of steps."""
    try:
        folder, differs = run_choice.fitting(name, params)
    except Unreadable:
        return None, ""
    if run_choice.distance(differs) or (shown := _replayed(block, folder)) is None:
        return None, ""
    apart = f" It differs in {', '.join(differs)}." if differs else ""
    return _told([(shown, shown.snapshot())]), f"From the recording that the key s shows in class.{apart}"


def _found(run: str) -> Path | None:
    try:
        return files.find(run)
    except (Unreadable, OSError):
        return None


def _about(folder: Path | None) -> About | None:
    try:
        return files.read_about(folder) if folder is not None else None
    except Unreadable:
        return None


def _replayed(block: str, folder: Path) -> Replay | None:
    """A recorded run at its end."""
    try:
        shown = Replay(block, load(folder))
    except (Unreadable, OSError):
        return None
    shown.seek(shown.length_s, 0.0)
    return shown


def badge(about: About) -> str:
    """What the panel said of it, when it was and on which machine."""
    where = " · ".join((about.badge, *about.bent))
    return f"{where} · {about.made or 'at an unknown time'} · {about.made_on}"


def figure(shown: Replay, snapshot: Snapshot, more: str = "") -> Figure:
    """A run in words, figures and drawings."""
    about = shown.recording.about
    written = " ".join((snapshot.demo, *(f"{key}={value}" for key, value in snapshot.params.items())))
    rows = [cells_of(row) for row in snapshot.rows[:_MOST_RANKS]]
    left = len(snapshot.rows) - len(rows)
    return Figure(
        clean(written),
        badge(about),
        tuple(
            line
            for line in (*_said(snapshot), f"{left} more ranks are not in the table." * (left > 0), more)
            if line
        ),
        (_known("The ranks at its end", HEAD, rows),),
        tuple(_drawings(snapshot)),
    )


def _known(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> Grid:
    """A table without the columns of which nothing is known."""
    kept = [n for n in range(len(head)) if any(row[n] != "-" for row in rows)]
    return Grid(caption, tuple(head[n] for n in kept), tuple(tuple(row[n] for n in kept) for row in rows))


def _said(snapshot: Snapshot) -> Iterator[str]:
    facts = [f"{snapshot.state} after {snapshot.ran_s:.1f} s"]
    if (total := tokens_s(snapshot)) is not None:
        facts.append(f"{total:,.0f} tokens/s in total")
    if snapshot.overlap is not None:
        facts.append(f"overlap {numbers.percent(snapshot.overlap)}")
    if snapshot.slowest is not None and snapshot.slowest_by_s is not None:
        facts.append(f"slowest rank {snapshot.slowest}, by {numbers.ms(snapshot.slowest_by_s)}")
    if snapshot.equal is not None:
        equal = "equal" if snapshot.equal else "not equal"
        facts.append(f"parameters {equal} on all ranks after step {snapshot.equal_step}")
    yield " · ".join(facts)
    if snapshot.why and snapshot.state not in ("done", "stopped"):
        yield snapshot.why
    spec = registry.find(snapshot.demo)
    if spec is not None and spec.watch:
        yield spec.watch


def _drawings(snapshot: Snapshot) -> Iterator[Drawing]:
    """What the demo is about, what its ranks found out, its loss, and one step of its ranks: as far as there
    is anything to see."""
    for name in dict.fromkeys((snapshot.view, "buffers", "loss", "timeline")):
        view = view_registry.find(name)
        if view is not None and view.in_handout and view.has(snapshot):
            rows = max(_LEAST_ROWS, view.rows(snapshot))
            yield Drawing(view.about, trimmed(view.draw(snapshot, CELLS, rows, None)))


def trimmed(lines: Sequence[Line]) -> tuple[Line, ...]:
    """Without the blank lines at the end that a panel has to fill its room."""

    return tuple(lines[: seen_rows(lines)])

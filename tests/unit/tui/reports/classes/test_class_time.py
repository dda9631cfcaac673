"""The report of a class's time, from a journal made here, with times of our own."""

from __future__ import annotations

from runtime.classroom import actions
from runtime.classroom.actions import Entry, Plan, Planned
from tui.reports.classes import class_time_text
from tui.reports.classes.class_time import DemoWait, Pause, QuestionTime, report

PLAN = Plan(
    600.0,
    "",
    (
        Planned("a", "Opening", 60.0),
        Planned("b", "The \x1b[31midea", 120.0),
        Planned("c", "More", None, True),
        Planned("d", "End", None),
    ),
    (Planned("hidden", "Kept back"), Planned("never", "Never shown")),
)
RUN = ("r1", 1, "ddp", {"ranks": "4"})


def journal(*moments: tuple[float, actions.AnyAction]) -> list[Entry]:
    return [Entry(n, t, "s", "all", action) for n, (t, action) in enumerate(moments, 1)]


HELD = journal(
    (0.0, actions.Begin("c1", "0.1")),
    (1.0, actions.Deck("r", "A class", "deck.md", PLAN)),
    (2.0, actions.Move("a", 0)),
    (100.0, actions.Move("b", 0)),  # the clock starts
    (110.0, actions.Run("x", *RUN, "launching")),  # type: ignore[arg-type]
    (110.2, actions.Run("x", *RUN, "running")),  # type: ignore[arg-type]
    (110.5, actions.Stepped("x", "r1")),
    (150.0, actions.Move("d", 0)),
    (155.0, actions.Open("q", "single", 3)),
    (200.0, actions.Timer("pause")),
    (230.0, actions.Timer("start")),
    (235.0, actions.Lock("q", (1,), 1.0, 1.0)),
    (240.0, actions.Reveal("q", (1,))),
    (250.0, actions.Move("b", 0)),
    (290.0, actions.Move("hidden", 0)),
    (292.0, actions.Drop(("c",))),
    (300.0, actions.End("quit")),
)


def test_planned_against_spent_slide_by_slide_over_all_visits() -> None:
    told = report(HELD)
    rows = {s.slide: (s.planned_s, s.spent_s, s.visits) for s in told.slides}
    assert rows == {
        "a": (60, 0, 0),
        "b": (120, 90, 2),
        "c": (210, 0, 0),
        "d": (210, 70, 1),
        "hidden": (None, 10, 1),
    }
    assert (told.began, told.ended, told.planned_s, told.spent_s) == (100, 300, 600, 170)
    assert [s.slide for s in told.slides if s.dropped] == ["c"]
    assert [(s.slide, s.title) for s in told.slides if not s.in_plan] == [("hidden", "Kept back")]


def test_waits_for_demos_questions_and_pauses() -> None:
    told = report(HELD)
    assert told.demos == (DemoWait("ddp", "r1", "b", 0.5, "running"),)
    assert told.questions == (QuestionTime("q", "d", "single", 80.0, 85.0),)
    assert told.pauses == (Pause(100.0, "d", 30.0),)
    assert told.as_json()["paused_s"] == 30.0 and told.as_json()["class"] == "c1"


def test_a_demo_that_never_stepped_and_a_class_that_never_ended() -> None:
    told = report(HELD[:6])
    assert told.demos[0].wait_s is None
    assert told.ended is None and told.spent_s == 110.2 - 100.0


def test_what_was_taken_back_does_not_count() -> None:
    taken = [
        *HELD[:-1],
        Entry(17, 295.0, "s", "all", actions.Undo(10)),
        Entry(18, 300.0, "s", "all", actions.End()),
    ]
    assert report(taken).pauses == ()


def test_an_end_time_is_shared_among_the_slides() -> None:
    began = 1_000_000.0
    slides = tuple(Planned(id, id) for id in "ab")
    end = began + 600
    entries = journal(
        (began - 9, actions.Deck("r", "T", "", Plan(None, "", slides))),
        (began - 8, actions.Move("a", 0)),
        (began - 7, actions.Until(end)),
        (began, actions.Move("b", 0)),
    )
    assert [slide.planned_s for slide in report(entries).slides] == [300, 300]


def test_an_empty_journal_has_a_report() -> None:
    told = report([])
    assert (told.began, told.spent_s, told.slides) == (None, 0.0, ())
    assert "never started" in "\n".join(class_time_text.text(told))


def test_the_report_in_words_is_clean_and_says_it_all() -> None:
    shown = "\n".join(class_time_text.text(report(HELD)))
    assert "\x1b" not in shown
    assert "planned 10:00 · spent 2:50 · 7:10 under · paused 0:30 in 1" in shown
    assert "2:00     1:30    -0:30  2 visits" in shown
    assert "More" in shown and "optional, left out" in shown
    assert "0.50 s" in shown and "1:20     1:25" in shown

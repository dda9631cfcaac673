"""ClassState is a fold of the journal: following, reattach, undo and reports stand on these rules."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.classroom import actions, class_clock
from runtime.classroom import state as lc
from runtime.classroom.journal import Journal, read
from runtime.classroom.state_for_the_room import visible_to


def entries(*acts: actions.AnyAction, dt: float = 10.0, screen: str = "s1") -> list[actions.Entry]:
    return [actions.Entry(n, n * dt, screen, "all", action) for n, action in enumerate(acts, 1)]


def test_the_clock_starts_on_the_first_move_off_the_first_slide() -> None:
    state = lc.fold(entries(actions.Move("a", 0), actions.Move("a", 1)))
    assert not state.timer.running
    state = lc.fold(entries(actions.Move("a", 0), actions.Move("a", 1), actions.Move("b", 0)))
    assert state.timer.running
    assert class_clock.elapsed(state.timer, 35.0) == 5.0


def test_time_is_booked_on_the_slide_it_was_spent_on_over_all_visits() -> None:
    state = lc.fold(
        entries(
            actions.Move("a", 0),
            actions.Move("b", 0),
            actions.Move("c", 0),
            actions.Move("b", 0),
            actions.Timer("pause"),
        )
    )
    assert class_clock.spent(state.timer, state.pos.slide, "b", 1000.0) == 20.0
    assert class_clock.spent(state.timer, state.pos.slide, "c", 1000.0) == 10.0
    assert class_clock.elapsed(state.timer, 1000.0) == 30.0


def test_a_reset_clock_waits_for_the_next_move() -> None:
    moves = (actions.Move("a", 0), actions.Move("b", 0))
    state = lc.fold(entries(*moves, actions.Timer("reset")))
    assert state.timer == class_clock.TimerState(since=30.0)
    assert lc.fold([actions.Entry(4, 40.0, "s1", "all", actions.Move("c", 0))], state).timer.began == 40.0


def test_a_paused_clock_knows_since_when() -> None:
    moves = (actions.Move("a", 0), actions.Move("b", 0))
    paused = lc.fold(entries(*moves, actions.Timer("pause"), actions.Move("c", 0), actions.Timer("pause")))
    assert (paused.timer.began, paused.timer.paused, paused.timer.elapsed) == (20.0, 30.0, 10.0)
    again = lc.fold([actions.Entry(6, 60.0, "s1", "all", actions.Timer("start"))], paused)
    assert (again.timer.began, again.timer.paused) == (20.0, 0.0)


def said(*by: tuple[str, actions.AnyAction]) -> lc.ClassState:
    return lc.fold(actions.Entry(n, n * 10.0, who, "all", action) for n, (who, action) in enumerate(by, 1))


def test_one_console_drives_alone_until_another_takes_over_or_it_lets_go() -> None:
    begun = (("ann", actions.Move("a", 0)), ("bob", actions.Move("b", 0)), ("ann", actions.Lead("ann")))
    assert said(*begun, ("bob", actions.Move("c", 0)), ("bob", actions.Show("black"))).pos.slide == "b"
    assert said(*begun, ("ann", actions.Move("c", 0))).pos.slide == "c"
    taken = (*begun, ("bob", actions.Lead("bob")), ("bob", actions.Move("c", 0)))
    assert said(*taken, ("ann", actions.Move("d", 0))).pos.slide == "c"
    assert said(*taken, ("bob", actions.Lead("")), ("ann", actions.Move("d", 0))).pos.slide == "d"
    # The host is nobody's rival, and an answer moves nothing.
    run = actions.Run("x", "r1", 1, "ddp", {}, "running")
    assert said(*begun, ("", run)).runs["x"].state == "running"
    asked = said(*begun, ("ann", actions.Open("q", "single", 2)), ("bob", actions.Answer("q", (1,))))
    assert asked.questions["q"].counts == (0, 1)
    assert visible_to(said(*begun), "audience").lead == ""


@pytest.mark.parametrize("empty", ["black", "white"])
def test_a_frozen_room_that_is_blanked_is_frozen_again_after_it(empty: actions.ShowMode) -> None:
    state = lc.fold(
        entries(actions.Move("a", 1), actions.Show("frozen"), actions.Move("b", 2), actions.Show(empty))
    )
    assert (state.shown, state.audience) == (empty, lc.Position("a", 1))
    assert visible_to(state, "audience").pos == lc.Position("a", 1)
    state = lc.fold(entries(actions.Show("black"), actions.Move("c", 0), actions.Show("live")), state)
    assert (state.shown, state.audience) == ("frozen", lc.Position("a", 1))
    state = lc.fold(entries(actions.Show("live")), state)
    assert (state.shown, state.audience) == ("live", lc.Position("c", 0))


def test_a_frozen_room_stays_where_it_was() -> None:
    state = lc.fold(entries(actions.Move("a", 1), actions.Show("frozen"), actions.Move("b", 2)))
    assert state.pos == lc.Position("b", 2)
    assert state.audience == lc.Position("a", 1)
    assert visible_to(state, "audience").pos == lc.Position("a", 1)
    assert lc.fold(entries(actions.Show("live")), state).audience == lc.Position("b", 2)


def test_everybody_looks_at_a_demo_alike_until_the_slide_is_left() -> None:
    seen = actions.Look("memory", 2, True)
    state = lc.fold(entries(actions.Move("a", 0), seen, actions.Move("a", 1)))
    assert state.look == visible_to(state, "audience").look == seen
    frozen = lc.fold(entries(actions.Show("frozen"), actions.Look("loss")), state)
    assert visible_to(frozen, "audience").look == seen
    assert lc.fold(entries(actions.Move("b", 0)), state).look == actions.Look()


def question(*more: actions.AnyAction) -> lc.ClassState:
    return lc.fold(entries(actions.Open("q", "single", 3), *more))


def test_a_question_goes_from_open_to_locked_to_revealed() -> None:
    state = question(actions.Answer("q", (1,)), actions.Answer("q", (2,)))
    assert state.questions["q"].counts == (0, 0, 1)
    state = question(actions.Answer("q", (2,)), actions.Lock("q", (2,), 1.0, 1.0), actions.Answer("q", (0,)))
    assert (state.questions["q"].phase, state.questions["q"].counts) == ("locked", (0, 0, 1))
    assert state.questions["q"].points == 1.0
    state = question(actions.Lock("q", (2,), 1.0, 1.0), actions.Reveal("q", (2,), ("", "", "because"), "all"))
    assert (state.questions["q"].phase, state.questions["q"].key) == ("revealed", (2,))


def test_an_audience_knows_neither_answers_nor_keys_before_the_reveal() -> None:
    locked = question(actions.Answer("q", (2,)), actions.Lock("q", (2,), 1.0, 1.0))
    seen = visible_to(locked, "audience").questions["q"]
    assert (seen.answers, seen.counts, seen.points, seen.key) == ({}, (), None, ())
    shown = visible_to(lc.fold(entries(actions.Reveal("q", (2,), ("x",), "y")), locked), "audience")
    assert shown.questions["q"].key == (2,)


def test_an_undo_takes_back_an_answer_but_never_a_move() -> None:
    lines = entries(
        actions.Open("q", "single", 2), actions.Answer("q", (0,)), actions.Answer("q", (1,)), actions.Undo(3)
    )
    assert lc.fold(lines).questions["q"].counts == (1, 0)
    lines = entries(actions.Move("a", 0), actions.Move("b", 0), actions.Undo(2))
    assert lc.fold(lines).pos.slide == "b"


def test_out_of_range_choices_and_unknown_questions_change_nothing() -> None:
    assert question(actions.Answer("q", (7,))).questions["q"].answers == {}
    assert question(actions.Answer("other", (0,)), actions.Reveal("other", (0,))).questions.keys() == {"q"}


ids = st.sampled_from(["", "a", "b", "q"])
any_action = st.one_of(
    st.builds(actions.Move, ids, st.integers(-2, 5)),
    st.builds(actions.Look, st.sampled_from(["", "loss"]), st.none() | st.integers(0, 9), st.booleans()),
    st.builds(actions.Show, st.sampled_from(["live", "frozen", "black", "white"])),
    st.builds(actions.Timer, st.sampled_from(["start", "pause", "reset"])),
    st.builds(actions.Until, st.none() | st.floats(0, 1e6)),
    st.builds(actions.Drop, st.lists(ids, max_size=2).map(tuple)),
    st.builds(actions.Lead, st.sampled_from(["", "s1", "s2"])),
    st.builds(actions.Open, ids, st.just("single"), st.integers(0, 4)),
    st.builds(actions.Answer, ids, st.lists(st.integers(-1, 6), max_size=3).map(tuple)),
    st.builds(actions.Lock, ids, st.just((0,)), st.just(1.0), st.just(1.0)),
    st.builds(actions.Reveal, ids, st.just((0,))),
    st.builds(actions.Undo, st.integers(0, 9)),
    st.builds(actions.End, st.text(max_size=3)),
)


@given(st.lists(any_action, max_size=20))
def test_folding_never_fails_and_time_never_runs_backwards(done: list[actions.AnyAction]) -> None:
    state = lc.fold(entries(*done))
    now = len(done) * 10.0
    assert class_clock.elapsed(state.timer, now + 5) >= class_clock.elapsed(state.timer, now) >= 0
    assert sum(state.timer.spent.values()) <= now + 1e-6
    assert visible_to(state, "audience").path == ""


def test_the_journal_survives_a_cut_line_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "class" / "journal.jsonl"
    journal = Journal(path, now=lambda: 5.0)
    journal.append(actions.Move("a", 0), "s1")
    journal.append(actions.Move("b", 1), "s1")
    whole = path.read_bytes()
    path.write_bytes(whole[:-7])  # kill -9 in the middle of a write
    again = Journal(path, now=lambda: 6.0)
    assert [e.action for e in again.entries] == [actions.Move("a", 0)]
    again.append(actions.Move("c", 0), "s2")
    assert [e.action for e in read(path)] == [actions.Move("a", 0), actions.Move("c", 0)]
    assert [e.seq for e in read(path)] == [1, 2]


def test_time_in_a_journal_never_runs_backwards(tmp_path: Path) -> None:
    """A host that stood still orders late what was done meanwhile; and a wall clock can be set back."""
    clock = iter([100.0, 160.0, 160.5, 90.0])
    journal = Journal(tmp_path / "journal.jsonl", now=lambda: next(clock))
    journal.append(actions.Move("a", 0))
    journal.append(actions.Timer("start"), "s1", at=105.0)
    journal.append(actions.Move("b", 0), "s2", at=103.0)
    journal.append(actions.Move("c", 0))
    assert [e.t for e in journal.entries] == [100.0, 105.0, 105.0, 105.0]
    assert class_clock.elapsed(lc.fold(journal.entries).timer, 160.0) == 55.0


def test_a_full_disk_keeps_the_class_going_and_writes_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal.jsonl"
    journal = Journal(path)
    real_open = Path.open

    def full(self: Path, *args: object, **kwargs: object) -> object:
        if self == path and args and args[0] == "ab":
            raise OSError(28, "No space left on device")
        return real_open(self, *args, **kwargs)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", full)
    journal.append(actions.Move("a", 0))
    assert journal.failed == "No space left on device"
    assert lc.fold(journal.entries).pos.slide == "a"
    assert not journal.keep() and journal.failed
    monkeypatch.setattr(Path, "open", real_open)
    assert journal.keep() and journal.failed == "", "nobody has to do something first"
    assert [entry.action for entry in read(path)] == [actions.Move("a", 0)]
    journal.append(actions.Move("b", 0))
    assert journal.failed == ""
    assert [e.action for e in read(path)] == [actions.Move("a", 0), actions.Move("b", 0)]


def test_an_older_journal_without_the_newer_fields_is_read() -> None:
    action = '{"do":"deck","rev":"r","title":"T","path":"p"}'
    line = f'{{"seq":1,"t":2.0,"screen":"","visible":"all","action":{action}}}'
    assert msgspec.json.decode(line, type=actions.Entry).action == actions.Deck("r", "T", "p", actions.Plan())


def test_a_journal_line_looks_like_this() -> None:
    """Pinned: other versions, reports and people read these lines."""
    entry = actions.Entry(3, 12.5, "s1", "all", actions.Lock("q", (1,), 1.0, 2.0))
    assert msgspec.json.encode(entry).decode() == (
        '{"seq":3,"t":12.5,"screen":"s1","visible":"all",'
        '"action":{"do":"lock","question":"q","choice":[1],"points":1.0,"out_of":2.0}}'
    )
